#include <sinter/codegen/math/lane_text.hpp>

#include <sinter/codegen/math/lane_parser.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace sinter::inline v0::codegen {
namespace {

struct spelled_type {
  std::string_view spelling;
  lane_type type;
};
constexpr std::array<spelled_type, 12> spelled_types{{{"bool", {'b', 1}},
                                                      {"signed char", {'i', 1}},
                                                      {"unsigned char", {'u', 1}},
                                                      {"short", {'i', 2}},
                                                      {"unsigned short", {'u', 2}},
                                                      {"int", {'i', 4}},
                                                      {"unsigned int", {'u', 4}},
                                                      {"long long", {'i', 8}},
                                                      {"unsigned long long", {'u', 8}},
                                                      {"_Float16", {'f', 2}},
                                                      {"float", {'f', 4}},
                                                      {"double", {'f', 8}}}};

}  // namespace

std::string_view spelling_of(lane_type type) {
  if (type.kind == 'b') return "bool";
  return std::ranges::find(spelled_types, type, &spelled_type::type)->spelling;
}

lane_type lane_type_of(std::string_view spelling) {
  const auto found = std::ranges::find(spelled_types, spelling, &spelled_type::spelling);
  if (found == spelled_types.end()) throw std::logic_error("no vectors of " + std::string(spelling));
  return found->type;
}

lane_value lane_translator::translated(std::string_view expression) {
  return lane_parser(*this, expression).expression();
}

std::string lane_translator::use_type(lane_type type) {
  const char kind = type.kind == 'b' ? 'i' : type.kind;
  std::string name = kind + std::to_string(8 * type.bytes) + suffix_;
  if (std::ranges::find(types_, name) == types_.end()) {
    types_.push_back(name);
    const std::string element = "typedef " + std::string(spelling_of({kind, type.bytes})) + " " + name,
                      size =
                          " __attribute__((vector_size(" + std::to_string(type.bytes) + " * " + lanes_ + ")";
    // Choices of Clang's own vectors, ext_vector_type, are made of integers, whatever they choose from; but
    // these alone can be made from a scalar.
    type_definitions_.push_back(element + size + "));\n" + element + "_at" + size + ", aligned(" +
                                std::to_string(type.bytes) + "), may_alias));\n" + element +
                                "_all __attribute__((ext_vector_type(" + lanes_ + ")));\n");
  }
  return name;
}

lane_value lane_translator::mask_of(const std::string& compared, std::uint8_t bytes) {
  const lane_type mask{'b', bytes};
  const bool is_spelled_otherwise = bytes == 1 || bytes == 8;
  return {is_spelled_otherwise ? "(" + use_type(mask) + ")" + compared : compared, mask, true};
}

std::string lane_translator::vector_of(const lane_value& value, lane_type type) {
  const std::string name = use_type(type);
  if (!value.is_vector) {
    const std::string all = "(" + name + ")(" + name + "_all)(";
    // a bool for all lanes would be -1 there
    if (type.kind != 'b') return all + (value.type.kind == 'b' ? "(int)" : "") + value.text + ")";
    const std::string truth = value.type.kind == 'b' ? value.text : "(" + value.text + " != 0)";
    return all + "-(int)" + truth + ")";
  }
  if (value.type == type) return value.text;
  const auto converted = [](const std::string& text, const std::string& to) {
    return "__builtin_convertvector(" + text + ", " + to + ")";
  };
  if (type.kind == 'b') {
    const lane_value mask =
        value.type.kind == 'b' ? value : mask_of("(" + value.text + " != 0)", value.type.bytes);
    return mask.type == type ? mask.text : converted(mask.text, name);
  }
  if (value.type.kind == 'b') {  // 0 or 1
    const lane_type number{'i', type.bytes};
    const std::string ones = "(" + vector_of(value, {'b', type.bytes}) + " & 1)";
    if (type.kind == 'f') return converted(ones, name);
    return type == number ? ones : "(" + name + ")" + ones;
  }
  if (value.type.kind != 'f' && type.kind != 'f' && value.type.bytes == type.bytes)
    return "(" + name + ")" + value.text;
  return converted(value.text, name);
}

lane_translator::signature lane_translator::signature_of(const device_function& function) const {
  const std::string_view text = function.text;
  const std::size_t open = text.find('('), close = text.find(')');
  const auto trimmed = [](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return part;
  };
  signature made;
  const std::string_view result = trimmed(text.substr(0, open - function.name.size()));
  made.returns = result != "void";
  if (made.returns) made.result = lane_type_of(result);
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!trimmed(list).empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view one = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    const bool is_named =
        std::ranges::none_of(spelled_types, [&](const spelled_type& type) { return type.spelling == one; });
    const std::size_t space = is_named ? one.rfind(' ') : one.size();
    std::string_view type = one.substr(0, space);
    const bool is_reference = type.ends_with('&');
    if (is_reference) type.remove_suffix(1);
    made.parameters.push_back({lane_type_of(trimmed(type)), is_reference,
                               is_named ? std::string(one.substr(space + 1)) : std::string()});
  }
  return made;
}

namespace {

/// Whether lanes are evaluated one after the other, by the scalar function: it has a loop, or calls such a
/// function, of whose zeros it may know more than a division of all lanes does.
bool goes_lane_by_lane(const device_function& function, text_mode mode) {
  const auto has = [&](std::string_view sign) { return function.text.find(sign) != std::string_view::npos; };
  if (has("for (") || has("while (") || has("popcount")) return true;
  const std::string_view called = function.uses;
  for (std::size_t begin = 0; begin < called.size();) {
    const std::size_t end = std::min(called.find(' ', begin), called.size());
    const device_function* next =
        find_device_function(called.substr(begin, end - begin), text_target::cpu, mode);
    if (next != nullptr && goes_lane_by_lane(*next, mode)) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::string lane_translator::use_function(const device_function& function, const signature& types) {
  std::string name = std::string(function.name) + "_" + suffix_;
  if (std::ranges::find(functions_, name) != functions_.end()) return name;
  functions_.push_back(name);
  const auto outer = std::exchange(names_, {});
  const bool shares_blocks = function.name == "random_word_u64" && lane_count_ >= 4;
  std::string text = shares_blocks                        ? made_by_blocks()
                     : goes_lane_by_lane(function, mode_) ? made_lane_by_lane(function, types, name)
                                                          : made(function, types, name);
  names_ = outer;
  function_definitions_.push_back(std::move(text));
  return name;
}

std::string lane_translator::made(const device_function& function, const signature& types,
                                  const std::string& name) {
  // Where arguments allow it, loops take the fast path. The function itself is in the loop that goes over the
  // elements again, where its length would cost compile time and a call costs nothing.
  const std::string_view prefix = function.fast_name.empty() ? device_function_prefix(text_target::cpu)
                                                             : "static __attribute__((noinline)) ";
  std::string text =
      std::string(prefix) + (types.returns ? use_type(types.result) : "void") + " " + name + "(";
  for (const parameter& each : types.parameters) {
    text += (text.ends_with('(') ? "" : ", ") + use_type(each.type) + (each.is_reference ? "& " : " ") +
            each.name;
    declare(each.name, {each.name, each.type, true});
  }
  lane_parser parser(*this, function.text);
  parser.skip_past("{");
  return text + ") {\n" + parser.body(types) + "}\n";
}

std::string lane_translator::made_lane_by_lane(const device_function& function, const signature& types,
                                               const std::string& name) {
  scalar_functions_.emplace_back(function.name);
  std::string text = std::string(device_function_prefix(text_target::cpu)) + use_type(types.result) + " " +
                     name + "(",
              given;
  for (const parameter& each : types.parameters) {
    text += (text.ends_with('(') ? "" : ", ") + use_type(each.type) + " " + each.name;
    given += (given.empty() ? "" : ", ") + each.name + "[e]" + (each.type.kind == 'b' ? " != 0" : "");
  }
  text += ") {\n  " + use_type(types.result) + " all;\n  for (int e = 0; e < " + lanes_ +
          "; ++e) all[e] = " + (types.result.kind == 'b' ? "-" : "");
  return text + std::string(function.name) + "(" + given + ");\n  return all;\n}\n";
}

std::string lane_translator::definitions() const {
  std::string text;
  if (std::ranges::any_of(types_, [](const std::string& name) { return name.ends_with('w'); }))
    text = "#ifdef __AVX512F__\n#define WIDE(lanes) 2 * lanes\n#else\n#define WIDE(lanes) lanes\n#endif\n";
  for (const std::string& each : type_definitions_) text += each;
  for (const std::string& each : function_definitions_) text += each;
  return text;
}

}  // namespace sinter::inline v0::codegen
