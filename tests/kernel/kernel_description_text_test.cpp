// Descriptions of kernels as text: the output of 'sinter show --graph' for a signature, which may be
// arbitrary bytes.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "../support/sweep/sweep_layout.hpp"

namespace sinter::test {
namespace {

template <unsigned Rank>
using in = view<const float, Rank>;

/// The text of the description in a signature; nullopt if it has none.
std::optional<std::string> described(std::string_view signature) {
  const std::optional<kernel_description> read = read_signature(signature);
  return read ? std::optional(to_string(*read)) : std::nullopt;
}

/// The signatures of the stages of fuse("named", body) on a GPU.
template <class... Arguments, class Body>
std::vector<std::string> signatures_of(const std::vector<layout>& arrays, const Body& body,
                                       const std::vector<std::uint64_t>& scalars = {},
                                       arithmetic_mode mode = arithmetic_mode::standard) {
  detail::call_site site;
  site.name = "named";
  site.mode = mode;
  detail::frame recording(site, true);
  detail::record_declared<Body, Arguments...>(&body);
  const lowered_call lowered =
      lower(simplify(recording->steps.builder().recorded()), arrays, cuda_facts(), {}, scalars);
  std::vector<std::string> made;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) made.push_back(lowered.stages[i].signature);
  return made;
}

std::string softmax_signature() {
  return signatures_of<in<2>>({contiguous({4096, 4096})}, [](auto x) {
    const auto e = exp(x - max(x, axis<1>, keepdims));
    return e / sum(e, axis<1>, keepdims);
  })[0];
}

}  // namespace

TEST_CASE("a pointwise function is described line by line") {
  const std::string signature = signatures_of<float, in<1>, in<2>>(
      {contiguous({4096}), transposed({4096, 4096})},
      [](auto a, auto x, auto y) { return a * x + sqrt(y) * 2.5f; }, {0x40200000})[0];
  const std::optional<std::string> told = described(signature);
  REQUIRE(told.has_value());
  INFO(*told);
  CHECK(told->starts_with("kernel 'named' for compute capability 9.0, standard arithmetic, emitter "));
  CHECK(told->find("\nschedule: tiled vector=") != std::string::npos);
  CHECK(told->find("\narguments: pointer of a0, pointer of a1, pointer of a2, extent 0, extent 1, ") !=
        std::string::npos);
  CHECK(told->find("\naxes from the innermost: kept, kept\n") != std::string::npos);
  for (const char* part : {"read float32 [contiguous, broadcast]", "read float32 [strided, contiguous]",
                           "write float32 [contiguous, strided]", "= parameter 0 : float32\n", "= sqrt %",
                           "= literal 2.5 : float32\n", "multiply-add %", "store %"})
    CHECK_MESSAGE(told->find(part) != std::string::npos, part);
}

TEST_CASE("reductions are described with phases, reduced axes and what there is once a row") {
  const std::optional<std::string> told = described(softmax_signature());
  REQUIRE(told.has_value());
  INFO(*told);
  CHECK(told->find("\naxes from the innermost: reduced, kept; 3 phases\n") != std::string::npos);
  for (const char* part : {"= max %", "= exp %", "= sum %", ", phase 1, once a row\n", ", phase 3\n"})
    CHECK_MESSAGE(told->find(part) != std::string::npos, part);
}

TEST_CASE("stencils are described with where they read, and modes by their names") {
  const auto sum_of_neighbours = [](auto u) { return u(sinter::slice(1, -1)) + u(sinter::slice(0, -2)); };
  const std::optional<std::string> told = described(
      signatures_of<in<1>>({contiguous({100'000})}, sum_of_neighbours, {}, arithmetic_mode::strict)[0]);
  REQUIRE(told.has_value());
  INFO(*told);
  CHECK(told->find(", strict arithmetic, ") != std::string::npos);
  CHECK(told->find("1 elements and 0 rows from the corner of a") != std::string::npos);
}

TEST_CASE("complex numbers are described by their types") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::complex64, 1),
                    y = builder.input(element_type::complex128, 1);
  builder.output(builder.apply(operation::multiply, {x, y}));
  builder.output(builder.apply(operation::make_complex,
                               {builder.apply(operation::imag, {x}), builder.apply(operation::real, {x})}));
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    const lowered_call lowered = lower(
        simplify(builder.recorded()),
        {contiguous({4096}, element_type::complex64), contiguous({4096}, element_type::complex128)}, target);
    REQUIRE(lowered.stage_count == 1);
    const std::optional<std::string> told = described(lowered.stages[0].signature);
    REQUIRE(told.has_value());
    INFO(*told);
    for (const char* part : {"read complex64 [contiguous]", "read complex128 [contiguous]",
                             "write complex128 [contiguous]", "= make_complex %", " : complex64"})
      CHECK_MESSAGE(told->find(part) != std::string::npos, part);
  }
}

TEST_CASE("nests of nine axes are described: eight that do not merge, and one that counts pieces of a row") {
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(element_type::float32, 8), 1u << 7));
  shape extents(8, 2), strides(8);
  extents.back() = 1 << 22;
  std::int64_t stride = 1;
  for (std::size_t axis = 8; axis-- > 0; stride *= extents[axis] + 1) strides[axis] = stride;
  const lowered_call lowered = lower(simplify(builder.recorded()), {strided(extents, strides)}, cuda_facts());
  unsigned most = 0;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    most = std::max(most, lowered.stages[i].body.rank);
    const std::optional<std::string> told = described(lowered.stages[i].signature);
    REQUIRE_MESSAGE(told.has_value(), "stage ", i, " of ", lowered.stages[i].body.rank, " axes");
    CHECK(told->find("write float32 [") != std::string::npos);
  }
  CHECK(most == 9);
}

TEST_CASE(
    "signatures of arrays of every type and rank are read back, specialised and shape-generic, for both "
    "targets") {
  const extern_function<float(float)> linked(
      "linked", {.cuda = "extern \"C\" __device__ float linked(float a) { return a; }",
                 .cpp = "extern \"C\" float linked(float a) { return a; }"});
  std::size_t told = 0;
  const auto look = [&](const graph& recorded, const layout& array) {
    for (const target_facts& target : {cuda_facts(), cpu_facts()})
      for (const bool general : {false, true}) {
        const lowered_call lowered =
            general ? lower_general(recorded, {array}, target) : lower(recorded, {array}, target);
        for (std::size_t i = 0; i < lowered.stage_count; ++i) {
          REQUIRE_MESSAGE(described(lowered.stages[i].signature).has_value(), facts_of(array.type).name,
                          " of rank ", array.extents.size(), "\n", to_string(recorded));
          ++told;
        }
      }
  };
  for (unsigned rank = 1; rank <= max_rank; ++rank)
    for (const element_type_facts& type : element_types) {
      // axes that do not merge: as many as every call may have
      layout array{type.type, shape(rank, 1), shape(rank, 1)};
      std::int64_t stride = 1;
      for (unsigned axis = rank; axis-- > 0;) {
        array.extents[axis] = rank - axis <= 7 ? 3 : 1;
        array.strides[axis] = stride;
        stride *= array.extents[axis] + 1;
      }
      graph_builder builder;
      const graph_value x = builder.input(type.type, rank);
      builder.output(builder.reduce(operation::sum, x, 1u << (rank - 1), true));
      builder.output(builder.apply(operation::where,
                                   {builder.apply(operation::not_equal, {x, builder.cast(x, type.type)}), x,
                                    builder.literal(element_type::int64, 1, true)}));
      builder.output(builder.scan(operation::cumprod, x, rank / 2));
      if (type.type == element_type::float32) {
        const graph_value operands[] = {x};
        builder.output(builder.call(linked.erased(), operands));
      }
      look(simplify(builder.recorded()), array);
    }
  CHECK(told > 2000);
}

TEST_CASE("calls of a user's own function are described by its name, and what is linked is skipped") {
  const extern_function<float(float, float)> blend(
      "blend", {.cuda = "extern \"C\" __device__ float blend(float a, float b) { return a - b; }"});
  const auto body = [blend](auto x, auto y) { return blend(x, sqrt(y)); };
  const std::optional<std::string> told =
      described(signatures_of<in<1>, in<1>>({contiguous({4096}), contiguous({4096})}, body)[0]);
  REQUIRE(told.has_value());
  INFO(*told);
  CHECK(told->find("= external %") != std::string::npos);
  CHECK(told->find(", calls blend\n") != std::string::npos);
  CHECK(told->find("store %") != std::string::npos);
}

TEST_CASE(
    "signatures of other emitters, cut short or changed anywhere, are refused or described, and nothing "
    "else") {
  const std::string whole = softmax_signature();
  std::string other = whole;
  const std::uint64_t version = emitter_version + 1;
  std::memcpy(other.data(), &version, sizeof version);
  CHECK_FALSE(described(other).has_value());
  CHECK_FALSE(described("").has_value());
  std::size_t refused = 0;
  // the name at the end is not read
  for (std::size_t length = 0; length < whole.size() - std::string("named").size(); ++length)
    if (!described(whole.substr(0, length))) ++refused;
  CHECK(refused == whole.size() - std::string("named").size());
  std::size_t longest = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char bit : {char{1}, char{16}, static_cast<char>(128), static_cast<char>(255)}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ bit);
      if (const std::optional<std::string> told = described(changed))
        longest = std::max(longest, told->size());
    }
  CHECK(longest < 100'000);
}

}  // namespace sinter::test
