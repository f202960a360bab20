#include <sinter/codegen/print/instruction_text.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/math/assembler_guards.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/print/text/literal_text.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0::codegen {
namespace {

bool combines_booleans(const instruction& at) { return at.arity == 2 && is_boolean(at.compute); }

/// Whether two operations combine the same boolean with another. Their results then come out of one
/// instruction of the GPU, which ptxas 13.0 was seen to take apart wrongly ("or" gave what "and" should).
/// In bodies, states have several names: any two may share one.
bool shares_booleans(const nest_body& body) {
  if (has_bodies(body) && std::ranges::any_of(body.body, combines_booleans)) return true;
  std::vector<std::uint8_t> used(body.body.size());
  for (const instruction& at : body.body)
    if (combines_booleans(at))
      for (unsigned a = 0; a < at.arity; ++a)
        if (used[at.arguments[a]]++ != 0) return true;
  return false;
}

bool chooses_integers(const nest_body& body) {
  return std::ranges::any_of(
      body.body, [](const instruction& at) { return at.op == operation::where && is_integer(at.type); });
}

/// Whether a choice is between two constants of 32 bits. ptxas 13.0 makes one instruction of the comparison
/// of two float32 and of what it chooses between, where that is 1 or -1 and zero, and takes -0, or the
/// integer with its bits, for 0. The constants need not be these: compilers move what is done with a choice
/// into it.
bool is_in_a_word(element_type type) { return size_of(facts_of(type).compute) == 4; }
bool chooses_between_words(const applied_operation& at) {
  return at.op == operation::where && is_in_a_word(at.compute) && (at.literals & 6) == 6;
}
/// The same of the results of `when`.
bool chooses_between_words(const nest_body& body, const instruction& choice) {
  const body_arguments results = body.arguments_of_bodies(choice);
  const auto is_word = [&](std::uint32_t i) {
    return body.body[i].op == operation::literal && is_in_a_word(body.body[i].type);
  };
  for (std::size_t k = 0; k < results.count(); ++k)
    if (is_word(results.first(k)) && is_word(results.second(k))) return true;
  return false;
}

bool compares_narrow_integers(const applied_operation& at) {
  return unrestricted(facts_of(at.op).rule) == type_rule::comparison && size_of(at.compute) < 4;
}

bool looks_at_signs(const nest_body& body) {
  return std::any_of(body.body.begin(), body.body.end(), [](const instruction& at) {
    return at.op == operation::signbit || at.op == operation::copysign;
  });
}

/// Whether float32 and float64 may hold what an integer of more than 16 bits became, other than an extent. A
/// user's own function may make it too, where the compiler sees its code.
bool makes_floats_of_integers(const nest_body& body) {
  return std::ranges::any_of(body.body, [&](const instruction& at) {
    if (at.op == operation::external) return true;
    return at.arity > 0 && is_integer(at.compute) && size_of(at.compute) > 2 && is_inexact(at.type) &&
           body.body[at.arguments[0]].op != operation::extent;
  });
}

/// isnan, isinf, isfinite and signbit of integers and booleans: all are finite.
std::string predicate_of_integer(const applied_operation& at, const std::string& operand) {
  if (at.op == operation::isfinite) return "true";
  const bool is_signed = kind_of(at.compute) == element_kind::signed_integer;
  return at.op == operation::signbit && is_signed ? operand + " < 0" : "false";
}

std::string complex_cast(element_type from, element_type to, const std::string& value) {
  const std::string part = "(" + std::string(facts_of(component_of(to)).spelling) + ")";
  const std::string real = part + value + (is_complex(from) ? ".real" : "");
  const std::string imag = is_complex(from) ? part + value + ".imag" : "0";
  return std::string(facts_of(to).spelling) + "{" + real + ", " + imag + "}";
}

std::string position_function(const instruction& reduction, std::string_view kind) {
  const element_type type =
      is_boolean(reduction.compute) ? element_type::uint8 : facts_of(reduction.compute).compute;
  return std::string(facts_of(reduction.op).name) + std::string(kind) + "_" +
         std::string(facts_of(type).suffix);
}

}  // namespace

std::string external_type(const external_function& called, std::string_view middle) {
  std::string text = std::string(facts_of(called.result).spelling) + " " + std::string(middle) + "(";
  for (unsigned i = 0; i < called.arity; ++i)
    text += (i == 0 ? "" : ", ") + std::string(facts_of(called.arguments[i]).spelling);
  return text + ")";
}

instruction_printer::instruction_printer(const kernel_description& kernel)
    : kernel_(kernel),
      loads_signs_(has("load_signed_half") && looks_at_signs(kernel.body)),
      booleans_in_registers_(has("in_register_b8") && shares_booleans(kernel.body)),
      chooses_integers_(has("held_i32") && chooses_integers(kernel.body)),
      bounds_halves_(has("store_bounded_f16") && makes_floats_of_integers(kernel.body)) {}

std::string instruction_printer::value(const instruction& at, std::span<const std::string> operands) {
  switch (at.op) {
    case operation::input:
      return load(at.type, operands[0]);
    case operation::coordinate:
    case operation::component:
      return operands[0];
    case operation::parameter:
      return load(at.type, "a.q" + std::to_string(at.payload));
    case operation::extent:
      return "a.c" + std::to_string(at.payload);
    case operation::literal:
      return literal_text(at.type, at.payload);
    case operation::cast:
      return cast_text(at, guarded_widening(at, operands[0]));
    case operation::external: {
      operand_texts guarded;
      return external_text(at, guarded_operands(applied_by(kernel_, at), operands, guarded));
    }
    default:
      return operation_value(applied_by(kernel_, at), operands);
  }
}

std::string instruction_printer::value_of_fast_path(const instruction& at,
                                                    std::span<const std::string> operands) {
  by_fast_path_ = true;
  std::string text = value(at, operands);
  by_fast_path_ = false;
  return text;
}

std::string instruction_printer::fast_path_test(const instruction& at,
                                                std::span<const std::string> operands) {
  std::string text(find(function_of(kernel_, at)).fast_test);
  for (unsigned a = 0; a < at.arity; ++a) text += (a == 0 ? "(" : ", ") + operands[a];
  return text + ")";
}

std::string instruction_printer::start(const instruction& reduction) const {
  const element_type part = component_of(reduction.compute);
  const operation op = is_total_of_scan(reduction) ? operation::cumsum : reduction.op;
  std::string text = literal_text(part, start_bits(op, part));
  if (!is_complex(reduction.compute)) return text;
  return std::string(facts_of(reduction.compute).spelling) + "{" + text + ", " +
         (facts_of(reduction.op).start == reduction_start::one ? "0" : text) + "}";
}

std::string instruction_printer::combined(const instruction& reduction, const std::string& a,
                                          const std::string& b) {
  return operation_value(combine_of(kernel_, reduction), std::array{a, b});
}

std::string instruction_printer::preferred(const instruction& reduction, const std::string& value,
                                           const std::string& position, const std::string& than,
                                           const std::string& than_position) {
  return call(position_function(reduction, ""),
              {guarded_value(reduction, value), position, guarded_value(reduction, than), than_position});
}

std::string instruction_printer::preferred_later(const instruction& reduction, const std::string& value,
                                                 const std::string& than) {
  return call(position_function(reduction, "_later"),
              {guarded_value(reduction, value), guarded_value(reduction, than)});
}

/// A value that a reduction compares, as the GPU's assembler is to see it.
std::string instruction_printer::guarded_value(const instruction& reduction, const std::string& value) {
  const std::string guard =
      operand_guard(reduction.op, reduction.compute, 0, is_computed(kernel_.body, reduction.arguments[0]));
  return guard.empty() ? value : call(guard, {value});
}

std::string instruction_printer::stored(element_type type, const std::string& value) {
  if (type == element_type::float16 && bounds_halves_) return call("store_bounded_f16", {value});
  if (is_storage_only(type)) return call("store_" + std::string(facts_of(type).suffix), {value});
  return value;
}

std::string instruction_printer::load(element_type type, const std::string& element) {
  if (is_boolean(type)) return element + " != 0";
  if (type == element_type::float16 && loads_signs_) return call("load_signed_half", {element});
  if (is_storage_only(type)) return call("load_" + std::string(facts_of(type).suffix), {element});
  return element;
}

std::string instruction_printer::round_to(element_type type, const std::string& value) {
  return load(type, stored(type, value));
}

const device_function& instruction_printer::find(const std::string& name) const {
  const device_function* found = find_device_function(name, text_target_of(kernel_), text_mode_of(kernel_));
  if (found == nullptr)
    throw compile_error("there is no device function " + name + " for this target", {}, {});
  return *found;
}

void instruction_printer::use(std::string_view name) {
  if (std::find(functions_.begin(), functions_.end(), name) == functions_.end()) functions_.push_back(name);
}

std::string instruction_printer::call(const std::string& name,
                                      std::initializer_list<std::string_view> arguments) {
  const device_function& found = find(name);
  const bool fast = by_fast_path_ && !found.fast_name.empty();
  if (fast) use(found.fast_test);
  use(fast ? found.fast_name : found.name);
  std::string text(fast ? found.fast_name : found.name);
  text += "(";
  for (std::string_view separator; const std::string_view argument : arguments) {
    text += separator;
    text += argument;
    separator = ", ";
  }
  return text + ")";
}

std::string_view instruction_printer::guard_of_choice(const instruction& choice) {
  const std::string_view guard = "in_register_b8";
  if (choice.op != operation::when || !has(guard) || !chooses_between_words(kernel_.body, choice)) return {};
  use(guard);
  return guard;
}

std::string instruction_printer::operand_guard(operation op, element_type compute, unsigned i,
                                               bool computed) const {
  if (booleans_in_registers_ && is_boolean(compute) && facts_of(op).arity == 2) return "in_register_b8";
  if (!is_integer(compute)) return {};
  const std::string_view suffix = facts_of(compute).suffix,
                         function = operand_guard_of(op, suffix, {i, computed, chooses_integers_});
  if (function.empty()) return {};
  std::string name = std::string(function) + "_" + std::string(suffix);
  return has(name) ? name : std::string();
}

std::string instruction_printer::result_guard(const applied_operation& at) const {
  if (!is_integer(at.type) || at.type != at.compute) return {};
  const std::string_view suffix = facts_of(at.type).suffix, function = result_guard_of(at.op, suffix);
  if (function.empty()) return {};
  std::string name = std::string(function) + "_" + std::string(suffix);
  return has(name) ? name : std::string();
}

std::span<const std::string> instruction_printer::guarded_operands(const applied_operation& at,
                                                                   std::span<const std::string> operands,
                                                                   operand_texts& guarded) {
  const bool chooses_words = has("in_register_b8") && chooses_between_words(at);
  if (!is_integer(at.compute) && !booleans_in_registers_ && !chooses_words) return operands;
  bool any = false;
  for (unsigned i = 0; i < at.arity; ++i) {
    const bool is_literal = (at.literals >> i & 1) != 0;
    // one operand in 32 bits is enough for a comparison
    const bool is_done = any && compares_narrow_integers(at);
    std::string guard;
    if (chooses_words && i == 0)
      guard = "in_register_b8";
    else if (is_boolean(at.compute) || (!is_literal && !is_done))
      guard = operand_guard(at.op, at.compute, i, (at.computed >> i & 1) != 0);
    guarded[i] = guard.empty() ? operands[i] : call(guard, {operands[i]});
    any |= !guard.empty();
  }
  return any ? std::span<const std::string>(guarded) : operands;
}

std::string instruction_printer::operation_value(const applied_operation& at,
                                                 std::span<const std::string> operands) {
  operand_texts guarded;
  std::string text = operation_text(at, guarded_operands(at, operands, guarded));
  if (kernel_.mode == arithmetic_mode::strict && is_storage_only(at.type))
    text = round_to(at.type, "(" + text + ")");
  return text;
}

/// A call of a user's own function; through its address where it has no code to link.
std::string instruction_printer::external_text(const instruction& at,
                                               std::span<const std::string> operands) const {
  const external_function& called = kernel_.externals[at.payload];
  std::string text = called.name;
  if (at.by_pointer) text = "((" + external_type(called, "(*)") + ")a.f" + std::to_string(at.payload) + ")";
  text += "(";
  for (unsigned i = 0; i < at.arity; ++i) text += (i == 0 ? "" : ", ") + operands[i];
  return text + ")";
}

std::string instruction_printer::operation_text(const applied_operation& at,
                                                std::span<const std::string> operands) {
  const operation_facts& row = facts_of(at.op);
  if (at.fused) {
    if (at.op == operation::add) return call(at.function, {operands[0], operands[1], operands[2]});
    if (at.negated) return call(at.function, {"-" + operands[0], operands[1], operands[2]});
    return call(at.function, {operands[0], operands[1], "-" + operands[2]});
  }
  // NumPy's booleans: + is or, * is and
  const bool of_booleans = is_boolean(at.type) && is_boolean(at.compute);
  if (of_booleans && at.op == operation::add) return operands[0] + " | " + operands[1];
  if (of_booleans && at.op == operation::multiply) return operands[0] + " & " + operands[1];
  if (unrestricted(row.rule) == type_rule::predicate && !is_inexact(at.compute))
    return predicate_of_integer(at, operands[0]);
  if (!row.spelling.empty()) return spelled_text(at, operands);
  std::string text = at.arity == 1   ? call(at.function, {operands[0]})
                     : at.arity == 2 ? call(at.function, {operands[0], operands[1]})
                                     : call(at.function, {operands[0], operands[1], operands[2]});
  const std::string guard = result_guard(at);
  if (guard.empty()) return text;
  // those that narrow take the 32 bits of the sum
  return call(guard, {size_of(at.type) < 4 ? "(unsigned int)" + text : text});
}

/// Wrapping arithmetic is done on unsigned operands: signed overflow has no meaning in C++.
std::string instruction_printer::spelled_text(const applied_operation& at,
                                              std::span<const std::string> operands) {
  const std::string_view spelling = facts_of(at.op).spelling;
  const bool wraps = is_integer(at.type) && (at.op == operation::add || at.op == operation::subtract ||
                                             at.op == operation::multiply || at.op == operation::square);
  const std::string_view wide = size_of(at.type) == 8 ? "(unsigned long long)" : "(unsigned int)";
  std::string text;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '$') {
      text += spelling[i];
      continue;
    }
    if (wraps) text += wide;
    text += operands[static_cast<std::size_t>(spelling[++i] - '0')];
  }
  const bool narrow = is_integer(at.type) && size_of(at.type) < 4;
  if (const std::string guard = result_guard(at); wraps && !guard.empty()) return call(guard, {text});
  return wraps || narrow ? "(" + std::string(facts_of(at.type).spelling) + ")(" + text + ")" : text;
}

bool instruction_printer::has(std::string_view function) const {
  return find_device_function(function, text_target_of(kernel_), text_mode_of(kernel_)) != nullptr;
}

/// The operand of a cast, guarded if it is computed and becomes a wider integer. A sum may hide in a minimum.
std::string instruction_printer::guarded_widening(const instruction& at, const std::string& value) {
  if (!is_integer(at.compute) || !is_integer(at.type) || size_of(at.type) <= size_of(at.compute))
    return value;
  const std::string guard =
      operand_guard(at.op, at.compute, 0, !is_loaded(kernel_.body.body[at.arguments[0]].op));
  return guard.empty() ? value : call(guard, {value});
}

std::string instruction_printer::cast_text(const instruction& at, const std::string& value) {
  const element_type from = at.compute, to = at.type;
  if (from == to) return value;
  if (is_complex(from) && is_boolean(to)) return "(" + value + ".real != 0) | (" + value + ".imag != 0)";
  if (is_complex(to)) return complex_cast(from, to, value);
  if (is_boolean(to)) return value + " != 0";
  if (is_storage_only(to)) {
    // from what float32 does not hold: in one rounding
    const std::string once =
        "store_" + std::string(facts_of(to).suffix) + "_" + std::string(facts_of(from).suffix);
    if (has(once)) return load(to, call(once, {value}));
    return round_to(to, is_floating(from) ? value : "(float)" + value);
  }
  if (is_floating(from) && is_integer(to))
    return call("cast_" + std::string(facts_of(facts_of(from).compute).suffix) + "_" +
                    std::string(facts_of(to).suffix),
                {value});
  if (facts_of(from).spelling == facts_of(to).spelling) return value;
  if (const std::string narrow = "narrow_" + std::string(facts_of(to).suffix);
      size_of(from) > 2 && has(narrow))
    return call(narrow, {"(unsigned int)" + value});
  return "(" + std::string(facts_of(to).spelling) + ")" + value;
}

}  // namespace sinter::inline v0::codegen
