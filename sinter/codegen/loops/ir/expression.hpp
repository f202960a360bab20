#pragma once
// Expressions of the loop IR: nodes of one table. They name variables, buffers and arguments of the kernel,
// compute indices and conditions, and evaluate instructions of the nest. They say nothing of how a target
// spells them.

#include <sinter/codegen/types/element_type.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

/// The type of a variable or a cast.
struct value_type {
  enum class form : std::uint8_t {
    index,              ///< 64 bits, signed
    narrow_index,       ///< 32 bits, signed
    unsigned_index,     ///< 32 bits
    address,            ///< a pointer as a number
    truth,              ///< of a condition
    value,              ///< an element as it is computed with
    storage,            ///< an element as it lies in memory
    vector_of_storage,  ///< `lanes` neighbouring elements as they lie in memory
    vector_of_values,   ///< `lanes` values
    bytes,              ///< memory without a type
    octet,              ///< a byte of memory
  };
  form as = form::index;
  element_type element{};
  std::uint16_t lanes = 1;
  std::uint8_t pointer = 0;  ///< 1: a pointer to such; 2: to such that is only read; 3: a reference
  bool operator==(const value_type&) const = default;
};
inline constexpr value_type index_type{value_type::form::index};
inline constexpr value_type narrow_index_type{value_type::form::narrow_index};
inline constexpr value_type unsigned_index_type{value_type::form::unsigned_index};
inline constexpr value_type truth_type{value_type::form::truth};
constexpr value_type value_of(element_type element) { return {value_type::form::value, element}; }
constexpr value_type storage_of(element_type element) { return {value_type::form::storage, element}; }
constexpr value_type pointer_to(value_type what, bool only_read = false) {
  what.pointer = only_read ? 2 : 1;
  return what;
}
constexpr value_type vector_of(value_type what, int lanes) {
  what.as = what.as == value_type::form::storage ? value_type::form::vector_of_storage
                                                 : value_type::form::vector_of_values;
  what.lanes = static_cast<std::uint16_t>(lanes);
  return what;
}

enum class expression_kind : std::uint8_t {
  integer,  ///< `value`
  name,     ///< a variable, a buffer, or a field of the argument block; its number is that of the expression
  sum,      ///< of all operands, in their order
  difference,
  product,
  quotient,
  remainder,
  shifted_right,
  bits_and,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  both,  ///< operand 1 is looked at only if operand 0 holds
  either,
  negation,       ///< of a condition
  incremented,    ///< a variable, after it was raised by one
  choice,         ///< operand 1 if operand 0 holds, else operand 2
  subscript,      ///< operand 0 at [operand 1]
  lane,           ///< of a vector of elements: operand 0 at operand 1
  content,        ///< what a pointer points to
  address,        ///< of operand 0
  thread,         ///< the number of a GPU's thread in its block: along (`value` 0) or across (1)
  block,          ///< the number of its block
  conversion,     ///< of operand 0 to `type`
  call,           ///< of a helper that the target's text has: operand 0 is its name, or an instance
  instance,       ///< a helper that is a template, operand 0 its name, for the values of the other operands
  quotient_by,    ///< operand 0 by a divisor of the argument block, operand 1; `value` is its width in bits
  array_pointer,  ///< the pointer argument of access `value`
  shared_of_launch,  ///< a pointer of `type` into the shared memory that a launch asks for, `value` bytes
                     ///< from its begin
  evaluate,          ///< instruction `value` of the nest: of its operands, or of its element or position
  evaluate_fast,     ///< the same by the fast path of its function, for arguments that pass its test
  fast_test,         ///< whether the arguments of instruction `value` may take the fast path
  start,             ///< what the reduction or scan `value` begins with
  combined,          ///< two values of the reduction or scan `value`
  stored,            ///< a value as an element of `type` lies in memory
  list,              ///< all operands, of a statement that has several of a kind
};

class expression_table;
struct expression;

/// An operand of an operator: an expression, or a number.
struct operand;

/// An expression of a table. Operators make new ones there. `a + b + c` is one sum; a sum that is not the
/// first operand stays one of its own.
struct expression {
  expression_table* table = nullptr;
  std::uint32_t id = ~0u;
  bool is_set() const { return table != nullptr; }
  expression operator[](operand index) const;
};

struct operand {
  operand(expression made) : made(made) {}
  operand(std::int64_t number) : number(number) {}
  operand(int number) : number(number) {}
  /// As an expression of a table.
  expression in(expression_table& table) const;
  expression made{};
  std::int64_t number = 0;
};

struct expression_node {
  expression_kind kind{};
  value_type type{};
  std::uint32_t operands = 0,
                operand_count = 0;  ///< in the table's list of operands; of a name its length and 0
  std::int64_t value = 0;
};

class expression_table {
 public:
  expression_table();
  expression_table(const expression_table&) = delete;
  expression_table& operator=(const expression_table&) = delete;

  expression integer(std::int64_t value);
  /// A name of parts, which are texts and numbers. A name is one expression, wherever it is asked for: those
  /// of equal numbers are the same variable.
  expression name(std::string_view text);
  template <typename... Parts>
    requires(sizeof...(Parts) > 1)
  expression name(const Parts&... parts) {
    const std::size_t begin = names_.size();
    (append(parts), ...);
    return named_since(begin);
  }
  expression make(expression_kind kind, std::span<const expression> operands, std::int64_t value = 0,
                  value_type type = {});
  expression make(expression_kind kind, std::initializer_list<expression> operands, std::int64_t value = 0,
                  value_type type = {}) {
    return make(kind, std::span(operands.begin(), operands.size()), value, type);
  }
  /// A sum with one more term.
  expression extended(std::uint32_t sum, expression term);
  expression call(std::string_view function, std::initializer_list<expression> operands) {
    return call(name(function), operands);
  }
  expression call(expression function, std::initializer_list<expression> operands);
  expression list(std::span<const expression> all) { return make(expression_kind::list, all); }

  const expression_node& operator[](std::uint32_t id) const { return nodes_[id]; }
  std::span<const std::uint32_t> operands_of(std::uint32_t id) const {
    return std::span(operands_).subspan(nodes_[id].operands, nodes_[id].operand_count);
  }
  std::string_view name_of(std::uint32_t id) const {
    return std::string_view(names_).substr(static_cast<std::size_t>(nodes_[id].value), nodes_[id].operands);
  }
  expression at(std::uint32_t id) { return {this, id}; }

 private:
  void append(std::string_view part) { names_ += part; }
  void append(std::int64_t number);
  expression named_since(std::size_t begin);
  expression add(expression_kind kind, std::size_t operands, std::size_t count, std::int64_t value);
  /// Where a name stands in `named_`, or the free place where it goes.
  std::size_t place_of(std::string_view name) const;
  void make_room_for_names();

  std::vector<expression_node> nodes_;
  std::vector<std::uint32_t> operands_;
  std::string names_;
  std::vector<std::uint32_t> named_;  ///< a hash table of names; `no_name` where it is free
  std::size_t name_count_ = 0;
};

expression operator+(expression a, operand b);
expression operator-(expression a, operand b);
expression operator*(expression a, operand b);
expression operator/(expression a, operand b);
expression operator%(expression a, operand b);
expression operator>>(expression a, operand b);
expression operator&(expression a, operand b);
expression operator<(expression a, operand b);
expression operator<=(expression a, operand b);
expression operator>(expression a, operand b);
expression operator>=(expression a, operand b);
expression operator==(expression a, operand b);
expression operator!=(expression a, operand b);
expression operator&&(expression a, operand b);
expression operator||(expression a, operand b);
expression operator!(expression a);
expression content_of(expression pointer);
expression choose(expression condition, operand yes, operand no);
expression convert(value_type to, expression value);
expression address_of(expression place);
expression incremented(expression variable);
/// An element of a vector.
expression lane_of(expression vector, operand lane);
/// Whether a variable stands anywhere in an expression.
bool mentions(const expression_table& table, expression at, expression variable);
/// Whether two expressions say the same.
bool are_same(const expression_table& table, expression a, expression b);
/// The sum of terms as one operand; 0 for none.
expression sum_of(expression_table& in, std::span<const expression> terms);

/// The variable or buffer in which a place is, without its subscripts and lane; not set if the expression is
/// something else.
expression base_variable(const expression_table& table, expression place);

}  // namespace sinter::inline v0::codegen
