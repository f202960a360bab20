#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <charconv>
#include <cmath>
#include <cstring>

namespace sinter::inline v0 {
namespace {

template <typename Number>
std::string shortest(Number value) {
  char text[48];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string result(text, end);
  if constexpr (std::is_floating_point_v<Number>)
    if (result.find_first_not_of("-0123456789") == std::string::npos) result += ".0";
  return result;
}

std::string describe_bound(const bound& from) {
  if (from.absent()) return {};
  return from.is_parameter() ? "p" + std::to_string(from.value) : std::to_string(from.value);
}

std::string describe_item(const view_item& item) {
  switch (item.what) {
    case view_item::kind::slice: {
      std::string text = describe_bound(item.start) + ":" + describe_bound(item.stop);
      if (!item.step.absent()) text += ":" + describe_bound(item.step);
      return text;
    }
    case view_item::kind::newaxis:
      return "newaxis";
    default:
      return describe_bound(item.start);
  }
}

}  // namespace

std::string describe(element_type type, unsigned rank) {
  std::string text(facts_of(type).name);
  for (unsigned axis = 0; axis < rank; ++axis) text += axis == 0 ? "[:" : ",:";
  return rank == 0 ? text : text + "]";
}

std::string describe(element_type type, std::span<const std::int64_t> extents) {
  std::string text(facts_of(type).name);
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    text += (axis == 0 ? "[" : ",") + std::to_string(extents[axis]);
  return extents.empty() ? text : text + "]";
}

std::string describe(const std::source_location& where) {
  if (where.line() == 0) return {};
  return " at " + std::string(where.file_name()) + ":" + std::to_string(where.line());
}

std::string describe_place(const graph& recorded, node_id id) {
  const std::source_location& whole = recorded.defined_at;
  if (id >= recorded.locations.size() || recorded.locations[id].line() == 0) return describe(whole);
  const std::source_location& node = recorded.locations[id];
  const bool same = whole.line() == node.line() && std::strcmp(whole.file_name(), node.file_name()) == 0;
  if (whole.line() == 0 || same) return describe(node);
  return describe(node) + " (in" + describe(whole).substr(3) + ")";
}

std::string describe_scalar(element_type type, std::uint64_t bits) {
  if (is_boolean(type)) return bits != 0 ? "true" : "false";
  if (kind_of(type) == element_kind::signed_integer)
    return shortest(static_cast<std::int64_t>(integer_of(type, bits)));
  if (is_integer(type)) return shortest(integer_of(type, bits));
  const long double value = real_of(type, bits);
  return type == element_type::float64 ? shortest(static_cast<double>(value))
                                       : shortest(static_cast<float>(value));
}

std::string describe_negative_exponent(element_type type, std::uint64_t bits) {
  const std::string value = describe_scalar(type, bits);
  return ": integers to negative integer powers are not allowed (the exponent is " + value +
         "): say pow(astype<double>(x), " + value + ") or pow(x, " + value + ".0)";
}

std::string describe_refused_power(const graph& recorded, node_id exponent, std::uint64_t bits) {
  for (node_id id = exponent + 1; id < recorded.nodes.size(); ++id) {
    const node& entry = recorded.nodes[id];
    if (entry.op != operation::power || !is_integer(entry.type)) continue;
    node_id source = entry.inputs[1];
    const auto is_seen_through = [&] {
      const operation op = recorded.nodes[source].op;
      return source != exponent && (op == operation::cast || moves_one_source(op));
    };
    while (is_seen_through()) source = recorded.nodes[source].inputs[0];
    if (source != exponent) continue;
    const node& base = recorded.nodes[entry.inputs[0]];
    const element_type type = recorded.nodes[exponent].type;
    return "power(" + describe(base.type, base.rank) + ", " + describe_scalar(type, bits) + ")" +
           describe_place(recorded, id) + describe_negative_exponent(type, bits);
  }
  return {};
}

std::string describe_view(std::span<const view_item> items) {
  const bool permutes = !items.empty() && items.front().what == view_item::kind::permute;
  std::string text = permutes ? "permute(" : "[";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ", ") + describe_item(items[i]);
  return text + (permutes ? ")" : "]");
}

}  // namespace sinter::inline v0
