#include <algorithm>
#include <string>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>

namespace sinter::inline v0 {
namespace {

std::string shape_text(std::span<const std::int64_t> extents) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(extents[axis]);
  return text + (extents.size() == 1 ? ",)" : ")");
}

[[noreturn]] void throw_too_large(const std::string& what) {
  throw out_of_memory(what + " has more bytes than memory has addresses: split it", SIZE_MAX, 0);
}

/// False if one extent is 0.
bool has_elements(std::span<const std::int64_t> extents) {
  for (const std::int64_t extent : extents)
    if (extent < 0) throw shape_error("an extent of a shape is negative: " + shape_text(extents));
  return std::find(extents.begin(), extents.end(), 0) == extents.end();
}

}  // namespace

std::size_t bytes_of_array(element_type type, std::span<const std::int64_t> extents) {
  if (!has_elements(extents)) return 0;
  auto bytes = static_cast<std::int64_t>(size_of(type));
  for (const std::int64_t extent : extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw_too_large("an array of shape " + shape_text(extents) + " of " + std::string(facts_of(type).name));
  return static_cast<std::size_t>(bytes);
}

std::size_t bytes_of_elements(std::size_t count, std::size_t element_bytes) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, element_bytes, &bytes) || bytes > max_bytes)
    throw_too_large("an array of " + std::to_string(count) + " elements of " + std::to_string(element_bytes) +
                    " bytes");
  return bytes;
}

std::size_t sum_of_bytes(std::size_t first, std::size_t second) {
  std::size_t bytes = 0;
  if (__builtin_add_overflow(first, second, &bytes) || bytes > max_bytes)
    throw_too_large("memory for a call's temporaries");
  return bytes;
}

void check_reach(element_type type, std::span<const std::int64_t> extents,
                 std::span<const std::int64_t> strides) {
  if (!has_elements(extents)) return;
  std::int64_t reach = 1;
  bool too_far = false;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    std::int64_t along = 0;
    too_far |= strides[axis] == INT64_MIN;
    const std::int64_t stride = too_far ? 0 : std::max(strides[axis], -strides[axis]);
    too_far |= __builtin_mul_overflow(stride, extents[axis] - 1, &along) ||
               __builtin_add_overflow(reach, along, &reach);
  }
  too_far |= __builtin_mul_overflow(reach, static_cast<std::int64_t>(size_of(type)), &reach);
  if (too_far)
    throw_too_large("a view of shape " + shape_text(extents) + " with strides " + shape_text(strides));
}

}  // namespace sinter::inline v0
