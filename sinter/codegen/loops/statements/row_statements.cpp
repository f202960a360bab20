#include <sinter/codegen/loops/ir/lane_functions.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

#include <algorithm>

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
  return body().split >= 0 ||
         std::ranges::any_of(kept_axes_, [&](unsigned axis) { return at(i).moves_along(axis); });
}

expression row_statements::result_of(std::uint32_t reduction, expression lane) {
  return finds_position(code(reduction).op) ? where(reduction, lane) : sum(reduction, lane);
}

void row_statements::open_rows() {
  if (rows_per_thread() > 1) out_.open_count(lanes_kind(), "u", rows_per_thread());
}
void row_statements::close_rows() {
  if (rows_per_thread() > 1) out_.close();
}

statement& row_statements::combine(std::uint32_t reduction, expression to, expression position,
                                   expression from, expression from_position) {
  statement made{.kind = statement_kind::combine};
  made.instruction = reduction;
  made.target = to;
  made.value = from;
  if (finds_position(code(reduction).op)) {
    made.target_position = position;
    made.value_position = from_position;
  }
  return out_.add(made);
}

void row_statements::combine_lanes(std::uint32_t i) {
  if (has_lane_functions(described_) && !finds_position(code(i).op)) {
    out_.perform(out_.call("combine_" + lane_function_kind(code(i)), {name("sum", i)}));
    return;
  }
  open_rows();
  const expression e = lane();
  for (int half = vector() / 2; half > 0; half /= 2) {
    out_.open_count(lanes_kind(), lane(), half);
    combine(i, sum(i, e), where(i, e), sum(i, e + half), where(i, e + half));
    out_.close();
  }
  close_rows();
}

expression row_statements::pointer_of_row(std::uint32_t i) {
  const std::uint32_t base = at(i).base;
  return access_varies(base) ? of_row(name("q", base)) : name("q", base);
}

expression row_statements::row_result(std::uint32_t i, expression lane) {
  const expression result = result_of(i, lane);
  if (!meets_in_order(code(i))) return result;
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

void row_statements::set_row_result(std::uint32_t i, expression to, expression lane) {
  const bool takes_digits = meets_in_order(code(i)) && reduced_axes_.size() > 1;
  if (takes_digits) {
    out_.open_scope();
    reduced_positions(convert(reduced_type(), result_of(i, lane)));
  }
  out_.assign(to, row_result(i, lane));
  if (takes_digits) out_.close();
}

void row_statements::set_row_value(std::uint32_t i) {
  const value_type type = value_of(code(i).type);
  const expression made = name(row_value_name(i)), e = lane();
  if (columns()) {
    out_.variable(type, made[vector()]);
    open_lanes();
    set_row_result(i, made[e], e);
    out_.close();
  } else if (rows_per_thread() > 1) {
    out_.variable(type, made[rows_per_thread()]);
    open_rows();
    set_row_result(i, of_row(made), integer(0));
    close_rows();
  } else if (meets_in_order(code(i)) && reduced_axes_.size() > 1) {
    out_.variable(type, made);
    set_row_result(i, made, integer(0));
  } else {
    out_.let(type, made, row_result(i, integer(0)));
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

}  // namespace sinter::inline v0::codegen
