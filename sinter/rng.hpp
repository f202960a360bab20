#pragma once
// Random numbers, counted and not kept: a number is a function of a seed, a sequence and a position, so that
// it is the same under any fusion, schedule and device, and in whatever order it is computed.
//
// - `like` gives the shape; its elements are not read. Element i of it, counted row-major in its shape and
//   not in its memory, takes what is drawn for i. A slice of random numbers is a slice of the whole's;
//   random numbers like a slice begin at 0.
// - Seed and sequence are integers modulo 2^64, or values of rank 0. An array of rank 0 is read when a
//   kernel runs: a CUDA graph that is replayed draws anew where the array changes. As everywhere, numbers
//   are written into kernels of stateless functions.
// - A stream (seed, sequence) is a list of 2^66 words of 32 bits. Word w is word w % 4 of the block that
//   Philox4x32-10 makes of the key (seed's low half, high half) and the counter (w / 4's low half, high half,
//   sequence's low half, high half). So it is what cuRAND's Philox draws for this seed, with the sequence as
//   its subsequence.
// - 32-bit draws take word i. 64-bit draws, of double and int64, take words 2 i and 2 i + 1, the low half
//   first. Two draws of one stream are of the same words: give each a sequence of its own.
// - Bits, integers, uniforms and bernoulli have the same bits on every target; normals and exponentials are
//   within the stated units in the last place of the value that their definition has.
// - They are recorded in the function itself, not in bodies (repeat, when, reduce): draw there what the body
//   captures.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/parts/record_parts.hpp>
#include <sinter/dsl/random/compose_permutation.hpp>
#include <sinter/dsl/random/compose_random.hpp>

namespace sinter::inline v0 {

namespace detail {

/// The type of what is drawn: `T`, or the elements' of `like` if they are floating, else float.
template <class T, class Like>
struct drawn_type {
  static constexpr element_type type = element_type_of<T>;
};
template <class Like>
struct drawn_type<void, Like> {
  static constexpr element_type of_like = info_of<Like>::type.type;
  static constexpr element_type type = is_floating(of_like) ? of_like : element_type::float32;
};

/// An integer modulo 2^64: numbers wrap, also those of weak types.
template <class Number>
decltype(auto) wrapped(Number&& number) {
  using plain = std::remove_cvref_t<Number>;
  if constexpr (std::is_integral_v<plain> && !std::is_same_v<plain, bool>)
    return static_cast<std::int64_t>(number);
  else
    return std::forward<Number>(number);
}

template <class... Operands>
constexpr bool check_seeds() {
  constexpr bool integers = (host_integer<Operands> && ...);
  static_assert(integers, "seed and sequence are integers of rank 0: numbers, values, arrays of rank 0");
  return integers;
}

/// Records a draw, or makes it an expression; a number among the operands has its type in `Met`.
template <element_type Type, unsigned Rank, element_type... Met, class... Operands>
auto draw_of(const location& at, drawn what, Operands&&... operands) {
  return make_part_meeting<operand_type{Type}, Rank, Met...>(
      at, {.what = composed_part::random, .number = packed_draw(what, Type)},
      std::forward<Operands>(operands)...);
}

template <drawn What, element_type Type, class Like, class Seed, class Sequence>
auto draw(const location& at, Like&& like, Seed&& seed, Sequence&& sequence) {
  constexpr element_type word = element_type::int64;
  if constexpr (check_seeds<Seed, Sequence>())
    return draw_of<Type, info_of<Like>::rank, element_type::float32, word, word>(
        at, What, std::forward<Like>(like), wrapped(std::forward<Seed>(seed)),
        wrapped(std::forward<Sequence>(sequence)));
}

template <element_type Type>
constexpr bool check_floating() {
  static_assert(is_floating(Type), "these numbers are floating: float, double, float16 or bfloat16");
  return is_floating(Type);
}

}  // namespace detail

namespace rng {

/// All 32 or 64 bits: T is std::uint32_t or std::uint64_t.
///     auto bits = sinter::evaluate(sinter::rng::bits<std::uint32_t>(x, 42));
template <class T = std::uint32_t, detail::sinter_operand Like, operand Seed, operand Sequence = int>
[[nodiscard]] auto bits(Like&& like, Seed&& seed, Sequence&& sequence = 0,
                        std::source_location at = std::source_location::current()) {
  constexpr bool is_word = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>;
  static_assert(is_word, "bits are those of std::uint32_t or std::uint64_t");
  if constexpr (is_word)
    return detail::draw<detail::drawn::bits, element_type_of<T>>(
        at, std::forward<Like>(like), std::forward<Seed>(seed), std::forward<Sequence>(sequence));
}

/// In [0, 1), each multiple of 2^-24 as likely: the word's upper 24 bits; 53 bits for double, 11 for float16
/// and 8 for bfloat16. T is by default the type of `like`, or float if that is no floating type.
///     fuse([](auto x) { return where(rng::uniform(x, 42) < 0.1f, 0, x); })
template <class T = void, detail::sinter_operand Like, operand Seed, operand Sequence = int>
[[nodiscard]] auto uniform(Like&& like, Seed&& seed, Sequence&& sequence = 0,
                           std::source_location at = std::source_location::current()) {
  constexpr element_type type = detail::drawn_type<T, Like>::type;
  if constexpr (detail::check_floating<type>())
    return detail::draw<detail::drawn::uniform, type>(at, std::forward<Like>(like), std::forward<Seed>(seed),
                                                      std::forward<Sequence>(sequence));
}

/// The standard normal distribution, by Box and Muller: draws 2 j and 2 j + 1 give u = (first | 1) / 2^32,
/// rounded to float, and an angle of second / 2^32 turns; element 2 j is sqrt(-2 log(u)) cos(angle), element
/// 2 j + 1 the same with the sine. Numbers are below 6.7 for float; double takes 64-bit draws, and is below
/// 9.5. Types of 16 bits are rounded from float. At most 5 units in the last place, in standard arithmetic.
template <class T = void, detail::sinter_operand Like, operand Seed, operand Sequence = int>
[[nodiscard]] auto normal(Like&& like, Seed&& seed, Sequence&& sequence = 0,
                          std::source_location at = std::source_location::current()) {
  constexpr element_type type = detail::drawn_type<T, Like>::type;
  if constexpr (detail::check_floating<type>())
    return detail::draw<detail::drawn::normal, type>(at, std::forward<Like>(like), std::forward<Seed>(seed),
                                                     std::forward<Sequence>(sequence));
}

/// The exponential distribution of mean 1: -log(1 - u), of u = uniform<float> or uniform<double>. Types of 16
/// bits are rounded from float. As accurate as log.
template <class T = void, detail::sinter_operand Like, operand Seed, operand Sequence = int>
[[nodiscard]] auto exponential(Like&& like, Seed&& seed, Sequence&& sequence = 0,
                               std::source_location at = std::source_location::current()) {
  constexpr element_type type = detail::drawn_type<T, Like>::type;
  if constexpr (detail::check_floating<type>())
    return detail::draw<detail::drawn::exponential, type>(
        at, std::forward<Like>(like), std::forward<Seed>(seed), std::forward<Sequence>(sequence));
}

/// Integers in [low, high): low + the upper half of draw * (high - low). T is std::int64_t, whose draws have
/// 64 bits, or std::int32_t. Each integer's probability differs from 1 / (high - low) by less than 2^-64 or
/// 2^-32: a bias of at most (high - low) / 2^64 or / 2^32 of it. Bounds are integers of rank 0; low is given
/// where high is not above it by at most one.
template <class T = std::int64_t, detail::sinter_operand Like, operand Low, operand High, operand Seed,
          operand Sequence = int>
[[nodiscard]] auto randint(Like&& like, Low&& low, High&& high, Seed&& seed, Sequence&& sequence = 0,
                           std::source_location at = std::source_location::current()) {
  constexpr bool is_integer = std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;
  static_assert(is_integer, "random integers are std::int32_t or std::int64_t");
  constexpr element_type word = element_type::int64;
  if constexpr (is_integer && detail::check_integers<Low, High>() && detail::check_seeds<Seed, Sequence>())
    return detail::draw_of<element_type_of<T>, detail::info_of<Like>::rank, element_type::float32, word, word,
                           word, word>(at, detail::drawn::randint, std::forward<Like>(like),
                                       std::forward<Low>(low), std::forward<High>(high),
                                       detail::wrapped(std::forward<Seed>(seed)),
                                       detail::wrapped(std::forward<Sequence>(sequence)));
}

/// True with probability p: where uniform<float> is below p, which counts as float. So the probability is p
/// rounded up to a multiple of 2^-24. p is broadcast to `like`, or `like` to p.
template <detail::sinter_operand Like, operand P, operand Seed, operand Sequence = int>
[[nodiscard]] auto bernoulli(Like&& like, P&& p, Seed&& seed, Sequence&& sequence = 0,
                             std::source_location at = std::source_location::current()) {
  constexpr unsigned rank = detail::highest_of({detail::info_of<Like>::rank, detail::info_of<P>::rank});
  constexpr bool is_real = !is_complex(detail::info_of<P>::type.type);
  static_assert(is_real, "a probability is a real number");
  constexpr element_type word = element_type::int64;
  if constexpr (is_real && detail::check_seeds<Seed, Sequence>())
    return detail::draw_of<element_type::boolean, rank, element_type::float32, element_type::float32, word,
                           word>(at, detail::drawn::bernoulli, std::forward<Like>(like), std::forward<P>(p),
                                 detail::wrapped(std::forward<Seed>(seed)),
                                 detail::wrapped(std::forward<Sequence>(sequence)));
}

/// The numbers 0, 1, … n - 1 in a random order, int64: the positions by which bits<std::uint64_t>, drawn like
/// n elements, are in order. Each order is as likely, but that equal bits, which n elements have with
/// probability n^2 / 2^65, keep the order of their positions.
///     fuse([](auto x) { return x(rng::permutation(extent<0>(x), 42), all()); })
template <operand N, operand Seed, operand Sequence = int>
  requires(detail::info_of<N>::rank == 0)
[[nodiscard]] auto permutation(N&& n, Seed&& seed, Sequence&& sequence = 0,
                               std::source_location at = std::source_location::current()) {
  constexpr element_type word = element_type::int64;
  if constexpr (detail::check_integers<N>() && detail::check_seeds<Seed, Sequence>())
    return detail::make_part_meeting<operand_type{word}, 1, word, word, word>(
        at, {.what = detail::composed_part::permutation}, std::forward<N>(n),
        detail::wrapped(std::forward<Seed>(seed)), detail::wrapped(std::forward<Sequence>(sequence)));
}

/// An array in a random order along an axis, the first if none is named: rows move whole, by
/// permutation(extent<Axis>(x), seed, sequence). Elements that shall all move are those of flatten(x).
///     array<float, 2> shuffled = rng::permutation(rows, 42);
template <detail::sinter_operand X, operand Seed, operand Sequence = int, int Axis = 0>
  requires(detail::info_of<X>::rank > 0)
[[nodiscard]] auto permutation(X&& x, Seed&& seed, Sequence&& sequence = 0, detail::axis_tag<Axis> = {},
                               std::source_location at = std::source_location::current()) {
  using info = detail::info_of<X>;
  constexpr element_type word = element_type::int64;
  if constexpr (detail::check_axis<Axis, info::rank>() && detail::check_seeds<Seed, Sequence>())
    return detail::make_part_meeting<settled_elements(info::type, info::rank), info::rank, word, word, word>(
        at, {.what = detail::composed_part::shuffled, .number = detail::axis_position(Axis, info::rank)},
        std::forward<X>(x), detail::wrapped(std::forward<Seed>(seed)),
        detail::wrapped(std::forward<Sequence>(sequence)));
}
template <detail::sinter_operand X, operand Seed, int Axis>
  requires(detail::info_of<X>::rank > 0)
[[nodiscard]] auto permutation(X&& x, Seed&& seed, detail::axis_tag<Axis> along,
                               std::source_location at = std::source_location::current()) {
  return permutation(std::forward<X>(x), std::forward<Seed>(seed), 0, along, at);
}

}  // namespace rng
}  // namespace sinter::inline v0
