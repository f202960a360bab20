#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/loops/statements/kernel_statements.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {

kernel_statements::kernel_statements(const kernel_description& described, loop_tree& tree)
    : described_(described),
      digits_(tile_digits(described.body, described.chosen)),
      kept_(described.body, false),
      reduced_(described.body, true),
      tree_(tree),
      out_(tree) {}

unsigned kernel_statements::groups() const {
  unsigned count = 0;
  for (const access_pattern& at : body().accesses) count = std::max(count, at.group + 1);
  return count;
}

const access_pattern& kernel_statements::first_of_group(unsigned group) const {
  return *std::find_if(body().accesses.begin(), body().accesses.end(),
                       [&](const access_pattern& at) { return at.group == group; });
}

void kernel_statements::declare_arrays() {
  for (std::uint32_t i = 0; i < count(); ++i)
    if ((is_memory(i) || is_gathered(i)) && at(i).base == i)
      out_.variable(pointer_to(storage(i), !at(i).is_written()), base_pointer(i)).space =
          memory_space::global;
}

void kernel_statements::declare_streaming() {
  const value_type any = pointer_to({value_type::form::bytes}, true);
  expression streaming = name("a.streaming") != 0;
  for (std::uint32_t result = 0; result < count(); ++result)
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(result) && (is_read(i) || is_gathered(i)) && at(i).base == i &&
          at(i).type == at(result).type)
        streaming = streaming && convert(any, base_pointer(i)) != convert(any, base_pointer(at(result).base));
  out_.let(index_type, name("streaming"), streaming);
}

void kernel_statements::open_threads() {
  declare_arrays();
  out_.open_launched(loop_kind::grid, block());
  if (chosen().cluster > 1)
    out_.open_launched(loop_kind::cluster, name("rank"), chosen().cluster).value = block() % chosen().cluster;
  out_.open_launched(loop_kind::block, thread_across(), chosen().threads_across);
  out_.open_launched(loop_kind::block, thread_along(), chosen().threads_along);
}

expression kernel_statements::base_pointer(std::uint32_t i) {
  return out_.expressions().make(expression_kind::array_pointer, {}, i);
}

expression kernel_statements::pointer(std::uint32_t i) {
  const access_pattern& of = at(i);
  if (of.shift == 0 && of.row_shift == 0) return base_pointer(of.base);
  return in_window(i, out_.expressions().make(expression_kind::sum, {base_pointer(of.base)}));
}

expression kernel_statements::stride(std::uint32_t i, unsigned axis) {
  if (axis >= rank()) return integer(0);
  switch (at(i).pattern(axis)) {
    case step_pattern::none:
      return integer(0);
    case step_pattern::unit:
      return integer(1);
    case step_pattern::strided:
      break;
  }
  return name("a.s", at(i).group, "_", axis);
}

expression kernel_statements::index(unsigned group, std::span<const expression> positions) {
  const access_pattern& of = first_of_group(group);
  expression terms[max_rank];
  std::size_t used = 0;
  for (unsigned axis = 0; axis < rank() && axis < positions.size(); ++axis) {
    if (!positions[axis].is_set()) continue;
    const axis_digits* shared = kept_.is_shared(axis)      ? &kept_
                                : reduced_.is_shared(axis) ? &reduced_
                                                           : nullptr;
    if (shared != nullptr ? !shared->moves_along_shared(of) : !of.moves_along(axis)) continue;
    if (shared != nullptr)
      terms[used++] = shared_offset_name(group, shared == &reduced_);
    else if (of.pattern(axis) == step_pattern::strided)
      terms[used++] = positions[axis] * name("a.s", group, "_", axis);
    else
      terms[used++] = positions[axis];
  }
  return sum_of(out_.expressions(), std::span(terms).first(used));
}

expression kernel_statements::moved(expression begin, expression index) {
  std::vector<expression> terms{begin};
  for (const std::uint32_t id : tree_.expressions.operands_of(index.id))
    terms.push_back(tree_.expressions.at(id));
  return sum_of(tree_.expressions, terms);
}

expression kernel_statements::in_window(std::uint32_t i, expression index) {
  const access_pattern& of = at(i);
  if (of.shift != 0) index = index + of.shift;
  if (of.row_shift != 0) index = index + integer(of.row_shift) * name("a.s", of.group, "_1");
  return index;
}

bool kernel_statements::is_bordered(std::uint32_t i, unsigned lanes) const {
  return is_read(i) && is_scattered(i, lanes) &&
         std::ranges::all_of(terms_of(body(), at(i)), [&](const term_pattern& term) {
           const access_pattern& number = at(term.position);
           return !number.moves_along(lanes) ||
                  (keeps_positions(term.rule) && number.pattern(lanes) == step_pattern::unit);
         });
}

bool kernel_statements::is_bordered_by(std::uint32_t i, unsigned lanes,
                                       bool (*is_rule)(position_rule)) const {
  const auto terms = terms_of(body(), at(i));
  const auto moves = [&](const term_pattern& term) { return at(term.position).moves_along(lanes); };
  return is_bordered(i, lanes) && std::ranges::count_if(terms, moves) == 1 &&
         is_rule(std::ranges::find_if(terms, moves)->rule);
}

bool kernel_statements::is_coordinate(std::uint32_t i) const {
  return std::ranges::any_of(body().body, [&](const instruction& made) {
    return made.op == operation::coordinate && made.payload == i;
  });
}

expression kernel_statements::number_at(std::uint32_t position, expression place) {
  return is_memory(position) ? convert(index_type, content_of(place)) : place;
}

expression kernel_statements::term_offset(std::uint32_t term, expression number) {
  const auto argument = [&](std::string_view of) { return name("a.t", term, of); };
  const auto quotient = [&](expression by_number, expression by) {
    return tree_.expressions.make(expression_kind::quotient_by, {by_number, by}, term_divisor_bits);
  };
  const auto moved_by = [&](std::string_view rule) {
    return (out_.call(rule, {number, argument("_extent")}) - number) * argument("_stride");
  };
  switch (body().terms[term].rule) {
    case position_rule::clip:
    case position_rule::part:
      return moved_by("clip_position");
    case position_rule::wrap:
      return moved_by("wrap_position");
    case position_rule::wrap_near:
      return moved_by("wrap_near_position");
    case position_rule::reflect:
      return moved_by("reflect_position");
    case position_rule::reflect_near:
      return moved_by("reflect_near_position");
    case position_rule::index:
      return out_.call("index_position", {number, argument("_extent")}) * argument("_stride");
    case position_rule::quotient:
      return quotient(number, argument("_divisor")) * argument("_stride");
    case position_rule::digit:
      break;
  }
  const expression divided = quotient(number, argument("_divisor"));
  return (divided - quotient(divided, argument("_modulus")) * argument("_modulus.value")) *
         argument("_stride");
}

bool kernel_statements::may_be_empty(std::uint32_t i) const {
  return std::ranges::any_of(terms_of(body(), at(i)),
                             [](const term_pattern& term) { return term.rule == position_rule::part; });
}

expression kernel_statements::element_at(std::uint32_t i, expression begin, expression index) {
  expression has_elements;
  for (std::uint32_t term = at(i).first_term; term < at(i).first_term + at(i).term_count; ++term) {
    if (body().terms[term].rule != position_rule::part) continue;
    const expression some = name("a.t", term, "_extent") > 0;
    has_elements = has_elements.is_set() ? has_elements && some : some;
  }
  return has_elements.is_set() ? out_.call("element_of_part", {begin, index, has_elements}) : begin[index];
}

expression kernel_statements::gathered(std::uint32_t instruction, expression offset, expression active) {
  const expression from = base_pointer(static_cast<std::uint32_t>(code(instruction).payload));
  return active.is_set() ? out_.call("element_of_part", {from, offset, active}) : from[offset];
}

bool kernel_statements::varies_along_lanes(std::uint32_t instruction) const {
  // vectors of the flat order cross the ends of rows
  const bool crosses = numbers_elements(chosen().order);
  const unsigned first = crosses ? 0 : lane_axis(), end = crosses ? rank() : first + 1;
  const auto moves = [&](std::uint32_t access) {
    for (unsigned axis = first; axis < end; ++axis)
      if (at(access).moves_along(axis) || is_scattered(access, axis)) return true;
    return false;
  };
  std::vector<bool> needed(instruction + 1, false);
  needed[instruction] = true;
  for (std::uint32_t i = instruction + 1; i-- > 0;) {
    if (!needed[i]) continue;
    const sinter::instruction& made = code(i);
    if (made.op == operation::input || made.op == operation::coordinate) {
      if (moves(static_cast<std::uint32_t>(made.payload))) return true;
    }
    for (const std::uint32_t argument : body().arguments_of(made)) needed[argument] = true;
  }
  return false;
}

void kernel_statements::report(std::uint32_t instruction, std::span<const expression> arguments,
                               const lanes_with_elements& lanes) {
  out_.report(instruction, arguments[0], arguments[1], arguments[2], lanes);
}

void kernel_statements::split_digits(expression number, std::span<const unsigned> digits,
                                     const digit_names& names) {
  const auto position = [&](unsigned digit, expression value) {
    const expression named = name(names.position, digit);
    if (names.changes)
      out_.variable(names.type, named, value);
    else
      out_.let(names.type, named, value);
  };
  for (const unsigned digit : digits.first(digits.size() - 1)) {
    const expression rest = name(names.rest, digit), by = name("a.d", digit);
    expression value = name("a.d", digit, ".value");
    if (names.type != index_type) value = convert(names.type, value);
    out_.let(
        names.type, rest,
        tree_.expressions.make(expression_kind::quotient_by, {number, by}, divisor_bits(described_, digit)));
    position(digit, number - rest * value);
    number = rest;
  }
  position(digits.back(), number);
}

void kernel_statements::split_kept_digits(expression number, unsigned first, unsigned end,
                                          const digit_names& names) {
  unsigned digits[max_digits];
  for (unsigned digit = first; digit < end; ++digit) digits[digit - first] = digit;
  split_digits(number, std::span(digits).first(end - first), names);
}

expression kernel_statements::shared_offset_name(unsigned group, bool reduced) {
  return name(reduced ? "outer_reduced" : "outer_kept", group);
}

void kernel_statements::declare_shared_offsets(bool reduced, expression position, bool assigned,
                                               bool changes) {
  const axis_digits& digits = reduced ? reduced_ : kept_;
  for (unsigned group = 0; group < groups() && digits.shared_count() != 0; ++group) {
    if (!digits.moves_along_shared(first_of_group(group))) continue;
    const expression made = shared_offset_name(group, reduced);
    const expression offset =
        out_.call("shared_offset", {name("a.", reduced ? "outer_reduced" : "outer_kept"),
                                    name("a.", reduced ? "outer_reduced" : "outer_kept", group), position});
    if (assigned)
      out_.assign(made, offset);
    else if (changes)
      out_.variable(index_type, made, offset);
    else
      out_.let(index_type, made, offset);
  }
}

expression kernel_statements::evaluate(std::uint32_t instruction, std::span<const expression> operands) {
  return tree_.expressions.make(expression_kind::evaluate, operands, instruction);
}

expression kernel_statements::stored(element_type type, expression value) {
  return tree_.expressions.make(expression_kind::stored, {value}, 0, storage_of(type));
}

expression kernel_statements::start_of(std::uint32_t reduction) {
  return tree_.expressions.make(expression_kind::start, {}, reduction);
}

}  // namespace sinter::inline v0::codegen
