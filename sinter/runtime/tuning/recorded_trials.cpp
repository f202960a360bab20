#include <sinter/runtime/tuning/recorded_trials.hpp>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/shape_parameters.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/stream.hpp>
#include <sinter/runtime/tuned/call_class.hpp>
#include <sinter/runtime/tuned/tuned_calls.hpp>
#include <sinter/runtime/tuning/array_memory.hpp>
#include <sinter/runtime/tuning/tune.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <utility>

namespace sinter::inline v0::runtime {
namespace {

// What addresses are counted from; recorded alignments end there.
constexpr std::size_t memory_alignment = 256;
// Elements that are drawn once and then repeated: a prime, so that rows of usual lengths differ.
constexpr std::size_t drawn_elements = 8191;
// How often a copy to the device repeats them.
constexpr std::size_t repeats = 128;

enum class integers : std::uint8_t { zero_or_one, zero };

std::uint64_t drawn_bits(element_type type, std::mt19937_64& from, integers drawn) {
  const std::uint64_t bit = from() >> 63;
  switch (kind_of(type)) {
    case element_kind::boolean:
      return bit;
    case element_kind::signed_integer:
    case element_kind::unsigned_integer:
      return drawn == integers::zero ? 0 : bit;
    case element_kind::floating:
    case element_kind::complex:
      break;
  }
  constexpr long double unit = 1.0L / (std::uint64_t{1} << 53);
  return real_bits(type, 0.5L + static_cast<long double>(from() >> 11) * unit);
}

/// Elements of the type, drawn, `repeats` times.
std::vector<std::byte> drawn_data(element_type type, integers drawn) {
  std::mt19937_64 random(static_cast<std::uint64_t>(type) + 1);
  const element_type part = component_of(type);
  const std::size_t part_bytes = size_of(part), all = drawn_elements * size_of(type);
  std::vector<std::byte> data(all * repeats);
  for (std::size_t at = 0; at < all; at += part_bytes) {
    const std::uint64_t bits = drawn_bits(part, random, drawn);
    std::memcpy(data.data() + at, &bits, part_bytes);
  }
  for (std::size_t at = all; at < data.size(); at += all) std::memcpy(data.data() + at, data.data(), all);
  return data;
}

/// Memory for the arrays of one call.
class recorded_arrays {
 public:
  recorded_arrays(const recorded_call& call, device where, integers drawn)
      : where_(where), on_(stream::default_of(where)), drawn_(drawn) {
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const recorded_array& each = call.inputs[i];
      inputs_.push_back(each.identity < i ? inputs_[each.identity] : make(each, true));
    }
    for (const recorded_array& each : call.outputs) outputs_.push_back(make(each, false));
    on_.synchronize();
  }

  std::span<const operand> inputs() const { return inputs_; }
  std::span<const operand> outputs() const { return outputs_; }

 private:
  operand make(const recorded_array& array, bool filled) {
    const element_reach reach = reach_of(array.extents.data(), array.strides.data(), array.rank);
    const std::size_t element = size_of(array.type),
                      before = static_cast<std::size_t>(-reach.first) * element,
                      after = static_cast<std::size_t>(reach.last + 1) * element;
    // an address that no larger power of two divides than what was recorded
    const std::size_t begin = (before + memory_alignment - 1) / memory_alignment * memory_alignment +
                              array.alignment % memory_alignment;
    const buffer& memory = memory_.emplace_back(where_, begin + after, on_);
    auto* const address = static_cast<std::byte*>(memory.data()) + begin;
    if (filled) fill(address - before, before + after, array.type, memory);
    operand made;
    made.data = address;
    made.extents = array.extents.data();
    made.strides = array.strides.data();
    made.type = array.type;
    made.rank = array.rank;
    made.where = where_;
    made.record = memory.record();
    return made;
  }

  void fill(std::byte* to, std::size_t bytes, element_type type, const buffer& memory) {
    const std::vector<std::byte> data = drawn_data(type, drawn_);
    for (std::size_t done = 0; done < bytes; done += data.size())
      copy_bytes({to + done, where_, memory.record()}, {data.data(), device::cpu()},
                 std::min(data.size(), bytes - done), on_);
  }

  device where_;
  stream on_;
  integers drawn_;
  std::vector<buffer> memory_;
  std::vector<operand> inputs_, outputs_;
};

/// The recorded scalars; 1 for those whose values have no influence on the kernels and were not recorded.
std::vector<scalar> scalars_of(const recorded_request& request) {
  std::vector<scalar> made = request.call->scalars;
  const std::vector<std::uint32_t> recorded = shape_parameters(request.content);
  for (std::uint32_t i = 0; i < made.size(); ++i)
    if (!std::ranges::binary_search(recorded, i))
      made[i] = convert_bits(element_type::uint8, 1, request.content.parameters[i]);
  return made;
}

tuning_report tune_on(const recorded_trial& trial, const tune_options& how, integers drawn) {
  const recorded_request& request = *trial.request;
  const recorded_arrays arrays(*request.call, trial.on, drawn);
  const std::vector<scalar> scalars = scalars_of(request);
  return tune(intern(request.content), arrays.inputs(), scalars, {}, arrays.outputs(), how);
}

std::vector<array_layout> layouts_of(const std::vector<recorded_array>& arrays) {
  std::vector<array_layout> made;
  made.reserve(arrays.size());
  for (const recorded_array& each : arrays) made.push_back(each.layout());
  return made;
}

/// Why a request is not tuned here; "" if it is, then `to` is complete.
std::string refusal(const recorded_request& request, std::optional<device> on, recorded_trial& to) {
  if (!request.call) return "a function was recorded without a call of it";
  if (request.call->forced) return "the call has a schedule of its own, by with(schedule)";
  const bool on_gpu = request.call->ran_on == target_kind::cuda;
  to.request = &request;
  to.on = on.value_or(on_gpu ? device::cuda() : device::cpu());
  const std::vector<device> here = devices();
  if (std::ranges::find(here, to.on) == here.end())
    return on_gpu ? "the call ran on a CUDA device, and none is here: say --device cpu to tune it there"
                  : "its device is not here";
  const function_handle called = intern(request.content);
  to.function = describe(*called);
  to.graph = name_of(called->tuning_hash);
  to.call = class_of_call(layouts_of(request.call->inputs), layouts_of(request.call->outputs));
  return "";
}

void count_skipped(const std::string& why, std::vector<skipped_calls>& to) {
  const auto known = std::ranges::find(to, why, &skipped_calls::why);
  if (known != to.end())
    ++known->count;
  else
    to.push_back({why, 1});
}

}  // namespace

recorded_trials trials_of(std::span<const recorded_request> requests, std::optional<device> on) {
  recorded_trials made;
  std::set<tuned_key> known;
  for (const recorded_request& each : requests) {
    recorded_trial trial;
    std::string why = refusal(each, on, trial);
    if (why.empty() && !known.insert({trial.graph, trial.on.to_string(), trial.call}).second)
      why = "a call of the same class is tuned, and its schedules count for both";
    if (why.empty())
      made.trials.push_back(std::move(trial));
    else
      count_skipped(why, made.skipped);
  }
  return made;
}

tuning_report tune_recorded(const recorded_trial& trial, const tune_options& how) {
  try {
    return tune_on(trial, how, integers::zero_or_one);
  } catch (const index_error&) {
    // an axis of one element has no position 1
    return tune_on(trial, how, integers::zero);
  }
}

}  // namespace sinter::inline v0::runtime
