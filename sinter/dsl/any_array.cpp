#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/any_array.hpp>
#include <sinter/runtime/error.hpp>

#include <string>

namespace sinter::inline v0 {
namespace detail {

void check_any(element_type is, unsigned rank, element_type wanted, unsigned wanted_rank) {
  if (is != wanted)
    throw type_error("the elements are " + std::string(facts_of(is).name) + ", not " +
                     std::string(facts_of(wanted).name));
  if (rank != wanted_rank)
    throw shape_error("the rank is " + std::to_string(rank) + ", not " + std::to_string(wanted_rank));
}

}  // namespace detail

namespace {
element_type check_type(element_type type) {
  if (static_cast<std::size_t>(type) < element_types.size()) return type;
  throw type_error("there is no element type " + std::to_string(static_cast<unsigned>(type)) +
                   ": there are " + std::to_string(element_types.size()) + ", numbered from 0");
}
}  // namespace

any_view::any_view(void* data, element_type type, std::span<const std::int64_t> extents,
                   std::span<const std::int64_t> strides, sinter::device where, bool read_only) {
  if (extents.size() != strides.size() || extents.size() > detail::highest_rank)
    throw shape_error(
        "a view of " + std::to_string(extents.size()) + " extents and " + std::to_string(strides.size()) +
        " strides: both lists have the rank as length, at most " + std::to_string(detail::highest_rank));
  check_type(type);
  check_reach(type, extents, strides);
  assign({data, extents.data(), strides.data(), type, static_cast<std::uint8_t>(extents.size()), where},
         read_only);
}

any_view::any_view(const runtime::operand& elements, bool read_only)
    : any_view(elements.data, elements.type, {elements.extents, elements.rank},
               {elements.strides, elements.rank}, elements.where, read_only) {
  record_ = runtime::record_handle(elements.record);
}

void any_view::assign(const runtime::operand& elements, bool read_only) {
  layout_ = {elements.data, elements.type, read_only, elements.rank, elements.where};
  record_ = runtime::record_handle(elements.record);
  for (unsigned axis = 0; axis < layout_.rank; ++axis) {
    extents_[axis] = elements.extents[axis];
    strides_[axis] = elements.strides[axis];
  }
}

std::int64_t any_view::size() const {
  if (layout_.rank == 0 && layout_.data == nullptr) return 0;
  std::uint64_t elements = 1;
  for (std::int64_t extent : shape()) elements *= static_cast<std::uint64_t>(extent);
  return static_cast<std::int64_t>(elements);
}

any_array any_view::copy() const {
  const std::span<const any_view> source(this, 1);
  const auto body = [](const void*, graph_builder& builder, std::span<const graph_value> operands) {
    builder.output(operands[0]);
  };
  return std::move(detail::evaluate_any(source, nullptr, body, nullptr, {}, {}).front());
}

void any_view::check(element_type wanted, unsigned wanted_rank, bool is_const) const {
  detail::check_any(layout_.type, layout_.rank, wanted, wanted_rank);
  if (layout_.read_only && !is_const)
    throw type_error("the elements are read only: ask for a view of const elements");
}

namespace {
std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::uint64_t stride = 1;  // may wrap where there are no elements
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(extents[axis]);
  }
  return strides;
}
}  // namespace

any_array::any_array(element_type type, std::span<const std::int64_t> extents, sinter::device where)
    : storage_(where, bytes_of_array(check_type(type), extents)) {
  view_ = any_view(storage_.data(), type, extents, row_major_strides(extents), where);
  view_.record_ = runtime::record_handle(storage_.record());
}

any_array::any_array(runtime::result&& made) : storage_(std::move(made.storage)) {
  const std::span<const std::int64_t> extents(made.extents, made.rank);
  view_ = any_view(storage_.data(), made.type, extents, row_major_strides(extents), storage_.where());
  view_.record_ = runtime::record_handle(storage_.record());
}

any_array::any_array(const any_view& elements, buffer memory) : storage_(std::move(memory)), view_(elements) {
  view_.record_ = runtime::record_handle(storage_.record());
}

void any_array::check_typed() const {
  if (view_.read_only())
    throw type_error(
        "the elements are read only, and an array writes: copy them with array<T, rank>(x.view().to<…>())");
  if (!detail::is_row_major(shape().data(), strides().data(), rank()))
    throw shape_error(
        "the elements are not row-major, as those of an array are: copy them with array<T, "
        "rank>(x.view().to<…>())");
}

}  // namespace sinter::inline v0
