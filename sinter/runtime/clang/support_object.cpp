// Clang emits calls of memcpy for copies of large structs, of fma if the processor has no such instruction,
// of __divti3 for 128-bit division, and so on. No libc is linked, so this file provides them. Nearly all
// kernels need none, and then this text is never compiled; other kernels link only the functions that they
// need, by section.
#include "support_object.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <string_view>

#include "clang_frontend.hpp"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace sinter::inline v0::cpu_compiler {
namespace {

struct support_group {
  llvm::StringRef names;  // separated by spaces
  llvm::StringRef text;
};

constexpr support_group groups[] = {
#include "support_source.inc"
};

// Hidden, so that the shared object does not export the functions that it links.
constexpr std::string_view prelude = R"cpp(
#define SINTER_SUPPORT extern "C" __attribute__((visibility("hidden")))
  typedef unsigned char u8;
  typedef unsigned short u16;
  typedef unsigned int u32;
  typedef unsigned long u64;
  typedef unsigned __int128 u128;
)cpp";

bool defines(const support_group& group, const std::string& symbol) {
  llvm::SmallVector<llvm::StringRef, 16> names;
  group.names.split(names, ' ');
  return std::find(names.begin(), names.end(), symbol) != names.end();
}

shared_bytes compile_group(const support_group& group, std::string& log) {
  const std::string source = std::string(prelude) + group.text.str();
  compile_job job;
  job.source = source;
  job.source_name = "sinter_support.cpp";
  // The oldest processor of the family: the fallbacks are for processors that lack instructions.
  job.target_cpu = "x86-64";
  job.options = {"-ffunction-sections", "-fwrapv"};
  llvm::SmallVector<char, 0> object;
  if (!compile_to_object(job, object, log)) return nullptr;
  return std::make_shared<const std::string>(object.data(), object.size());
}

}  // namespace

bool support_objects(const std::vector<std::string>& symbols, std::vector<shared_bytes>& objects,
                     std::string& log) {
  static std::mutex mutex;
  static auto& kept = *new std::array<shared_bytes, std::size(groups)>;
  for (std::size_t index = 0; index < kept.size(); ++index) {
    const support_group& group = groups[index];
    if (std::none_of(symbols.begin(), symbols.end(), [&](auto& symbol) { return defines(group, symbol); })) {
      continue;
    }
    shared_bytes object;
    {
      const std::lock_guard lock(mutex);
      object = kept[index];
    }
    // Compiled outside of the lock, because a fatal error would leave it held. Two threads may both compile;
    // the bytes are equal.
    if (!object) {
      object = compile_group(group, log);
      if (!object) return false;
      const std::lock_guard lock(mutex);
      kept[index] = object;
    }
    objects.push_back(std::move(object));
  }
  return true;
}

}  // namespace sinter::inline v0::cpu_compiler
