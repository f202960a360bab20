#pragma once
// Elements that a mask chooses, one after the other.
//
// Extents inside a fused function do not depend on elements: there an array as long as the operand has zeros
// behind what is chosen, and the number of the latter stands beside it. Outside, an array of exactly that
// length is made, for which the host waits.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: of arrays, views and expressions what a call throws (dsl/fuse.hpp) with the faults of the work that
// it waits for, and device_error during a capture; of values error outside of their recording.
// After a failure: no array has been made, and operands are as they were.

#include <sinter/dsl/composed/compose.hpp>
#include <sinter/dsl/scatters/exact_length.hpp>
#include <sinter/dsl/scatters/record_scatter.hpp>

namespace sinter::inline v0 {

namespace detail {

struct count_of_chosen {
  template <class X, class Mask>
  auto operator()(const location&, const X&, const Mask& mask) const {
    return count_nonzero(mask);
  }
  template <class X>
  auto operator()(const location&, const X& x) const {
    return count_nonzero(x);
  }
};
struct chosen_elements {
  static constexpr const char* name = "compress";
  template <class X, class Mask>
  auto operator()(const location& at, const X& x, const Mask& mask) const {
    return make_part<settled(info_of<X>::type), 1>(at, {.what = composed_part::compress}, x, mask);
  }
};
struct chosen_positions {
  static constexpr const char* name = "nonzero";
  template <class X>
  auto operator()(const location& at, const X& x) const {
    return make_part<operand_type{element_type::int64}, 1>(at, {.what = composed_part::nonzero}, x);
  }
};

/// Both results of a call: what is chosen, and its number.
template <class Chosen, class... Nodes>
class exact_node : public lazy_base {
 public:
  static constexpr unsigned max_operands = (0u + ... + Nodes::max_operands);
  static constexpr unsigned max_scalars = (0u + ... + Nodes::max_scalars);
  static constexpr unsigned max_key = (0u + ... + Nodes::max_key);

  exact_node(const location& at, std::tuple<Nodes...> operands) : operands_(std::move(operands)), at_(at) {}
  void gather(gatherer& into) const {
    std::apply([&into](const auto&... each) { (each.gather(into), ...); }, operands_);
  }
  /// Records the elements as first result, and gives their number as the second.
  typed_value replay() const {
    const auto values = std::apply(
        [](const auto&... each) {
          return std::tuple<value_of_node<Nodes>...>{value_of_node<Nodes>(each.replay().value)...};
        },
        operands_);
    record_output(std::apply([this](const auto&... each) { return erased(Chosen()(at_, each...)); }, values));
    return std::apply([this](const auto&... each) { return erased(count_of_chosen()(at_, each...)); },
                      values);
  }

 private:
  std::tuple<Nodes...> operands_;
  location at_;
};

template <class Chosen, class... Nodes>
runtime::result run_for_chosen(const location& at, Nodes... nodes) {
  static const char* const name = intern_name(Chosen::name);
  const exact_node<Chosen, Nodes...> node(at, std::tuple<Nodes...>(std::move(nodes)...));
  evaluation<exact_node<Chosen, Nodes...>> prepared(at, node);
  prepared.site.name = name;
  return run_exactly(prepared.site);
}

/// In a function that is recorded what is chosen and its number, else an array of T.
template <class Chosen, class T, class... Operands>
auto choose(const location& at, Operands&&... operands) {
  if constexpr (((kind_of_operand<Operands> == operand_kind::value) || ...)) {
    return compose<Chosen, count_of_chosen>(at, std::forward<Operands>(operands)...);
  } else {
    return array<T, 1>(
        run_for_chosen<Chosen>(at, node_of<info_of<Operands>::type.type, info_of<Operands>::type.weak>(
                                       at, std::forward<Operands>(operands))...));
  }
}

}  // namespace detail

/// The elements where a mask of the same shape holds, row-major, as NumPy's x[mask].
///
/// - Of arrays, views and expressions: an array of exactly these elements. The call waits on the host, once,
///   for the work on the device's default stream. Throws device_error during a capture into a CUDA graph that
///   the stream takes part in, or that uses the operands.
///       array<float, 1> positive = compress(x, x > 0);
/// - In a function that is recorded: an array of as many elements as x, in which zeros follow the chosen
///   ones, and their number: int64, of rank 0.
///       auto [chosen, count] = compress(x, x > 0);
template <detail::sinter_operand X, detail::sinter_operand Mask>
[[nodiscard]] auto compress(X&& x, Mask&& mask, std::source_location at = std::source_location::current()) {
  constexpr bool same = detail::info_of<X>::rank == detail::info_of<Mask>::rank;
  static_assert(same, "a mask has the shape of the array: broadcast it with broadcast_to");
  constexpr bool boolean = is_boolean(detail::info_of<Mask>::type.type);
  static_assert(boolean, "a mask is an array of booleans: a comparison, or astype<bool>(m)");
  if constexpr (same && boolean)
    return detail::choose<detail::chosen_elements,
                          detail::storage_type<settled(detail::info_of<X>::type).type>>(
        at, std::forward<X>(x), std::forward<Mask>(mask));
}

/// The positions of the elements that are not zero among all, row-major, as NumPy's flatnonzero: int64. Of an
/// array, view or expression exactly these, for which the call waits as compress() does; in a function that
/// is recorded as many as x has elements, in which zeros follow the positions, and their number.
///     array<std::int64_t, 1> positions = nonzero(x);
template <detail::sinter_operand X>
[[nodiscard]] auto nonzero(X&& x, std::source_location at = std::source_location::current()) {
  return detail::choose<detail::chosen_positions, std::int64_t>(at, std::forward<X>(x));
}

}  // namespace sinter::inline v0
