#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/loops/ir/expression.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace sinter::inline v0::codegen {
namespace {

constexpr std::uint32_t no_name = ~0u;
constexpr std::size_t first_room_for_names = 256;

expression made_of(expression a, const operand& b) { return b.in(*a.table); }

template <typename Word>
std::uint64_t load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Names are short: a multiplication for eight letters, and loads that overlap for what is left.
std::uint64_t hash_of(std::string_view name) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
  const char* at = name.data();
  std::size_t left = name.size();
  std::uint64_t hash = left;
  for (; left > 8; at += 8, left -= 8) hash = (hash ^ load<std::uint64_t>(at)) * factor;
  if (left >= 4)
    hash ^= load<std::uint32_t>(at) << 32 | load<std::uint32_t>(at + left - 4);
  else if (left > 0)
    hash ^= load<std::uint8_t>(at) << 16 | load<std::uint8_t>(at + left / 2) << 8 |
            load<std::uint8_t>(at + left - 1);
  hash *= factor;
  return hash ^ hash >> 32;
}

expression binary(expression_kind kind, expression a, const operand& b) {
  return a.table->make(kind, {a, made_of(a, b)});
}

}  // namespace

expression operand::in(expression_table& table) const { return made.is_set() ? made : table.integer(number); }

/// Room for most kernels: growing costs more than writing does.
expression_table::expression_table() {
  nodes_.reserve(1024);
  operands_.reserve(1024);
  names_.reserve(2048);
  named_.assign(first_room_for_names, no_name);
}

expression expression_table::integer(std::int64_t value) {
  return add(expression_kind::integer, operands_.size(), 0, value);
}

void expression_table::append(std::int64_t number) {
  char digits[24];
  names_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// Fields are written where they stay: a node that is copied right after it was written makes the processor
/// wait for the narrow writes, which took a tenth of making a text.
expression expression_table::add(expression_kind kind, std::size_t operands, std::size_t count,
                                 std::int64_t value) {
  expression_node& made = nodes_.emplace_back();
  made.kind = kind;
  made.operands = static_cast<std::uint32_t>(operands);
  made.operand_count = static_cast<std::uint32_t>(count);
  made.value = value;
  return at(static_cast<std::uint32_t>(nodes_.size() - 1));
}

expression expression_table::name(std::string_view text) {
  const std::uint32_t known = named_[place_of(text)];
  if (known != no_name) return at(known);
  const std::size_t begin = names_.size();
  names_ += text;
  return named_since(begin);
}

expression expression_table::named_since(std::size_t begin) {
  const std::size_t place = place_of(std::string_view(names_).substr(begin));
  if (named_[place] != no_name) {
    names_.resize(begin);
    return at(named_[place]);
  }
  const expression made =
      add(expression_kind::name, names_.size() - begin, 0, static_cast<std::int64_t>(begin));
  named_[place] = made.id;
  if (2 * ++name_count_ > named_.size()) make_room_for_names();
  return made;
}

std::size_t expression_table::place_of(std::string_view name) const {
  std::size_t place = hash_of(name) & (named_.size() - 1);
  while (named_[place] != no_name && name_of(named_[place]) != name)
    place = (place + 1) & (named_.size() - 1);
  return place;
}

void expression_table::make_room_for_names() {
  const std::vector<std::uint32_t> all = std::move(named_);
  named_.assign(2 * all.size(), no_name);
  for (const std::uint32_t id : all)
    if (id != no_name) named_[place_of(name_of(id))] = id;
}

expression expression_table::make(expression_kind kind, std::span<const expression> operands,
                                  std::int64_t value, value_type type) {
  const std::size_t begin = operands_.size();
  for (const expression& at : operands) operands_.push_back(at.id);
  const expression made = add(kind, begin, operands.size(), value);
  nodes_.back().type = type;
  return made;
}

expression expression_table::extended(std::uint32_t sum, expression term) {
  const std::size_t begin = operands_.size(), first = nodes_[sum].operands, count = nodes_[sum].operand_count;
  for (std::size_t i = 0; i < count; ++i) operands_.push_back(operands_[first + i]);
  operands_.push_back(term.id);
  return add(expression_kind::sum, begin, count + 1, 0);
}

expression expression_table::call(expression function, std::initializer_list<expression> operands) {
  const std::size_t begin = operands_.size();
  operands_.push_back(function.id);
  for (const expression& at : operands) operands_.push_back(at.id);
  return add(expression_kind::call, begin, operands.size() + 1, 0);
}

expression sum_of(expression_table& in, std::span<const expression> terms) {
  if (terms.empty()) return in.make(expression_kind::sum, {in.integer(0)});
  return in.make(expression_kind::sum, terms);
}

expression operator+(expression a, operand b) {
  const expression other = made_of(a, b);
  if ((*a.table)[a.id].kind != expression_kind::sum) return a.table->make(expression_kind::sum, {a, other});
  return a.table->extended(a.id, other);
}
expression operator-(expression a, operand b) { return binary(expression_kind::difference, a, b); }
expression operator*(expression a, operand b) { return binary(expression_kind::product, a, b); }
expression operator/(expression a, operand b) { return binary(expression_kind::quotient, a, b); }
expression operator%(expression a, operand b) { return binary(expression_kind::remainder, a, b); }
expression operator>>(expression a, operand b) { return binary(expression_kind::shifted_right, a, b); }
expression operator&(expression a, operand b) { return binary(expression_kind::bits_and, a, b); }
expression operator<(expression a, operand b) { return binary(expression_kind::less, a, b); }
expression operator<=(expression a, operand b) { return binary(expression_kind::less_equal, a, b); }
expression operator>(expression a, operand b) { return binary(expression_kind::greater, a, b); }
expression operator>=(expression a, operand b) { return binary(expression_kind::greater_equal, a, b); }
expression operator==(expression a, operand b) { return binary(expression_kind::equal, a, b); }
expression operator!=(expression a, operand b) { return binary(expression_kind::not_equal, a, b); }
expression operator&&(expression a, operand b) { return binary(expression_kind::both, a, b); }
expression operator||(expression a, operand b) { return binary(expression_kind::either, a, b); }
expression operator!(expression a) { return a.table->make(expression_kind::negation, {a}); }
expression expression::operator[](operand index) const {
  return table->make(expression_kind::subscript, {*this, made_of(*this, index)});
}
expression content_of(expression pointer) { return pointer.table->make(expression_kind::content, {pointer}); }
expression choose(expression condition, operand yes, operand no) {
  return condition.table->make(expression_kind::choice,
                               {condition, made_of(condition, yes), made_of(condition, no)});
}
expression convert(value_type to, expression value) {
  return value.table->make(expression_kind::conversion, {value}, 0, to);
}
expression incremented(expression variable) {
  return variable.table->make(expression_kind::incremented, {variable});
}
expression lane_of(expression vector, operand lane) { return binary(expression_kind::lane, vector, lane); }
expression address_of(expression place) { return place.table->make(expression_kind::address, {place}); }

bool mentions(const expression_table& table, expression at, expression variable) {
  if (at.id == variable.id) return true;
  if (table[at.id].kind == expression_kind::name) return false;
  return std::ranges::any_of(table.operands_of(at.id), [&](std::uint32_t operand) {
    return mentions(table, {at.table, operand}, variable);
  });
}

bool are_same(const expression_table& table, expression a, expression b) {
  if (a.id == b.id) return true;
  const expression_node &left = table[a.id], &right = table[b.id];
  if (left.kind != right.kind || left.type != right.type) return false;
  return left.kind != expression_kind::name && left.value == right.value &&
         std::ranges::equal(table.operands_of(a.id), table.operands_of(b.id),
                            [&](std::uint32_t of_left, std::uint32_t of_right) {
                              return are_same(table, {a.table, of_left}, {b.table, of_right});
                            });
}

expression base_variable(const expression_table& table, expression place) {
  std::uint32_t id = place.id;
  while (table[id].kind == expression_kind::subscript || table[id].kind == expression_kind::lane)
    id = table.operands_of(id)[0];
  return table[id].kind == expression_kind::name ? expression{place.table, id} : expression{};
}

}  // namespace sinter::inline v0::codegen
