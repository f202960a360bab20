#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/base/no_compiler.hpp>
#include <sinter/runtime/base/refused_code.hpp>
#include <sinter/runtime/base/thread_notices.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/aliasing/copied_call.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/compiles/repeated_compiles.hpp>
#include <sinter/runtime/dispatch/explain/dump.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/profile/observers.hpp>
#include <sinter/runtime/tuned/tuned_calls.hpp>

namespace sinter::inline v0::runtime {
namespace {

// The exponent of the largest power of two, up to 256, that divides an address.
unsigned alignment_exponent(const void* data) {
  return static_cast<unsigned>(std::countr_zero(reinterpret_cast<std::uintptr_t>(data) | 256));
}

bool same_layout(const operand& a, const operand& b) {
  return a.data == b.data && a.type == b.type && a.rank == b.rank &&
         std::equal(a.extents, a.extents + a.rank, b.extents) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

// A schedule is written member by member, so that padding cannot differ. The list names all members: with one
// more it does not compile.
constexpr std::size_t schedule_words = 4;
void pack(const schedule& chosen, std::uint64_t* to) {
  const auto& [order, vector, steps, rows_per_thread, threads_along, threads_across, tile, cluster,
               shared_steps, streaming, reads, resident, scalar_loads, staged, whole_rows, private_updates,
               tasks] = chosen;
  const auto word = [](auto... parts) {
    std::uint64_t made = 0;
    ((made = made << 16 | static_cast<std::uint64_t>(parts)), ...);
    return made;
  };
  const unsigned flags = static_cast<unsigned>(streaming) | static_cast<unsigned>(resident) << 1 |
                         static_cast<unsigned>(scalar_loads) << 2 | static_cast<unsigned>(staged) << 3 |
                         static_cast<unsigned>(whole_rows) << 4;
  to[0] = word(order, vector, steps, rows_per_thread);
  to[1] = word(threads_along, threads_across, tile, cluster);
  to[2] = word(shared_steps, reads, flags, private_updates);
  to[3] = word(tasks);
}

std::size_t words_for(const call_request& request) {
  std::size_t words = 3 + request.called->view_parameters.size();
  if (request.forced != nullptr) words += schedule_words;
  for (const operand& array : request.operands) words += 1 + 2 * std::size_t{array.rank};
  for (const operand& array : request.into) words += 1 + 2 * std::size_t{array.rank};
  return words;
}

array_layout layout_of(const operand& array, std::uint32_t identity) {
  return {.type = array.type,
          .rank = array.rank,
          .extents = array.extents,
          .strides = array.strides,
          .alignment = 1u << alignment_exponent(array.data),
          .identity = identity};
}

bool is_from_outside(const kernel_handle& known) {
  return known != nullptr && known->found != cache_layer::compiled;
}

}  // namespace

thread_state::thread_state() = default;

thread_state::~thread_state() {
  if (plans_ == nullptr) return;
  for (std::size_t i = 0; i < made_.size(); ++i)
    if (made_[i]) plans_[i].~plan();
  ::operator delete(plans_, std::align_val_t{alignof(plan)});
}

// The first input with the same address and layout. Many inputs are looked up by a hash of their addresses,
// so that a call of a thousand arrays does not compare a million pairs.
std::uint32_t thread_state::identity_of(std::span<const operand> operands, std::size_t index) {
  const operand& array = operands[index];
  if (operands.size() <= 16) {
    for (std::size_t other = 0; other < index; ++other)
      if (same_layout(operands[other], array)) return static_cast<std::uint32_t>(other);
    return static_cast<std::uint32_t>(index);
  }
  const std::size_t slots = std::bit_ceil(2 * operands.size());
  if (index == 0) identities_.assign(slots, 0);
  std::size_t at = (reinterpret_cast<std::uintptr_t>(array.data) >> 4) * 0x9E3779B97F4A7C15u >> 20;
  for (;; ++at) {
    std::uint32_t& slot = identities_[at & (slots - 1)];
    if (slot == 0) slot = static_cast<std::uint32_t>(index) + 1;
    if (slot == index + 1 || same_layout(operands[slot - 1], array)) return slot - 1;
  }
}

// Gives each word of a call's key: everything that a plan depends on.
template <class Each>
void thread_state::each_key_word(const call_request& request, const Each& each) {
  each(request.called->number());
  each(static_cast<std::uint64_t>(request.where.type()) |
       static_cast<std::uint64_t>(request.forced != nullptr) << 8 |
       static_cast<std::uint64_t>(request.variant) << 9 |
       static_cast<std::uint64_t>(static_cast<std::uint16_t>(request.where.index())) << 16 |
       static_cast<std::uint64_t>(request.into.size()) << 32);
  each(reinterpret_cast<std::uintptr_t>(request.driver));
  if (request.forced != nullptr) {
    std::uint64_t packed[schedule_words];
    pack(*request.forced, packed);
    for (const std::uint64_t word : packed) each(word);
  }
  const auto each_of = [&](const operand& array, std::uint64_t identity) {
    each(static_cast<std::uint64_t>(array.type) | static_cast<std::uint64_t>(array.rank) << 8 |
         static_cast<std::uint64_t>(alignment_exponent(array.data)) << 16 | identity << 32);
    for (unsigned axis = 0; axis < array.rank; ++axis) {
      each(static_cast<std::uint64_t>(array.extents[axis]));
      each(static_cast<std::uint64_t>(array.strides[axis]));
    }
  };
  for (std::size_t i = 0; i < request.operands.size(); ++i)
    each_of(request.operands[i], identity_of(request.operands, i));
  for (const operand& array : request.into) each_of(array, 0);
  for (const std::uint32_t parameter : request.called->view_parameters) each(request.scalars[parameter]);
}

void thread_state::make_key(const call_request& request) {
  key_words_ = words_for(request);
  if (key_.size() < key_words_) key_.resize(std::max<std::size_t>(64, 2 * key_words_));
  std::uint64_t* to = key_.data();
  each_key_word(request, [&to](std::uint64_t word) { *to++ = word; });
}

// Compared word by word instead of written and then compared: words that were just written are read slowly
// where they are read in other sizes.
bool thread_state::is_for(const plan& known, const call_request& request) {
  if (known.key_words() != words_for(request)) return false;
  const std::uint64_t* word_of_known = known.words();
  std::uint64_t different = 0;
  each_key_word(request, [&](std::uint64_t word) { different |= word ^ *word_of_known++; });
  return different == 0;
}

const plan& thread_state::plan_of(const call_request& request) {
  if (thread_notices.load(std::memory_order_relaxed) != notices_seen_) [[unlikely]]
    heed_notices();
  plan*& latest = latest_[request.called->number() % recent_plans];
  if (latest == nullptr || !is_for(*latest, request)) [[unlikely]] {
    make_key(request);
    latest = &find_or_make(request);
  }
  latest->last_used = ++clock_;
  return *latest;
}

// Reads the count before what it announces.
void thread_state::heed_notices() {
  notices_seen_ = thread_notices.load(std::memory_order_acquire);
  observers = current_observers();
  const std::uint64_t changes = process_cache_changes();
  if (std::exchange(cache_changes_seen_, changes) != changes)
    forget_plans([](const plan&) { return true; });
  else
    forget_quick_plans();
}

template <typename Predicate>
void thread_state::forget_plans(Predicate is_meant) {
  for (std::size_t i = 0; i < made_.size(); ++i)
    if (made_[i] && is_meant(plans_[i])) plans_[i].clear();
}

void thread_state::forget_quick_plans() {
  if (!std::exchange(has_quick_plans_, false)) return;
  forget_plans([](const plan& at) { return at.is_quick(); });
}

// A slot of the hash's set: an unused one, else the least recently used.
plan& thread_state::slot_for(std::uint64_t hash) {
  const std::size_t first = hash % sets * ways;
  std::size_t chosen = first;
  for (std::size_t way = 0; way < ways; ++way) {
    if (!made_[first + way]) {
      made_[first + way] = true;
      return *new (plans_ + first + way) plan;
    }
    if (plans_[first + way].last_used < plans_[chosen].last_used) chosen = first + way;
  }
  return plans_[chosen];
}

plan& thread_state::find_or_make(const call_request& request) {
  if (plans_ == nullptr) {
    // One block for all slots; unused slots are never touched.
    made_.resize(sets * ways);
    plans_ = static_cast<plan*>(::operator new(sets * ways * sizeof(plan), std::align_val_t{alignof(plan)}));
  }
  const std::uint64_t hash = XXH3_64bits(key_.data(), key_words_ * sizeof key_[0]);
  const std::size_t first = hash % sets * ways;
  for (std::size_t way = 0; way < ways; ++way) {
    plan* candidate = plans_ + first + way;
    if (made_[first + way] && candidate->hash == hash && candidate->matches(key_.data(), key_words_))
      return *candidate;
  }
  check_alignment(request);
  plan& slot = slot_for(hash);
  fill_loaded(request, slot);
  slot.hash = hash;
  has_quick_plans_ |= slot.is_quick();
  note_recording(*request.called);
  if (compiled_.load(std::memory_order_relaxed)) note_compile(request, inputs_, outputs_);
  return slot;
}

void thread_state::fill_plan(const call_request& request, plan& to) {
  make_key(request);
  check_alignment(request);
  fill_loaded(request, to);
}

// An intact cached image may still be rejected, by a changed driver or by a loader that misses something. The
// kernel is then compiled here, once. Other failures of loading are not the entry's fault, and the entry
// stays.
void thread_state::fill_loaded(const call_request& request, plan& to) {
  const auto fill = [&] {
    const lowering made = lower_and_compile(request);
    if (const std::string folder = dump_folder(); !folder.empty() && request.trial == nullptr) [[unlikely]]
      dump(folder, request, made);
    to.fill(request, std::span(key_.data(), key_words_), *made.lowered, made.kernels);
  };
  try {
    fill();
  } catch (const refused_code& refused) {
    const auto all = {&stage_kernels_, &other_kernels_, &shape_generic_kernels_};
    const bool any = std::any_of(all.begin(), all.end(), [](const std::vector<kernel_handle>* kernels) {
      return std::any_of(kernels->begin(), kernels->end(), is_from_outside);
    });
    if (!any) throw;
    warn_once(
        "refused code",
        std::string("a kernel from the cache could not be loaded and is compiled again, as will be others "
                    "to which that happens: ") +
            refused.what());
    for (const auto* kernels : all)
      for (const kernel_handle& each : *kernels)
        if (is_from_outside(each)) {
          distrust(*each);
          drop_kernel(each);
        }
    kernels_.fill({});
    fill();
  }
}

const lowered_call& thread_state::lower(const call_request& request, std::span<const std::uint8_t> attempts) {
  lowered_call& to = attempts.empty() ? lowered_ : other_lowered_;
  lower_to(request, attempts, to);
  return to;
}

lowering_request thread_state::lowering_of(const call_request& request, const target_facts& target,
                                           std::span<const std::uint8_t> attempts) {
  if (request.variant == lowering_variant::shape_generic && request.forced != nullptr)
    throw type_error(describe(*request.called) +
                     ": shape-generic kernels have schedules of their own and take no other");
  inputs_.clear();
  for (std::size_t i = 0; i < request.operands.size(); ++i)
    inputs_.push_back(layout_of(request.operands[i], identity_of(request.operands, i)));
  outputs_.clear();
  for (const operand& array : request.into) {
    if (may_overlap_itself(array))
      throw shape_error(
          "into(): elements of a result share memory (its strides overlap): write into an array of its own");
    outputs_.push_back(layout_of(array, 0));
  }
  return {.recorded = request.called->simplified(),
          .inputs = inputs_,
          .outputs = outputs_,
          .scalars = request.scalars,
          .target = target,
          .attempts = attempts,
          .forced = request.forced,
          .tuned =
              request.trial != nullptr ? std::span(request.trial->stages) : std::span<const stage_schedule>(),
          .cuts = request.trial != nullptr ? request.trial->cuts : cut_choice(),
          .variant = request.variant};
}

void thread_state::lower_to(const call_request& request, std::span<const std::uint8_t> attempts,
                            lowered_call& to) {
  lowering_request asked = lowering_of(request, facts_of(request.where), attempts);
  tuned_ = nullptr;
  if (request.trial == nullptr && request.forced == nullptr &&
      request.variant == lowering_variant::specialised)
    tuned_ = find_tuned(request.called->tuning_hash, request.where, inputs_, outputs_);
  if (tuned_ != nullptr) {
    asked.tuned = tuned_->stages;
    asked.cuts = tuned_->cuts;
    try {
      sinter::lower(asked, to);
      // without schedules it is the default that was measured
      if (tuned_->stages.empty() || to.stage_count == tuned_->stages.size()) return;
    } catch (const type_error&) {  // thrown again if it is not about the schedules
    }
    tuned_ = nullptr;
    asked.tuned = {};
    asked.cuts = {};
  }
  sinter::lower(asked, to);
}

const lowered_call& thread_state::lower_for(const call_request& request, const target_facts& target) {
  sinter::lower(lowering_of(request, target, {}), lowered_);
  return lowered_;
}

void thread_state::dump(const std::string& folder, const call_request& request, const lowering& made) {
  lowering_request asked = lowering_of(request, facts_of(request.where), made.attempts);
  asked.variant = made.variant;
  if (made.tuned != nullptr) {
    asked.tuned = made.tuned->stages;
    asked.cuts = made.tuned->cuts;
  }
  dump_call(folder, *request.called, asked);
}

const lowered_call& thread_state::lower_as_known(const call_request& request) {
  const lowered_call& first = lower(request);
  attempts_.assign(first.stage_count, 0);
  for (std::size_t i = 0; i < first.stage_count; ++i) {
    const kernel_handle known = first.stages[i].has_kernel() ? find_known(first.stages[i], request) : nullptr;
    attempts_[i] = known != nullptr && known->best_attempt.load(std::memory_order_relaxed) == 1;
  }
  return lower_with_attempts(request, first);
}

// Returns `first` itself if no stage uses its second schedule.
const lowered_call& thread_state::lower_with_attempts(const call_request& request,
                                                      const lowered_call& first) {
  const bool all_first =
      std::all_of(attempts_.begin(), attempts_.end(), [](std::uint8_t attempt) { return attempt == 0; });
  return all_first ? first : lower(request, attempts_);
}

// If a stage's kernel spills registers, it is tried once under the next schedule, and the kernel records
// which was better; other stages stay as they are. Only NVRTC reports spills, and only schedules chosen by
// the pass have a second attempt.
thread_state::lowering thread_state::lower_and_compile_own(const call_request& request) {
  const lowered_call& first = lower(request);
  if (is_recording()) [[unlikely]]
    record_request(request.called->recorded, inputs_, outputs_, request.scalars,
                   request.where.is_cuda() ? target_kind::cuda : target_kind::cpu, request.forced);
  compile_stages(first, request, stage_kernels_);
  attempts_.assign(first.stage_count, 0);
  for (std::size_t i = 0; i < first.stage_count; ++i) {
    if (stage_kernels_[i] == nullptr || request.forced != nullptr || is_measured(request, i)) continue;
    const kernel& made = *stage_kernels_[i];
    if (made.quick) continue;  // a quick compile's spills are not meaningful
    if (made.best_attempt.load(std::memory_order_relaxed) < 0 && made.code.facts().spill_bytes <= 0)
      made.best_attempt.store(0, std::memory_order_relaxed);
    attempts_[i] = made.best_attempt.load(std::memory_order_relaxed) != 0;
  }
  const lowered_call& second = lower_with_attempts(request, first);
  if (&second == &first) return {&first, stage_kernels_, attempts_, compiled_, request.variant, tuned_};

  try {
    compile_stages(second, request, other_kernels_);
  } catch (const no_compiler&) {  // the kernel that spills is compiled, and correct
    attempts_.assign(first.stage_count, 0);
    return {&first, stage_kernels_, attempts_, compiled_, request.variant, tuned_};
  }
  bool taken_back = false;
  for (std::size_t i = 0; i < first.stage_count; ++i) {
    if (attempts_[i] == 0) continue;
    const kernel& made = *stage_kernels_[i];
    if (made.best_attempt.load(std::memory_order_relaxed) < 0 && !other_kernels_[i]->quick) {
      const bool is_better = other_kernels_[i]->code.facts().spill_bytes < made.code.facts().spill_bytes;
      made.best_attempt.store(is_better ? 1 : 0, std::memory_order_relaxed);
    }
    if (made.best_attempt.load(std::memory_order_relaxed) == 1) continue;
    attempts_[i] = 0;
    taken_back = true;
  }
  if (!taken_back) return {&second, other_kernels_, attempts_, compiled_, request.variant, tuned_};
  // lowered again instead of combining both, because a stage's share of the workspace depends on its schedule
  const lowered_call& mixed = lower_with_attempts(request, first);
  if (&mixed == &first) return {&first, stage_kernels_, attempts_, compiled_, request.variant, tuned_};
  compile_stages(mixed, request, other_kernels_);
  return {&mixed, other_kernels_, attempts_, compiled_, request.variant, tuned_};
}

/// Whether a stage's schedule was measured, or is being measured: it has no second attempt.
bool thread_state::is_measured(const call_request& request, std::size_t number) const {
  const std::span<const stage_schedule> all = request.trial != nullptr ? std::span(request.trial->stages)
                                              : tuned_ != nullptr      ? std::span(tuned_->stages)
                                                                       : std::span<const stage_schedule>();
  return number < all.size() && all[number].has_value();
}

thread_state::lowering thread_state::lower_and_compile(const call_request& request) {
  compiled_ = false;
  optimising_ = false;
  for (auto* kernels : {&stage_kernels_, &other_kernels_, &shape_generic_kernels_}) kernels->clear();
  try {
    return lower_and_compile_own(request);
  } catch (const no_compiler&) {
    if (const std::optional<lowering> served = find_shape_generic(request)) return *served;
    throw;
  }
}

// The shape-generic kernels of a call, if all of them are stored somewhere.
std::optional<thread_state::lowering> thread_state::find_shape_generic(const call_request& request) {
  const function& called = *request.called;
  const bool is_own = request.variant == lowering_variant::shape_generic || request.forced != nullptr;
  if (is_own) return {};
  call_request shape_generic = request;
  shape_generic.variant = lowering_variant::shape_generic;
  try {
    lower_to(shape_generic, {}, shape_generic_lowered_);
  } catch (const shape_error&) {  // more tiles than one launch can have
    return {};
  }
  for (const stage& at : std::span(shape_generic_lowered_.stages).first(shape_generic_lowered_.stage_count)) {
    kernel_handle made = at.has_kernel() ? find_made(at, shape_generic) : nullptr;
    if (at.has_kernel() && made == nullptr) return {};
    shape_generic_kernels_.push_back(std::move(made));
  }
  if (!called.told_of_shape_generic.exchange(true))
    report(log_level::information,
           describe(called) +
               " runs its shape-generic kernels, which are slower: the kernel for these arguments "
               "is in no layer of the cache, and there is no compiler");
  attempts_.assign(shape_generic_lowered_.stage_count, 0);
  return lowering{&shape_generic_lowered_,
                  shape_generic_kernels_,
                  attempts_,
                  false,
                  lowering_variant::shape_generic,
                  nullptr};
}

// A kernel in memory or in another layer; nullptr if it would have to be compiled.
kernel_handle thread_state::find_made(const stage& lowered, const call_request& request) {
  if (kernel_handle known = find_known(lowered, request)) return known;
  std::optional<made_kernel> found =
      find_made_kernel(lowered, facts_of(request.where), request.called->simplified(),
                       request.driver != nullptr ? request.driver->version : 0);
  if (!found) return nullptr;
  return find_or_make_kernel(key_of(lowered, request), [&] { return std::move(*found); });
}

state_guard::state_guard() : state_(&thread_memory<thread_state>::get()) {
  if (state_->busy) [[unlikely]] {
    own_ = std::make_unique<thread_state>();
    state_ = own_.get();
  }
  state_->busy = true;
}

state_guard::~state_guard() { state_->busy = false; }

}  // namespace sinter::inline v0::runtime
