// Kernels of reductions and scans by bodies, on each device and as CUDA's texts in the simulator, specialised
// and shape-generic. Bodies of integers give the interpreter's bits in any order of their elements.

#include "check_kernels.hpp"

namespace sinter::test {
namespace {

constexpr element_type u32 = element_type::uint32;
constexpr declared whole{i32}, word{u32};

/// Shapes with rows of every kind: of one warp, of several, longer than a block's chunk, cut in pieces, none.
const std::initializer_list<shape> shapes_of_rows = {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {1, 20000},
                                                     {0, 5},  {5, 0}, {5, 1},    {300, 4},  {2, 9000}};

/// Threads of the simulator take turns at each exchange, so that these are shorter.
const std::initializer_list<shape> shapes_of_scans = {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {0, 5},
                                                      {5, 0},  {5, 1}, {300, 4},  {1, 5000}, {1, 20000}};

graph_value integers(graph_builder& builder, graph_value of) {
  return builder.cast(builder.apply(operation::multiply, {of, builder.literal(10007.f)}), i32);
}
graph_value words(graph_builder& builder, graph_value of) {
  return builder.cast(builder.cast(builder.apply(operation::multiply, {of, builder.literal(1e6f)}), i64),
                      u32);
}

/// (a + b, max(c, d)): of two values.
graph sum_and_largest() {
  return body_of({whole, whole, whole, whole}, [](graph_builder& builder, const values& given) -> values {
    return {builder.apply(operation::add, {given[0], given[2]}),
            builder.apply(operation::maximum, {given[1], given[3]})};
  });
}

/// The smaller number with what comes with it; of equal ones the smaller companion.
graph smallest_with_companion() {
  return body_of({{f32}, whole, {f32}, whole}, [](graph_builder& builder, const values& given) -> values {
    const graph_value less = builder.apply(operation::less, {given[2], given[0]}),
                      equal = builder.apply(operation::equal, {given[2], given[0]}),
                      before = builder.apply(operation::less, {given[3], given[1]}),
                      right = builder.apply(operation::logical_or,
                                            {less, builder.apply(operation::logical_and, {equal, before})});
    return {builder.apply(operation::where, {right, given[2], given[0]}),
            builder.apply(operation::where, {right, given[3], given[1]})};
  });
}

/// x -> a x + b, and after it another such map: does not commute, and wraps.
graph maps_in_turn() {
  return body_of({word, word, word, word}, [](graph_builder& builder, const values& given) -> values {
    return {
        builder.apply(operation::multiply, {given[0], given[2]}),
        builder.apply(operation::add, {builder.apply(operation::multiply, {given[2], given[1]}), given[3]})};
  });
}

/// The first operand that is not 0: associative, does not commute, and 0 is an identity that is one.
graph first_that_counts() {
  return body_of({whole, whole}, [](graph_builder& builder, const values& given) -> values {
    const graph_value counts = builder.apply(operation::not_equal, {given[0], builder.literal(0, i32)});
    return {builder.apply(operation::where, {counts, given[0], given[1]})};
  });
}

/// (a + b) mod m, m captured.
graph sum_modulo() {
  return body_of({whole, whole, whole}, [](graph_builder& builder, const values& given) -> values {
    return {
        builder.apply(operation::remainder, {builder.apply(operation::add, {given[0], given[1]}), given[2]})};
  });
}

/// a + b + 1, of which nothing is an identity.
graph sum_and_one() {
  return body_of({whole, whole}, [](graph_builder& builder, const values& given) -> values {
    return {builder.apply(operation::add,
                          {builder.apply(operation::add, {given[0], given[1]}), builder.literal(1, i32)})};
  });
}

/// The greatest common divisor by a loop, which would not end for negative numbers.
graph divisor_by_loop() {
  const graph step =
      body_of({iteration, whole, whole}, [](graph_builder& builder, const values& given) -> values {
        return {builder.apply(operation::not_equal, {given[2], builder.literal(0, i32)}), given[2],
                builder.apply(operation::remainder, {given[1], given[2]})};
      });
  return body_of({whole, whole}, [&](graph_builder& builder, const values& given) -> values {
    return {builder.repeat_while(values{given[0], given[1]}, values{}, step)[0]};
  });
}

void check_reduction(std::uint32_t axes, bool keepdims) {
  check_kernels(graph_of({matrix, row},
                         [&](graph_builder& builder, const values& given) {
                           const graph_value x = integers(builder, given[0]);
                           return builder.reduce(values{builder.literal(7, i32), builder.literal(-5, i32)},
                                                 values{x, x}, {}, sum_and_largest(), axes, keepdims);
                         }),
                shapes_of_rows);
}

}  // namespace

TEST_SUITE("kernels of reductions by bodies") {
  TEST_CASE("several values are combined in one pass along rows") { check_reduction(2, false); }
  TEST_CASE("and along columns") { check_reduction(1, false); }
  TEST_CASE("and along all axes, which stay") { check_reduction(3, true); }

  TEST_CASE("values are broadcast together, and each result may be the only one") {
    for (const std::size_t wanted : {0u, 1u, 2u})
      for (const std::uint32_t axes : {1u, 2u, 3u})
        check_kernels(graph_of({matrix, row},
                               [&](graph_builder& builder, const values& given) -> values {
                                 const values results = builder.reduce(
                                     values{builder.literal(9.f, f32), builder.literal(-1, i32)},
                                     values{given[0], integers(builder, given[1])}, {},
                                     smallest_with_companion(), axes);
                                 if (wanted == 2) return results;
                                 return {results[wanted]};
                               }),
                      {{7, 33}, {40, 128}, {3, 2000}, {5, 0}});
  }

  TEST_CASE("a combine may capture scalars") {
    check_kernels(
        graph_of(
            {matrix, row},
            [](graph_builder& builder, const values& given) {
              const graph_value count = builder.cast(builder.extent(given[0], 1), i32),
                                m = builder.apply(operation::add, {count, builder.literal(1000, i32)});
              const graph_value x = builder.apply(operation::remainder, {integers(builder, given[0]), m});
              return builder.reduce(values{builder.literal(0, i32)}, values{x}, values{m}, sum_modulo(), 2u);
            }),
        shapes_of_rows);
  }

  TEST_CASE("the identity is the result over nothing, and is combined with nothing") {
    for (const std::uint32_t axes : {1u, 2u, 3u})
      check_kernels(graph_of({matrix, row},
                             [&](graph_builder& builder, const values& given) {
                               return builder.reduce(values{builder.literal(1000000, i32)},
                                                     values{integers(builder, given[0])}, {}, sum_and_one(),
                                                     axes);
                             }),
                    shapes_of_rows);
  }

  TEST_CASE("results are broadcast back, beside reductions of the table") {
    check_kernels(graph_of({matrix, row},
                           [](graph_builder& builder, const values& given) -> values {
                             const graph_value x = integers(builder, given[0]);
                             const values results =
                                 builder.reduce(values{builder.literal(0, i32), builder.literal(0, i32)},
                                                values{x, x}, {}, sum_and_largest(), 2u, true);
                             const graph_value total = builder.reduce(operation::sum, x, 2u, true);
                             const graph_value distance = builder.apply(operation::subtract, {x, results[1]});
                             return {builder.apply(operation::multiply, {distance, results[0]}),
                                     builder.apply(operation::add, {x, total})};
                           }),
                  {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {1, 20000}});
  }

  TEST_CASE("reductions follow each other, of results and of bodies that capture them") {
    check_kernels(graph_of({matrix, row},
                           [](graph_builder& builder, const values& given) {
                             const graph_value x = integers(builder, given[0]);
                             const graph_value most = builder.reduce(operation::max, x, 3u);
                             const graph_value m =
                                 builder.apply(operation::add, {most, builder.literal(3, i32)});
                             const values first = builder.reduce(values{builder.literal(0, i32)}, values{x},
                                                                 values{m}, sum_modulo(), 2u);
                             return builder.reduce(values{builder.literal(0, i32)}, values{first[0]},
                                                   values{m}, sum_modulo(), 1u);
                           }),
                  {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {1, 20000}});
  }

  TEST_CASE("a combine may have loops, which see elements alone") {
    for (const std::uint32_t axes : {1u, 2u})
      check_kernels(graph_of({matrix, row},
                             [&](graph_builder& builder, const values& given) {
                               const graph_value x =
                                   builder.apply(operation::multiply,
                                                 {integers(builder, given[0]), builder.literal(12, i32)});
                               return builder.reduce(values{builder.literal(-1, i32)}, values{x}, {},
                                                     divisor_by_loop(), axes);
                             }),
                    {{7, 33}, {40, 128}, {3, 2000}, {5, 0}, {70, 5}});
  }

  // Negative numbers leave the fast path of log, and the elements are evaluated once more.
  TEST_CASE("elements that are evaluated again are combined once") {
    constexpr arithmetic_mode mode = arithmetic_mode::standard;
    const graph added = body_of(
        {whole, whole},
        [](graph_builder& builder, const values& given) -> values {
          return {builder.apply(operation::add, {given[0], given[1]})};
        },
        mode);
    for (const std::uint32_t axes : {1u, 2u})
      check_kernels(
          graph_of(
              {matrix, row},
              [&](graph_builder& builder, const values& given) {
                const graph_value moved =
                                      builder.apply(operation::subtract, {given[0], builder.literal(0.5f)}),
                                  low = builder.apply(operation::isnan,
                                                      {builder.apply(operation::log, {moved})});
                const graph_value counted =
                    builder.apply(operation::add, {builder.cast(low, i32), builder.literal(1, i32)});
                return builder.reduce(values{builder.literal(0, i32)}, values{counted}, {}, added, axes);
              },
              mode),
          {{7, 33}, {40, 128}, {3, 2000}});
  }
}

TEST_SUITE("kernels of scans by bodies") {
  TEST_CASE("elements are combined with all before them, in their order") {
    for (const unsigned axis : {0u, 1u})
      check_kernels(graph_of({matrix, row},
                             [&](graph_builder& builder, const values& given) {
                               const graph_value x = words(builder, given[0]);
                               return builder.scan(values{builder.literal(1, u32), builder.literal(0, u32)},
                                                   values{x, words(builder, given[1])}, {}, maps_in_turn(),
                                                   axis);
                             }),
                    shapes_of_scans);
  }

  TEST_CASE("the identity is combined with nothing") {
    for (const unsigned axis : {0u, 1u})
      check_kernels(graph_of({matrix, row},
                             [&](graph_builder& builder, const values& given) {
                               return builder.scan(values{builder.literal(1000000, i32)},
                                                   values{integers(builder, given[0])}, {}, sum_and_one(),
                                                   axis);
                             }),
                    shapes_of_scans);
  }

  TEST_CASE("values of every size are scanned") {
    for (const element_type type : {element_type::boolean, element_type::uint8, element_type::int16,
                                    element_type::float64, element_type::complex64, element_type::complex128})
      check_kernels(graph_of({matrix, row},
                             [&](graph_builder& builder, const values& given) -> values {
                               const operation combine =
                                   type == element_type::boolean ? operation::logical_xor : operation::add;
                               const graph body =
                                   body_of({{type}, {type}}, [&](graph_builder& b, const values& of) {
                                     return values{b.apply(combine, {of[0], of[1]})};
                                   });
                               const graph_value x = builder.cast(integers(builder, given[0]), type);
                               const graph_value none = builder.cast(builder.literal(0, i32), type);
                               const values scanned = builder.scan(values{none}, values{x}, {}, body, 1u);
                               if (!is_complex(type)) return scanned;
                               return values{builder.apply(operation::real, scanned)};
                             }),
                    {{3, 200}});
  }

  TEST_CASE("what follows a scan is computed with it, and scans follow each other") {
    check_kernels(
        graph_of({matrix, row},
                 [](graph_builder& builder, const values& given) -> values {
                   const graph_value x = words(builder, given[0]);
                   const values first = builder.scan(values{builder.literal(1, u32), builder.literal(0, u32)},
                                                     values{x, x}, {}, maps_in_turn(), 1u);
                   const graph_value mixed = builder.apply(operation::bitwise_xor, {first[0], first[1]});
                   const values second =
                       builder.scan(values{builder.literal(1, u32), builder.literal(0, u32)},
                                    values{mixed, x}, {}, maps_in_turn(), 1u);
                   return {builder.apply(operation::add, {second[1], first[0]})};
                 }),
        {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {1, 20000}});
  }
}

TEST_SUITE("kernels of reductions in order") {
  TEST_CASE("a combine that does not commute takes elements row by row") {
    for (const std::uint32_t axes : {1u, 2u, 3u})
      check_kernels(graph_of({matrix, row},
                             [&](graph_builder& builder, const values& given) {
                               const graph_value x = words(builder, given[0]);
                               return builder.reduce(values{builder.literal(1, u32), builder.literal(0, u32)},
                                                     values{x, words(builder, given[1])}, {}, maps_in_turn(),
                                                     axes, false, combining_order::ascending);
                             }),
                    shapes_of_scans);
  }

  TEST_CASE("the first element that counts is found") {
    check_kernels(
        graph_of({matrix, row},
                 [](graph_builder& builder, const values& given) {
                   const graph_value x = builder.apply(
                       operation::subtract, {integers(builder, given[0]), builder.literal(5000, i32)});
                   const graph_value some = builder.apply(operation::maximum, {x, builder.literal(0, i32)});
                   return builder.reduce(values{builder.literal(0, i32)}, values{some}, {},
                                         first_that_counts(), 2u, true, combining_order::ascending);
                 }),
        shapes_of_scans);
  }
}

}  // namespace sinter::test
