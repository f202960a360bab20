// The builder: the loops of a kernel for each shape of tiles and each target, before any pass.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"

#include <sstream>

namespace sinter::test {
namespace {

/// The lines of a tree that say what the builder does: which loops there are, and where it loads, combines,
/// finishes and stores. Of a line the first word or, of a loop, its variable and its kind.
std::string skeleton(const std::string& loops) {
  std::istringstream lines(loops);
  std::string made;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    const std::string indent(line.find_first_not_of(' ') / 2 * 2, ' ');
    if (first == "for") {
      const std::size_t comma = line.rfind(", ");
      const bool has_kind = comma != std::string::npos && line.find(" by ", comma) == std::string::npos;
      made += indent + "for " + second + (has_kind ? line.substr(comma) : "") + "\n";
    }
    for (const std::string_view kept : {"grid", "block", "load", "store", "combine", "finish", "one"})
      if (first == kept) made += indent + first + "\n";
  }
  return made;
}
std::string on_cpu(const graph& recorded, const layout& input) {
  return skeleton(cpu_loops_after("build_loops", recorded, input));
}
std::string on_gpu(const graph& recorded, const layout& input) {
  return skeleton(cuda_loops_after("build_loops", recorded, input));
}

graph doubled(unsigned rank) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, rank);
  builder.output(builder.apply(operation::add, {x, x}));
  return builder.recorded();
}

const layout short_rows = strided({100000, 7}, {20, 2});

TEST_CASE("rectangles of the CPU: tiles of two axes, in pieces of a fixed number of elements") {
  CHECK(on_cpu(doubled(2), transposed({300, 1000})) == R"(for tile
  for y
    for j
      for i, may speculate
)");
}

TEST_CASE("rectangles of GPUs: each thread loads, evaluates and stores its steps") {
  CHECK(on_gpu(doubled(1), contiguous({1000000})) == R"(grid
  block
    block
      for s, unrolled
          load
          for e, may speculate
          store
)");
}

TEST_CASE("runs of the CPU: pieces of consecutive elements, whatever rows they lie in") {
  CHECK(on_cpu(doubled(2), short_rows) == R"(for tile
  for x
    for done
    for j
      for i, may speculate
)");
}

TEST_CASE("runs of GPUs: each thread decodes its positions, then loads, evaluates and stores") {
  CHECK(on_gpu(doubled(2), short_rows) == R"(grid
  block
    block
      for s, unrolled
          for e, unrolled
            load
          for e, may speculate
          store
)");
}

TEST_CASE("groups of rows on GPUs: chunks of a row are loaded and combined, and the row is finished") {
  CHECK(on_gpu(sum_over(2, 2), contiguous({512, 1000})) == R"(grid
  block
    block
      for e, unrolled
      for start, chunks
        for s, unrolled
            load
            for e, may speculate
                combine
        for e, unrolled
          combine
      finish
)");
}

TEST_CASE("groups of rows on the CPU: lanes of a chunk are combined") {
  CHECK(on_cpu(sum_over(2, 2), contiguous({512, 1000})) == R"(for number
  for e, vector
  for x, chunks
    for e, lanes
      combine
  finish
)");
}

TEST_CASE("strips of columns on GPUs: each lane is a column, which is stored when it is finished") {
  CHECK(on_gpu(sum_over(1, 2), contiguous({512, 1000})) == R"(grid
  block
    block
      for e, unrolled
      for start, chunks
        for s, unrolled
            load
            for e, may speculate
              combine
        for e, unrolled
          combine
      finish
        for e, unrolled
        store
)");
}

TEST_CASE("strips of columns on the CPU") {
  CHECK(on_cpu(sum_over(1, 2), contiguous({512, 1000})) == R"(for tile
  for e, vector
  for r, chunks
    for e, lanes
      combine
  finish
  for e, vector
)");
}

TEST_CASE("each phase of a resident row on GPUs has one chunk, and only the first one loads") {
  CHECK(on_gpu(softmax_over(1), contiguous({512, 1000})) == R"(grid
  block
    block
      for e, unrolled
      one
        for s, unrolled
            load
            for e, may speculate
                combine
      finish
      for e, unrolled
      one
        for s, unrolled
            for e, may speculate
                combine
      finish
      one
        for s, unrolled
            for e, may speculate
              store
      finish
)");
}

TEST_CASE("each phase of a row on the CPU goes over its chunks") {
  CHECK(on_cpu(softmax_over(1), contiguous({512, 1000})) == R"(for number
  for e, vector
  for x, chunks
    for e, lanes
      combine
  finish
  for e, vector
  for x, chunks
    for e, lanes
      combine
  finish
  for to, chunks
    for e, lanes
  finish
)");
}

}  // namespace
}  // namespace sinter::test
