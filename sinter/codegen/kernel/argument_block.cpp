#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/schedule/choose/eviction.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

using kind = argument_field::kind;

/// Divisors of all digits but the last, for the kept and for the reduced axes; position counts.
void list_reduction(const kernel_description& described, std::vector<argument_field>& fields) {
  const nest_body& body = described.body;
  for (const bool reduced : {false, true}) {
    const axis_digits digits(body, reduced);
    const bool swaps = !reduced && numbers_rows_first(described.chosen, described.target);
    for (unsigned digit = 0; digit + 1 < digits.count(); ++digit)
      fields.push_back({kind::divisor, digits.axis(swaps && digit < 2 ? 1 - digit : digit)});
  }
  fields.push_back({kind::rows});
  fields.push_back({kind::elements});
  if (body.split >= 0) fields.push_back({kind::whole});
}

void list_pointers(const kernel_pattern& body, std::vector<argument_field>& fields) {
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i) {
    if (body.accesses[i].base != i) continue;
    fields.push_back(
        {body.accesses[i].what == access_pattern::kind::position ? kind::offset : kind::pointer, i});
  }
}

/// Extents and strides, and the divisors of axes that share a digit.
void list_shape(const kernel_pattern& body, std::vector<argument_field>& fields) {
  const axis_digits kept(body, false), reduced(body, true);
  const auto is_alone = [&](unsigned axis) { return !kept.is_shared(axis) && !reduced.is_shared(axis); };
  for (std::uint32_t axis = 0; axis < body.rank; ++axis)
    if (is_alone(axis)) fields.push_back({kind::extent, axis});
  std::uint32_t groups = 0;
  for (const access_pattern& at : body.accesses) {
    if (at.group != groups) continue;  // listed with the group's first access
    ++groups;
    for (std::uint32_t axis = 0; axis < body.rank; ++axis)
      if (is_alone(axis) && at.pattern(axis) == step_pattern::strided)
        fields.push_back({kind::stride, at.group, axis});
    for (const axis_digits* of : {&kept, &reduced})
      if (of->moves_along_shared(at)) fields.push_back({kind::strides, at.group, of == &kept ? 0u : 1u});
  }
  for (const axis_digits* of : {&kept, &reduced})
    if (of->shared_count() != 0)
      fields.push_back({kind::divisors, of == &kept ? 0u : 1u, of->shared_count()});
}

/// What terms of accesses are computed with.
void list_terms(const kernel_pattern& body, std::vector<argument_field>& fields) {
  for (std::uint32_t term = 0; term < body.terms.size(); ++term) {
    const position_rule rule = body.terms[term].rule;
    if (keeps_positions(rule) || rule == position_rule::index)
      fields.push_back({kind::term_extent, term});
    else
      fields.push_back({kind::term_divisor, term, 0, term_divisor_bits});
    if (rule == position_rule::digit) fields.push_back({kind::term_modulus, term, 0, term_divisor_bits});
    fields.push_back({kind::term_stride, term});
  }
}

/// Run-time integers and scalar arguments.
void list_values(const nest_body& body, std::vector<argument_field>& fields) {
  std::uint32_t constants = 0;
  for (const instruction& at : body.body)
    if (at.op == operation::extent)
      constants = std::max(constants, static_cast<std::uint32_t>(at.payload) + 1);
  for (std::uint32_t i = 0; i < constants; ++i) fields.push_back({kind::constant, i});
  for (const instruction& at : body.body)
    if (at.op == operation::parameter)
      fields.push_back(
          {kind::parameter, static_cast<std::uint32_t>(at.payload), static_cast<std::uint32_t>(at.type)});
  if (std::ranges::any_of(body.body, [](const instruction& at) { return at.op == operation::report; }))
    fields.insert(fields.end(), {{kind::fault}, {kind::site}});
}

/// Cache hints of loads on a GPU: one field for elements read once and one for elements read repeatedly, if
/// there are any.
void list_access_properties(const kernel_pattern& body, std::vector<argument_field>& fields) {
  for (const bool once : {true, false})
    for (std::uint32_t i = 0; i < body.accesses.size(); ++i)
      if (body.accesses[i].what == access_pattern::kind::read && is_read_once(body, i) == once) {
        fields.push_back({once ? kind::read_once : kind::read_again});
        break;
      }
}

/// Addresses of the external functions that are called through a pointer.
void list_functions(const nest_body& body, std::vector<argument_field>& fields) {
  for (const instruction& at : body.body) {
    const auto index = static_cast<std::uint32_t>(at.payload);
    const bool is_listed = std::any_of(fields.begin(), fields.end(), [&](const argument_field& field) {
      return field.what == kind::function && field.index == index;
    });
    if (at.op == operation::external && at.by_pointer && !is_listed)
      fields.push_back({kind::function, index});
  }
}

}  // namespace

std::string name_of(const argument_field& field) {
  const auto numbered = [&](const char* name) { return name + std::to_string(field.index); };
  switch (field.what) {
    case kind::pointer:
      return numbered("p");
    case kind::offset:
      return numbered("o");
    case kind::extent:
      return numbered("e");
    case kind::stride:
      return numbered("s").append("_").append(std::to_string(field.axis));
    case kind::divisor:
      return numbered("d");
    case kind::divisors:
      return field.index == 0 ? "outer_kept" : "outer_reduced";
    case kind::strides:
      return numbered(field.axis == 0 ? "outer_kept" : "outer_reduced");
    case kind::term_extent:
      return numbered("t").append("_extent");
    case kind::term_divisor:
      return numbered("t").append("_divisor");
    case kind::term_modulus:
      return numbered("t").append("_modulus");
    case kind::term_stride:
      return numbered("t").append("_stride");
    case kind::constant:
      return numbered("c");
    case kind::parameter:
      return numbered("q");
    case kind::function:
      return numbered("f");
    case kind::row:
      return "row";
    case kind::size:
      return "size";
    case kind::piece:
      return field.index == 0 ? "along" : "across";
    case kind::rows:
      return "rows";
    case kind::elements:
      return "elements";
    case kind::whole:
      return "whole";
    case kind::tiles:
      return field.index == 0 ? "tiles" : "tiles_of_block";
    case kind::streaming:
      return "streaming";
    case kind::read_once:
      return "read_once";
    case kind::read_again:
      return "read_again";
    case kind::fault:
      return "fault";
    case kind::site:
      return "site";
  }
  return {};
}

std::string to_string(const argument_field& field) {
  std::string index = std::to_string(field.index);
  const std::string axis = std::to_string(field.axis);
  const auto axes_of = [](std::uint32_t reduced) { return reduced == 0 ? "kept" : "reduced"; };
  switch (field.what) {
    case kind::pointer:
      return "pointer of a" + index;
    case kind::offset:
      return "offset of a" + index;
    case kind::extent:
      return "extent " + index;
    case kind::stride:
      return "stride of group " + index + " along axis " + axis;
    case kind::divisor:
      return "divisor " + index;
    case kind::divisors:
      return "divisors of " + axis + " shared " + axes_of(field.index) + " axes";
    case kind::strides:
      return "strides of group " + index + " along shared " + axes_of(field.axis) + " axes";
    case kind::term_extent:
      return "extent of term " + index;
    case kind::term_divisor:
      return "divisor of term " + index;
    case kind::term_modulus:
      return "modulus of term " + index;
    case kind::term_stride:
      return "stride of term " + index;
    case kind::constant:
      return "constant " + index;
    case kind::parameter:
      return "parameter " + index;
    case kind::row:
      return "row divisor";
    case kind::size:
      return "size";
    case kind::piece:
      return field.index == 0 ? "elements of a tile" : "rows of a tile";
    case kind::rows:
      return "rows";
    case kind::elements:
      return "elements of a row";
    case kind::whole:
      return "elements of a whole row";
    case kind::tiles:
      return field.index == 0 ? "tiles" : "tiles of a block";
    case kind::streaming:
      return "streaming";
    case kind::read_once:
      return "access property of single reads";
    case kind::read_again:
      return "access property of repeated reads";
    case kind::function:
      return "address of function " + index;
    case kind::fault:
      return "record of faults";
    case kind::site:
      return "number of the first report";
  }
  return index;
}

void list_arguments(const kernel_description& described, std::vector<argument_field>& fields) {
  const kernel_pattern& body = described.body;
  const schedule& chosen = described.chosen;
  const bool is_cpu = described.target == target_kind::cpu;
  fields.clear();
  list_pointers(body, fields);
  list_shape(body, fields);
  const unsigned digits = tile_digits(body, chosen);
  if (is_reduction_order(chosen.order)) list_reduction(described, fields);
  for (std::uint32_t digit = 0; digit + 1 < digits; ++digit) fields.push_back({kind::divisor, digit});
  if (numbers_elements(chosen.order)) {
    if (!is_cpu) fields.push_back({kind::row});
    fields.push_back({kind::size});
  }
  for (argument_field& field : fields)
    field.bits = field.what == kind::divisor    ? divisor_bits(described, field.index)
                 : field.what == kind::divisors ? 64
                 : field.what == kind::row      ? row_divisor_bits
                                                : 0;
  list_terms(body, fields);
  list_values(body, fields);
  if (!is_cpu && chosen.private_updates != 0)
    fields.insert(fields.end(), {{kind::tiles, 0}, {kind::tiles, 1}});
  if (!is_cpu) return list_access_properties(body, fields);
  list_functions(body, fields);
  fields.push_back({kind::piece, 0});
  fields.push_back({kind::piece, 1});
  fields.push_back({kind::streaming});
}

int divisor_bits(const kernel_description& described, unsigned digit) {
  const loop_order order = described.chosen.order;
  if (tiles_of(order) == tile_shape::rectangle) return 32;
  if (!is_reduction_order(order)) return 64;
  const bool is_narrow = described.body.is_reduced(digit) ? described.narrow_reduced : described.narrow_kept;
  return is_narrow ? 32 : 64;
}

divisor make_divisor(std::int64_t value, int bits) {
  if (value == 1) return {1, 1, 0};
  const auto unsigned_value = static_cast<std::uint64_t>(value);
  const int shift = 64 - std::countl_zero(unsigned_value - 1);
  const unsigned __int128 excess = ((static_cast<unsigned __int128>(1) << shift) - unsigned_value) << bits;
  return {value, static_cast<std::uint64_t>(excess / unsigned_value) + 1, shift};
}

}  // namespace sinter::inline v0
