#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include <sinter/runtime/base/refused_code.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/cuda_module.hpp>
#include <sinter/runtime/object/object_code.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/posix/loaded_object.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

namespace sinter::inline v0 {

using runtime::cuda_module;

struct object_code::state {
  state(std::vector<code_image> code, std::vector<std::string> names, object_facts known, std::string from)
      : images(std::move(code)), entries(std::move(names)), facts(std::move(known)), origin(std::move(from)) {
    for (const code_image& image : images)
      modules.push_back(std::make_unique<cuda_module>(cuda_module::borrowed{image.bytes}));
    if (entries.empty())
      for (const code_image& image : images)
        if (entries = entries_of(image); !entries.empty()) break;
    if (entries.empty()) entries.emplace_back();
  }

  std::string name_or_first(std::string_view name) const {
    return name.empty() ? entries.front() : std::string(name);
  }
  std::string title() const {
    return entries.front().empty() ? fmt::format("the compiled code from {}", origin)
                                   : fmt::format("kernel '{}'", entries.front());
  }
  std::string list_of_images() const;
  std::size_t choose(device where) const;
  cuda_module& module_for(int ordinal) const;

  const std::vector<code_image> images;
  std::vector<std::string> entries;  // never empty; the first may be ""
  const object_facts facts;
  const std::string origin;
  std::vector<std::unique_ptr<cuda_module>> modules;  // of every image; those of ELF code never load

  runtime::renewed_mutex guard;  // of loading `object`
  std::optional<runtime::loaded_object> object;
  std::atomic<bool> object_loaded{false};  // once true, `object` never changes
  std::atomic<cpu_kernel> first_entry{nullptr};
};

std::string object_code::state::list_of_images() const {
  std::string list;
  for (const code_image& image : images) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", to_string(image.format));
    if (image.architecture != 0)
      list += fmt::format(" for {}.{}", image.architecture / 10, image.architecture % 10);
  }
  return list.empty() ? "nothing" : list;
}

std::size_t object_code::state::choose(device where) const {
  constexpr int unfit = -1;
  const int own = where.is_cuda() ? runtime::cuda_device(where.index()).architecture() : 0;
  // Higher is better; within a format the nearest architecture.
  const auto fitness = [&](const code_image& image) {
    const int of = image.architecture;
    switch (image.format) {
      case code_format::elf:
        return where.is_cpu() ? 0 : unfit;
      case code_format::cubin:
        return where.is_cuda() && (of == 0 || (of / 10 == own / 10 && of <= own)) ? 20000 + of : unfit;
      case code_format::fatbin:
        return where.is_cuda() ? 10000 : unfit;
      case code_format::ptx:
        return where.is_cuda() && of <= own ? of : unfit;
      case code_format::lto_ir:
        break;
    }
    return unfit;
  };
  int best = unfit;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (const int fit = fitness(images[i]); fit > best) {
      best = fit;
      chosen = i;
    }
  if (best != unfit) return chosen;
  const std::string on =
      where.is_cpu() ? "the CPU"
                     : fmt::format("{} (compute capability {}.{})", where.to_string(), own / 10, own % 10);
  throw runtime::refused_code(fmt::format(
      "{} cannot run on {}: there is {}; compile it for that device{}", title(), on, list_of_images(),
      images.size() == 1 && images[0].format == code_format::lto_ir ? ", or link() the LTO-IR for it" : ""));
}

cuda_module& object_code::state::module_for(int ordinal) const {
  const std::size_t index = choose(device::cuda(ordinal));
  cuda_module& module = *modules[index];
  if (module.loaded()) return module;
  if (const std::string fault = fault_of(images[index]); !fault.empty())
    throw runtime::refused_code(fmt::format("the {} of {} from {} cannot be loaded: {}",
                                            to_string(images[index].format), title(), origin, fault));
  return module;
}

object_code::object_code(std::vector<code_image> images, std::vector<std::string> entries, object_facts facts,
                         std::string origin)
    : state_(std::make_shared<state>(std::move(images), std::move(entries), std::move(facts),
                                     std::move(origin))) {}

object_code::object_code(std::vector<code_image> images, std::string entry, object_facts facts,
                         std::string origin)
    : object_code(std::move(images), std::vector<std::string>{std::move(entry)}, std::move(facts),
                  std::move(origin)) {}

object_code object_code::from_bytes(std::string bytes, std::string origin) {
  std::vector<code_image> images;
  images.push_back(recognise(std::move(bytes), origin));
  return object_code(std::move(images), std::vector<std::string>{}, {}, std::move(origin));
}

object_code object_code::from_file(const std::string& path) {
  return from_bytes(runtime::read_whole_file(path), "file " + path);
}

namespace {

// Checks for members other than operator bool: a default-constructed object has no state.
template <class State>
State& held(const std::shared_ptr<State>& code) {
  if (code == nullptr)
    throw device_error(
        "this object_code is empty: it was made by object_code{} or moved from; make one of images, with "
        "from_bytes() or from_file()");
  return *code;
}

}  // namespace

const std::vector<code_image>& object_code::images() const { return held(state_).images; }
const std::string& object_code::entry() const { return held(state_).entries.front(); }
const std::vector<std::string>& object_code::entries() const { return held(state_).entries; }
const object_facts& object_code::facts() const { return held(state_).facts; }
const std::string& object_code::origin() const { return held(state_).origin; }

bool object_code::loaded() const {
  if (state_ == nullptr) return false;
  for (const auto& module : state_->modules)
    if (module->loaded()) return true;
  return state_->object_loaded.load(std::memory_order_acquire);
}

const code_image& object_code::image_for(device where) const {
  return held(state_).images[held(state_).choose(where)];
}

kernel_attributes object_code::attributes(device where, std::string_view entry) const {
  if (where.is_cpu())
    throw device_error(fmt::format("attributes of {} were asked for on the CPU: only CUDA devices tell them",
                                   held(state_).title()));
  return held(state_).module_for(where.index()).attributes(held(state_).name_or_first(entry), where.index());
}

cpu_kernel object_code::cpu_entry(std::string_view entry) const {
  state& all = held(state_);
  if (entry.empty())
    if (const cpu_kernel known = all.first_entry.load(std::memory_order_acquire)) return known;
  const code_image& image = all.images[all.choose(device::cpu())];
  const std::string name = all.name_or_first(entry);
  if (!all.object_loaded.load(std::memory_order_acquire)) {
    const std::lock_guard lock(all.guard.own());
    if (!all.object_loaded.load(std::memory_order_relaxed)) {
      if (const std::string fault = fault_of(image); !fault.empty())
        throw runtime::refused_code(
            fmt::format("the ELF of {} from {} cannot be loaded: {}", all.title(), all.origin, fault));
      all.object.emplace(image.bytes);
      all.object_loaded.store(true, std::memory_order_release);
    }
  }
  const auto found = reinterpret_cast<cpu_kernel>(all.object->symbol(name.c_str()));
  if (found == nullptr)
    throw runtime::refused_code(fmt::format("the compiled code has no kernel '{}'", name));
  if (entry.empty()) all.first_entry.store(found, std::memory_order_release);
  return found;
}

CUkern_st* object_code::cuda_entry(CUctx_st* context, std::string_view entry) const {
  return held(state_)
      .module_for(runtime::device_of(context))
      .kernel(held(state_).name_or_first(entry), context);
}

void object_code::allow_large_clusters(int device) const {
  held(state_).module_for(device).allow_large_clusters(entry(), device);
}

void object_code::allow_shared_memory(std::size_t bytes, int device) const {
  held(state_).module_for(device).allow_shared_memory(entry(), bytes, device);
}

void object_code::keep_loaded() const {
  for (const auto& module : held(state_).modules) module->keep_loaded();
}

}  // namespace sinter::inline v0
