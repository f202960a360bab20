#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <utility>

#include <sinter/runtime/posix/dynamic_library.hpp>

// GCC defines macros, Clang features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SINTER_SANITIZED 1
#elif defined(__has_feature)
#define SINTER_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SINTER_SANITIZED 0
#endif

namespace sinter::inline v0::runtime {
namespace {

int flags_for(dynamic_library::binding how) {
  int flags = RTLD_NOW | RTLD_LOCAL;
  // Sanitizers reject RTLD_DEEPBIND, which would bypass their interceptors.
#if defined(RTLD_DEEPBIND) && !SINTER_SANITIZED
  if (how == dynamic_library::binding::isolated) flags |= RTLD_DEEPBIND;
#else
  static_cast<void>(how);
#endif
  return flags;
}

}  // namespace

std::optional<dynamic_library> dynamic_library::open(std::span<const std::string> candidates,
                                                     std::string& why, binding how) {
  std::string reasons;
  for (const std::string& name : candidates) {
    if (void* handle = dlopen(name.c_str(), flags_for(how))) return dynamic_library(handle, name);
    const char* answer = dlerror();
    if (!reasons.empty()) reasons += "; ";
    reasons += answer != nullptr ? answer : name + ": could not be opened";
  }
  why = reasons.empty() ? "there is no candidate to open" : reasons;
  return std::nullopt;
}

dynamic_library::dynamic_library(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}

dynamic_library::dynamic_library(dynamic_library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), name_(std::move(other.name_)), kept_(other.kept_) {}

dynamic_library& dynamic_library::operator=(dynamic_library&& other) noexcept {
  if (this != &other) {
    close();
    handle_ = std::exchange(other.handle_, nullptr);
    name_ = std::move(other.name_);
    kept_ = other.kept_;
  }
  return *this;
}

dynamic_library::~dynamic_library() { close(); }

void dynamic_library::close() noexcept {
  if (handle_ != nullptr && !kept_) dlclose(handle_);
  handle_ = nullptr;
}

void* dynamic_library::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

std::string dynamic_library::file() const {
  link_map* map = nullptr;
  if (handle_ != nullptr && dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 &&
      map != nullptr && map->l_name[0] != 0)
    return map->l_name;
  return name_;
}

const char* fill_function_table(const dynamic_library& library, void* table,
                                std::span<const library_function> rows) noexcept {
  const char* missing = nullptr;
  for (const library_function& row : rows) {
    void* address = library.symbol(row.name);
    std::memcpy(static_cast<char*>(table) + row.offset, static_cast<const void*>(&address), sizeof address);
    if (address == nullptr && row.essential && missing == nullptr) missing = row.name;
  }
  return missing;
}

}  // namespace sinter::inline v0::runtime
