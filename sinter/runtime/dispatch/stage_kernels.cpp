// A call's kernels: known to the thread, found in a layer of the cache, or compiled.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/base/no_compiler.hpp>
#include <sinter/runtime/base/thread_notices.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/aliasing/copied_call.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/dispatch/stage_compiles.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/profile/call_log.hpp>
#include <sinter/runtime/profile/observers.hpp>

namespace sinter::inline v0::runtime {

// The signature has everything that a text depends on. Loaded code also belongs to one driver: tests use
// several.
std::string thread_state::key_of(const stage& lowered, const call_request& request) {
  std::string key = lowered.signature;
  const auto driver = reinterpret_cast<std::uintptr_t>(request.driver);
  key.append(reinterpret_cast<const char*>(&driver), sizeof driver);
  return key;
}

kernel_handle thread_state::find_known(const stage& lowered, const call_request& request) {
  const std::size_t bytes = lowered.signature.size();
  const auto driver = reinterpret_cast<std::uintptr_t>(request.driver);
  const std::uint64_t hash = XXH3_64bits_withSeed(lowered.signature.data(), bytes, driver);
  known_kernel& known = kernels_[hash % recent_kernels];
  if (known.code != nullptr && known.hash == hash) {
    const std::string_view key = known.code->key;
    if (key.size() == bytes + sizeof driver && key.substr(0, bytes) == lowered.signature &&
        std::memcmp(key.data() + bytes, &driver, sizeof driver) == 0)
      return known.code;
  }
  if (kernel_handle found = find_kernel(key_of(lowered, request))) {
    known = {hash, found};
    return found;
  }
  return nullptr;
}

void thread_state::count_compiled(const made_kernel& made, const call_request& request) {
  compiled_.store(true, std::memory_order_relaxed);
  if ((current_observers() & counts_calls) != 0) [[unlikely]]
    count_compile({request.called->recorded, request.called->number(), request.where},
                  made.code.facts().compile_milliseconds / 1e3);
}

kernel_handle thread_state::kernel_of(const stage& lowered, const call_request& request,
                                      const std::function<void()>& before_compile) {
  if (kernel_handle known = find_known(lowered, request)) return known;
  if (request.on != nullptr) {
    refuse_capture(*request.called, *request.on, "no kernel can be compiled");
    if (current_compile_policy() == compile_policy::quick_first) return quick_kernel_of(lowered, request);
  }
  return make_kernel_of(lowered, request, before_compile);
}

kernel_handle thread_state::make_kernel_of(const stage& lowered, const call_request& request,
                                           const std::function<void()>& before_compile) {
  return find_or_make_kernel(key_of(lowered, request), [&] {
    made_kernel made = make_kernel(lowered, facts_of(request.where), request.called->simplified(),
                                   request.driver != nullptr ? request.driver->version : 0, before_compile);
    if (made.found == cache_layer::compiled) count_compiled(made, request);
    return made;
  });
}

namespace {

// Optimises a call in the background pool: the whole request, so that its second schedule is tried as well. A
// call that fails there keeps its quick kernels, which are as correct.
void optimise_in_background(const call_request& request, const std::string& quick_key) {
  process_compile_pool().submit([copy = std::make_shared<const copied_call>(request), quick_key] {
    try {
      prepare(copy->request());
    } catch (const no_compiler&) {
      return;  // the quick compile has reported the same failure
    } catch (const std::exception& failed) {
      report(log_level::warning,
             std::string("a kernel that was compiled quickly stays in use, it could not be optimised: ") +
                 failed.what());
      return;
    }
    if (const kernel_handle quick = find_kernel(quick_key)) drop_kernel(quick);
    thread_notices.fetch_add(1, std::memory_order_relaxed);
  });
}

}  // namespace

// The thread that makes a quick kernel first queues the optimised one: the two compiles run in parallel.
kernel_handle thread_state::quick_kernel_of(const stage& lowered, const call_request& request) {
  const std::string key = key_of(lowered, request), quick_key = key + "quick";
  if (kernel_handle quick = find_kernel(quick_key)) return quick;
  const graph& content = request.called->simplified();
  const target_facts& target = facts_of(request.where);
  if (std::optional<made_kernel> kept =
          find_made_kernel(lowered, target, content, request.driver != nullptr ? request.driver->version : 0))
    return find_or_make_kernel(key, [&] { return std::move(*kept); });
  return find_or_make_kernel(quick_key, [&] {
    if (!optimising_) optimise_in_background(request, quick_key);
    optimising_ = true;
    made_kernel made = make_quick_kernel(lowered, target);
    count_compiled(made, request);
    return made;
  });
}

void thread_state::compile_stages(const lowered_call& lowered, const call_request& request,
                                  std::vector<kernel_handle>& kernels) {
  kernels.clear();
  const std::span<const stage> stages = std::span(lowered.stages).first(lowered.stage_count);
  stage_compiles beside(
      stages, [&](const stage& at) { return make_kernel_of(at, request, {}); }, process_compile_pool());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    kernel_handle& made = kernels.emplace_back(beside.take(i));
    if (made != nullptr || !stages[i].has_kernel()) continue;
    const auto before_compile = [&] {
      // Here, as this thread may hold the loader's lock, for which another would wait (open_compiler()).
      open_compiler(facts_of(request.where));
      beside.share_from(i + 1);
    };
    made = kernel_of(stages[i], request, std::ref(before_compile));  // a std::function would allocate
  }
}

}  // namespace sinter::inline v0::runtime
