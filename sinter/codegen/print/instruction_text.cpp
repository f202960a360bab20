#include <sinter/codegen/print/instruction_text.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/print/text/literal_text.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0::codegen {
namespace {

bool combines_booleans(const instruction& at) { return at.arity == 2 && is_boolean(at.compute); }

/// Whether two operations combine the same boolean with another. Their results then come out of one
/// instruction of the GPU, which ptxas 13.0 was seen to take apart wrongly ("or" gave what "and" should).
bool shares_booleans(const nest& body) {
  std::vector<std::uint8_t> used(body.body.size());
  for (const instruction& at : body.body)
    if (combines_booleans(at))
      for (unsigned a = 0; a < at.arity; ++a)
        if (used[at.arguments[a]]++ != 0) return true;
  return false;
}

bool looks_at_signs(const nest& body) {
  return std::any_of(body.body.begin(), body.body.end(), [](const instruction& at) {
    return at.op == operation::signbit || at.op == operation::copysign;
  });
}

/// isnan, isinf, isfinite and signbit of integers and booleans: all are finite.
std::string predicate_of_integer(const instruction& at, const std::string& operand) {
  if (at.op == operation::isfinite) return "true";
  const bool is_signed = kind_of(at.compute) == element_kind::signed_integer;
  return at.op == operation::signbit && is_signed ? operand + " < 0" : "false";
}

std::string complex_cast(element_type from, element_type to, const std::string& value) {
  const std::string part = "(" + std::string(facts(component_of(to)).spelling) + ")";
  const std::string real = part + value + (is_complex(from) ? ".real" : "");
  const std::string imag = is_complex(from) ? part + value + ".imag" : "0";
  return std::string(facts(to).spelling) + "{" + real + ", " + imag + "}";
}

std::string position_function(const instruction& reduction, std::string_view kind) {
  const element_type type =
      is_boolean(reduction.compute) ? element_type::uint8 : facts(reduction.compute).compute;
  return std::string(facts(reduction.op).name) + std::string(kind) + "_" + std::string(facts(type).suffix);
}

}  // namespace

std::string external_type(const external_function& called, std::string_view middle) {
  std::string text = std::string(facts(called.result).spelling) + " " + std::string(middle) + "(";
  for (unsigned i = 0; i < called.arity; ++i)
    text += (i == 0 ? "" : ", ") + std::string(facts(called.arguments[i]).spelling);
  return text + ")";
}

instruction_printer::instruction_printer(const kernel_description& kernel)
    : kernel_(kernel),
      loads_signs_(has("load_signed_half") && looks_at_signs(kernel.body)),
      booleans_in_registers_(has("in_register_b8") && shares_booleans(kernel.body)),
      narrows_by_call_(has("narrow_i16")) {}

std::string instruction_printer::value(const instruction& at, std::span<const std::string> operands) {
  switch (at.op) {
    case operation::input:
      return load(at.type, operands[0]);
    case operation::coordinate:
      return operands[0];
    case operation::parameter:
      return load(at.type, "a.q" + std::to_string(at.payload));
    case operation::extent:
      return "a.c" + std::to_string(at.payload);
    case operation::literal:
      return literal_text(at.type, at.payload);
    default:
      return operation_value(at, operands);
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
  std::string text = literal_text(part, start_bits(reduction.op, part));
  if (!is_complex(reduction.compute)) return text;
  return std::string(facts(reduction.compute).spelling) + "{" + text + ", " +
         (facts(reduction.op).start == reduction_start::one ? "0" : text) + "}";
}

std::string instruction_printer::combined(const instruction& reduction, const std::string& a,
                                          const std::string& b) {
  instruction combine;
  combine.op = facts(reduction.op).combine;
  combine.type = combine.compute = reduction.compute;
  combine.arity = 2;
  combine.arguments = {0, 1};
  return operation_value(combine, std::array{a, b, std::string()});
}

std::string instruction_printer::preferred(const instruction& reduction, const std::string& value,
                                           const std::string& position, const std::string& than,
                                           const std::string& than_position) {
  return call(position_function(reduction, ""), {value, position, than, than_position});
}

std::string instruction_printer::preferred_later(const instruction& reduction, const std::string& value,
                                                 const std::string& than) {
  return call(position_function(reduction, "_later"), {value, than});
}

std::string instruction_printer::stored(element_type type, const std::string& value) {
  if (is_storage_only(type)) return call("store_" + std::string(facts(type).suffix), {value});
  return value;
}

std::string instruction_printer::load(element_type type, const std::string& element) {
  if (is_boolean(type)) return element + " != 0";
  if (type == element_type::float16 && loads_signs_) return call("load_signed_half", {element});
  if (is_storage_only(type)) return call("load_" + std::string(facts(type).suffix), {element});
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

std::string instruction_printer::operation_value(const instruction& at,
                                                 std::span<const std::string> operands) {
  std::array<std::string, 3> held;
  if (booleans_in_registers_ && combines_booleans(at)) {
    for (unsigned i = 0; i < at.arity; ++i) held[i] = call("in_register_b8", {operands[i]});
    operands = held;
  }
  if (at.op == operation::cast) return cast_text(at, operands[0]);
  if (at.op == operation::external) return external_text(at, operands);
  std::string text = operation_text(at, operands);
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

std::string instruction_printer::operation_text(const instruction& at,
                                                std::span<const std::string> operands) {
  const operation_facts& row = facts(at.op);
  if (at.fused) {
    const std::string name = function_of(kernel_, at);
    if (at.op == operation::add) return call(name, {operands[0], operands[1], operands[2]});
    if (at.negated) return call(name, {"-" + operands[0], operands[1], operands[2]});
    return call(name, {operands[0], operands[1], "-" + operands[2]});
  }
  // NumPy's booleans: + is or, * is and
  const bool of_booleans = is_boolean(at.type) && is_boolean(at.compute);
  if (of_booleans && at.op == operation::add) return operands[0] + " | " + operands[1];
  if (of_booleans && at.op == operation::multiply) return operands[0] + " & " + operands[1];
  if (unrestricted(row.rule) == type_rule::predicate && !is_inexact(at.compute))
    return predicate_of_integer(at, operands[0]);
  if (!row.spelling.empty()) return spelled_text(at, operands);
  const std::string name = function_of(kernel_, at);
  if (at.arity == 1) return call(name, {operands[0]});
  if (at.arity == 2) return call(name, {operands[0], operands[1]});
  return call(name, {operands[0], operands[1], operands[2]});
}

/// Wrapping arithmetic is done on unsigned operands: signed overflow has no meaning in C++.
std::string instruction_printer::spelled_text(const instruction& at, std::span<const std::string> operands) {
  const std::string_view spelling = facts(at.op).spelling;
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
  if (wraps && narrows_by_call(at.type)) return call("narrow_i16", {text});
  return wraps || narrow ? "(" + std::string(facts(at.type).spelling) + ")(" + text + ")" : text;
}

bool instruction_printer::has(std::string_view function) const {
  return find_device_function(function, text_target_of(kernel_), text_mode_of(kernel_)) != nullptr;
}

std::string instruction_printer::cast_text(const instruction& at, const std::string& value) {
  const element_type from = at.compute, to = at.type;
  if (from == to) return value;
  if (is_complex(from) && is_boolean(to)) return "(" + value + ".real != 0) | (" + value + ".imag != 0)";
  if (is_complex(to)) return complex_cast(from, to, value);
  if (is_boolean(to)) return value + " != 0";
  if (is_storage_only(to)) {
    if (from == element_type::float64)
      return load(to, call("store_" + std::string(facts(to).suffix) + "_f64", {value}));
    return round_to(to, is_floating(from) ? value : "(float)" + value);
  }
  if (is_floating(from) && is_integer(to))
    return call(
        "cast_" + std::string(facts(facts(from).compute).suffix) + "_" + std::string(facts(to).suffix),
        {value});
  if (facts(from).spelling == facts(to).spelling) return value;
  if (narrows_by_call(to) && size_of(from) > 2) return call("narrow_i16", {"(unsigned int)" + value});
  return "(" + std::string(facts(to).spelling) + ")" + value;
}

}  // namespace sinter::inline v0::codegen
