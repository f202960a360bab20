#pragma once
// Functions that are composed of others: a callable of values, which a lazy expression runs when it is
// recorded.

#include <sinter/dsl/reductions.hpp>

#include <tuple>

namespace sinter::inline v0::detail {

/// The value that a node gives while recording.
template <class Node>
using value_of_node = value<spelling_of<Node::result_type.type, Node::result_type.weak>, Node::result_rank>;

/// What `Function`, which has no state, makes of the values of nodes. An operand that it uses several times
/// is held, and recorded, once.
template <class Function, class... Nodes>
struct composed_node {
  using made = decltype(Function()(location(), std::declval<value_of_node<Nodes>>()...));
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type = info_of<made>::type;
    static constexpr unsigned result_rank = info_of<made>::rank;
    static constexpr unsigned max_operands = (0u + ... + Nodes::max_operands);
    static constexpr unsigned max_scalars = (0u + ... + Nodes::max_scalars);
    static constexpr unsigned max_key = (0u + ... + Nodes::max_key);

    type(const location& at, std::tuple<Nodes...> operands) : operands_(std::move(operands)), at_(at) {}
    void gather(gatherer& into) const {
      std::apply([&into](const auto&... each) { (each.gather(into), ...); }, operands_);
    }
    typed_value replay() const {
      // braces, for the order in which gather() lists the operands
      const auto values = std::apply(
          [](const auto&... each) {
            return std::tuple<value_of_node<Nodes>...>{value_of_node<Nodes>(each.replay().value)...};
          },
          operands_);
      return erased(std::apply([this](const auto&... each) { return Function()(at_, each...); }, values));
    }

   private:
    std::tuple<Nodes...> operands_;
    location at_;
  };
};

/// A value itself, and any other operand as a value of the current recording.
template <class Operand>
auto as_value(const location& at, Operand&& operand) {
  using info = info_of<Operand>;
  if constexpr (info::kind == operand_kind::value)
    return operand;
  else
    return value<spelling_of<info::type.type, info::type.weak>, info::rank>(
        recorded_operand(operand, info::type, at).value);
}

template <class... Functions>
struct compositions {
  /// One result for each function: alone, or a std::tuple of several.
  template <class... Results>
  static auto joined(Results&&... results) {
    if constexpr (sizeof...(Results) == 1)
      return (std::forward<Results>(results), ...);
    else
      return std::tuple(std::forward<Results>(results)...);
  }
  template <class... Values>
  static auto of_values(const location& at, const Values&... values) {
    return joined(Functions()(at, values...)...);
  }
  template <class... Nodes>
  static auto of_nodes(const location& at, const std::tuple<Nodes...>& operands) {
    return joined(typename composed_node<Functions, Nodes...>::type(at, operands)...);
  }
};

/// Records what the functions make of the operands if a value takes part, else makes lazy expressions of it.
template <class... Functions, class... Operands>
auto compose(const location& at, Operands&&... operands) {
  if constexpr (((kind_of_operand<Operands> == operand_kind::value) || ...))
    return std::apply(
        [&at](const auto&... values) { return compositions<Functions...>::of_values(at, values...); },
        std::tuple{as_value(at, operands)...});
  else
    return compositions<Functions...>::of_nodes(
        at, std::tuple(node_of<info_of<Operands>::type.type, info_of<Operands>::type.weak>(
                at, std::forward<Operands>(operands))...));
}

}  // namespace sinter::inline v0::detail
