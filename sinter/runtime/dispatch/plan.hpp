#pragma once
// The plan of a call, made once per layout and thread. The hot path copies its argument blocks, patches
// addresses and scalars in, and launches.

#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/dispatch/aliasing/overlap.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/order/index_faults.hpp>
#include <sinter/runtime/sort/row_sorter.hpp>
#include <sinter/runtime/tuned/stage_schedules.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sinter::inline v0::runtime {

/// A call as requested. `where` is the device of all its arrays.
struct call_request {
  const function* called = nullptr;
  std::span<const operand> operands;
  std::span<const scalar> scalars;
  std::span<const operand> into;
  device where{};
  const driver_api* driver = nullptr;  ///< of a CUDA device
  const schedule* forced = nullptr;
  const stream* on = nullptr;  ///< the stream of the launches; nullptr: nothing is launched
  lowering_variant variant = lowering_variant::specialised;
  bool assume_ordered = false;              ///< waits for no other stream
  const memory_resource* memory = nullptr;  ///< of results and workspace; nullptr: what the device has
  /// Schedules and cuts that are tried instead of what was tuned; nullptr: no trial.
  const call_schedules* trial = nullptr;
};

/// block[slot] += value: an address or a scalar that differs from call to call. Values are numbered:
/// addresses of inputs, addresses of results, scalars, the workspace, the record of faults, its first site.
struct argument_patch {
  std::uint32_t slot, value;
};

/// One kernel of a plan. Offsets are into the plan's words.
struct planned_launch {
  kernel_handle code;  ///< keeps the code loaded
  cpu_kernel cpu = nullptr;
  CUkernel cuda = nullptr;
  launch_shape shape;
  std::int64_t tiles = 0;
  std::uint32_t cluster = 1;
  cpu_division division;                     ///< of the work among CPU threads
  sorted_rows sorts;                         ///< if its keys have bytes, there is no kernel: rows are sorted
  std::shared_ptr<const row_sorter> sorter;  ///< on a GPU by this
  std::uint32_t block = 0, block_words = 0, patches = 0, patch_count = 0;
  /// What the kernel copies, if it does nothing else: nothing is to be done where both are the same memory.
  std::optional<copied_array> copies;
  bool block_on_device = false;   ///< the block is in the workspace, and the kernel receives its address
  std::size_t block_offset = 0;   ///< offset in the workspace
  std::uint64_t bytes_moved = 0;  ///< least memory traffic
};

/// One result of a plan.
struct planned_result {
  std::uint64_t bytes = 0;
  element_type type{};
  std::uint8_t rank = 0;
  std::uint32_t extents = 0;  ///< offset into the plan's words
};

/// Everything of one call that depends on layouts alone. A plan is a slot of its thread's cache and is
/// refilled there. Its data is inside the object, unless the call is unusually large.
class plan {
 public:
  plan() = default;
  plan(const plan&) = delete;
  plan& operator=(const plan&) = delete;

  bool matches(const std::uint64_t* key, std::size_t words) const {
    return key_words_ == words && std::memcmp(words_, key, words * sizeof *key) == 0;
  }
  /// Fills the plan from a lowered call and the kernels of its stages.
  void fill(const call_request& request, std::span<const std::uint64_t> key, const lowered_call& lowered,
            std::span<const kernel_handle> kernels);
  void clear();

  std::span<const planned_launch> launches() const {
    return launch_count_ <= inline_launches ? std::span(launches_.data(), launch_count_)
                                            : std::span(more_launches_);
  }
  std::span<const planned_result> results() const {
    return result_count_ <= inline_results ? std::span(results_.data(), result_count_)
                                           : std::span(more_results_);
  }
  /// The key comes first.
  const std::uint64_t* words() const { return words_; }
  std::size_t key_words() const { return key_words_; }  ///< 0: matches no call
  const argument_patch* patches(const planned_launch& of) const {
    return reinterpret_cast<const argument_patch*>(words_ + of.patches);
  }
  const std::int64_t* extents(const planned_result& of) const {
    return reinterpret_cast<const std::int64_t*>(words_ + of.extents);
  }
  /// Byte range of array `index`: inputs, then results.
  const byte_range& range(std::size_t index) const {
    return reinterpret_cast<const byte_range*>(words_ + ranges_)[index];
  }
  /// Whether an output with the same address and layout may overwrite the input.
  bool overwritable(std::size_t input) const { return words_[overwritable_ + input] != 0; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// The context that the kernels are loaded for: the device's primary one.
  CUcontext context() const { return context_; }

  /// Whether some of its kernels are quick ones, which optimised kernels will replace.
  bool is_quick() const { return is_quick_; }

  /// What its kernels may report of indices; nullptr if they report nothing.
  const std::shared_ptr<const index_sites>& sites() const { return sites_; }

  std::uint64_t hash = 0;
  std::uint64_t last_used = 0;

 private:
  static constexpr std::size_t inline_words = 128, inline_launches = 1, inline_results = 2;
  // The steps of fill(); `at` is the first word that is free.
  void reserve_words(const call_request& request, std::size_t key, const lowered_call& lowered);
  void write_ranges(const call_request& request, const lowered_call& lowered, std::size_t& at);
  void write_results(const lowered_call& lowered, std::size_t& at);
  void write_block(const call_request& request, const lowered_call& lowered, std::size_t number,
                   planned_launch& launch, std::size_t& at);
  void name_sites(const call_request& request, const lowered_call& lowered);
  void load_kernel(const call_request& request, planned_launch& launch);

  std::array<std::uint64_t, inline_words> inline_storage_;
  std::size_t key_words_ = 0;  ///< 0: matches no call
  std::uint64_t* words_ = inline_storage_.data();
  std::size_t launch_count_ = 0, result_count_ = 0;
  std::size_t ranges_ = 0, overwritable_ = 0;
  std::size_t workspace_bytes_ = 0;
  CUcontext context_ = nullptr;
  bool is_quick_ = false;
  std::shared_ptr<const index_sites> sites_;
  std::array<planned_launch, inline_launches> launches_;
  std::array<planned_result, inline_results> results_;
  std::vector<std::uint64_t> more_words_;
  std::vector<planned_launch> more_launches_;
  std::vector<planned_result> more_results_;
};

/// Plans, kernels and working memory of one thread.
class thread_state {
 public:
  thread_state();
  thread_state(const thread_state&) = delete;
  thread_state& operator=(const thread_state&) = delete;
  ~thread_state();

  /// The plan of this request, found or made. Valid until the next call of this function.
  const plan& plan_of(const call_request& request);
  /// Fills a plan that is not one of this thread's.
  void fill_plan(const call_request& request, plan& to);

  /// Lowers the request and compiles missing kernels. If nothing can be compiled, the shape-generic kernels
  /// serve if a layer of the cache has them. `lowered` belongs to this thread and is valid until the next
  /// call of this function.
  struct lowering {
    const lowered_call* lowered = nullptr;
    std::span<const kernel_handle> kernels;
    std::span<const std::uint8_t> attempts;  ///< for each stage: 1 if the second schedule is better
    bool compiled = false;                   ///< at least one kernel was compiled for the request
    lowering_variant variant = lowering_variant::specialised;  ///< the requested variant, or its fallback
    std::shared_ptr<const tuned_call> tuned = nullptr;         ///< whose schedules it has
  };
  lowering lower_and_compile(const call_request& request);
  /// Writes what each step makes of a call that was lowered (dump.hpp).
  void dump(const std::string& folder, const call_request& request, const lowering& made);
  /// Makes plans with quick kernels again: optimised kernels may be ready, or are required now.
  void forget_quick_plans();
  /// Lowers only; `attempts` as in sinter::lower().
  const lowered_call& lower(const call_request& request, std::span<const std::uint8_t> attempts = {});
  /// Lowers only, with the attempts that are known to be best for stages that were compiled.
  const lowered_call& lower_as_known(const call_request& request);
  /// Lowers only, for a device that need not be here; that of the request is not looked at.
  const lowered_call& lower_for(const call_request& request, const target_facts& target);

  /// What is asked of the lowering pass for a request. Refers to layouts that the state keeps until it lowers
  /// another call.
  lowering_request lowering_of(const call_request& request, const target_facts& target,
                               std::span<const std::uint8_t> attempts = {});

  bool busy = false;
  std::uint8_t observers = 0;                ///< current_observers(), as of the thread's latest plan_of()
  std::vector<std::uint64_t> values, block;  ///< for calls too large for the stack

 private:
  static constexpr std::size_t sets = 256, ways = 4, recent_plans = 256, recent_kernels = 256;
  struct known_kernel {
    std::uint64_t hash = 0;
    kernel_handle code;
  };

  template <class Each>
  void each_key_word(const call_request& request, const Each& each);
  void make_key(const call_request& request);
  bool is_for(const plan& known, const call_request& request);
  std::uint32_t identity_of(std::span<const operand> operands, std::size_t index);
  void heed_notices();
  template <typename Predicate>
  void forget_plans(Predicate is_meant);
  plan& slot_for(std::uint64_t hash);
  plan& find_or_make(const call_request& request);
  void fill_loaded(const call_request& request, plan& to);
  void lower_to(const call_request& request, std::span<const std::uint8_t> attempts, lowered_call& to);
  lowering lower_and_compile_own(const call_request& request);
  std::optional<lowering> find_shape_generic(const call_request& request);
  bool is_measured(const call_request& request, std::size_t number) const;
  kernel_handle find_made(const stage& lowered, const call_request& request);
  const lowered_call& lower_with_attempts(const call_request& request, const lowered_call& first);
  void compile_stages(const lowered_call& lowered, const call_request& request,
                      std::vector<kernel_handle>& kernels);
  kernel_handle kernel_of(const stage& lowered, const call_request& request,
                          const std::function<void()>& before_compile);
  /// Touches nothing of this thread but compiled_: other threads call it for stages of the same call.
  kernel_handle make_kernel_of(const stage& lowered, const call_request& request,
                               const std::function<void()>& before_compile);
  kernel_handle quick_kernel_of(const stage& lowered, const call_request& request);
  void count_compiled(const made_kernel& made, const call_request& request);
  static std::string key_of(const stage& lowered, const call_request& request);
  kernel_handle find_known(const stage& lowered, const call_request& request);

  std::vector<std::uint64_t> key_;
  std::size_t key_words_ = 0;
  std::vector<std::uint32_t> identities_;
  std::array<plan*, recent_plans> latest_{};  ///< by function: its most recently used plan
  plan* plans_ = nullptr;                     ///< sets * ways slots, allocated on first use
  std::vector<bool> made_;
  std::uint64_t clock_ = 0;
  std::array<known_kernel, recent_kernels> kernels_;
  lowered_call lowered_, other_lowered_, shape_generic_lowered_;
  std::vector<kernel_handle> stage_kernels_, other_kernels_, shape_generic_kernels_;
  std::vector<std::uint8_t> attempts_;  ///< for each stage of the call that is being lowered
  std::atomic<bool> compiled_ = false;
  bool optimising_ = false;  ///< the background pool has the request that is being lowered
  bool has_quick_plans_ = false;
  /// Value of thread_notices; at first one that it does not have, so that the first call heeds it.
  std::uint32_t notices_seen_ = ~std::uint32_t{0};
  std::uint64_t cache_changes_seen_ = 0;
  std::vector<array_layout> inputs_, outputs_;
  std::shared_ptr<const tuned_call> tuned_;  ///< of the call that was lowered last
};

/// The calling thread's state for a scope. A nested call (from an allocator or a log hook that calls Sinter)
/// gets a state of its own.
class state_guard {
 public:
  state_guard();
  state_guard(const state_guard&) = delete;
  state_guard& operator=(const state_guard&) = delete;
  ~state_guard();
  thread_state* operator->() const { return state_; }
  thread_state& operator*() const { return *state_; }

 private:
  thread_state* state_;
  std::unique_ptr<thread_state> own_;
};

/// Runs a request that writes into given arrays, none of which shares memory with others, by a plan that was
/// made for their layouts.
void run_plan(thread_state& state, const call_request& request, const plan& prepared, const stream& on);

/// Throws device_error if the stream is being captured into a CUDA graph. `what` is the reason ("no result
/// can be allocated").
void refuse_capture(const function& called, const stream& on, const char* what);

}  // namespace sinter::inline v0::runtime
