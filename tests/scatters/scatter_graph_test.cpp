// Graphs that write at positions that are values: what they are as text and bytes, what is refused, and what
// a call says of an index out of range.

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>

#include "../bodies/check_kernels.hpp"
#include "scatter_broadcast.hpp"

namespace sinter::test {
namespace {

struct scattered {
  element_type base = i64, index = i64;
  operation combine = operation::add;
  scatter_rule rule = scatter_rule::reported;
  unsigned axis = 0;
};

graph scatter_of(const scattered& at) {
  graph_builder builder;
  const graph_value base = builder.input(at.base, 1), index = builder.input(at.index, 1),
                    updates = builder.input(at.base, 1);
  builder.output(scatter_broadcast(builder, base, index, updates, {at.axis, at.combine, at.rule, at.axis}));
  return builder.recorded();
}

bits called(const graph& recorded, const bits& index, std::int64_t updates, const bits& base = {10, 20, 30}) {
  const device on = device::cpu();
  const auto count = static_cast<std::int64_t>(index.size());
  std::vector<placed_array> arrays;
  arrays.emplace_back(i64, base, shape{static_cast<std::int64_t>(base.size())}, placement::contiguous, on);
  arrays.emplace_back(i64, index, shape{count}, placement::contiguous, on);
  arrays.emplace_back(i64, bits(static_cast<std::size_t>(updates), 1), shape{updates}, placement::contiguous,
                      on);
  return run(runtime::intern(recorded), arrays, {}, on, lowering_variant::specialised)[0];
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& refused) {
    return refused.what();
  }
  return "";
}
bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

constexpr auto minus_one = static_cast<std::uint64_t>(-1);

}  // namespace

TEST_SUITE("graphs of scatters") {
  TEST_CASE("are the same after their bytes, and say what they combine") {
    const graph made = scatter_of({.combine = operation::maximum, .rule = scatter_rule::dropped});
    graph read;
    std::string fault;
    CHECK(read_graph(to_bytes(made), read, fault, {}));
    CHECK(fault.empty());
    CHECK(read.same_content(made));
    CHECK(says(to_string(made), "maximum, axis 0, within"));
    CHECK(says(to_string(scatter_of({})), "add, axis 0, checked"));
  }

  TEST_CASE(
      "take integers of four and eight bytes, operations whose order does not matter, and sums of floats") {
    for (const element_type type : {element_type::float32, element_type::float64}) {
      CHECK(refusal([&] { scatter_of({.base = type}); }).empty());
      CHECK(
          says(refusal([&] { scatter_of({.base = type, .combine = operation::maximum}); }), "in any order"));
    }
    for (const element_type type :
         {element_type::float16, element_type::int16, element_type::boolean, element_type::complex64})
      CHECK(says(refusal([&] { scatter_of({.base = type}); }), "in any order"));
    CHECK(says(refusal([] { scatter_of({.combine = operation::subtract}); }), "in any order"));
    CHECK(says(refusal([] { scatter_of({.index = element_type::float32}); }), "an index is an integer"));
    CHECK(says(refusal([] { scatter_of({.index = element_type::boolean}); }), "use where or compress"));
    CHECK(says(refusal([] { scatter_of({.axis = 1}); }), "there is no axis 1"));
  }

  TEST_CASE("an index counts from the end where it is negative, and is an error out of range") {
    CHECK(called(scatter_of({}), {0, minus_one, 0}, 3) == bits{12, 20, 31});
    const std::string text = refusal([] { called(scatter_of({}), {0, 3, 1}, 3); });
    CHECK(says(text, "scatter into int64[:] along axis 0"));
    CHECK(says(text, "index 3 is out of range: the axis has 3 elements"));
  }

  TEST_CASE("updates out of range are left out if that is asked for, negative ones, too") {
    CHECK(called(scatter_of({.rule = scatter_rule::dropped}), {0, minus_one, 3, 2}, 4) == bits{11, 20, 31});
  }

  TEST_CASE("no updates leave the base as it is, and one is repeated for each index") {
    CHECK(called(scatter_of({}), {}, 0) == bits{10, 20, 30});
    CHECK(called(scatter_of({}), {1, 1, 1, 1}, 1) == bits{10, 24, 30});
  }

  TEST_CASE("an array without elements has none at any index") {
    CHECK(called(scatter_of({}), {}, 0, {}) == bits{});
    CHECK(called(scatter_of({.rule = scatter_rule::dropped}), {0, 1}, 2, {}) == bits{});
    CHECK(says(refusal([] { called(scatter_of({}), {0}, 1, {}); }), "the axis has 0 elements"));
  }

  TEST_CASE("indices and updates of different lengths are refused") {
    CHECK(says(refusal([] { called(scatter_of({}), {0, 1, 2}, 2); }),
               "only an axis of one element is broadcast"));
  }
}

}  // namespace sinter::test
