#include <sinter/runtime/tuned/call_class.hpp>

#include <sinter/runtime/device_facts.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace sinter::inline v0::runtime {
namespace {

// Extents below this are exact: short axes decide lanes, tiles and what is unrolled.
constexpr std::int64_t first_joint_extent = 64;
// Bytes of the widest vector that schedules load at once.
constexpr std::uint32_t vector_alignment = 16;

std::string class_of_extent(std::int64_t extent) {
  if (extent < first_joint_extent) return std::to_string(extent);
  return fmt::format("2^{}", std::bit_width(static_cast<std::uint64_t>(extent)) - 1);
}

bool is_contiguous(const array_layout& at) {
  std::int64_t step = 1;
  for (unsigned axis = at.rank; axis-- > 0;) {
    if (at.extents[axis] != 1 && at.strides[axis] != step) return false;
    step *= at.extents[axis];
  }
  return true;
}

std::string class_of_stride(std::int64_t stride) {
  return stride == 0 ? "0" : stride == 1 ? "1" : stride < 0 ? "-n" : "n";
}

std::string class_of(const array_layout& at) {
  std::string text = fmt::format("{}[", facts_of(at.type).name);
  for (unsigned axis = 0; axis < at.rank; ++axis)
    text += (axis == 0 ? "" : ",") + class_of_extent(at.extents[axis]);
  text += ']';
  if (is_contiguous(at)) {
    text += " contiguous";
  } else {
    text += " strides ";
    for (unsigned axis = 0; axis < at.rank; ++axis)
      text += (axis == 0 ? "" : ",") + class_of_stride(at.strides[axis]);
  }
  if (at.alignment < vector_alignment) text += fmt::format(" aligned by {}", at.alignment);
  return text;
}

/// What schedules depend on, as the end of a model's name.
std::string size_of_model(const target_facts& facts) {
  if (is_gpu(facts.kind)) return fmt::format(", {} multiprocessors", facts.multiprocessors);
  return fmt::format(", {} threads, vectors of {} bytes", facts.multiprocessors, facts.vector_bytes);
}

}  // namespace

std::string class_of_call(std::span<const array_layout> inputs, std::span<const array_layout> outputs) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i != 0) text += "; ";
    text += class_of(inputs[i]);
    if (inputs[i].identity != i) text += fmt::format(" = operand {}", inputs[i].identity);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // like one that the call allocates
    if (is_contiguous(outputs[i]) && outputs[i].alignment >= vector_alignment) continue;
    text += fmt::format("; result {}: {}", i, class_of(outputs[i]));
  }
  return text;
}

std::string model_of(device where) { return where.name() + size_of_model(facts_of(where)); }

bool is_of_model(std::string_view model, const target_facts& facts) {
  return model.ends_with(size_of_model(facts));
}

}  // namespace sinter::inline v0::runtime
