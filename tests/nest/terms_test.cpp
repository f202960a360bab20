// Where elements lie of arrays that go on past their ends, or are put together, repeated and reshaped: as
// strides wherever they say it, else as terms.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>

#include <algorithm>
#include <functional>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32, i64 = element_type::int64;

using made_of = std::function<graph_value(graph_builder&, graph_value)>;

graph graph_of(unsigned rank, const made_of& made) {
  graph_builder builder;
  builder.output(builder.apply(operation::negative, {made(builder, builder.input(f32, rank))}));
  return builder.recorded();
}
graph_value integer(graph_builder& builder, std::int64_t value) { return builder.literal(value, i64); }
graph_value extended(graph_builder& builder, graph_value x, unsigned axis, extension rule, std::int64_t first,
                     std::int64_t more) {
  const graph_value extent = builder.apply(operation::add, {builder.extent(x, axis), integer(builder, more)});
  return builder.extended(x, axis, rule, integer(builder, first), extent);
}

lowered_call lowered(const graph& recorded, const layout& input,
                     const target_facts& target = target_facts{.kind = target_kind::cpu}) {
  return lower(recorded, {input}, target);
}
const access& read_in(const nest& body) {
  return *std::ranges::find(body.accesses, access::kind::read, &access::what);
}
nest nest_of(const made_of& made, const shape& extents) {
  const lowered_call call =
      lowered(graph_of(static_cast<unsigned>(extents.size()), made), contiguous(extents));
  CHECK(call.stage_count == 1);
  return call.stages[0].body;
}
shape strides_of(const nest& body, const access& at) {
  return {at.strides.begin(), at.strides.begin() + body.rank};
}

}  // namespace

TEST_SUITE("terms of accesses") {
  TEST_CASE("a slice of what goes on past its ends has no term where it lies inside") {
    const nest body = nest_of(
        [](graph_builder& builder, graph_value x) {
          const graph_value wide = extended(builder, x, 0, extension::reflect, -3, 6);
          const view_item inside[] = {{view_item::kind::slice, literal_bound(3), literal_bound(-3), {}}};
          return builder.view(wide, inside);
        },
        {1000});
    CHECK(read_in(body).term_count == 0);
    CHECK(strides_of(body, read_in(body)) == shape{1});
  }

  TEST_CASE("past its ends it has one, and steps as it does inside") {
    const nest body = nest_of(
        [](graph_builder& builder, graph_value x) { return extended(builder, x, 1, extension::wrap, -1, 0); },
        {300, 2000});
    const access& read = read_in(body);
    REQUIRE(read.term_count == 1);
    CHECK(strides_of(body, read) == shape{1, 2000});
    CHECK(read.offset == -1);
    const access_term& term = terms_of(body, read)[0];
    CHECK(term.rule == position_rule::wrap_near);
    CHECK(term.extent == 2000);
    CHECK(term.stride == 1);
    CHECK(body.accesses[term.position].what == access::kind::position);
    CHECK(body.accesses[term.position].offset == -1);
    // lanes along the row may be anywhere, rows may not
    CHECK(read.pattern(0) == step_pattern::strided);
    CHECK_FALSE(has_term_along(body, read, 1));
    CHECK_FALSE(is_read_once(body, static_cast<std::uint32_t>(&read - body.accesses.data())));
  }

  TEST_CASE("an axis that is repeated, tiled or taken apart becomes two, and its reads are linear") {
    const nest each = nest_of(
        [](graph_builder& builder, graph_value x) {
          return builder.extended(x, 0, extension::repeat, integer(builder, 0), integer(builder, 3));
        },
        {1000});
    CHECK(each.terms.empty());
    CHECK(strides_of(each, read_in(each)) == shape{0, 1});
    const nest all = nest_of(
        [](graph_builder& builder, graph_value x) {
          return builder.extended(x, 0, extension::wrap, integer(builder, 0), integer(builder, 4000));
        },
        {1000});
    CHECK(all.terms.empty());
    CHECK(strides_of(all, read_in(all)) == shape{1, 0});
    const nest flat = nest_of(
        [](graph_builder& builder, graph_value x) {
          const view_item swapped[] = {{view_item::kind::permute, literal_bound(1), {}, {}},
                                       {view_item::kind::permute, literal_bound(0), {}, {}}};
          return builder.merged(builder.view(x, swapped), 0);
        },
        {300, 200});
    CHECK(flat.terms.empty());
  }

  TEST_CASE("what is put together and taken apart otherwise is split where both have a boundary") {
    const auto reshaped = [](std::int64_t columns) {
      return [columns](graph_builder& builder, graph_value x) {
        const view_item swapped[] = {{view_item::kind::permute, literal_bound(1), {}, {}},
                                     {view_item::kind::permute, literal_bound(0), {}, {}}};
        const graph_value flat = builder.merged(builder.view(x, swapped), 0);
        return builder.split(flat, 0, integer(builder, columns));
      };
    };
    // the turns of 300 begin inside of rows of 600, and behind several rows of 100
    for (const std::int64_t columns : {600, 100, 30'000, 60}) {
      const nest body = nest_of(reshaped(columns), {300, 200});
      CHECK(body.terms.empty());
      const shape strides = strides_of(body, read_in(body));
      CHECK(std::ranges::count(strides, 1) == 1);
      CHECK(std::ranges::count(strides, 200) == 1);
    }
    CHECK_FALSE(
        nest_of(reshaped(80), {300, 200}).terms.empty());  // 300 is neither a part nor a multiple of 80
  }

  TEST_CASE("axes that are taken apart as they were put together are those axes") {
    const nest body = nest_of(
        [](graph_builder& builder, graph_value x) {
          const graph_value flat = builder.merged(builder.merged(x, 0), 0);
          return builder.split(builder.split(flat, 0, integer(builder, 30)), 0, integer(builder, 20));
        },
        {10, 20, 30});
    CHECK(body.terms.empty());
    CHECK(body.rank == 1);  // contiguous, as a whole
  }

  TEST_CASE("windows and diagonals are strides") {
    const nest windows = nest_of(
        [](graph_builder& builder, graph_value x) { return builder.window(x, 0, integer(builder, 5)); },
        {1000});
    CHECK(windows.terms.empty());
    CHECK(strides_of(windows, read_in(windows)) == shape{1, 1});
    const nest diagonal = nest_of(
        [](graph_builder& builder, graph_value x) { return builder.diagonal(x, 0, 1, integer(builder, 2)); },
        {100, 100});
    CHECK(diagonal.terms.empty());
    CHECK(strides_of(diagonal, read_in(diagonal)) == shape{101});
    CHECK(read_in(diagonal).offset == 2);
  }

  TEST_CASE("what has a rule is stored before another rule moves it, unless both are one") {
    const auto twice = [](extension first, extension second) {
      return graph_of(1, [=](graph_builder& builder, graph_value x) {
        return extended(builder, extended(builder, x, 0, first, -2, 4), 0, second, -1, 2);
      });
    };
    CHECK(lowered(twice(extension::wrap, extension::reflect), contiguous({1000})).stage_count == 2);
    const graph halves = graph_of(2, [](graph_builder& builder, graph_value x) {
      const graph_value flat = builder.merged(x, 0);
      return builder.extended(flat, 0, extension::repeat, integer(builder, 0), integer(builder, 2));
    });
    CHECK(lowered(halves, strided({300, 200}, {1, 300})).stage_count == 1);
  }

  TEST_CASE("arrays in a row, rolls of rolls and edges of edges are moved once") {
    const auto one_stage = [](const made_of& made) {
      return lowered(graph_of(1, made), contiguous({1000})).stage_count == 1;
    };
    CHECK(one_stage([](graph_builder& builder, graph_value x) {
      graph_value all = x;
      for (int i = 0; i < 4; ++i) all = builder.concatenate(all, builder.concatenate(x, x, 0), 0);
      return all;
    }));
    for (const extension rule : {extension::wrap, extension::edge})
      CHECK(one_stage([&](graph_builder& builder, graph_value x) {
        return extended(builder, extended(builder, x, 0, rule, -7, rule == extension::wrap ? 0 : 14), 0, rule,
                        -5, rule == extension::wrap ? 0 : 10);
      }));
  }

  TEST_CASE("each array of a result is stored by itself, those of one shape by one kernel") {
    const graph three = [] {
      graph_builder builder;
      const graph_value x = builder.input(f32, 2);
      const graph_value twice = builder.concatenate(x, builder.apply(operation::negative, {x}), 0);
      const view_item row[] = {{view_item::kind::slice, {}, literal_bound(1), {}}};
      builder.output(builder.concatenate(twice, builder.view(x, row), 0));
      return builder.recorded();
    }();
    const lowered_call call = lowered(three, contiguous({3000, 4000}));
    REQUIRE(call.stage_count == 2);
    const nest& body = call.stages[0].body;
    REQUIRE(body.stores.size() == 2);
    CHECK(body.terms.empty());
    CHECK(body.accesses[body.stores[0].target].offset == 0);
    CHECK(body.accesses[body.stores[1].target].offset == 3000 * 4000);
    const nest& last = call.stages[1].body;
    CHECK(last.accesses[last.stores[0].target].offset == 6000 * 4000);
    // a launch takes longer than asking, for each element of a few, where it is
    CHECK(lowered(three, contiguous({30, 40}), cuda_facts()).stage_count == 1);
    CHECK(lowered(three, contiguous({3000, 4000}), cuda_facts()).stage_count == 2);
  }

  TEST_CASE("a signature whose terms are of no position, or of no access, is refused") {
    const graph rolled = graph_of(1, [](graph_builder& builder, graph_value x) {
      return extended(builder, x, 0, extension::wrap, -1, 0);
    });
    kernel_description described =
        read_signature(lowered(rolled, contiguous({1000})).stages[0].signature).value();
    const auto is_read = [&] {
      std::string bytes;
      write_signature(described, bytes);
      return read_signature(bytes).has_value();
    };
    REQUIRE(described.body.terms.size() == 1);
    CHECK(is_read());
    const std::uint32_t position = described.body.terms[0].position;
    const auto read =
        std::ranges::find(described.body.accesses, access_pattern::kind::read, &access_pattern::what);
    described.body.terms[0].position = static_cast<std::uint32_t>(read - described.body.accesses.begin());
    CHECK_FALSE(is_read());
    described.body.terms[0].position = 100;
    CHECK_FALSE(is_read());
    described.body.terms[0].position = position;
    read->term_count = 2;
    CHECK_FALSE(is_read());
    read->term_count = 1;
    described.body.terms[0].rule = static_cast<position_rule>(8);
    CHECK_FALSE(is_read());
  }
}

}  // namespace sinter::test
