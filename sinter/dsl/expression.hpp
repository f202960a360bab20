#pragma once
// Lazy expressions: templates over arrays and views. They are recorded once per type and pattern of identical
// operands, and evaluated when they are assigned. Also `apply`, where operators and functions either record
// or make an expression.
//
// Threads: threads may evaluate at once; a target is one thread's meanwhile.
// Throws: type_error as it is made, where a number does not fit; else as a call, when evaluated (fuse.hpp).
// After a failure: no array has been made; a target is as it was, or unspecified if kernels had begun.

#include <sinter/dsl/array.hpp>
#include <sinter/dsl/constants.hpp>
#include <sinter/dsl/value.hpp>

namespace sinter::inline v0 {

namespace detail {

// ---- leaves ----

template <class T, unsigned Rank>
class view_leaf : public lazy_base {
 public:
  static constexpr operand_type result_type{element_type_of<T>, false};
  static constexpr unsigned result_rank = Rank;
  static constexpr unsigned max_operands = 1, max_scalars = 0, max_key = 1;

  explicit view_leaf(const view<T, Rank>& from) : view_(from) {}
  void gather(gatherer& into) const { into.add(view_.erased()); }
  typed_value replay() const { return {record_operand(view_.erased()), result_type, Rank}; }

 private:
  view<T, Rank> view_;
};

template <class T, unsigned Rank>
view_leaf<T, Rank> leaf_of(const view<T, Rank>& elements) {
  return view_leaf<T, Rank>(elements);
}

/// A scalar, already converted to the type that it meets; `Parts` is 2 for complex numbers.
template <element_type Met, bool Weak, bool Literal, unsigned Parts>
class scalar_leaf : public lazy_base {
 public:
  static constexpr operand_type result_type{Met, Weak};
  static constexpr unsigned result_rank = 0;
  static constexpr unsigned max_operands = 0, max_scalars = Literal ? 0 : Parts,
                            max_key = Literal ? Parts : 0;

  scalar_leaf(const scalar_source& from, const location& at) : scalar_(converted_scalar(from, Met, at)) {}
  void gather(gatherer& into) const {
    add(into, scalar_.bits);
    if constexpr (Parts == 2) add(into, scalar_.imaginary);
  }
  typed_value replay() const { return {record_scalar(scalar_, Met, {}), result_type, 0}; }

 private:
  static void add(gatherer& into, std::uint64_t bits) {
    if constexpr (Literal)
      into.add_key(bits);
    else
      into.add_scalar(bits);
  }

  scalar_source scalar_;
};

/// The leaf or expression that holds an operand; a scalar is held in the type `Met`, `Weak` or strong.
template <element_type Met, bool Weak = false, class Operand>
auto node_of(const location& at, Operand&& operand) {
  using info = info_of<Operand>;
  using plain = std::remove_cvref_t<Operand>;
  if constexpr (info::kind == operand_kind::lazy) {
    return plain(std::forward<Operand>(operand));
  } else if constexpr (info::kind == operand_kind::scalar) {
    constexpr bool complex = is_complex(info::type.type) && is_complex(Met);
    return scalar_leaf<Met, Weak, info::literal, complex ? 2 : 1>(source_of(operand), at);
  } else if constexpr (std::is_same_v<plain, array<typename info::viewed::value_type, info::rank>>) {
    if constexpr (std::is_lvalue_reference_v<Operand> || std::is_const_v<std::remove_reference_t<Operand>>)
      return array_leaf<typename info::viewed::value_type, info::rank>(operand);
    else
      return array_leaf<typename info::viewed::value_type, info::rank>(std::move(operand));
  } else {
    return leaf_of(detail::borrow(operand));
  }
}

// ---- nodes ----

/// Holds up to three nodes; std::tuple costs more to compile.
template <class... Nodes>
struct nodes;
template <class A>
struct nodes<A> {
  A a;
  template <class Function>
  void each(Function&& function) const {
    function(a);
  }
};
template <class A, class B>
struct nodes<A, B> {
  A a;
  B b;
  template <class Function>
  void each(Function&& function) const {
    function(a);
    function(b);
  }
};
template <class A, class B, class C>
struct nodes<A, B, C> {
  A a;
  B b;
  C c;
  template <class Function>
  void each(Function&& function) const {
    function(a);
    function(b);
    function(c);
  }
};

/// The operands of an operation: they are gathered for a call, and give values while recording.
template <class... Nodes>
class operand_nodes {
 public:
  static constexpr unsigned max_operands = (0u + ... + Nodes::max_operands);
  static constexpr unsigned max_scalars = (0u + ... + Nodes::max_scalars);
  static constexpr unsigned max_key = (0u + ... + Nodes::max_key);

  explicit operand_nodes(nodes<Nodes...>&& all) : all_(std::move(all)) {}
  void gather(gatherer& into) const {
    all_.each([&into](const auto& node) { node.gather(into); });
  }
  /// Calls `record` with the operands' values and their number.
  template <class Record>
  recorded_value replay(Record record) const {
    typed_value values[sizeof...(Nodes)];
    unsigned count = 0;
    all_.each([&](const auto& node) { values[count++] = node.replay(); });
    return record(values, count);
  }

 private:
  nodes<Nodes...> all_;
};

/// The interface of every expression that is not a leaf.
template <class Self>
class lazy : public lazy_base, public operators<Self> {
 public:
  /// Indexing of the result, as NumPy does it; integers and bounds are run-time parameters.
  template <class... Items>
  auto operator()(const Items&... items) const {
    return make_index(static_cast<const Self&>(*this), items...);
  }
  template <class Bool>
    requires std::is_same_v<Bool, bool>
  explicit operator Bool() const {
    static_assert(never<Bool>, "an array has no single truth value: use where(condition, a, b)");
    return false;
  }
};

// The classes are nested in a template so that argument-dependent lookup does not search their operands'
// types.

/// An operation of the table on nodes.
template <operation Op, element_type Type, bool Weak, unsigned Rank, class... Nodes>
struct application_node {
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type{Type, Weak};
    static constexpr unsigned result_rank = Rank;
    static constexpr unsigned max_operands = operand_nodes<Nodes...>::max_operands;
    static constexpr unsigned max_scalars = operand_nodes<Nodes...>::max_scalars;
    static constexpr unsigned max_key = operand_nodes<Nodes...>::max_key;

    type(const location& at, nodes<Nodes...>&& operands) : operands_(std::move(operands)), at_(at) {}
    void gather(gatherer& into) const { operands_.gather(into); }
    typed_value replay() const {
      const auto record_values = [this](const typed_value* values, unsigned count) {
        return record(Op, values, count, at_);
      };
      return {operands_.replay(record_values), result_type, Rank};
    }

   private:
    operand_nodes<Nodes...> operands_;
    location at_;
  };
};

/// Indexing or a permutation.
template <class Node, unsigned Count, unsigned Rank>
struct index_node {
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type = Node::result_type;
    static constexpr unsigned result_rank = Rank;
    static constexpr unsigned max_operands = Node::max_operands;
    static constexpr unsigned max_scalars = Node::max_scalars + 3 * Count;
    static constexpr unsigned max_key = Node::max_key + 4 * Count;

    type(Node&& node, const index_item* items) : node_(std::move(node)) {
      for (unsigned i = 0; i < Count; ++i) items_[i] = items[i];
    }
    void gather(gatherer& into) const {
      node_.gather(into);
      into.add(items_, Count);
    }
    typed_value replay() const { return {record_view(node_.replay(), items_, Count, {}), result_type, Rank}; }

   private:
    Node node_;
    index_item items_[Count == 0 ? 1 : Count];
  };
};

/// A cast, a coordinate or an extent.
template <operation Op, element_type Type, unsigned Axis, class Node>
struct special_node {
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type{Type, false};
    static constexpr unsigned result_rank = Op == operation::extent ? 0 : Node::result_rank;
    static constexpr unsigned max_operands = Node::max_operands;
    static constexpr unsigned max_scalars = Node::max_scalars;
    static constexpr unsigned max_key = Node::max_key;

    type(const location& at, Node&& node) : node_(std::move(node)), at_(at) {}
    void gather(gatherer& into) const { node_.gather(into); }
    typed_value replay() const {
      const typed_value operand = node_.replay();
      if constexpr (Op == operation::cast)
        return {record_cast(operand, Type, at_), result_type, result_rank};
      else if constexpr (Op == operation::coordinate)
        return {record_coordinate(operand, Axis, at_), result_type, result_rank};
      else
        return {record_extent(operand, Axis, at_), result_type, result_rank};
    }

   private:
    Node node_;
    location at_;
  };
};

template <class Node, class... Items>
auto make_index(Node&& node, const Items&... items) {
  using plain = std::remove_cvref_t<Node>;
  if constexpr ((index_array<Items> || ...)) {
    return indexed(node, items...);  // parts/indexing.hpp
  } else if constexpr (check_index<plain::result_rank, Items...>()) {
    const item_list<plain::result_rank, Items...> list(items...);
    return typename index_node<plain, list.count, rank_of_index<plain::result_rank, Items...>>::type(
        plain(std::forward<Node>(node)), list.items);
  }
}

// ---- application ----

template <class T>
constexpr operand_type type_or_boolean() {
  if constexpr (is_operand_type<T>()) return operand_info<T>::type;
  return {element_type::boolean, false};
}

/// Makes the compiler report in one line why these operands cannot be combined.
template <operation Op, class... Operands>
constexpr bool check_application() {
  constexpr bool operands = (is_operand_type<std::remove_cvref_t<Operands>>() && ...);
  static_assert(
      operands,
      "this is not an operand: use values, arrays, views, numbers, constants, or tensors with as_view");
  constexpr type_rule rule = facts_of(Op).rule;
  constexpr bool valid =
      !operands || apply_rule(rule, type_or_boolean<std::remove_cvref_t<Operands>>()...).valid;
  constexpr bool complex =
      operands && (is_complex(type_or_boolean<std::remove_cvref_t<Operands>>().type) || ...);
  static_assert(valid || !complex || rule == type_rule::real_comparison,
                "not defined for complex numbers: take real(x), imag(x) or abs(x)");
  static_assert(valid || !complex || rule != type_rule::real_comparison,
                "complex numbers have no order: compare real(x), imag(x) or abs(x)");
  static_assert(valid || complex || rule != type_rule::arithmetic,
                "not defined for booleans: use logical_xor or logical_not, or convert with astype<T>(x)");
  static_assert(valid || complex || (rule != type_rule::integral && rule != type_rule::counting),
                "takes integers only");
  static_assert(valid || complex || Op != operation::bitwise_xor,
                "x ^ n is the exclusive or of booleans and integers: a power is pow(x, n)");
  static_assert(valid || complex || rule != type_rule::bits || Op == operation::bitwise_xor,
                "takes booleans and integers only");
  return operands && valid;
}

template <operation Op, class Applied, class... Nodes>
auto make_application(const location& at, Nodes&&... made) {
  return typename application_node<Op, Applied::result_type.type, Applied::result_type.weak, Applied::rank,
                                   Nodes...>::type(at, nodes<Nodes...>{std::move(made)...});
}

template <operation Op, class Applied, std::size_t... Position, class... Operands>
auto apply_lazily(const location& at, std::index_sequence<Position...>, Operands&&... operands) {
  return make_application<Op, Applied>(at, node_of<Applied::met(Position, info_of<Operands>::type).type,
                                                   Applied::met(Position, info_of<Operands>::type).weak>(
                                               at, std::forward<Operands>(operands))...);
}

template <operation Op, class... Operands>
auto apply(const location& at, Operands&&... operands) {
  if constexpr (check_application<Op, Operands...>()) {
    using applied = application<Op, std::remove_cvref_t<Operands>...>;
    if constexpr (((kind_of_operand<Operands> == operand_kind::value) || ...)) {
      return value<typename applied::result, applied::rank>(record_application<Op, applied>(at, operands...));
    } else {
      return apply_lazily<Op, applied>(at, std::make_index_sequence<sizeof...(Operands)>(),
                                       std::forward<Operands>(operands)...);
    }
  }
}

template <operation Op, class A, class B>
auto compare(const location& at, A&& a, B&& b) {
  if constexpr (is_boolean_with_number<A, B>())
    static_assert(never<A>,
                  "a boolean is compared with a number: 0.5 < x < 2 is written 0.5 < x && x < 2; or say "
                  "astype<int>(mask)");
  else
    return apply<Op>(at, std::forward<A>(a), std::forward<B>(b));
}

template <class A, class B>
auto divide(const location& at, A&& a, B&& b) {
  if constexpr (no_floating_operand<A, B>())
    static_assert(never<A>,
                  "/ on two integers has several meanings: say true_divide, floor_divide or trunc_divide");
  else
    return apply<operation::true_divide>(at, std::forward<A>(a), std::forward<B>(b));
}

template <class A, class B>
auto modulo(const location& at, A&& a, B&& b) {
  if constexpr (no_floating_operand<A, B>())
    static_assert(never<A>, "% on two integers has two meanings: say remainder or fmod");
  else
    return apply<operation::remainder>(at, std::forward<A>(a), std::forward<B>(b));
}

/// A conversion, unless the operand already has the type.
template <element_type Type, class Operand>
auto convert(const location& at, Operand&& operand) {
  using info = info_of<Operand>;
  constexpr bool drops_part = is_complex(info::type.type) && !is_complex(Type) && !is_boolean(Type);
  static_assert(!drops_part, "a complex number has two parts: take real(x) or imag(x)");
  if constexpr (info::kind == operand_kind::value) {
    using converted = value<storage_type<Type>, info::rank>;
    return converted(record_cast(erased(operand), Type, at));
  } else if constexpr (info::kind == operand_kind::lazy && info::type == operand_type{Type, false}) {
    return node_of<Type>(at, std::forward<Operand>(operand));
  } else {  // an array of the type, too: a bare leaf is no operand; the builder drops the cast
    auto node = node_of<Type>(at, std::forward<Operand>(operand));
    if constexpr (info::kind == operand_kind::scalar)
      return node;
    else
      return typename special_node<operation::cast, Type, 0, decltype(node)>::type(at, std::move(node));
  }
}

// ---- evaluation ----

/// One per shared library and expression type: hidden, so that unloading a library unloads its slots.
template <class Node>
struct [[gnu::visibility("hidden")]] expression_slot {
  static inline slot known;
};

/// Everything that one evaluation needs, on the stack.
template <class Node>
struct [[gnu::visibility("hidden")]] evaluation {
  runtime::operand operands[Node::max_operands + 1];
  runtime::scalar scalars[Node::max_scalars + 1];
  std::uint64_t key[Node::max_key + 1];
  call_site site;

  evaluation(const location& at, const Node& node) {
    gatherer gathered{operands, scalars, key};
    node.gather(gathered);
    site.body = [](const void* context) { record_output(static_cast<const Node*>(context)->replay()); };
    site.context = &node;
    site.defined_at = at;
    if (gathered.holds_callable) return;
    site.kind = recorded_as::expression;
    site.known = &expression_slot<Node>::known;
    site.key = {key, gathered.key_count};
    site.operands = {operands, gathered.operand_count};
    site.scalars = {scalars, gathered.scalar_count};
  }
};

/// Whether elements of `from` may be assigned to elements of `to` without a cast: not floating to integer,
/// signed to unsigned, or anything to bool.
constexpr bool same_kind(operand_type from, element_type to) {
  if (from.type == to) return true;
  if (from.weak)
    return kind_of(from.type) == element_kind::boolean || is_complex(to) ||
           (is_floating(to) && !is_complex(from.type)) || (is_integer(from.type) && is_integer(to));
  return kind_of(from.type) <= kind_of(to);
}

template <class T, unsigned Rank, class Operand>
constexpr bool check_assignment() {
  using info = info_of<Operand>;
  static_assert(info::kind != operand_kind::value,
                "a value cannot be stored: return it from the fused function");
  static_assert(!std::is_const_v<T>, "these elements are read only");
  constexpr bool assignable = info::kind != operand_kind::value && !std::is_const_v<T>;
  if constexpr (assignable) {
    static_assert(info::rank <= Rank, "assignment cannot change the rank");
    static_assert(same_kind(info::type, element_type_of<T>),
                  "assignment cannot change the element type: say astype<T>(x)");
    return info::rank <= Rank && same_kind(info::type, element_type_of<T>);
  } else {
    return false;
  }
}

template <class T, unsigned Rank, class Operand>
void assign_elements(const location& at, const view<T, Rank>& to, Operand&& operand) {
  if constexpr (check_assignment<T, Rank, Operand>()) {
    const auto node = convert<element_type_of<T>>(at, std::forward<Operand>(operand));
    const evaluation prepared(at, node);
    run_broadcast(prepared.site, to.erased());
  }
}

template <class T, unsigned Rank, class Operand>
void assign_array(const location& at, array<T, Rank>& to, Operand&& operand) {
  if constexpr (check_assignment<T, Rank, Operand>()) {
    static_assert(info_of<Operand>::rank == Rank,
                  "assignment cannot change the rank: to fill an array say x(all()) = 0");
    static_assert(becomes(info_of<Operand>::type, element_type_of<T>),
                  "assignment cannot change the element type: say astype<T>(x)");
    const auto node = convert<element_type_of<T>>(at, std::forward<Operand>(operand));
    const evaluation prepared(at, node);
    runtime::result fresh;
    if (!run_into_or_fresh(prepared.site, to.erased(), fresh)) to = array<T, Rank>(std::move(fresh));
  }
}

template <class T, unsigned Rank>
view<T, Rank> elements_of(array<T, Rank>& target) {
  return target;
}
template <class T, unsigned Rank>
const view<T, Rank>& elements_of(const view<T, Rank>& target) {
  return target;
}

/// Assigns `made`, an expression of `target`, to `target`: in place, without a change of type or rank.
template <class T, unsigned Rank, class Made>
void assign_back(const location& at, value<T, Rank>& target, const Made& made) {
  static_assert(Made::rank == Rank, "a compound assignment cannot change the rank");
  static_assert(same_kind(operand_info<Made>::type, operand_type_of<T>.type),
                "a compound assignment cannot change the element type: say astype<T>(x)");
  if constexpr (Made::rank == Rank)
    target = value<T, Rank>(record_cast(erased(made), operand_type_of<T>.type, at));
}
template <class Target, class Made>
void assign_back(const location& at, Target& target, const Made& made) {
  assign_elements(at, elements_of(target), made);
}

template <operation Op, class Target, class B>
void assign_applied(const location& at, Target& target, B&& operand) {
  if constexpr (check_application<Op, Target, B>())
    assign_back(at, target, apply<Op>(at, target, std::forward<B>(operand)));
}
template <class Target, class B>
void assign_divided(const location& at, Target& target, B&& operand) {
  if constexpr (no_floating_operand<Target, B>())
    static_assert(never<B>,
                  "/ on two integers has several meanings: say true_divide, floor_divide or trunc_divide");
  else
    assign_applied<operation::true_divide>(at, target, std::forward<B>(operand));
}

}  // namespace detail

/// Evaluates an expression, or copies an array or view, into a new array.
template <class Operand>
  requires(detail::kind_of_operand<Operand> == detail::operand_kind::lazy ||
           detail::kind_of_operand<Operand> == detail::operand_kind::array)
[[nodiscard]] auto evaluate(Operand&& operand, detail::location at = detail::location::current()) {
  using info = detail::info_of<Operand>;
  array<detail::storage_type<settled(info::type).type>, info::rank> made;
  detail::assign_array(at, made, std::forward<Operand>(operand));
  return made;
}

}  // namespace sinter::inline v0
