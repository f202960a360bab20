#pragma once
// What a loop adds up that unrolls while recording, from nothing: no `0 * x`, and no first term before it.
//
// Threads: an accumulator is the thread's that records, as values are.
// Throws: error for a result() of nothing, and outside of the recording; also what `function` of combine()
// throws.
// After a failure: it holds what it held.

#include <sinter/dsl/composed/compose.hpp>
#include <sinter/dsl/table_functions.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0 {

/// Holds nothing, and from its first operand on a value of T with `Rank` axes:
///
///     fuse([](auto x) {
///       accumulator<float, 1> total;
///       for (int tap = 0; tap < 4; ++tap) total += weights[tap] * x(slice(tap, tap - 4));
///       return total.result();
///     });
///
/// The first operand is taken as it is, so that a sum of negative zeros is one. Operands of a lower rank get
/// new axes in front. It exists only while recording, as values do, and belongs to one thread.
template <element T, unsigned Rank>
class SINTER_RESULT accumulator {
 public:
  /// Adds an operand.
  template <operand Operand>
  friend accumulator& operator+=(detail::located_target<accumulator> total, Operand&& x) {
    const auto added = [&](const auto& a, const auto& b) { return add(a, b, total.at); };
    return total.operand.combine(added, std::forward<Operand>(x), total.at);
  }
  /// Multiplies by an operand.
  template <operand Operand>
  friend accumulator& operator*=(detail::located_target<accumulator> product, Operand&& x) {
    const auto multiplied = [&](const auto& a, const auto& b) { return multiply(a, b, product.at); };
    return product.operand.combine(multiplied, std::forward<Operand>(x), product.at);
  }
  /// Takes an operand, or what `function(so far, operand)` returns: `best.combine(maximum_of, x)`. The result
  /// keeps T and the rank: others do not compile.
  template <class Function, operand Operand>
  accumulator& combine(const Function& function, Operand&& x,
                       detail::location at = detail::location::current()) {
    using info = detail::info_of<Operand>;
    static_assert(info::rank <= Rank, "an accumulator keeps its rank: this operand has more axes");
    static_assert(detail::same_kind(info::type, element_type_of<T>),
                  "an accumulator keeps its element type: say astype<T>(x)");
    if constexpr (info::rank <= Rank) {
      const value<T, Rank> taken = placed(detail::convert<element_type_of<T>>(at, detail::as_value(at, x)));
      if (empty_) {
        so_far_ = taken.recorded();
      } else {
        value<T, Rank> target(so_far_);
        detail::assign_back(at, target, function(value<T, Rank>(so_far_), taken));
        so_far_ = target.recorded();
      }
      empty_ = false;
    }
    return *this;
  }

  /// Whether it has taken no operand.
  [[nodiscard]] bool empty() const { return empty_; }
  /// What it holds. Throws error if that is nothing.
  [[nodiscard]] value<T, Rank> result() const {
    if (empty_)
      throw error("accumulator: it has taken nothing: a loop that may run no time starts with zeros_like(x)");
    return value<T, Rank>(so_far_);
  }

 private:
  template <class Element, unsigned OperandRank>
  static value<T, Rank> placed(const value<Element, OperandRank>& x) {
    if constexpr (OperandRank == Rank)
      return x;
    else
      return placed(x(newaxis, ellipsis));
  }

  detail::recorded_value so_far_{};
  bool empty_ = true;
};

/// An accumulator for the type and rank of x, whose elements are not read.
template <class T, unsigned Rank>
[[nodiscard]] accumulator<T, Rank> accumulator_like(const value<T, Rank>&) {
  return {};
}

}  // namespace sinter::inline v0
