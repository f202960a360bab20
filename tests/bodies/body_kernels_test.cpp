// Kernels of graphs with bodies, on each device and as CUDA's texts in the simulator, specialised and
// shape-generic: in strict arithmetic their bits are those of the interpreter.

#include "check_kernels.hpp"

#include <cmath>
#include <cstring>
#include <string>

namespace sinter::test {
TEST_SUITE("kernels of bodies") {
  TEST_CASE("a repeated body runs as often as its count says, and not at all for 0 and less") {
    for (const int count : {-3, 0, 1, 7})
      check_kernels(graph_of({matrix, row}, [&](graph_builder& builder, const values& given) {
        return builder.repeat(builder.literal(count), values{given[0]}, values{given[1]},
                              scaled_and_moved(0.5f, matrix, row));
      }));
  }

  TEST_CASE("the count may be an extent or computed from scalars") {
    check_kernels(graph_of({matrix, row}, [](graph_builder& builder, const values& given) {
      return builder.repeat(builder.extent(given[0], 0), values{given[0]}, values{given[1]},
                            scaled_and_moved(0.5f, matrix, row));
    }));
  }

  TEST_CASE("all next values are there before any state changes") {
    const graph exchanged =
        body_of({iteration, matrix, matrix, row}, [](graph_builder& builder, const values& given) -> values {
          return {given[2], builder.apply(operation::add, {given[1], given[3]})};
        });
    check_kernels(graph_of({matrix, row}, [&](graph_builder& builder, const values& given) {
      return builder.repeat(builder.literal(5), values{given[0], given[1]}, values{given[1]}, exchanged);
    }));
  }

  TEST_CASE("states have shapes and types of their own, and each result needs only what it depends on") {
    const graph both = body_of({iteration, matrix, row, {i32, 0}, row},
                               [](graph_builder& builder, const values& given) -> values {
                                 return {builder.apply(operation::add, {given[1], given[2]}),
                                         builder.apply(operation::multiply, {given[2], given[4]}),
                                         builder.apply(operation::add, {given[3], builder.literal(3)})};
                               });
    for (const std::size_t wanted : {0u, 1u, 2u, 3u})
      check_kernels(graph_of({matrix, row}, [&](graph_builder& builder, const values& given) -> values {
        const values results = builder.repeat(
            builder.literal(4), values{given[0], given[1], builder.literal(2, i32)}, values{given[1]}, both);
        if (wanted == 3) return results;
        return {results[wanted]};
      }));
  }

  TEST_CASE("the iteration's number is a value, and wraps in the types it meets") {
    const graph counted = body_of({iteration, {element_type::int8, 2}, matrix},
                                  [](graph_builder& builder, const values& given) -> values {
                                    const graph_value number = builder.cast(given[0], element_type::int8);
                                    const graph_value product =
                                        builder.apply(operation::multiply, {number, number});
                                    return {builder.apply(operation::add, {given[1], product})};
                                  });
    check_kernels(graph_of({matrix, row}, [&](graph_builder& builder, const values& given) {
      const graph_value first = builder.cast(given[0], element_type::int8);
      return builder.repeat(builder.literal(300), values{first}, values{given[0]}, counted);
    }));
  }

  TEST_CASE("an element whose condition fails stays as it is from then on") {
    const graph grown = body_of(
        {iteration, matrix, {i64, 2}, row}, [](graph_builder& builder, const values& given) -> values {
          return {builder.apply(operation::less, {given[1], builder.literal(9.3f)}),
                  builder.apply(operation::multiply, {given[1], builder.literal(1.7f)}),
                  builder.apply(operation::add, {given[2], builder.literal(1)})};
        });
    check_kernels(graph_of({matrix, row}, [&](graph_builder& builder, const values& given) {
      return builder.repeat_while(values{given[0], builder.literal(0, i64)}, values{given[1]}, grown);
    }));
  }

  TEST_CASE("a choice takes one side for each element") {
    const graph dear = body_of({matrix, row}, [](graph_builder& builder, const values& given) -> values {
      graph_value made = given[0];
      for (int i = 0; i < 6; ++i) made = builder.apply(operation::true_divide, {given[1], made});
      return {made, given[1]};
    });
    const graph cheap = body_of({matrix, row}, [](graph_builder& builder, const values& given) -> values {
      return {given[1], builder.literal(3.0f, f32)};
    });
    for (const bool exchanged : {false, true})
      check_kernels(graph_of({matrix, row}, [&](graph_builder& builder, const values& given) {
        const graph_value large = builder.apply(operation::greater, {given[0], builder.literal(0.5f)});
        return builder.when(large, values{given[0], given[1]}, exchanged ? cheap : dear,
                            exchanged ? dear : cheap);
      }));
  }

  TEST_CASE("a function in a body is the same function, for arguments of its fast path and for all others") {
    const std::vector<float> numbers{0,    -0.0f,  1,     -1,    0.3f,     88,        100,
                                     -100, 1e-40f, 1e30f, -1e5f, INFINITY, -INFINITY, NAN};
    std::vector<float> many;
    for (std::size_t i = 0; i < 1000; ++i)
      many.push_back(i % 7 == 0 ? numbers[i / 7 % numbers.size()] : 0.01f * static_cast<float>(i));
    const auto x = array<float, 1>::from(many, {static_cast<std::int64_t>(many.size())});
    const auto in_body =
        fuse([](auto x) { return repeat(1, x, [](auto x) { return exp(x) + sin(x) + tanh(x); }); });
    const auto outside = fuse([](auto x) { return exp(x) + sin(x) + tanh(x); });
    const std::vector<float> a = in_body(x).to_vector(), b = outside(x).to_vector();
    CHECK(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
  }

  TEST_CASE(
      "a dear loop whose result is broadcast runs once for each of its elements, in a stage of its own") {
    const auto dear = fuse(
        [](auto x, auto y) { return x * repeat(200, y, [&](auto r) { return 0.5f * (r + 1.0f / r); }); });
    const auto cheap = fuse([](auto x, auto y) { return x * repeat(1, y, [](auto r) { return r + 1.0f; }); });
    const auto x = full<float>({512, 512}, 2.0f);
    const auto y = full<float>({512}, 3.0f);
    CHECK(dear.explain(x, y).find("stage 2") != std::string::npos);
    CHECK(cheap.explain(x, y).find("stage 2") == std::string::npos);
    CHECK(dear(x, y).to_vector()[1000] == doctest::Approx(2.0f));
  }

  TEST_CASE("bodies in bodies in bodies") {
    const graph grown =
        body_of({iteration, matrix, row}, [](graph_builder& builder, const values& given) -> values {
          return {builder.apply(operation::less, {given[1], builder.literal(2.03f)}),
                  builder.apply(
                      operation::add,
                      {builder.apply(operation::multiply, {given[1], builder.literal(1.5f)}), given[2]})};
        });
    const graph then = body_of({matrix, row}, [&](graph_builder& builder, const values& given) {
      return builder.repeat_while(values{given[0]}, values{given[1]}, grown);
    });
    const graph otherwise = body_of({matrix, row}, [](graph_builder& builder, const values& given) -> values {
      return {builder.apply(operation::multiply, {given[0], builder.literal(0.3f)})};
    });
    const graph outer = body_of({iteration, matrix, row}, [&](graph_builder& builder, const values& given) {
      const graph_value small = builder.apply(operation::less, {given[1], builder.literal(1.07f)});
      return builder.when(small, values{given[1], given[2]}, then, otherwise);
    });
    check_kernels(graph_of({matrix, row}, [&](graph_builder& builder, const values& given) {
      return builder.repeat(builder.literal(4), values{given[0]}, values{given[1]}, outer);
    }));
  }

  TEST_CASE("loops stand beside reductions and scans in one nest: before, between and behind them") {
    const auto softer = [](graph_builder& builder, graph_value x, graph_value moved) {
      return builder.repeat(builder.literal(3), values{x}, values{moved},
                            scaled_and_moved(0.5f, matrix, matrix))[0];
    };
    for (const unsigned axis : {0u, 1u}) {
      check_kernels(
          graph_of({matrix, row},
                   [&](graph_builder& builder, const values& given) -> values {
                     const graph_value most = builder.reduce(operation::max, given[0], 1u << axis, true);
                     const graph_value each = softer(builder, given[0], most);
                     const graph_value again = builder.reduce(operation::min, each, 1u << axis, true);
                     const graph_value of_row = softer(builder, again, most);
                     return {builder.apply(operation::subtract, {each, of_row}), of_row};
                   }),
          {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {5, 1}});
      check_kernels(
          graph_of({matrix, row},
                   [&](graph_builder& builder, const values& given) -> values {
                     const graph_value whole = builder.cast(softer(builder, given[0], given[0]), i64);
                     const graph_value sums = builder.scan(operation::cumsum, whole, axis);
                     const graph moved = body_of({iteration, {i64, 2}, {i64, 2}},
                                                 [](graph_builder& inside, const values& of) -> values {
                                                   const graph_value next =
                                                       inside.apply(operation::add, {of[1], of[0]});
                                                   return {inside.apply(operation::add, {next, of[2]})};
                                                 });
                     // captured behind the scan, computed before it
                     const graph_value tripled =
                         builder.apply(operation::multiply, {whole, builder.literal(3)});
                     return builder.repeat(builder.literal(4), values{sums}, values{tripled}, moved);
                   }),
          {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {5, 1}});
    }
  }
}

}  // namespace sinter::test
