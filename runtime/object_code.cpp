#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include <sinter/runtime/cuda/module.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object_code.hpp>
#include <sinter/runtime/platform/loaded_object.hpp>

namespace sinter::runtime {

struct object_code::image {
  image(format of, std::string bytes, std::string name, object_facts known)
      : kind(of), module(std::move(bytes)), entry(std::move(name)), facts(std::move(known)) {}

  const format kind;
  cuda_module module;  // holds the bytes; of ELF code it is never loaded
  const std::string entry;
  const object_facts facts;

  std::mutex guard;
  std::optional<loaded_object> object;
  std::atomic<host_kernel> host{nullptr};
};

object_code::object_code(format kind, std::string bytes, std::string entry, object_facts facts)
    : image_(std::make_shared<image>(kind, std::move(bytes), std::move(entry), std::move(facts))) {}

object_code::format object_code::kind() const { return image_->kind; }
const std::string& object_code::bytes() const { return image_->module.code(); }
const std::string& object_code::entry() const { return image_->entry; }
const object_facts& object_code::facts() const { return image_->facts; }

bool object_code::loaded() const {
  return image_->module.loaded() || image_->host.load(std::memory_order_acquire) != nullptr;
}

host_kernel object_code::host_entry() const {
  if (const host_kernel known = image_->host.load(std::memory_order_acquire)) return known;
  if (image_->kind != format::elf)
    throw device_error(fmt::format("kernel '{}' was compiled for CUDA and cannot run on the CPU", entry()));
  const std::lock_guard lock(image_->guard);
  if (!image_->object) image_->object.emplace(bytes());
  const auto found = reinterpret_cast<host_kernel>(image_->object->symbol(entry().c_str()));
  if (found == nullptr) throw device_error(fmt::format("the compiled code has no kernel '{}'", entry()));
  image_->host.store(found, std::memory_order_release);
  return found;
}

CUkernel object_code::cuda_entry(CUcontext context) const {
  if (image_->kind == format::elf)
    throw device_error(
        fmt::format("kernel '{}' was compiled for the CPU and cannot run under CUDA", entry()));
  return image_->module.kernel(entry(), context);
}

void object_code::allow_large_clusters(int device) const {
  image_->module.allow_large_clusters(entry(), device);
}

void object_code::allow_shared_memory(std::size_t bytes, int device) const {
  image_->module.allow_shared_memory(entry(), bytes, device);
}

void object_code::keep_loaded() const { image_->module.keep_loaded(); }

const char* to_string(object_code::format kind) {
  switch (kind) {
    case object_code::format::cubin:
      return "cubin";
    case object_code::format::ptx:
      return "PTX";
    case object_code::format::elf:
      return "ELF";
  }
  return "";
}

}  // namespace sinter::runtime
