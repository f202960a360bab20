#include <sinter/dsl/foreign/dispatch.hpp>
#include <sinter/dsl/foreign/foreign_text.hpp>
#include <sinter/dsl/foreign/spans.hpp>
#include <sinter/runtime/error.hpp>

#include <string>

namespace sinter::inline v0::detail {
namespace {

std::string as_view_text(element_type type, unsigned rank, bool is_const) {
  return std::string("as_view<") + (is_const ? "const " : "") + std::string(facts_of(type).name) + ", " +
         std::to_string(rank) + ">";
}

}  // namespace

void check_as_view(const any_view& elements, element_type wanted, unsigned wanted_rank, bool wanted_const) {
  const bool writable = !elements.read_only() || wanted_const;
  if (elements.type() == wanted && elements.rank() == wanted_rank && writable) return;
  const std::string asked = as_view_text(wanted, wanted_rank, wanted_const);
  const std::string known = as_view_text(elements.type(), elements.rank(), elements.read_only());
  if (elements.type() != wanted)
    throw type_error(asked + ": the tensor's elements are " + std::string(facts_of(elements.type()).name) +
                     ": say " + known + ", or choose with dispatch<Types...>(tensor, f)");
  if (elements.rank() != wanted_rank)
    throw shape_error(asked + ": the tensor's shape is " + list_text(elements.shape()) + ": say " + known);
  throw type_error(asked + ": the tensor is read only: say " + known);
}

void throw_undispatched(element_type type, std::span<const element_type> named) {
  std::string list;
  for (const element_type each : named) list += (list.empty() ? "" : ", ") + std::string(facts_of(each).name);
  throw type_error("dispatch<" + list + ">: the tensor's elements are " + std::string(facts_of(type).name) +
                   ": name that type, too, or convert the tensor");
}

void to_element_strides(element_type type, const std::int64_t* bytes, const std::int64_t* extents,
                        unsigned rank, std::int64_t* strides) {
  const auto size = static_cast<std::int64_t>(size_of(type));
  const std::span<const std::int64_t> given(bytes, rank);
  bool empty = false;
  for (unsigned axis = 0; extents != nullptr && axis < rank; ++axis) empty |= extents[axis] == 0;
  for (unsigned axis = 0; axis < rank; ++axis) {
    const bool used = extents == nullptr || (!empty && extents[axis] != 1);
    if (used && bytes[axis] % size != 0)
      throw shape_error("strides of " + list_text(given) + " bytes: " + std::to_string(bytes[axis]) +
                        " is no multiple of the " + std::to_string(size) + " bytes of " +
                        std::string(facts_of(type).name) + ": copy the elements to an array without padding");
    strides[axis] = bytes[axis] / size;
  }
}

void throw_not_strided() {
  throw shape_error("viewing an mdspan: its mapping has no strides: copy it to one with layout_stride");
}

}  // namespace sinter::inline v0::detail
