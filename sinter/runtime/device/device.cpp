#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>

#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/host.hpp>

namespace sinter::inline v0 {
namespace {

// A device as one word, so that the default can be read and set from any thread; 0 is "not chosen".
std::atomic<std::uint32_t> chosen_default{0};

std::uint32_t pack(device value) {
  return value.is_cpu() ? 1u : 2u + static_cast<std::uint32_t>(value.index());
}
device unpack(std::uint32_t word) {
  return word <= 1 ? device::cpu() : device::cuda(static_cast<int>(word) - 2);
}

}  // namespace

device device::current_default() {
  if (const std::uint32_t chosen = chosen_default.load(std::memory_order_relaxed)) return unpack(chosen);
  return runtime::cuda_device_count() > 0 ? cuda(0) : cpu();
}

void device::set_default(device chosen) {
  if (chosen.is_cuda()) runtime::cuda_device(chosen.index());  // throws where there is no such device
  chosen_default.store(pack(chosen), std::memory_order_relaxed);
}

std::string device::to_string() const { return is_cpu() ? "cpu" : fmt::format("cuda:{}", index()); }

std::string device::name() const {
  if (is_cuda()) return runtime::cuda_device(index()).name;
  const std::string name = runtime::processor_name();
  return name.empty() ? "cpu" : name;
}

std::vector<device> devices() {
  std::vector<device> usable{device::cpu()};
  for (int index = 0; index < runtime::cuda_device_count(); ++index) usable.push_back(device::cuda(index));
  return usable;
}

std::string cuda_absence_reason() {
  if (std::string reason = runtime::driver_absence_reason(); !reason.empty()) return reason;
  if (runtime::cuda_device_count() > 0) return {};
  return "the CUDA driver works but shows no device; CUDA_VISIBLE_DEVICES decides which it shows";
}

namespace runtime {
namespace {

target_facts read_cpu_facts() {
  target_facts facts;
  facts.kind = target_kind::cpu;
  facts.multiprocessors = static_cast<int>(cpu_threads());
  facts.cache_bytes = cpu_cache_share(last_level_cache(), cpu_threads());
  facts.vector_bytes = vector_register_bytes();
  return facts;
}

target_facts read_cuda_facts(int index) {
  const cuda_device_facts& device = cuda_device(index);
  target_facts facts;
  facts.kind = target_kind::cuda;
  facts.architecture = device.architecture();
  facts.multiprocessors = device.multiprocessors;
  facts.threads_per_multiprocessor = static_cast<std::uint32_t>(device.max_threads_per_multiprocessor);
  facts.shared_bytes_per_block = static_cast<std::uint32_t>(device.shared_bytes_per_block_opt_in);
  facts.cache_bytes = device.l2_bytes;
  facts.vector_bytes = 16;
  facts.cluster_blocks = cluster_blocks_of(facts.architecture);
  facts.overlaps_launches = overlaps_launches_on(facts.architecture) && require_driver().version >= 12030;
  if (require_driver().version < 12010 || facts.architecture < 70) facts.parameter_bytes = 4096;
  return facts;
}

// The facts of one driver's devices. Tests supply their own drivers, so several tables may exist. No table is
// freed, because callers hold references to it.
struct cuda_facts_table {
  const driver_api* api = nullptr;
  std::deque<target_facts> facts;
  const cuda_facts_table* older = nullptr;
};

const cuda_facts_table& cuda_facts(const driver_api& api) {
  static std::atomic<const cuda_facts_table*> tables{nullptr};
  const cuda_facts_table* newest = tables.load(std::memory_order_acquire);
  for (const cuda_facts_table* table = newest; table != nullptr; table = table->older)
    if (table->api == &api) return *table;
  auto fresh = std::make_unique<cuda_facts_table>(cuda_facts_table{&api, {}, newest});
  for (int index = 0; index < cuda_device_count(); ++index) fresh->facts.push_back(read_cuda_facts(index));
  // Two threads may both query the devices; their tables are equal.
  while (!tables.compare_exchange_weak(newest, fresh.get(), std::memory_order_release,
                                       std::memory_order_acquire))
    fresh->older = newest;
  return *fresh.release();  // NOLINT(bugprone-unused-return-value)
}

}  // namespace

// The message about a bad variable comes after the number is fixed, because the log hook may ask for the
// number.
unsigned cpu_threads() {
  static auto& fault = *new std::string;
  static const unsigned threads = [] {
    const std::string text = environment_value("SINTER_THREADS");
    if (text.empty()) return usable_processors();
    unsigned wanted = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), wanted);
    if (failure == std::errc() && end == text.data() + text.size() && wanted >= 1)
      return std::min(wanted, usable_processors());
    fault = fmt::format("SINTER_THREADS={} is no number of threads and is ignored", text);
    return usable_processors();
  }();
  static std::atomic<bool> is_told{fault.empty()};
  if (!is_told.load(std::memory_order_relaxed) && !is_told.exchange(true)) report(log_level::warning, fault);
  return threads;
}

const target_facts& facts_of(device where) {
  if (where.is_cpu()) {
    static const target_facts cpu = read_cpu_facts();
    return cpu;
  }
  const std::deque<target_facts>& known = cuda_facts(require_driver()).facts;
  if (where.index() < 0 || static_cast<std::size_t>(where.index()) >= known.size())
    cuda_device(where.index());  // throws, with the devices that exist in the message
  return known[static_cast<std::size_t>(where.index())];
}

}  // namespace runtime
}  // namespace sinter::inline v0
