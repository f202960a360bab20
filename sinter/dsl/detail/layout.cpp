#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/dsl/detail/layout.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sinter::inline v0::detail {
namespace {

std::string describe_extents(const std::int64_t* extents, unsigned rank) {
  std::string text = "(";
  for (unsigned axis = 0; axis < rank; ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(extents[axis]);
  return text + (rank == 1 ? ",)" : ")");
}

bound resolved_bound(const slice_bound& from) { return from.open ? bound{} : literal_bound(from.value); }

}  // namespace

std::size_t checked_bytes(element_type type, const std::int64_t* extents, unsigned rank) {
  return bytes_of_array(type, {extents, rank});
}

void check_distances(element_type type, const std::int64_t* extents, const std::int64_t* strides,
                     unsigned rank) {
  check_reach(type, {extents, rank}, {strides, rank});
}

void check_size(std::size_t given, const std::int64_t* extents, unsigned rank) {
  const std::size_t elements = bytes_of_array(element_type::uint8, {extents, rank});
  if (given == elements) return;
  throw shape_error(std::to_string(given) + " elements given for the shape " +
                    describe_extents(extents, rank) + ", which has " + std::to_string(elements));
}

void check_length(std::int64_t first, std::int64_t length) {
  if (length == first) return;
  throw shape_error("from: the rows of a nested list are equally long: the first has " +
                    std::to_string(first) + " elements, and another " + std::to_string(length));
}

void check_one_element(std::int64_t elements) {
  if (elements == 1) return;
  throw shape_error("item: there are " + std::to_string(elements) +
                    " elements, and one is asked for: say x(i).item(), or to_vector()");
}

bool is_row_major(const std::int64_t* extents, const std::int64_t* strides, unsigned rank) {
  std::int64_t expected = 1;
  for (unsigned axis = rank; axis-- > 0;) {
    if (extents[axis] == 0) return true;
    if (extents[axis] != 1 && strides[axis] != expected) return false;
    expected *= extents[axis];
  }
  return true;
}

std::int64_t index_layout(std::span<const index_item> items, std::span<const std::int64_t> extents,
                          std::span<const std::int64_t> strides, std::int64_t* new_extents,
                          std::int64_t* new_strides) {
  std::int64_t offset = 0;
  unsigned axis = 0, made = 0;
  for (const index_item& at : items) {
    if (at.what == view_item::kind::newaxis) {
      new_extents[made] = 1;
      new_strides[made++] = 0;
      continue;
    }
    const view_item item{at.what, resolved_bound(at.start), resolved_bound(at.stop), resolved_bound(at.step)};
    const resolved_slice slice = resolve(item, extents[axis], {});
    offset += slice.start * strides[axis];
    if (item.what == view_item::kind::slice) {
      new_extents[made] = slice.count;
      new_strides[made++] = slice.step * strides[axis];
    }
    ++axis;
  }
  for (; axis < extents.size(); ++axis) {
    new_extents[made] = extents[axis];
    new_strides[made++] = strides[axis];
  }
  return offset;
}

void copy_elements(const copied_bytes& to, const copied_bytes& from, std::size_t bytes) {
  const stream on = stream::default_of(from.where.is_cuda() ? from.where : to.where);
  copy_bytes(to, from, bytes, on);
  const bool between_devices = from.where.is_cuda() && to.where != from.where;
  if (between_devices) on.synchronize();
}

void copy_bits(std::vector<bool>& to, const copied_bytes& from) {
  std::vector<unsigned char> bytes(to.size());
  copy_elements({bytes.data(), device::cpu()}, from, bytes.size());
  std::copy(bytes.begin(), bytes.end(), to.begin());
}

void copy_bits(const copied_bytes& to, const std::vector<bool>& from) {
  const std::vector<unsigned char> bytes(from.begin(), from.end());
  copy_elements(to, {bytes.data(), device::cpu()}, bytes.size());
}

}  // namespace sinter::inline v0::detail
