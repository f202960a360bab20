#include <sinter/dsl/foreign/cuda_array_interface.hpp>
#include <sinter/dsl/foreign/foreign_text.hpp>
#include <sinter/dsl/foreign/spans.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace sinter::inline v0 {
namespace {

// A function, because a static string would be destroyed with the process.
std::string operation_name() { return "reading a CUDA array interface: "; }

// CUDA's special handles.
constexpr std::uintptr_t legacy_stream = 1, per_thread_stream = 2;

/// Byte order, kind and bytes: "<f4".
element_type type_of(std::string_view text) {
  const std::string quoted = "the type \"" + std::string(text) + "\"";
  unsigned bytes = 0;
  const char* const last = text.data() + text.size();
  const bool whole = text.size() >= 3 && std::from_chars(text.data() + 2, last, bytes).ptr == last;
  const char order = whole ? text[0] : '\0', kind = whole ? text[1] : '\0';
  if (!whole || (order != '<' && order != '>' && order != '|' && order != '='))
    throw type_error(operation_name() + quoted + " is no byte order, kind and size, as \"<f4\" is");
  element_kind wanted{};
  switch (kind) {
    case 'b':
      wanted = element_kind::boolean;
      break;
    case 'i':
      wanted = element_kind::signed_integer;
      break;
    case 'u':
      wanted = element_kind::unsigned_integer;
      break;
    case 'f':
      wanted = element_kind::floating;
      break;
    case 'c':
      wanted = element_kind::complex;
      break;
    default:
      throw type_error(operation_name() + "Sinter has no element type for " + quoted +
                       ": convert the elements, or give their type to any_view(data, type, ...)");
  }
  if (order == '>' && bytes > 1)
    throw type_error(operation_name() + quoted + " is big-endian: swap the bytes of the elements first");
  if (order == '|' && bytes > 1)
    throw type_error(operation_name() + quoted + " does not say the byte order: write '<' for little-endian");
  for (const element_type_facts& row : element_types)
    if (row.kind == wanted && row.size == bytes && row.type != element_type::bfloat16) return row.type;
  throw type_error(operation_name() + "Sinter has no element type for " + quoted + ": convert the elements");
}

void check_stream(const cuda_array_interface& tensor) {
  if (tensor.stream == std::uintptr_t{0})
    throw device_error(operation_name() +
                       "its stream is 0, which may be either default stream: pass 1 for the legacy default "
                       "stream, 2 for the thread's own, and none if the elements are ready");
}

device device_of(const cuda_array_interface& tensor, bool empty) {
  if (tensor.where) return *tensor.where;
  if (empty || tensor.data == nullptr) return device::cuda();
  const runtime::address_facts found = runtime::find_address(tensor.data);
  if (found.device < 0)
    throw device_error(operation_name() + "the driver does not know the address of its data: set `where`");
  return device::cuda(found.device);
}

bool is_empty(std::span<const std::int64_t> extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

}  // namespace

any_view foreign_tensor<cuda_array_interface>::as_any_view(const cuda_array_interface& tensor) {
  const element_type type = type_of(tensor.typestr);
  check_stream(tensor);
  const std::size_t rank = tensor.shape.size();
  if (rank > detail::highest_rank)
    throw shape_error(operation_name() + "it has " + std::to_string(rank) + " axes; Sinter views up to " +
                      std::to_string(detail::highest_rank) + ": reshape it");
  if (tensor.strides && tensor.strides->size() != rank)
    throw shape_error(operation_name() + "it has the shape " + detail::list_text(tensor.shape) +
                      " and the strides " + detail::list_text(*tensor.strides) +
                      ": pass one stride for each axis, or none");
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t extent) { return extent < 0; }))
    throw shape_error(operation_name() + "its shape " + detail::list_text(tensor.shape) +
                      " has a negative extent");
  const bool empty = is_empty(tensor.shape);
  if (tensor.data == nullptr && !empty)
    throw shape_error(operation_name() + "its shape " + detail::list_text(tensor.shape) +
                      " has elements, and its data is a null pointer");
  std::array<std::int64_t, detail::highest_rank> strides{};
  if (tensor.strides) {
    detail::to_element_strides(type, tensor.strides->data(), tensor.shape.data(), static_cast<unsigned>(rank),
                               strides.data());
  } else {
    std::uint64_t stride = 1;  // may wrap where there are no elements
    for (std::size_t axis = rank; axis-- > 0;) {
      strides[axis] = static_cast<std::int64_t>(stride);
      stride *= static_cast<std::uint64_t>(tensor.shape[axis]);
    }
  }
  return any_view(tensor.data, type, tensor.shape, {strides.data(), rank}, device_of(tensor, empty),
                  tensor.read_only);
}

void order_after(const cuda_array_interface& producer, const stream& consumer) {
  if (!producer.stream) return;
  check_stream(producer);
  if (consumer.where().is_cpu())
    throw device_error(
        "order_after: the producer's work is on a CUDA stream, and the consumer is the CPU: "
        "synchronize the producer's stream instead");
  const device where = device_of(producer, is_empty(producer.shape));
  const auto number_of = [](std::uintptr_t handle) { return handle == 0 ? legacy_stream : handle; };
  const auto mine = number_of(reinterpret_cast<std::uintptr_t>(consumer.native()));
  // A thread's own stream exists once on each device.
  const bool special = mine <= per_thread_stream;
  if (*producer.stream == mine && (!special || where == consumer.where())) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface has handles as integers
  void* const handle =
      *producer.stream == legacy_stream ? nullptr : reinterpret_cast<void*>(*producer.stream);
  event(stream::from_native(where, handle)).wait_on(consumer);
}

}  // namespace sinter::inline v0
