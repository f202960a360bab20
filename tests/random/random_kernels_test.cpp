// Kernels of random numbers on each device and as CUDA's texts in the simulator, specialised and
// shape-generic, beside the interpreter: bits, integers and uniforms are the same to the bit.

#include "../bodies/check_kernels.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/loops_after.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/print/emit.hpp>
#include <sinter/dsl/random/compose_permutation.hpp>
#include <sinter/dsl/random/compose_random.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

namespace sinter::test {
namespace {

constexpr element_type u32 = element_type::uint32, u64 = element_type::uint64;

graph_value drawn_like(graph_builder& builder, detail::drawn what, element_type type, graph_value like,
                       std::initializer_list<graph_value> numbers = {}) {
  values operands{like};
  operands.insert(operands.end(), numbers);
  operands.push_back(builder.literal(u64, 0x299f31d0a4093822));
  operands.push_back(builder.literal(u64, 0x0370734413198a2e));
  return detail::compose_random(builder, detail::packed_draw(what, type), operands,
                                std::source_location::current());
}
graph_value bits_like(graph_builder& builder, graph_value like) {
  return drawn_like(builder, detail::drawn::bits, u32, like);
}
graph_value transposed(graph_builder& builder, graph_value x) {
  const view_item items[] = {{view_item::kind::permute, literal_bound(1), {}, {}},
                             {view_item::kind::permute, literal_bound(0), {}, {}}};
  return builder.view(x, items);
}

template <class Made>
void check(Made made) {
  for (const arithmetic_mode mode :
       {arithmetic_mode::standard, arithmetic_mode::strict, arithmetic_mode::fast})
    check_kernels(graph_of({matrix, row}, made, mode),
                  {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {0, 5}, {5, 1}, {6, 6}});
}

/// The PTX of what is drawn and added to an array, of vectors of four lanes.
std::string ptx_of_sum(detail::drawn what, element_type type) {
  graph_builder b;
  const graph_value x = b.input(f32, 1);
  b.output(b.apply(operation::add, {x, b.cast(drawn_like(b, what, type, x), f32)}));
  const kernel_text text = emit(lower(b.recorded(), {contiguous({1 << 20})}, cuda_facts()).stages[0]);
  return runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::ptx}).code;
}

}  // namespace

TEST_SUITE("kernels of random numbers") {
  TEST_CASE("bits, uniforms, integers and bernoulli are the interpreter's") {
    check([](graph_builder& b, const values& given) -> values {
      return {bits_like(b, given[0]), drawn_like(b, detail::drawn::bits, u64, given[0]),
              drawn_like(b, detail::drawn::uniform, f32, given[0])};
    });
    check([](graph_builder& b, const values& given) -> values {
      return {drawn_like(b, detail::drawn::uniform, element_type::float64, given[0]),
              drawn_like(b, detail::drawn::uniform, element_type::float16, given[0]),
              drawn_like(b, detail::drawn::uniform, element_type::bfloat16, given[0])};
    });
    check([](graph_builder& b, const values& given) -> values {
      const graph_value low = b.literal(-5, i64), high = b.literal(1000, i64);
      return {drawn_like(b, detail::drawn::randint, i32, given[0], {low, high}),
              drawn_like(b, detail::drawn::randint, i64, given[0], {low, high}),
              drawn_like(b, detail::drawn::bernoulli, element_type::boolean, given[0], {given[1]})};
    });
  }

  TEST_CASE("on GPUs the lanes of an aligned vector share a block") {
    if (nvrtc_is_missing()) return;
    const auto multiplications = [](const std::string& ptx) {
      return times(ptx, "mul.") + times(ptx, "mad.");
    };
    // a block has 20, of halves that count apart: one beside four for vectors that are not aligned, of 64
    // bits two beside four
    CHECK(multiplications(ptx_of_sum(detail::drawn::bits, u32)) < 210);
    CHECK(multiplications(ptx_of_sum(detail::drawn::bits, u64)) < 250);
    CHECK(multiplications(ptx_of_sum(detail::drawn::normal, f32)) < 240);
  }

  TEST_CASE("beside elements that are read, and like a row that is broadcast") {
    check([](graph_builder& b, const values& given) -> values {
      return {b.apply(operation::where, {drawn_like(b, detail::drawn::bernoulli, element_type::boolean,
                                                    given[0], {b.literal(0.5f)}),
                                         given[0], given[1]}),
              b.apply(operation::bitwise_xor, {bits_like(b, given[0]), bits_like(b, given[1])})};
    });
  }

  TEST_CASE("like a transposed matrix, and transposed after the draw") {
    check([](graph_builder& b, const values& given) -> values {
      return {bits_like(b, transposed(b, given[0])), transposed(b, bits_like(b, given[0]))};
    });
  }

  TEST_CASE("slices of what is drawn are slices of the whole") {
    check([](graph_builder& b, const values& given) -> values {
      const view_item items[] = {{view_item::kind::slice, literal_bound(0), {}, literal_bound(2)},
                                 {view_item::kind::slice, literal_bound(-1), {}, literal_bound(-3)}};
      return {b.view(bits_like(b, given[0]), items), bits_like(b, b.view(given[0], items))};
    });
  }

  TEST_CASE("axes that go on past their ends, in one axis") {
    check([](graph_builder& b, const values& given) -> values {
      const graph_value drawn = bits_like(b, given[0]);
      const graph_value wrapped =
          b.extended(drawn, 0, extension::wrap, b.literal(-1, i64), b.extent(drawn, 0));
      return {wrapped, b.merged(drawn, 0)};
    });
  }

  TEST_CASE("sums along rows, along columns and over all") {
    check([](graph_builder& b, const values& given) -> values {
      const graph_value drawn = b.cast(bits_like(b, given[0]), u64);
      return {b.reduce(operation::sum, drawn, 1), b.reduce(operation::sum, drawn, 2),
              b.reduce(operation::sum, drawn, 3)};
    });
  }

  TEST_CASE("permutations, and rows and columns that are shuffled") {
    check([](graph_builder& b, const values& given) -> values {
      const rng::stream_of_words stream{b.literal(42), b.literal(3)};
      return {rng::permutation(b, b.extent(given[0], 0), stream), rng::shuffled(b, given[0], 0, stream),
              rng::shuffled(b, given[0], 1, stream)};
    });
  }

  TEST_CASE("computed again in a second stage") {
    check([](graph_builder& b, const values& given) -> values {
      const graph_value drawn = bits_like(b, given[0]);
      return {b.apply(operation::subtract, {drawn, b.reduce(operation::sum, b.cast(drawn, u64), 2, true)}),
              b.scan(operation::cumsum, drawn, 1)};
    });
  }
}

}  // namespace sinter::test
