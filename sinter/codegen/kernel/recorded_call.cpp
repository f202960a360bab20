#include <sinter/codegen/base/bytes.hpp>
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/shape_parameters.hpp>
#include <sinter/codegen/kernel/recorded_call.hpp>
#include <sinter/codegen/types/rank.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace sinter::inline v0 {
namespace {

constexpr auto last_type = static_cast<element_type>(element_types.size() - 1);
constexpr std::int64_t max_array_bytes = std::int64_t{1} << 56;

recorded_array owned(const array_layout& from) {
  return {from.type,
          from.rank,
          from.alignment,
          from.identity,
          {from.extents, from.extents + from.rank},
          {from.strides, from.strides + from.rank}};
}

void write(const recorded_array& from, byte_writer& to) {
  to.put(from.type);
  to.put(from.rank);
  to.put(static_cast<std::uint16_t>(from.alignment));
  to.put(from.identity);
  for (unsigned axis = 0; axis < from.rank; ++axis) {
    to.put(from.extents[axis]);
    to.put(from.strides[axis]);
  }
}

/// Whether one memory can hold both the first and the last element of an array.
bool is_possible(const recorded_array& at) {
  std::int64_t elements = 1, reach = 0;
  for (unsigned axis = 0; axis < at.rank; ++axis) {
    std::int64_t along = 0;
    if (at.extents[axis] < 0 || at.strides[axis] == INT64_MIN) return false;
    if (at.extents[axis] == 0) return true;
    if (__builtin_mul_overflow(at.extents[axis] - 1, std::abs(at.strides[axis]), &along) ||
        __builtin_add_overflow(reach, along, &reach) ||
        __builtin_mul_overflow(elements, at.extents[axis], &elements))
      return false;
  }
  const auto most = max_array_bytes / static_cast<std::int64_t>(size_of(at.type));
  return elements <= most && reach <= most;
}

recorded_array read_array(byte_reader& from) {
  recorded_array made;
  made.type = from.take_enumerator(last_type);
  made.rank = from.take<std::uint8_t>();
  made.alignment = from.take<std::uint16_t>();
  made.identity = from.take<std::uint32_t>();
  if (made.rank > max_rank || !std::has_single_bit(made.alignment) || made.alignment > 256) from.refuse();
  for (unsigned axis = 0; axis < made.rank && from.good(); ++axis) {
    made.extents.push_back(from.take<std::int64_t>());
    made.strides.push_back(from.take<std::int64_t>());
  }
  if (from.good() && !is_possible(made)) from.refuse();
  return made;
}

// An extent of 0 makes an array valid whatever the others are; none may be negative.
bool has_negative_extent(const recorded_array& at) {
  return std::any_of(at.extents.begin(), at.extents.end(), [](std::int64_t extent) { return extent < 0; });
}

bool fits(const recorded_call& call, const graph& of, std::string& fault) {
  if (call.inputs.size() != of.inputs.size() || call.scalars.size() != of.parameters.size() ||
      (!call.outputs.empty() && call.outputs.size() != of.outputs.size())) {
    fault = "the call has not as many arrays and scalars as its graph";
    return false;
  }
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const recorded_array& at = call.inputs[i];
    const bool same = at.identity <= i && at.extents == call.inputs[at.identity].extents &&
                      at.strides == call.inputs[at.identity].strides &&
                      at.type == call.inputs[at.identity].type &&
                      at.alignment == call.inputs[at.identity].alignment;
    if (at.type != of.inputs[i].type || at.rank != of.inputs[i].rank || !same || has_negative_extent(at)) {
      fault = "operand " + std::to_string(i) + " of the call is not as its graph declares it";
      return false;
    }
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const node& made = of.nodes[of.outputs[i]];
    if (call.outputs[i].type != made.type || call.outputs[i].rank != made.rank ||
        has_negative_extent(call.outputs[i])) {
      fault = "result " + std::to_string(i) + " of the call is not as its graph makes it";
      return false;
    }
  }
  return true;
}

}  // namespace

recorded_call record_call(const graph& recorded, std::span<const array_layout> inputs,
                          std::span<const array_layout> outputs, std::span<const std::uint64_t> scalars,
                          target_kind ran_on, const schedule* forced) {
  recorded_call made;
  made.ran_on = ran_on;
  for (const array_layout& each : inputs) made.inputs.push_back(owned(each));
  for (const array_layout& each : outputs) made.outputs.push_back(owned(each));
  made.scalars.resize(scalars.size());
  for (const std::uint32_t parameter : shape_parameters(recorded))
    made.scalars[parameter] = scalars[parameter];
  if (forced != nullptr) made.forced = *forced;
  return made;
}

std::string to_bytes(const recorded_call& call) {
  byte_writer all;
  all.put(call.ran_on);
  for (const auto* arrays : {&call.inputs, &call.outputs}) {
    all.put(static_cast<std::uint32_t>(arrays->size()));
    for (const recorded_array& each : *arrays) write(each, all);
  }
  all.put(static_cast<std::uint32_t>(call.scalars.size()));
  for (const std::uint64_t each : call.scalars) all.put(each);
  all.put_text(call.forced ? to_string(*call.forced) : std::string());
  return std::move(all.bytes);
}

bool read_call(std::string_view bytes, const graph& of, recorded_call& to, std::string& fault) {
  to = {};
  fault.clear();
  byte_reader from(bytes);
  to.ran_on = from.take_enumerator(target_kind::cpu);
  for (auto* arrays : {&to.inputs, &to.outputs})
    for (std::uint32_t left = from.take_count(8); left > 0 && from.good(); --left)
      arrays->push_back(read_array(from));
  for (std::uint32_t left = from.take_count(8); left > 0 && from.good(); --left)
    to.scalars.push_back(from.take<std::uint64_t>());
  const std::string_view forced = from.take_text();
  if (!from.good() || !from.at_end()) {
    fault = "its bytes are not those of a call";
    return false;
  }
  if (!forced.empty()) {
    try {
      to.forced = parse_schedule(forced);
    } catch (const error& refused) {
      fault = refused.what();
      return false;
    }
  }
  return fits(to, of, fault);
}

}  // namespace sinter::inline v0
