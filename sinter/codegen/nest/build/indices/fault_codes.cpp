#include <sinter/codegen/nest/build/indices/fault_codes.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0 {
namespace {

constexpr element_type integer = element_type::int64;

/// A code is the number of the node, counted from 1, in front of these bits, which have the index.
constexpr int index_bits = 43;
constexpr std::int64_t after_index = std::int64_t{1} << index_bits, middle = after_index / 2;

std::uint32_t whole(nest_writer& out, std::int64_t value) {
  instruction made;
  made.op = operation::literal;
  made.type = made.compute = integer;
  made.payload = static_cast<std::uint64_t>(value);
  return out.append(made);
}

}  // namespace

std::uint32_t code_where_out(const index_check& check, nest& to) {
  nest_writer out(to);
  const auto apply = [&](operation op, std::uint32_t left, std::uint32_t right) {
    return out.apply(op, integer, {left, right});
  };
  const std::uint32_t near =
      out.apply(operation::clip, integer, {check.index, whole(out, -middle), whole(out, middle - 1)});
  const std::int64_t of_node = (static_cast<std::int64_t>(check.along.node) + 1) * after_index + middle;
  const std::uint32_t code = apply(operation::add, near, whole(out, of_node));
  const std::uint32_t is_out =
      out.apply(operation::not_equal, element_type::boolean, {check.counted, check.position});
  return out.apply(operation::where, integer, {is_out, code, whole(out, 0)});
}

std::uint32_t is_code_of(std::uint32_t code, std::uint32_t gather, nest& to) {
  nest_writer out(to);
  const std::uint32_t node = out.apply(operation::right_shift, integer, {code, whole(out, index_bits)});
  return out.apply(operation::equal, element_type::boolean,
                   {node, whole(out, static_cast<std::int64_t>(gather) + 1)});
}

std::uint32_t index_of_code(std::uint32_t code, nest& to) {
  nest_writer out(to);
  const std::uint32_t bits = out.apply(operation::bitwise_and, integer, {code, whole(out, after_index - 1)});
  return out.apply(operation::subtract, integer, {bits, whole(out, middle)});
}

fault_codes::fault_codes(std::span<const index_check* const> checks, std::span<const index_check> all,
                         nest& to)
    : to_(to),
      out_(to),
      codes_(to.body.size(), none),
      elements_(codes_),
      inside_(codes_),
      otherwise_(codes_) {
  std::vector<std::uint32_t> own(codes_);  // by what is at a position, or reads there
  const auto add = [&](std::uint32_t at, std::uint32_t code) { own[at] = either(own[at], code); };
  for (const index_check* check : checks) {
    const std::uint32_t code = check->code != none ? check->code : code_where_out(*check, to_);
    if (check->position != none) add(check->position, code);
    for (const std::uint32_t read : check->reads) add(read, code);
  }
  for (std::uint32_t i = 0; i < codes_.size(); ++i) {
    std::uint32_t code = either(own[i], code_of(i));
    for (const index_check& check : all)  // an index that a row is read at is no argument of the read
      if (check.index < i && std::ranges::find(check.reads, i) != check.reads.end())
        code = either(code, codes_[check.index]);
    const instruction& at = to_.body[i];
    if (at.owner == instruction::no_owner) {
      codes_[i] = code;
      continue;
    }
    // of what is in a body its owner has the code
    auto& of_owner = at.otherwise ? otherwise_ : inside_;
    of_owner[at.owner] = either(of_owner[at.owner], code);
  }
}

std::uint32_t fault_codes::code_of(std::uint32_t i) {
  const instruction at = to_.body[i];
  if (has_body(at.op)) return code_of_bodies(i);
  const std::array<std::uint32_t, 3>& from = at.arguments;
  if (is_reduction(at.op))
    return combined(operation::max, at.op == operation::last ? elements_[from[0]] : codes_[from[0]]);
  if (is_scan(at.op)) return combined(operation::cummax, codes_[from[0]]);
  const bool is_inside = at.owner != instruction::no_owner;
  if (is_inside || at.op == operation::report) return code_of_arguments(std::span(from).first(at.arity));
  if (at.op == operation::where)
    return either(codes_[from[0]], chosen(from[0], codes_[from[1]], codes_[from[2]]));
  if (at.op == operation::logical_and) return either(codes_[from[0]], chosen(from[0], codes_[from[1]], none));
  if (at.op == operation::logical_or) return either(codes_[from[0]], chosen(from[0], none, codes_[from[1]]));
  return code_of_arguments(std::span(from).first(at.arity));
}

std::uint32_t fault_codes::code_of_bodies(std::uint32_t i) {
  const instruction at = to_.body[i];
  if (combines_by_body(at.op)) {
    const combining_arguments of = to_.arguments_of_combining(at);
    // a body may return what it captures
    elements_[i] = either(either(code_of_arguments(of.values), code_of_arguments(of.results)), inside_[i]);
    const operation op = at.op == operation::reduce ? operation::max : operation::cummax;
    return either(combined(op, elements_[i]), code_of_arguments(of.identities));
  }
  const body_arguments of = to_.arguments_of_bodies(at);
  std::uint32_t first = inside_[i], second = otherwise_[i];
  const std::uint32_t lead = of.lead;
  for (std::size_t k = 0; k < of.count(); ++k) {
    first = either(first, codes_[of.first(k)]);
    second = either(second, codes_[of.second(k)]);
  }
  const bool chooses = at.op == operation::when && at.owner == instruction::no_owner;
  return either(codes_[lead], chooses ? chosen(lead, first, second) : either(first, second));
}

std::uint32_t fault_codes::code_of_arguments(std::span<const std::uint32_t> arguments) {
  std::uint32_t code = none;
  for (const std::uint32_t argument : arguments) code = either(code, codes_[argument]);
  return code;
}

std::uint32_t fault_codes::either(std::uint32_t left, std::uint32_t right) {
  if (left == none || left == right) return right;
  if (right == none) return left;
  return out_.apply(operation::maximum, integer, {left, right});
}

std::uint32_t fault_codes::chosen(std::uint32_t condition, std::uint32_t left, std::uint32_t right) {
  if (left == right) return left;
  const auto code = [&](std::uint32_t side) { return side == none ? whole(out_, 0) : side; };
  const std::uint32_t first = code(left), second = code(right);
  return out_.apply(operation::where, integer, {condition, first, second});
}

std::uint32_t fault_codes::combined(operation op, std::uint32_t code) {
  return code == none ? none : out_.apply(op, integer, {code});
}

}  // namespace sinter::inline v0
