// Nests of up to 32 axes: positions along the outer axes are decoded in a loop.

#include <doctest/doctest.h>

#include "../support/compiles.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <set>

namespace sinter::test {
namespace {

constexpr element_type f64 = element_type::float64;

/// Two operands with unrelated orders of axes in memory, and an operation on them.
struct many_axes {
  std::string name;
  graph recorded;
  std::vector<shape> extents;
};

std::vector<view_item> items_of(std::span<const std::int64_t> axes) {
  std::vector<view_item> items;
  for (const std::int64_t axis : axes)
    items.push_back({view_item::kind::permute, literal_bound(axis), {}, {}});
  return items;
}

enum class kind : std::uint8_t { pointwise, strided, sums, shares, positions, scans };
constexpr kind kinds[] = {kind::pointwise, kind::strided,   kind::sums,
                          kind::shares,    kind::positions, kind::scans};
constexpr const char* kind_names[] = {"pointwise", "strided", "sums", "shares", "positions", "scans"};

/// The permutation of the second operand's axes: `reversed` has the first one contiguous.
enum class permutation : std::uint8_t { any, keeps_last, reversed };

/// Operands with these extents, the second with its axes permuted.
many_axes make(kind what, const shape& extents, std::uint64_t seed, permutation permuted = permutation::any) {
  std::mt19937_64 random(seed);
  const std::size_t rank = extents.size();
  std::vector<std::int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (permuted == permutation::reversed)
    std::reverse(order.begin(), order.end());
  else
    std::shuffle(order.begin(), order.end() - (permuted == permutation::keeps_last ? 1 : 0), random);
  shape permuted_extents(rank);
  for (std::size_t axis = 0; axis < rank; ++axis)
    permuted_extents[static_cast<std::size_t>(order[axis])] = extents[axis];
  graph_builder b;
  b.restart();
  many_axes made{std::string(kind_names[static_cast<std::size_t>(what)]) + " of " + text_of(extents), {}, {}};
  graph_value x = b.input(f64, static_cast<unsigned>(rank)), y = b.input(f64, static_cast<unsigned>(rank));
  made.extents = {extents, permuted_extents};
  y = b.view(y, items_of(order));
  if (what == kind::strided) {
    std::vector<view_item> steps(rank);
    steps[rank / 2] = every(2);
    steps[0] = every(-1);
    made.extents[0][rank / 2] = 2 * extents[rank / 2];
    x = b.view(x, steps);
  }
  const graph_value both = b.apply(operation::add, {x, y});
  // some of the axes with more than one element, never all or none
  std::uint32_t axes = 0;
  while (std::popcount(axes) < static_cast<int>(rank / 2)) axes |= 1u << random() % rank;
  switch (what) {
    case kind::pointwise:
    case kind::strided:
      b.output(b.apply(operation::maximum, {both, b.coordinate(both, static_cast<unsigned>(rank) / 2)}));
      break;
    case kind::sums:
      b.output(b.reduce(operation::sum, both, axes));
      break;
    case kind::shares:
      b.output(b.apply(operation::subtract, {both, b.reduce(operation::max, both, axes, true)}));
      break;
    case kind::positions:
      b.output(b.reduce(operation::argmax, both, axes, true));
      break;
    case kind::scans:
      b.output(b.scan(operation::cumsum, both, static_cast<unsigned>(random() % rank)));
      break;
  }
  made.recorded = b.recorded();
  return made;
}

/// Both variants on the CPU, and on a GPU if there is one.
void check(const many_axes& at, failure_list& failures) {
  std::vector<reference_array> inputs, expected;
  std::vector<bits> values;
  for (std::size_t i = 0; i < 2; ++i) {
    values.push_back(whole_numbers(f64, count_of(at.extents[i]), i + 3,
                                   [](std::int64_t drawn) { return drawn % 1000 - 500; }));
    inputs.push_back(load_reference(f64, at.extents[i], pack(f64, values[i]).data()));
  }
  interpret(at.recorded, inputs, {}, expected, reference_precision::extended);
  const bits wanted = elements_of(expected[0]);
  for (const device on : sweep_devices())
    for (const lowering_variant variant : {lowering_variant::specialised, lowering_variant::shape_generic}) {
      std::vector<placed_array> arrays;
      for (std::size_t i = 0; i < 2; ++i)
        arrays.emplace_back(f64, values[i], at.extents[i], placement::contiguous, on);
      const bits actual = run(runtime::intern(at.recorded), arrays, {}, on, variant)[0];
      std::size_t wrong = actual.size() == wanted.size() ? 0 : wanted.size();
      for (std::size_t i = 0; i < actual.size() && i < wanted.size(); ++i)
        wrong += same_element(expected[0].type, actual[i], wanted[i]) ? 0 : 1;
      if (wrong != 0)
        failures.add(
            on.to_string() + (variant == lowering_variant::shape_generic ? " general " : " ") + at.name,
            std::to_string(wrong) + " elements of " + std::to_string(wanted.size()) + " are wrong");
    }
}

/// Extents of 2 and 3.
shape short_extents(std::size_t rank) {
  shape extents(rank, 2);
  extents[rank / 3] = 3;
  return extents;
}
shape with_ends(std::size_t rank, std::int64_t first, std::int64_t last) {
  shape extents(rank, 2);
  extents.front() = first;
  extents.back() = last;
  return extents;
}
/// Extents of 1, and of 2 along `some` axes.
shape mostly_single(std::size_t rank, std::size_t some, std::uint64_t seed) {
  shape extents(rank, 1);
  std::fill_n(extents.begin(), some, 2);
  std::mt19937_64 random(seed);
  std::shuffle(extents.begin(), extents.end(), random);
  return extents;
}

}  // namespace

TEST_CASE("short rows of 9 to 17 axes that do not merge give what the interpreter gives") {
  constexpr std::size_t ranks[] = {9, 10, 12, 15, 17};
  sweep(std::size(ranks) * std::size(kinds), [&](std::size_t i, failure_list& failures) {
    check(make(kinds[i % std::size(kinds)], short_extents(ranks[i / std::size(kinds)]), i), failures);
  });
}

TEST_CASE("long rows and tiles of many axes give what the interpreter gives") {
  sweep(2 * std::size(kinds), [&](std::size_t i, failure_list& failures) {
    const kind what = kinds[i % std::size(kinds)];
    if (i < std::size(kinds))
      check(make(what, with_ends(11, 2, 300), 100 + i, permutation::keeps_last), failures);
    else
      check(make(what, with_ends(12, 20, 24), 100 + i, permutation::reversed), failures);
  });
}

TEST_CASE("arrays of 18 to 32 axes, most of one element, give what the interpreter gives") {
  constexpr std::size_t ranks[] = {18, 25, 31, 32};
  sweep(std::size(ranks) * std::size(kinds), [&](std::size_t i, failure_list& failures) {
    const kind what = kinds[i % std::size(kinds)];
    const std::size_t rank = ranks[i / std::size(kinds)];
    check(make(what, mostly_single(rank, 11, i), 200 + i), failures);
  });
}

TEST_CASE("nests of many axes take every loop order") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    std::set<loop_order> met;
    const auto meet = [&](const many_axes& at) {
      std::vector<layout> arrays;
      for (const shape& extents : at.extents) arrays.push_back(contiguous(extents, f64));
      const lowered_call lowered = lower(at.recorded, arrays, target);
      for (std::size_t i = 0; i < lowered.stage_count; ++i) {
        const stage& made = lowered.stages[i];
        if (axis_digits(made.body, false).shared_count() + axis_digits(made.body, true).shared_count() != 0)
          met.insert(made.chosen.order);
      }
    };
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
      meet(make(kinds[i], short_extents(17), i));
      meet(make(kinds[i], short_extents(24), i));
      meet(make(kinds[i], with_ends(11, 2, 300), 100 + i, permutation::keeps_last));
      meet(make(kinds[i], with_ends(12, 20, 24), 100 + i, permutation::reversed));
    }
    for (const loop_order order :
         {loop_order::rows, loop_order::flat, loop_order::tiled, loop_order::row_reduction})
      CHECK_MESSAGE(met.contains(order), to_string(schedule{.order = order}));
    CHECK(met.contains(loop_order::column_reduction));
  }
}

TEST_CASE("kernels of 9 to 32 axes compile for GPUs") {
  if (nvrtc_is_missing()) return;
  constexpr std::size_t ranks[] = {9, 14, 32};
  sweep(std::size(ranks) * std::size(kinds), [&](std::size_t i, failure_list& failures) {
    const many_axes at = make(kinds[i % std::size(kinds)], shape(ranks[i / std::size(kinds)], 2), 300 + i);
    std::vector<layout> arrays;
    for (const shape& extents : at.extents) arrays.push_back(contiguous(extents, f64));
    check_compiles(at.name, lower(at.recorded, arrays, cuda_facts()), failures);
    if (i % 2 == 0)
      check_compiles(at.name + ", general", lower_general(at.recorded, arrays, cuda_facts()), failures);
  });
  sweep(2 * std::size(kinds), [&](std::size_t i, failure_list& failures) {
    const bool tiles = i < std::size(kinds);
    const many_axes at =
        make(kinds[i % std::size(kinds)], tiles ? with_ends(12, 64, 64) : with_ends(14, 2, 1000), 400 + i,
             tiles ? permutation::reversed : permutation::keeps_last);
    std::vector<layout> arrays;
    for (const shape& extents : at.extents) arrays.push_back(contiguous(extents, f64));
    check_compiles(at.name, lower(at.recorded, arrays, cuda_facts()), failures);
  });
}

TEST_CASE("texts hardly grow with axes that share a digit") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (const kind what : kinds)
      for (const bool general : {false, true}) {
        const auto size_for = [&](std::size_t rank) {
          const many_axes at = make(what, shape(rank, 2), 7);
          std::vector<layout> arrays;
          for (const shape& extents : at.extents) arrays.push_back(contiguous(extents, f64));
          const lowered_call lowered =
              general ? lower_general(at.recorded, arrays, target) : lower(at.recorded, arrays, target);
          std::size_t longest = 0;
          for (std::size_t i = 0; i < lowered.stage_count; ++i)
            longest = std::max(longest, emit(lowered.stages[i]).source.size());
          return longest;
        };
        CHECK(size_for(28) < 2 * size_for(18));
      }
}

TEST_CASE("eight axes have a digit each, and of more the outer ones share one") {
  nest body;
  for (body.rank = 0; body.rank <= max_rank; ++body.rank) {
    std::fill(body.extents.begin(), body.extents.end(), 2);
    const axis_digits kept(body, false), reduced(body, true);
    CHECK(reduced.count() == 0);
    CHECK(kept.count() == std::min(body.rank, max_digits));
    CHECK(kept.shared_count() == (body.rank > max_digits ? body.rank - max_digits + 1 : 0));
    std::int64_t positions = 1;
    for (unsigned digit = 0; digit < kept.count(); ++digit) positions *= kept.extent(body, digit);
    CHECK(positions == std::int64_t{1} << body.rank);
    for (unsigned axis = 0; axis < body.rank; ++axis)
      CHECK(kept.is_shared(axis) == (body.rank > max_digits && axis + 1 >= max_digits));
  }
}

}  // namespace sinter::test
