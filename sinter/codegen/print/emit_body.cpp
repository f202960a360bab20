#include <fmt/format.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/emit.hpp>
#include <sinter/codegen/print/emit_body.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>

namespace sinter::codegen {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

/// "2.5f" and the like: the shortest text that reads back as the same bits; infinities and NaN by their bits.
template <typename T>
std::string floating_literal(T value, std::string_view suffix, std::string_view from_bits,
                             std::uint64_t bits) {
  if (!std::isfinite(value))
    return std::string(from_bits) + "(" + number(bits) + (sizeof(T) == 8 ? "ull)" : "u)");
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  text += suffix;
  return std::signbit(value) ? "(" + text + ")" : text;
}

float half_to_float(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u, fraction = bits & 1023u;
  if (exponent == 0)
    return std::copysign(std::ldexp(static_cast<float>(fraction), -24),
                         std::bit_cast<float>(sign | 0x3f800000u));
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

std::string literal_text(element_type type, std::uint64_t bits) {
  const auto signed_bits = static_cast<std::int64_t>(bits);
  switch (type) {
    case element_type::boolean:
      return (bits & 1) != 0 ? "true" : "false";
    case element_type::float16: {
      const float value = half_to_float(static_cast<std::uint32_t>(bits & 0xffff));
      return floating_literal(value, "f", "float_from_bits", std::bit_cast<std::uint32_t>(value));
    }
    case element_type::bfloat16: {
      const auto wide = static_cast<std::uint32_t>(bits & 0xffff) << 16;
      return floating_literal(std::bit_cast<float>(wide), "f", "float_from_bits", wide);
    }
    case element_type::float32: {
      const auto narrow = static_cast<std::uint32_t>(bits);
      return floating_literal(std::bit_cast<float>(narrow), "f", "float_from_bits", narrow);
    }
    case element_type::float64:
      return floating_literal(std::bit_cast<double>(bits), "", "double_from_bits", bits);
    case element_type::int64:
      if (signed_bits == INT64_MIN) return "(-9223372036854775807ll - 1)";
      return "(" + std::to_string(signed_bits) + "ll)";
    case element_type::uint64:
      return number(bits) + "ull";
    default:
      break;
  }
  const std::string spelling(facts(type).spelling);
  switch (size_of(type)) {
    case 1:
      return "(" + spelling + ")" +
             (is_integer(type) && kind_of(type) == element_kind::signed_integer
                  ? "(" + std::to_string(static_cast<std::int8_t>(bits)) + ")"
                  : number(bits & 0xff));
    case 2:
      return "(" + spelling + ")" +
             (kind_of(type) == element_kind::signed_integer
                  ? "(" + std::to_string(static_cast<std::int16_t>(bits)) + ")"
                  : number(bits & 0xffff));
    default:
      if (kind_of(type) == element_kind::unsigned_integer) return number(bits & 0xffffffff) + "u";
      if (static_cast<std::int32_t>(bits) == INT32_MIN) return "(-2147483647 - 1)";
      return "(" + std::to_string(static_cast<std::int32_t>(bits)) + ")";
  }
}

/// "float (*)(float, int)", or with a name for the middle part.
std::string external_type(const external_function& called, std::string_view middle) {
  std::string text = std::string(facts(called.result).spelling) + " " + std::string(middle) + "(";
  for (unsigned i = 0; i < called.arity; ++i)
    text += (i == 0 ? "" : ", ") + std::string(facts(called.arguments[i]).spelling);
  return text + ")";
}

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

/// Emits expressions of one kernel's instructions, noting the device functions they call.
class expression_emitter {
 public:
  explicit expression_emitter(emission& kernel)
      : kernel_(kernel),
        asks_for_signs_(std::any_of(kernel.body.body.begin(), kernel.body.body.end(),
                                    [](const instruction& at) {
                                      return at.op == operation::signbit || at.op == operation::copysign;
                                    })),
        booleans_in_registers_(kernel.is_cuda() && shares_booleans(kernel.body)) {}

  std::string load(element_type type, const std::string& element) {
    if (is_boolean(type)) return element + " != 0";
    if (type == element_type::float16 && kernel_.is_cuda() && asks_for_signs_)
      return call("load_signed_half", {element});
    if (is_half(type)) return call("load_" + std::string(facts(type).suffix), {element});
    return element;
  }
  std::string stored(element_type type, const std::string& value) {
    if (is_half(type)) return call("store_" + std::string(facts(type).suffix), {value});
    return value;
  }
  std::string round_to(element_type type, const std::string& value) {
    return load(type, stored(type, value));
  }

  template <typename Name>
  std::string of(const instruction& at, const Name& name) {
    std::array<std::string, 3> operands;
    for (unsigned i = 0; i < at.arity; ++i) {
      operands[i] = name(at.arguments[i]);
      if (booleans_in_registers_ && combines_booleans(at))
        operands[i] = call("in_register_b8", {operands[i]});
    }
    if (at.op == operation::cast) return cast(at, operands[0]);
    if (at.op == operation::external) return external_text(at, operands);
    std::string text = operation_text(at, operands);
    if (kernel_.mode == arithmetic_mode::strict && is_half(at.type))
      text = round_to(at.type, "(" + text + ")");
    return text;
  }

  std::string value_of(const instruction& at, const std::function<std::string(std::uint32_t)>& name,
                       const std::function<std::string(std::uint32_t)>& element) {
    switch (at.op) {
      case operation::input:
        return load(at.type, element(static_cast<std::uint32_t>(at.payload)));
      case operation::coordinate:
        return element(static_cast<std::uint32_t>(at.payload));
      case operation::parameter:
        return load(at.type, "a.q" + number(at.payload));
      case operation::extent:
        return "a.c" + number(at.payload);
      case operation::literal:
        return literal_text(at.type, at.payload);
      default:
        return of(at, name);
    }
  }

  std::string call(const std::string& name, std::initializer_list<std::string_view> arguments) {
    const text_target target = kernel_.is_cuda() ? text_target::cuda : text_target::host;
    const text_mode mode = kernel_.mode == arithmetic_mode::fast ? text_mode::fast : text_mode::standard;
    const device_function* found = find_device_function(name, target, mode);
    std::string operands;
    for (std::string_view separator; const std::string_view argument : arguments) {
      operands += separator;
      operands += argument;
      separator = ", ";
    }
    if (found == nullptr)
      throw compile_error("there is no device function " + name + " for this target", {}, {});
    if (!found->near_name.empty()) {
      kernel_.tests.push_back(std::string(found->near_test) + "(" + operands + ")");
      if (kernel_.range == argument_range::tested) {
        use(found->near_test);
        use(found->near_name);
        return std::string(found->near_name) + "(" + operands + ")";
      }
    }
    use(found->name);
    return name + "(" + operands + ")";
  }

 private:
  void use(std::string_view name) {
    if (std::find(kernel_.functions.begin(), kernel_.functions.end(), name) == kernel_.functions.end())
      kernel_.functions.push_back(name);
  }

  /// Half types have functions of their own where float32's are needlessly exact for them.
  std::string function_name(std::string_view operation, element_type type) const {
    const text_target target = kernel_.is_cuda() ? text_target::cuda : text_target::host;
    const text_mode mode = kernel_.mode == arithmetic_mode::fast ? text_mode::fast : text_mode::standard;
    std::string own = std::string(operation) + "_" + std::string(facts(type).suffix);
    if (find_device_function(own, target, mode) != nullptr) return own;
    return std::string(operation) + "_" + std::string(facts(facts(type).compute).suffix);
  }

  /// A call of a user's own function; through its address where it has no code to link.
  std::string external_text(const instruction& at, const std::array<std::string, 3>& operands) const {
    const external_function& called = kernel_.externals[at.payload];
    std::string text = called.name;
    if (at.by_pointer && !kernel_.is_cuda())
      text = "((" + external_type(called, "(*)") + ")a.f" + number(at.payload) + ")";
    text += "(";
    for (unsigned i = 0; i < at.arity; ++i) text += (i == 0 ? "" : ", ") + operands[i];
    return text + ")";
  }

  std::string operation_text(const instruction& at, const std::array<std::string, 3>& operands) {
    const operation_facts& row = facts(at.op);
    if (at.fused) {
      const std::string name = function_name("fma", at.type);
      if (at.op == operation::add) return call(name, {operands[0], operands[1], operands[2]});
      if (at.negated) return call(name, {"-" + operands[0], operands[1], operands[2]});
      return call(name, {operands[0], operands[1], "-" + operands[2]});
    }
    // NumPy's booleans: + is or, * is and
    if (is_boolean(at.type) && is_boolean(at.compute) && at.op == operation::add)
      return operands[0] + " | " + operands[1];
    if (is_boolean(at.type) && is_boolean(at.compute) && at.op == operation::multiply)
      return operands[0] + " & " + operands[1];
    if (unrestricted(row.rule) == type_rule::predicate && !is_inexact(at.compute))
      return predicate_of_integer(at, operands[0]);
    if (row.spelling.empty()) {
      const bool shared_exponent = at.op == operation::power && is_floating(at.compute) &&
                                   is_uniform(at.arguments[1]) && kernel_.mode == arithmetic_mode::standard;
      const std::string name = function_name(shared_exponent ? "power_uniform" : row.name, at.compute);
      if (at.arity == 1) return call(name, {operands[0]});
      if (at.arity == 2) return call(name, {operands[0], operands[1]});
      return call(name, {operands[0], operands[1], operands[2]});
    }
    // wrapping arithmetic is done on unsigned operands: signed overflow has no meaning in C++
    const bool wraps = is_integer(at.type) && (at.op == operation::add || at.op == operation::subtract ||
                                               at.op == operation::multiply || at.op == operation::square);
    const std::string_view wide = size_of(at.type) == 8 ? "(unsigned long long)" : "(unsigned int)";
    std::string text;
    for (std::size_t i = 0; i < row.spelling.size(); ++i) {
      if (row.spelling[i] != '$') {
        text += row.spelling[i];
        continue;
      }
      if (wraps) text += wide;
      text += operands[static_cast<std::size_t>(row.spelling[++i] - '0')];
    }
    const bool narrow = is_integer(at.type) && size_of(at.type) < 4;
    if (wraps && narrows_by_call(at.type)) return call("narrow_i16", {text});
    return wraps || narrow ? "(" + std::string(facts(at.type).spelling) + ")(" + text + ")" : text;
  }

  /// See narrow_i16.
  bool narrows_by_call(element_type to) const { return kernel_.is_cuda() && to == element_type::int16; }

  /// Integers and booleans are finite; the sign is theirs to have.
  static std::string predicate_of_integer(const instruction& at, const std::string& operand) {
    if (at.op == operation::isfinite) return "true";
    const bool is_signed = kind_of(at.compute) == element_kind::signed_integer;
    return at.op == operation::signbit && is_signed ? operand + " < 0" : "false";
  }

  /// Whether an instruction has one value for the whole launch that is known only when it is launched.
  bool is_uniform(std::uint32_t i) const {
    const instruction& at = kernel_.body.body[i];
    return at.op == operation::parameter || (at.op == operation::cast && is_uniform(at.arguments[0]));
  }

  std::string cast(const instruction& at, const std::string& value) {
    const element_type from = at.compute, to = at.type;
    if (from == to) return value;
    if (is_complex(from) && is_boolean(to)) return "(" + value + ".real != 0) | (" + value + ".imag != 0)";
    if (is_complex(to)) return complex_cast(from, to, value);
    if (is_boolean(to)) return value + " != 0";
    if (is_half(to)) {
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

  static std::string complex_cast(element_type from, element_type to, const std::string& value) {
    const std::string part = "(" + std::string(facts(component_of(to)).spelling) + ")";
    const std::string real = part + value + (is_complex(from) ? ".real" : "");
    const std::string imag = is_complex(from) ? part + value + ".imag" : "0";
    return std::string(facts(to).spelling) + "{" + real + ", " + imag + "}";
  }

  emission& kernel_;
  bool asks_for_signs_;
  bool booleans_in_registers_;
};

}  // namespace

void text_writer::line(std::string_view text) {
  if (!text.empty() && text.front() != '#') text_.append(2 * depth_, ' ');
  text_ += text;
  text_ += '\n';
}
void text_writer::open(std::string_view text) {
  line(text);
  ++depth_;
}
void text_writer::close(std::string_view text) {
  --depth_;
  line(text);
}

emission::emission(const kernel_description& from)
    : described(from),
      body(described.body),
      chosen(described.chosen),
      target(described.target),
      mode(described.mode),
      entry(entry_name(described.name)),
      argument_block(described.argument_block),
      overlap(described.overlap),
      cut(tile_of(described.body, described.chosen, described.target)),
      kept(described.body, false),
      reduced(described.body, true),
      externals(described.externals) {}

unsigned emission::groups() const {
  unsigned count = 0;
  for (const access& at : body.accesses) count = std::max(count, at.group + 1);
  return count;
}

const access& emission::first_of_group(unsigned group) const {
  return *std::find_if(body.accesses.begin(), body.accesses.end(),
                       [&](const access& at) { return at.group == group; });
}

std::string emission::pointer(std::uint32_t i) const {
  const std::string shared = base_pointer(body.accesses[i].base), distance = window_distance(i);
  return distance.empty() ? shared : "(" + shared + distance + ")";
}

std::string emission::base_pointer(std::uint32_t i) const {
  const access& at = body.accesses[i];
  const std::string plain = "a.p" + number(i);
  if (!is_cuda() || at.what != access::kind::read) return plain;
  return fmt::format("with_property({}, {})", plain, property(i));
}

std::string_view emission::property(std::uint32_t i) const {
  return is_read_once(body, i) ? "a.read_once" : "a.read_again";
}

std::string emission::window_distance(std::uint32_t i) const {
  const access& at = body.accesses[i];
  std::string text;
  if (at.shift != 0) text += " + " + number(at.shift);
  if (at.row_shift != 0) text += " + " + number(at.row_shift) + " * a.s" + number(at.group) + "_1";
  return text;
}

std::string entry_name(std::string_view name) {
  std::string entry;
  for (const char c : name) entry += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (entry.empty()) return "sinter_kernel";
  // "exp" and the like are functions of the text: a suffix keeps names apart
  return (std::isdigit(static_cast<unsigned char>(entry.front())) != 0 ? "_" + entry : entry) + "_kernel";
}

void open_cuda_kernel(const emission& kernel, int threads, text_writer& out) {
  const int cluster = kernel.chosen.cluster;
  out.open(fmt::format(
      "extern \"C\" __global__ void {}__launch_bounds__({}) {}({}) {{",
      cluster > 1 ? fmt::format("__cluster_dims__({}, 1, 1) ", cluster) : "", threads, kernel.entry,
      kernel.argument_block ? "const arguments* __restrict__ block" : "const __grid_constant__ arguments a"));
  if (kernel.overlap.releases) out.line("asm volatile(\"griddepcontrol.launch_dependents;\");");
  if (kernel.overlap.waits) out.line("asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");");
  if (kernel.argument_block) out.line("const arguments& a = *block;");
}

std::string index_expression(const emission& kernel, unsigned group, std::span<const std::string> positions) {
  const access& at = kernel.first_of_group(group);
  std::string text;
  for (unsigned axis = 0; axis < kernel.rank() && axis < positions.size(); ++axis) {
    if (positions[axis].empty()) continue;
    const bool shared_kept = kernel.kept.is_shared(axis), shared_reduced = kernel.reduced.is_shared(axis);
    if (shared_kept || shared_reduced ? !(shared_kept ? kernel.kept : kernel.reduced).moves_along_shared(at)
                                      : !at.moves_along(axis))
      continue;
    if (!text.empty()) text += " + ";
    if (shared_kept || shared_reduced) {
      text += shared_offset_name(group, shared_reduced);
      continue;
    }
    text += positions[axis];
    if (at.pattern(axis) == step_pattern::strided) text += " * a.s" + number(group) + "_" + number(axis);
  }
  return text.empty() ? "0" : text;
}

void emit_body(emission& kernel, const body_hooks& hooks, text_writer& out) {
  expression_emitter expressions(kernel);
  kernel.tests.clear();
  const auto name = [](std::uint32_t i) { return "v" + number(i); };
  for (std::uint32_t i = 0; i < kernel.body.body.size(); ++i) {
    const instruction& at = kernel.body.body[i];
    out.line("const " + std::string(facts(at.type).spelling) + " " + name(i) + " = " +
             expressions.value_of(at, name, hooks.element) + ";");
  }
  for (const store& at : kernel.body.stores) {
    const access& target = kernel.body.accesses[at.target];
    out.line(hooks.place(at.target, expressions.stored(target.type, "v" + number(at.value))));
  }
}

std::string instruction_text(emission& kernel, std::uint32_t instruction, const instruction_names& names) {
  return expression_emitter(kernel).value_of(kernel.body.body[instruction], names.value, names.element);
}

std::string combined_text(emission& kernel, const instruction& reduction, const std::string& a,
                          const std::string& b) {
  instruction joined;
  joined.op = facts(reduction.op).combine;
  joined.type = joined.compute = reduction.compute;
  joined.arity = 2;
  joined.arguments = {0, 1};
  return expression_emitter(kernel).of(joined, [&](std::uint32_t i) { return i == 0 ? a : b; });
}

std::string start_text(const instruction& reduction) {
  const element_type part = component_of(reduction.compute);
  const std::string text = literal_text(part, start_bits(reduction.op, part));
  if (!is_complex(reduction.compute)) return text;
  return std::string(facts(reduction.compute).spelling) + "{" + text + ", " +
         (facts(reduction.op).start == reduction_start::one ? "0" : text) + "}";
}

namespace {
std::string position_function(const instruction& reduction, std::string_view kind) {
  const element_type type =
      is_boolean(reduction.compute) ? element_type::uint8 : facts(reduction.compute).compute;
  return std::string(facts(reduction.op).name) + std::string(kind) + "_" + std::string(facts(type).suffix);
}
}  // namespace

std::string prefers_text(emission& kernel, const instruction& reduction, const std::string& value,
                         const std::string& position, const std::string& than,
                         const std::string& than_position) {
  return expression_emitter(kernel).call(position_function(reduction, ""),
                                         {value, position, than, than_position});
}

std::string prefers_later_text(emission& kernel, const instruction& reduction, const std::string& value,
                               const std::string& than) {
  return expression_emitter(kernel).call(position_function(reduction, "_later"), {value, than});
}

std::string stored_text(emission& kernel, element_type type, const std::string& value) {
  return expression_emitter(kernel).stored(type, value);
}

std::vector<std::uint64_t> linked_externals(const emission& kernel) {
  std::vector<std::uint64_t> linked;
  for (const instruction& at : kernel.body.body) {
    if (at.op != operation::external || (at.by_pointer && !kernel.is_cuda())) continue;
    if (std::find(linked.begin(), linked.end(), at.payload) == linked.end()) linked.push_back(at.payload);
  }
  return linked;
}

std::string device_function_text(const emission& kernel) {
  const text_target target = kernel.is_cuda() ? text_target::cuda : text_target::host;
  const text_mode mode = kernel.mode == arithmetic_mode::fast ? text_mode::fast : text_mode::standard;
  std::string text;
  for (const std::uint64_t i : linked_externals(kernel))
    text += "extern \"C\" " + std::string(kernel.is_cuda() ? "__device__ " : "") +
            external_type(kernel.externals[i], kernel.externals[i].name) + ";\n";
  for (const device_function* at : collect_device_functions(kernel.functions, target, mode)) {
    text += device_function_prefix(target);
    text += at->text;
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

}  // namespace sinter::codegen

namespace sinter {

kernel_text emit(const stage& lowered) {
  const std::optional<kernel_description> described = read_signature(lowered.signature);
  if (!described)
    throw compile_error("a stage without a signature has no kernel: lower() gives it one", {}, {});
  codegen::emission kernel(*described);
  const bool reduces = is_reduction_walk(kernel.chosen.order);
  std::string source = reduces ? (kernel.is_cuda() ? codegen::emit_cuda_reduction(kernel)
                                                   : codegen::emit_host_reduction(kernel))
                               : (kernel.is_cuda() ? codegen::emit_cuda(kernel) : codegen::emit_host(kernel));
  kernel_text text{std::move(source), kernel.entry};
  for (const std::uint64_t i : codegen::linked_externals(kernel)) text.linked.push_back(lowered.externals[i]);
  return text;
}

}  // namespace sinter
