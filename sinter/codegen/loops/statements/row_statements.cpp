#include <sinter/codegen/loops/ir/lane_functions.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

#include <sinter/codegen/nest/partial_values.hpp>

#include <algorithm>
#include <utility>

namespace sinter::inline v0::codegen {

row_variables name_row_variables(loop_tree& tree, int rows_per_thread) {
  const auto name = [&](std::string_view text) { return tree.expressions.name(text); };
  return {.length = name("n"),
          .position = name("x"),
          .lanes_left = name("left0"),
          .chunk = name("start"),
          .thread = name("thread"),
          .step = name("s"),
          .lane = name("e"),
          .number = name(rows_per_thread > 1 ? "row" : "number")};
}

thread_scope scope_of_row(const kernel_description& kernel) {
  const schedule& chosen = kernel.chosen;
  const bool columns = reduces_columns(chosen.order);
  const int sharing = columns ? chosen.threads_across : chosen.threads_along;
  const int spanned = columns ? chosen.threads_across * chosen.threads_along : chosen.threads_along;
  if (!is_gpu(kernel.target)) return thread_scope::thread;
  if (chosen.cluster > 1) return thread_scope::cluster;
  if (sharing == 1) return thread_scope::thread;
  return spanned <= static_cast<int>(warp_threads(kernel.target)) ? thread_scope::warp : thread_scope::block;
}

row_statements::row_statements(const kernel_description& described, loop_tree& tree)
    : kernel_statements(described, tree), varying_(described.body.body.size(), false) {
  for (std::vector<unsigned>* axes : {&reduced_axes_, &kept_axes_, &reduced_digits_, &kept_digits_})
    axes->reserve(rank());
  for (unsigned axis = 0; axis < rank(); ++axis)
    (body().is_reduced(axis) ? reduced_axes_ : kept_axes_).push_back(axis);
  for (unsigned digit = 0; digit < reduced_.count(); ++digit) reduced_digits_.push_back(reduced_.axis(digit));
  for (unsigned digit = 0; digit < kept_.count(); ++digit) kept_digits_.push_back(kept_.axis(digit));
  if (numbers_rows_first(chosen(), described.target)) std::swap(kept_digits_[0], kept_digits_[1]);
  for (std::uint32_t i = 0; i < code_count(); ++i) {
    const instruction& made = code(i);
    bool varies = is_reduction(made.op);
    if (made.op == operation::input || made.op == operation::coordinate)
      varies |= access_varies(static_cast<std::uint32_t>(made.payload));
    for (const std::uint32_t argument : body().arguments_of(made)) varies = varies || varying_[argument];
    varying_[i] = varies;
  }
}

bool row_statements::access_varies(std::uint32_t i) const {
  if (has_register_tiles()) return at(i).moves_along(axis_of_rows(body()));
  return body().split >= 0 ||
         std::ranges::any_of(kept_axes_, [&](unsigned axis) { return at(i).moves_along(axis); });
}

std::vector<value_type> row_statements::types_of_partials(std::uint32_t combining) const {
  std::vector<value_type> types;
  for (const element_type type : partial_types(body(), code(combining))) types.push_back(value_of(type));
  if (finds_position(code(combining).op)) types.back() = index_type;
  return types;
}

row_statements::partial_values row_statements::partial_names(std::string_view prefix,
                                                             std::uint32_t combining) {
  partial_values made(types_of_partials(combining).size());
  for (std::size_t k = 0; k < made.size(); ++k) made[k] = partial_name(prefix, combining, k);
  return made;
}

row_statements::partial_values row_statements::starts_of(std::uint32_t combining) {
  const instruction& made = code(combining);
  if (finds_position(made.op)) return {start_of(combining), last_position()};
  if (made.op == operation::argsort) return {convert(types_of_partials(combining)[0], integer(-1))};
  if (!has_body(made.op)) return {start_of(combining)};
  partial_values starts;
  for (const std::uint32_t identity : body().arguments_of_combining(made).identities)
    starts.push_back(constant_value(identity));
  return starts;
}

row_statements::partial_values row_statements::sums(std::uint32_t reduction, expression lane) {
  partial_values made = partial_names("sum", reduction);
  for (expression& each : made) each = of_row(each)[lane];
  return made;
}

expression row_statements::constant_value(std::uint32_t i) {
  const instruction& made = code(i);
  const bool is_result = made.op == operation::component && is_reduction(code(made.arguments[0]).op);
  expression of = is_result ? name(row_value_name(made.arguments[0], made.payload)) : name(row_value_name(i));
  if (has_rows(i)) of = of[0];
  return has_lanes(i) ? of[0] : of;
}

expression row_statements::has_earlier_pieces(std::uint32_t scan) {
  return code(scan).continued ? name("t", body().split) > 0 : expression();
}

expression row_statements::is_in_columns(expression lane) {
  return columns() ? position() + lane_offset(lane) < lanes_left() : expression();
}

expression row_statements::first_element_of(expression number) {
  if (!columns()) return number * vector();
  return has_scans(body()) ? number * chosen().steps : number;
}

expression row_statements::first_element_of_lane(expression lane) {
  return is_on_gpu() ? first_element_of(tree_.row.thread) + lane : lane;
}

void row_statements::open_rows() {
  if (rows_per_thread() > 1)
    out_.open_count(is_on_gpu() ? loop_kind::unrolled : loop_kind::rows, "u", rows_per_thread());
}
void row_statements::close_rows() {
  if (rows_per_thread() > 1) out_.close();
}

statement& row_statements::combine(std::uint32_t reduction, const partial_values& to,
                                   const partial_values& from) {
  statement made{.kind = statement_kind::combine};
  made.instruction = reduction;
  made.target = out_.expressions().list(to);
  made.value = out_.expressions().list(from);
  return out_.add(made);
}

void row_statements::assign_all(const partial_values& to, const partial_values& from) {
  for (std::size_t k = 0; k < to.size(); ++k) out_.assign(to[k], from[k]);
}

void row_statements::combine(std::uint32_t combining, const partial_values& to, const optional_values& left,
                             const optional_values& right) {
  if (!has_body(code(combining).op)) {
    combine(combining, to, right.values);
    return;
  }
  const auto choose_side = [&](expression holds) {
    statement choice{.kind = statement_kind::choice};
    choice.instruction = combining;
    choice.condition = holds;
    out_.open(choice);
  };
  const auto otherwise = [&](const partial_values& from) {
    if (!are_same(tree_.expressions, from[0], to[0])) {
      out_.reopen();
      assign_all(to, from);
    }
    out_.close();
  };
  if (right.present.is_set()) choose_side(right.present);
  if (left.present.is_set()) choose_side(left.present);
  if (!right.present.is_set() && !left.present.is_set()) out_.open_scope();
  bodies_of([&](std::uint32_t i) {
    return constant_value(i);
  }).write_combined(combining, left.values, right.values, to);
  if (!right.present.is_set() && !left.present.is_set()) out_.close();
  if (left.present.is_set()) otherwise(right.values);
  if (right.present.is_set()) otherwise(left.values);
}

void row_statements::combine_lanes(std::uint32_t i) {
  if (has_lane_functions(described_) && !finds_position(code(i).op) && !has_body(code(i).op)) {
    out_.perform(out_.call("combine_" + lane_function_kind(code(i)), {name("sum", i)}));
    return;
  }
  open_rows();
  // lanes that are nested in an axis do not reach beyond it
  const expression end = !is_on_gpu() && reduced_axes_.size() > 1 ? extent(reduced_axes_[0]) : length();
  for (int half = vector() / 2; half > 0; half /= 2) {
    out_.open_count(lanes_kind(), lane(), half);
    combine(i, sums(i, lane()), {sums(i, lane())},
            {sums(i, lane() + half), first_element_of_lane(lane() + half) < end});
    out_.close();
  }
  close_rows();
}

expression row_statements::pointer_of_row(std::uint32_t i) {
  const std::uint32_t base = at(i).base;
  return access_varies(base) ? of_row(name("q", base)) : name("q", base);
}

expression row_statements::row_result(std::uint32_t i, std::size_t number, expression lane) {
  const expression result = finds_position(code(i).op) ? where(i, lane) : sums(i, lane)[number];
  if (!visits_in_order(code(i))) return result;
  const auto counts = static_cast<std::uint32_t>(code(code(i).arguments[1]).payload);
  if (reduced_axes_.size() > 1)
    return choose(result < last_position(), moved(pointer_of_row(counts), index_in_row(counts, {})), result);
  if (!access_varies(counts)) return result;
  return choose(result < last_position(), pointer_of_row(counts) + result, result);
}

void row_statements::reduced_positions(expression number) {
  if (reduced_axes_.size() <= 1) return;
  split_digits(number, reduced_digits_, digit_names_of("r", reduced_type()));
  declare_shared_offsets(true, name("r", reduced_digits_.back()));
}

void row_statements::set_row_result(std::uint32_t i, std::size_t number, expression to, expression lane) {
  const bool takes_digits = visits_in_order(code(i)) && reduced_axes_.size() > 1;
  if (takes_digits) {
    out_.open_scope();
    reduced_positions(convert(reduced_type(), where(i, lane)));
  }
  out_.assign(to, row_result(i, number, lane));
  if (takes_digits) out_.close();
}

void row_statements::set_row_values(std::uint32_t i) {
  const bool has_several = has_body(code(i).op);
  const std::size_t count = has_several ? types_of_partials(i).size() : 1;
  for (std::size_t k = 0; k < count; ++k) {
    const value_type type = has_several ? types_of_partials(i)[k] : value_of(code(i).type);
    const expression made = has_several ? name(row_value_name(i, k)) : name(row_value_name(i));
    if (columns()) {
      out_.variable(type, with_rows(made)[vector()]);
      open_rows();
      open_lanes();
      set_row_result(i, k, of_row(made)[lane()], lane());
      out_.close();
      close_rows();
    } else if (rows_per_thread() > 1) {
      out_.variable(type, made[rows_per_thread()]);
      open_rows();
      set_row_result(i, k, of_row(made), integer(0));
      close_rows();
    } else if (visits_in_order(code(i)) && reduced_axes_.size() > 1) {
      out_.variable(type, made);
      set_row_result(i, k, made, integer(0));
    } else {
      out_.let(type, made, row_result(i, k, integer(0)));
    }
  }
}

digit_names row_statements::digit_names_of(std::string_view position, value_type type) const {
  return {.rest = "w", .position = position, .type = type};
}

std::vector<expression> row_statements::positions(expression lane) {
  std::vector<expression> named(rank());
  if (reduced_axes_.size() == 1)
    named[reduced_axes_[0]] = columns() ? name("r") : position();
  else
    for (const unsigned axis : reduced_digits_) named[axis] = name("r", axis);
  if (columns()) named[0] = position();
  if (lane.is_set()) named[lane_axis()] = named[lane_axis()] + lane_offset(lane);
  return named;
}

expression row_statements::index_in_row(std::uint32_t i, expression lane) {
  return in_window(i, index(at(i).group, positions(lane)));
}

expression row_statements::place_in_row(std::uint32_t i, expression lane) {
  return with_terms(i, index_in_row(i, lane), [&](std::uint32_t position) {
    return moved(pointer_of_row(position), index_in_row(position, lane));
  });
}

}  // namespace sinter::inline v0::codegen
