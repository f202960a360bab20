#include <sinter/runtime/tuning/trial_call.hpp>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/order/captured_memory.hpp>
#include <sinter/runtime/tuning/array_memory.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::inline v0::runtime {
namespace {

// Of scratch memory; what targets of calls are aligned by stays the same.
constexpr std::size_t memory_alignment = 256;
constexpr unsigned char poison_byte = 0xA5;

/// The operand without its memory's record: nothing else uses scratch memory.
operand scratch_operand(const operand& like, std::byte* data) {
  operand made = like;
  made.data = data;
  made.record = nullptr;
  return made;
}

}  // namespace

trial_call::trial_call(const call_request& request) : request_(request) {
  const std::unique_ptr<plan> usual = [&] {
    call_request launching_nothing = request;
    launching_nothing.on = nullptr;
    const call_schedules none;
    launching_nothing.trial = &none;
    auto made = std::make_unique<plan>();
    state_.fill_plan(launching_nothing, *made);
    return made;
  }();
  std::size_t axes = 0;
  for (const planned_result& each : usual->results()) axes += each.rank;
  layouts_.reserve(2 * axes);
  for (std::size_t i = 0; i < usual->results().size(); ++i) add_result(*usual, i);
  request_.into = into_trial_;
}

void trial_call::add_result(const plan& prepared, std::size_t number) {
  const planned_result& planned = prepared.results()[number];
  operand like;
  if (!request_.into.empty()) {
    like = request_.into[number];
  } else {
    const std::int64_t* const extents = prepared.extents(planned);
    const std::size_t at = layouts_.size();
    layouts_.insert(layouts_.end(), extents, extents + planned.rank);
    layouts_.resize(at + 2 * std::size_t{planned.rank});
    std::int64_t step = 1;
    for (unsigned axis = planned.rank; axis-- > 0;) {
      layouts_[at + planned.rank + axis] = step;
      step *= extents[axis];
    }
    like.type = planned.type;
    like.rank = planned.rank;
    like.extents = layouts_.data() + at;
    like.strides = layouts_.data() + at + planned.rank;
    like.where = request_.where;
  }
  const element_reach reach = reach_of(like.extents, like.strides, like.rank);
  const std::size_t element = size_of(like.type),
                    shift = reinterpret_cast<std::uintptr_t>(like.data) % memory_alignment,
                    before = static_cast<std::size_t>(-reach.first) * element,
                    span = before + static_cast<std::size_t>(reach.last + 1) * element;
  // the same alignment as the target's, and whole words, which are compared
  const std::size_t begin = (before + memory_alignment - 1) / memory_alignment * memory_alignment + shift;
  const std::size_t bytes = (begin - before + span + memory_alignment) / memory_alignment * memory_alignment;
  std::byte* data[2];
  for (std::byte*& each : data) {
    memory_.push_back(memory_for_call(request_.where, bytes, *request_.on, request_.memory));
    each = static_cast<std::byte*>(memory_.back().data());
    fill(each, bytes);
  }
  scratches_.push_back({like.type, data[0], data[1], bytes});
  into_default_.push_back(scratch_operand(like, data[0] + begin));
  into_trial_.push_back(scratch_operand(like, data[1] + begin));
}

void trial_call::fill(std::byte* data, std::size_t bytes) const {
  if (request_.where.is_cpu()) {
    std::memset(data, poison_byte, bytes);
    return;
  }
  const auto native = static_cast<CUstream>(request_.on->native());
  const context_guard current(native, request_.where.index());  // a default stream is of the current context
  check(request_.driver->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(data), poison_byte, bytes, native),
        "filling scratch memory");
}

void trial_call::poison() {
  for (const scratch& each : scratches_) fill(each.of_trial, each.bytes);
}

std::unique_ptr<plan> trial_call::prepare(const call_schedules& tried) const {
  call_request launching_nothing = request_;
  launching_nothing.on = nullptr;  // so that what is compiled is optimised
  launching_nothing.trial = &tried;
  auto own = std::make_unique<thread_state>();
  auto made = std::make_unique<plan>();
  own->fill_plan(launching_nothing, *made);
  return made;
}

void trial_call::run(const plan& prepared, results into) {
  call_request request = request_;
  request.into = into == results::of_default ? into_default_ : into_trial_;
  run_plan(state_, request, prepared, *request_.on);
}

std::vector<trial_call::range> trial_call::touched() const {
  std::vector<range> all;
  for (const operand& each : request_.operands) {
    const element_reach reach = reach_of(each.extents, each.strides, each.rank);
    const auto element = static_cast<std::int64_t>(size_of(each.type));
    all.push_back({static_cast<const std::byte*>(each.data) + reach.first * element,
                   static_cast<std::size_t>((reach.last - reach.first + 1) * element)});
  }
  for (const scratch& each : scratches_) all.push_back({each.of_trial, each.bytes});
  return all;
}

}  // namespace sinter::inline v0::runtime
