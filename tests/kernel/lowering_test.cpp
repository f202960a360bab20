// The lowering pass as a whole: which facts make a new kernel, and that equal signatures mean equal text.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;
constexpr std::int64_t million = 1 << 20;
constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;

/// A function and the layouts of its arrays, for any extents.
struct family {
  std::string name;
  graph recorded;
  unsigned axes;
  std::function<std::vector<layout>(const shape&)> arrays;
};

graph masked_points() {
  graph_builder builder;
  const graph_value points = builder.input(f32, 2), mask = builder.input(element_type::boolean, 1);
  const std::vector<view_item> column{all_of(), new_axis()};
  const graph_value inf = builder.literal(f32, 0x7f800000, true);
  builder.output(builder.apply(operation::where, {builder.view(mask, column), inf, points}));
  return builder.recorded();
}

graph axpy() {
  graph_builder builder;
  const graph_value a = builder.parameter(f32), x = builder.input(f32, 1), y = builder.input(f32, 1);
  builder.output(builder.apply(operation::add, {builder.apply(operation::multiply, {a, x}), y}));
  return builder.recorded();
}

graph distances() {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2), y = builder.input(f32, 2);
  const std::vector<view_item> down{all_of(), new_axis(), all_of()}, across{new_axis(), all_of(), all_of()};
  const graph_value apart =
      builder.apply(operation::subtract, {builder.view(x, down), builder.view(y, across)});
  builder.output(builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 4u));
  return builder.recorded();
}

std::vector<family> families() {
  std::vector<family> all;
  all.push_back(
      {"contiguous", axpy(), 1, [](const shape& n) { return std::vector{contiguous(n), contiguous(n)}; }});
  all.push_back({"unaligned", axpy(), 1,
                 [](const shape& n) { return std::vector{unaligned(contiguous(n)), contiguous(n)}; }});
  all.push_back({"every second", axpy(), 1,
                 [](const shape& n) { return std::vector{strided(n, {2}), contiguous(n)}; }});
  all.push_back(
      {"backwards", axpy(), 1, [](const shape& n) { return std::vector{strided(n, {-1}), contiguous(n)}; }});
  const graph wide_pair = sum_of({{element_type::float64, 2}, {f32, 2}});
  const graph with_row = sum_of({{f32, 2}, {f32, 1}}), pair = sum_of({{f32, 2}, {f32, 2}});
  all.push_back({"row broadcast", with_row, 2,
                 [](const shape& n) { return std::vector{contiguous(n), contiguous({n[1]})}; }});
  all.push_back({"column broadcast", pair, 2,
                 [](const shape& n) { return std::vector{contiguous(n), contiguous({n[0], 1})}; }});
  all.push_back({"outer sum", pair, 2,
                 [](const shape& n) { return std::vector{contiguous({1, n[1]}), contiguous({n[0], 1})}; }});
  all.push_back(
      {"transposed", pair, 2, [](const shape& n) { return std::vector{contiguous(n), transposed(n)}; }});
  all.push_back({"padded rows", pair, 2,
                 [](const shape& n) { return std::vector{strided(n, {n[1] + 4, 1}), contiguous(n)}; }});
  all.push_back({"every second column", pair, 2,
                 [](const shape& n) { return std::vector{strided(n, {2 * n[1] + 2, 2}), contiguous(n)}; }});
  all.push_back({"transposed and wider", wide_pair, 2, [](const shape& n) {
                   return std::vector{transposed(n, element_type::float64), contiguous(n)};
                 }});
  all.push_back({"masked points", masked_points(), 1, [](const shape& n) {
                   return std::vector{contiguous({n[0], 3}), contiguous(n, element_type::boolean)};
                 }});
  all.push_back({"distances of points", distances(), 2,
                 [](const shape& n) { return std::vector{contiguous({n[0], 3}), contiguous({n[1], 3})}; }});
  all.push_back({"masked points of four", masked_points(), 1, [](const shape& n) {
                   return std::vector{contiguous({n[0], 4}), contiguous(n, element_type::boolean)};
                 }});
  return all;
}

/// Sizes around every vector and tile width, and around the limits of 32-bit numbers.
std::vector<shape> sizes_of(unsigned axes, std::int64_t least) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = least; n <= 40; ++n) lengths.push_back(n);
  for (const std::int64_t near : {std::int64_t{256}, std::int64_t{1024}, million})
    for (const std::int64_t n : {near - 1, near, near + 1}) lengths.push_back(n);
  std::vector<shape> all;
  if (axes == 1) {
    for (const std::int64_t n : lengths) all.push_back({n});
    for (const std::int64_t n : {two_to_31 - 1, two_to_31, two_to_31 + 1, 2 * two_to_31 + 1})
      all.push_back({n});
    return all;
  }
  for (const std::int64_t rows : lengths)
    for (const std::int64_t columns : lengths) all.push_back({rows, columns});
  for (const std::int64_t n : {two_to_31 - 1, two_to_31, two_to_31 + 1}) {
    all.push_back({n, least});
    all.push_back({least, n});
    all.push_back({n, 64});
    all.push_back({64, n});
  }
  return all;
}

/// Lowers a call of the family's function; its scalar, if it has one, is 2.
lowered_call lower_sized(const family& at, const shape& size, const target_facts& target) {
  const std::vector<std::uint64_t> scalars(at.recorded.parameters.size(), 0x40000000);
  return lower(at.recorded, at.arrays(size), target, {}, scalars);
}

std::set<std::string> kernels_of(const family& at, const target_facts& target, std::int64_t least) {
  std::set<std::string> signatures;
  for (const shape& size : sizes_of(at.axes, least)) {
    const lowered_call lowered = lower_sized(at, size, target);
    for (std::size_t i = 0; i < lowered.stage_count; ++i) signatures.insert(lowered.stages[i].signature);
  }
  return signatures;
}

TEST_CASE("no function needs more than three kernels for all sizes of a layout") {
  for (const family& at : families())
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      INFO(at.name, " on target ", static_cast<int>(target.kind));
      CHECK(kernels_of(at, target, 2).size() <= 3);
    }
}

TEST_CASE("extents of 1, which make another layout, add no more than the ranks below") {
  for (const family& at : families())
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      INFO(at.name, " on target ", static_cast<int>(target.kind));
      CHECK(kernels_of(at, target, 1).size() <= (at.axes == 1 ? 3 : 6));
    }
}

TEST_CASE("equal signatures have byte-equal text and unequal text has unequal signatures") {
  for (const family& at : families())
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      INFO(at.name);
      std::vector<shape> sizes = sizes_of(at.axes, 1);
      std::map<std::string, std::string> texts;
      for (const bool reversed : {false, true}) {
        for (std::size_t i = 0; i < sizes.size(); i += 7) {
          const shape& size = reversed ? sizes[sizes.size() - 1 - i] : sizes[i];
          const lowered_call lowered = lower_sized(at, size, target);
          const std::string text = text_of(lowered.stages[0]);
          const auto [found, fresh] = texts.emplace(lowered.stages[0].signature, text);
          if (!fresh) CHECK(found->second == text);
        }
      }
      std::set<std::string> distinct;
      for (const auto& [signature, text] : texts) distinct.insert(text);
      CHECK(distinct.size() <= texts.size());
    }
}

TEST_CASE("how many threads a CPU has is in no kernel, so that sums and packs are the same on all") {
  using recording = std::function<graph_value(graph_builder&, graph_value)>;
  const recording recordings[] = {
      [](graph_builder& b, graph_value x) { return b.reduce(operation::sum, x, 2u, false); },
      [](graph_builder& b, graph_value x) { return b.reduce(operation::sum, x, 1u, false); },
      [](graph_builder& b, graph_value x) { return b.reduce(operation::max, x, 3u, false); },
      [](graph_builder& b, graph_value x) { return b.scan(operation::cumsum, x, 1); },
      [](graph_builder& b, graph_value x) { return b.scan(operation::cumsum, x, 0); },
      [](graph_builder& b, graph_value x) {
        const graph_value centred = b.apply(operation::subtract, {x, b.reduce(operation::max, x, 2u, true)});
        return b.reduce(operation::sum, b.apply(operation::exp, {centred}), 2u, false);
      }};
  for (const recording& record : recordings) {
    graph_builder builder;
    builder.restart();
    builder.output(record(builder, builder.input(f32, 2)));
    for (const shape& extents :
         {shape{2, 3}, shape{1, 1 << 24}, shape{3, 1 << 20}, shape{5000, 5000}, shape{1 << 22, 3}}) {
      std::set<std::vector<std::string>> found;
      for (const int threads : {1, 2, 7, 64, 256}) {
        target_facts target = cpu_facts();
        target.multiprocessors = threads;
        const lowered_call lowered = lower(builder.recorded(), {contiguous(extents)}, target);
        std::vector<std::string> signatures;
        for (std::size_t i = 0; i < lowered.stage_count; ++i)
          signatures.push_back(lowered.stages[i].signature);
        found.insert(signatures);
      }
      CHECK(found.size() == 1);
    }
  }
}

TEST_CASE("another process emits the same bytes") {
  const auto write_all = [](std::ostream& out) {
    for (const family& at : families())
      for (const target_facts& target : {cuda_facts(), cpu_facts()})
        for (const std::int64_t n : {1, 5, 16, 1000}) {
          const shape size(at.axes, n);
          const lowered_call lowered = lower_sized(at, size, target);
          out << lowered.stages[0].signature << text_of(lowered.stages[0]);
        }
  };
  if (const char* path = std::getenv("SINTER_TEST_TEXTS")) {
    std::ofstream out(path, std::ios::binary);
    write_all(out);
    return;
  }
  const std::string path = "lowering_test_texts_of_another_process";
  const std::string command =
      "SINTER_TEST_TEXTS=" + path +
      " /proc/$PPID/exe '--test-case=another process emits the same bytes' > /dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream in(path, std::ios::binary);
  const std::string theirs{std::istreambuf_iterator<char>(in), {}};
  std::remove(path.c_str());
  std::ostringstream ours;
  write_all(ours);
  CHECK(theirs.size() > 10000);
  CHECK(theirs == ours.str());
}

TEST_CASE("extents, strides and scalars are arguments: none of them is in the text") {
  const graph recorded = sum_of({{f32, 2}, {f32, 2}});
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    const auto text = [&](std::int64_t rows, std::int64_t columns, std::int64_t padding) {
      const lowered_call lowered = lower(
          recorded, {strided({rows, columns}, {columns + padding, 1}), contiguous({rows, columns})}, target);
      return text_of(lowered.stages[0]);
    };
    CHECK(text(1000, 2000, 4) == text(3000, 400, 8));
    CHECK(text(1000, 2000, 4).find("2004") == std::string::npos);
  }
}

TEST_CASE("types, modes, names, broadcast patterns and vector widths are in the signature") {
  const auto signature = [](const graph& recorded, const std::vector<layout>& arrays,
                            const target_facts& target) {
    return lower(recorded, arrays, target).stages[0].signature;
  };
  const std::vector<layout> line{contiguous({1000}), contiguous({1000})};
  const graph plain = sum_of({{f32, 1}, {f32, 1}});
  graph strict = plain, named = plain;
  strict.mode = arithmetic_mode::strict;
  named.name = "softmax";
  target_facts older = cuda_facts();
  older.architecture = 80;
  const std::set<std::string> all{
      signature(plain, line, cuda_facts()),
      signature(plain, line, older),
      signature(plain, line, cpu_facts()),
      signature(strict, line, cuda_facts()),
      signature(named, line, cuda_facts()),
      signature(plain, {unaligned(contiguous({1000})), contiguous({1000})}, cuda_facts()),
      signature(plain, {contiguous({1}), contiguous({1000})}, cuda_facts()),
      signature(sum_of({{element_type::float64, 1}, {f32, 1}}),
                {contiguous({1000}, element_type::float64), contiguous({1000})}, cuda_facts()),
  };
  CHECK(all.size() == 8);
}

TEST_CASE("results of one shape share a kernel and others have their own") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2), row = builder.input(f32, 1);
  builder.output(builder.apply(operation::add, {x, row}));
  builder.output(builder.apply(operation::negative, {row}));
  builder.output(builder.apply(operation::negative, {x}));
  const lowered_call lowered = lower(builder.recorded(), {contiguous({5, 7}), contiguous({7})}, cpu_facts());
  CHECK(lowered.stage_count == 2);
  CHECK(lowered.stages[0].body.stores.size() == 2);
  CHECK(lowered.stages[1].body.stores.size() == 1);
  CHECK(lowered.results[1].extents == shape{7});
}

TEST_CASE("an output may be an input only where each element reads itself alone") {
  const graph plain = sum_of({{f32, 2}, {f32, 2}});
  const auto overwritable = [](const graph& recorded, const std::vector<layout>& arrays) {
    return lower(recorded, arrays, cuda_facts()).overwritable;
  };
  using flags = std::vector<std::uint8_t>;
  CHECK(overwritable(plain, {contiguous({30, 40}), contiguous({30, 40})}) == flags{1, 1});
  CHECK(overwritable(plain, {contiguous({30, 40}), transposed({30, 40})}) == flags{1, 0});
  CHECK(overwritable(plain, {contiguous({30, 40}), contiguous({1, 40})}) == flags{1, 0});

  graph_builder stencil;
  const graph_value x = stencil.input(f32, 1);
  const std::vector<view_item> turned{every(-1)};
  stencil.output(stencil.apply(operation::add, {x, stencil.view(x, turned)}));
  CHECK(overwritable(stencil.recorded(), {contiguous({100})}) == flags{0});
}

TEST_CASE("an output may be an input that earlier stages read anywhere, and later ones not at all") {
  using flags = std::vector<std::uint8_t>;
  graph_builder scaled;  // the sum of a long row is a stage of its own
  const graph_value x = scaled.input(f32, 1);
  scaled.output(scaled.apply(operation::multiply, {x, scaled.reduce(operation::sum, x, 1, true)}));
  const lowered_call lowered = lower(scaled.recorded(), {contiguous({1 << 24})}, cuda_facts());
  CHECK(lowered.stage_count > 1);
  CHECK(lowered.overwritable == flags{1});

  graph_builder also_its_mean;
  const graph_value y = also_its_mean.input(f32, 1);
  also_its_mean.output(also_its_mean.apply(operation::negative, {y}));
  also_its_mean.output(also_its_mean.reduce(operation::sum, y, 1));
  CHECK(lower(also_its_mean.recorded(), {contiguous({1 << 24})}, cuda_facts()).overwritable == flags{0});
}

TEST_CASE("a stage that copies an input to a result is known, and no other is taken for one") {
  const auto copied = [](const graph& recorded, const layout& input) {
    return find_copied_array(lower(recorded, {input}, cuda_facts()).stages[0].body).has_value();
  };
  const auto identity = [](bool turned, bool doubled) {
    graph_builder builder;
    const graph_value x = builder.input(f32, 1);
    const std::vector<view_item> backward{every(-1)};
    const graph_value y = turned ? builder.view(x, backward) : x;
    builder.output(doubled ? builder.apply(operation::add, {y, y}) : y);
    return builder.recorded();
  };
  CHECK(copied(identity(false, false), contiguous({100})));
  CHECK(!copied(identity(true, false), contiguous({100})));
  CHECK(!copied(identity(false, true), contiguous({100})));
}

TEST_CASE("a multiplication that only an addition uses is fused with it, except in strict mode") {
  const auto fused = [](arithmetic_mode mode) {
    graph recorded = axpy();
    recorded.mode = mode;
    const std::uint64_t alpha = 0;
    const lowered_call lowered =
        lower(recorded, {contiguous({100}), contiguous({100})}, cpu_facts(), {}, std::span(&alpha, 1));
    return lowered.stages[0].body.body.back().fused;
  };
  CHECK(fused(arithmetic_mode::standard));
  CHECK(fused(arithmetic_mode::fast));
  CHECK(!fused(arithmetic_mode::strict));
}

TEST_CASE("into arrays that do not fit are refused with both shapes") {
  const graph recorded = sum_of({{f32, 1}, {f32, 1}});
  const std::vector<layout> inputs{contiguous({10}), contiguous({10})};
  const auto message = [&](const std::vector<layout>& outputs) -> std::string {
    try {
      lower(recorded, inputs, cpu_facts(), outputs);
      return {};
    } catch (const error& failure) {
      return failure.what();
    }
  };
  CHECK(message({contiguous({10})}).empty());
  CHECK(message({contiguous({11})}).find("[10]") != std::string::npos);
  CHECK(message({contiguous({11})}).find("[11]") != std::string::npos);
  CHECK(message({contiguous({10, 1})}).find("[10, 1]") != std::string::npos);
  CHECK(message({contiguous({10}, element_type::float64)}).find("float64") != std::string::npos);
  CHECK(message({strided({10}, {0})}).find("stride 0") != std::string::npos);
  CHECK(message({contiguous({10}), contiguous({10})}).find("2 arrays for 1") != std::string::npos);
}

TEST_CASE("sizes near the end of 64 bits are counted without overflow, and those beyond are refused") {
  const graph pair = sum_of({{f32, 2}, {f32, 2}});
  const auto repeated = [](const shape& extents) { return strided(extents, {0, 0}); };
  const auto lower_shape = [&](const shape& extents) {
    return lower(pair, {repeated(extents), repeated(extents)}, cpu_facts());
  };
  constexpr std::int64_t large = std::int64_t{1} << 31;
  CHECK(lower_shape({large, large / 8}).stages[0].bytes_moved == (std::int64_t{1} << 61) + 8);
  CHECK(lower_shape({large, large / 2}).stages[0].bytes_moved == std::numeric_limits<std::int64_t>::max());
  CHECK(lower_shape({large, large}).stages[0].bytes_moved == std::numeric_limits<std::int64_t>::max());
  try {
    lower_shape({large, 2 * large});
    FAIL("nothing was thrown");
  } catch (const out_of_memory& thrown) {
    CHECK(std::string(thrown.what()).find("[2147483648, 4294967296]") != std::string::npos);
  }
  const graph cube = sum_of({{f32, 3}, {f32, 3}});
  const shape nothing{0, 2 * large, 2 * large};
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    const lowered_call lowered =
        lower(cube, {strided(nothing, {0, 0, 0}), strided(nothing, {0, 0, 0})}, target);
    CHECK(lowered.stages[0].tiles == 0);
    CHECK(lowered.results[0].extents == nothing);
  }
}

}  // namespace
}  // namespace sinter::test
