// Arrays: made, read and written.
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/tensors.hpp>

#include <string>

using namespace sinter;
using c::checked;
using c::guarded;

namespace {

constexpr const char* the_array = "the array";

bool is_row_major(const any_array& elements) {
  if (elements.size() == 0) return true;
  std::int64_t step = 1;
  for (unsigned axis = elements.rank(); axis-- != 0;) {
    const std::int64_t extent = elements.shape()[axis];
    if (extent != 1 && elements.strides()[axis] != step) return false;
    step *= extent;
  }
  return true;
}

/// The array's memory. Throws unless `bytes` is its size.
copied_bytes memory_of(const sinter_array* array, size_t bytes) {
  const any_array& elements = checked(array, the_array).elements;
  if (!is_row_major(elements))
    throw shape_error(
        "the array's elements are not row-major, as the tensor's were that it has taken over: "
        "copy them by a call that writes them to another array");
  const size_t size = static_cast<size_t>(elements.size()) * size_of(elements.type());
  if (bytes != size)
    throw c::invalid_argument("the array has " + std::to_string(size) + " bytes, not " +
                              std::to_string(bytes));
  return {elements.data(), elements.device(), elements.view().record().get()};
}

/// Copies between the array's memory and the host's, after the work that uses the array, and waits.
void copy_and_wait(const copied_bytes& to, const copied_bytes& from, size_t bytes) {
  const device where = to.where.is_cuda() ? to.where : from.where;
  const stream on = stream::default_of(where);
  copy_bytes(to, from, bytes, on);
  on.synchronize();
}

}  // namespace

sinter_status sinter_array_create(sinter_element_type type, int32_t rank, const int64_t* extents,
                                  sinter_device device, sinter_array** array) {
  return guarded("sinter_array_create", [&] {
    sinter_array*& result = checked(array, "the pointer for the array");
    if (rank < 0 || rank > static_cast<int32_t>(detail::highest_rank))
      throw shape_error("an array of rank " + std::to_string(rank) + ": it is 0 to " +
                        std::to_string(detail::highest_rank));
    if (rank != 0) (void)checked(extents, "the list of extents");
    const std::span shape(extents, static_cast<size_t>(rank));
    result = new sinter_array{any_array(c::type_of(type), shape, c::device_of(device))};
  });
}

void sinter_array_destroy(sinter_array* array) { delete array; }

sinter_status sinter_array_tensor(const sinter_array* array, sinter_tensor* tensor) {
  return guarded("sinter_array_tensor", [&] {
    const any_array& elements = checked(array, the_array).elements;
    checked(tensor, "the tensor") = c::tensor_of(elements);
  });
}

sinter_status sinter_array_read(const sinter_array* array, void* to, size_t bytes) {
  return guarded("sinter_array_read", [&] {
    const copied_bytes from = memory_of(array, bytes);
    if (bytes == 0) return;
    if (to == nullptr) c::throw_null("the memory to copy to");
    copy_and_wait({to, device::cpu()}, from, bytes);
  });
}

sinter_status sinter_array_write(sinter_array* array, const void* from, size_t bytes) {
  return guarded("sinter_array_write", [&] {
    const copied_bytes to = memory_of(array, bytes);
    if (array->elements.view().read_only())
      throw type_error("the array is read only, as the tensor was that it has taken over: write to another");
    if (bytes == 0) return;
    if (from == nullptr) c::throw_null("the memory to copy from");
    copy_and_wait(to, {from, device::cpu()}, bytes);
  });
}
