// What explain() reports of the stages of a call: purpose, launch, bytes moved. The GPU has 132
// multiprocessors and exists only as facts; the arrays have no memory.

#include <doctest/doctest.h>

#include "../support/cuda/fake_cuda.hpp"

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/segment/stage_purpose.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

namespace doctest {
template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n  " + line;
    return text.c_str();
  }
};
}  // namespace doctest

namespace sinter::test {
namespace {

constexpr std::int64_t million = 1 << 20;

/// The lines of explain() with this prefix, without the prefix.
template <unsigned Rank, class Body>
std::vector<std::string> lines_of(const char* beginning, const std::int64_t (&extents)[Rank],
                                  const Body& body, device on = device::cuda(0)) {
  sinter::shape<Rank> whole{};
  std::int64_t stride = 1;
  sinter::shape<Rank> strides{};
  for (unsigned axis = Rank; axis-- > 0;) {
    whole[axis] = extents[axis];
    strides[axis] = stride;
    stride *= extents[axis];
  }
  const std::string text = fuse(body).explain(view<const float, Rank>(nullptr, whole, strides, on));
  std::vector<std::string> lines;
  for (std::size_t at = text.find(beginning); at != std::string::npos; at = text.find(beginning, at + 1))
    if (at == 0 || text[at - 1] == '\n')
      lines.push_back(text.substr(at + std::string(beginning).size(),
                                  text.find('\n', at) - at - std::string(beginning).size()));
  return lines;
}
template <unsigned Rank, class Body>
std::vector<std::string> stages_of(const std::int64_t (&extents)[Rank], const Body& body,
                                   device on = device::cuda(0)) {
  return lines_of("stage ", extents, body, on);
}
using lines = std::vector<std::string>;

/// A combine with a loop of a known number of iterations.
const auto rooted = [](auto a, auto b) { return repeat(3, a + b, [](auto s) { return sqrt(s); }); };
const auto softmax_rows = [](auto x) { return softmax(x, axis<1>); };

}  // namespace

TEST_CASE("one stage makes the results") {
  const fake_cuda fake;
  CHECK(stages_of({3 * million}, [](auto x) { return x + 1; }) == lines{"1 of 1: results"});
  CHECK(stages_of({1000, 4096}, softmax_rows) == lines{"1 of 1: results"});
}

TEST_CASE("a reduction along other axes is made ahead") {
  const fake_cuda fake;
  CHECK(stages_of({2000, 3000}, [](auto x) { return sum(max(x, axis<1>)); }) ==
        lines{"1 of 2: made ahead, since another reduction loops past it, or along other axes",
              "2 of 2: results"});
}

TEST_CASE("explain says how often each operation is computed, and what the graph has less often") {
  const fake_cuda fake;
  constexpr const char* for_element = "  computes for an element: ";
  CHECK(lines_of(for_element, {1000, 4096}, softmax_rows) == lines{"subtract 1, exp 1, true_divide 1"});
  CHECK(lines_of("  computes for a row: ", {1000, 4096}, [](auto x) { return sqrt(sum(x, axis<1>)); }) ==
        lines{"sqrt 1"});
  // cheap values are computed again by the second loop over a row, expensive ones stay resident
  CHECK(lines_of(for_element, {1000, 4096}, [](auto x) {
          auto shifted = x + 1;
          return shifted - max(shifted, axis<1>, keepdims);
        }) == lines{"add 2 (graph: 1), subtract 1"});
}

TEST_CASE("explain says in which loops operations are computed, and how many iterations are counted") {
  const fake_cuda fake;
  constexpr const char* computes = "  computes for an element";
  CHECK(lines_of(computes, {million}, [](auto x) {
          return 1 / repeat(100, x, [&](auto s) { return sqrt(s) * exp(x); });
        }) == lines{": exp 1, true_divide 1", " in a loop of 100 iterations: sqrt 100, multiply 100"});
  CHECK(lines_of(computes, {million}, [](auto x) {
          return repeat_while([](auto s) { return s > 2; }, x, [](auto s) { return sqrt(s); });
        }) == lines{" in a loop while its condition holds, counted as 16: greater 16, sqrt 16"});
  CHECK(lines_of(computes, {million},
                 [](auto x) {
                   return repeat(extent<0>(x), x,
                                 [](auto s) { return repeat(5000, s, [](auto t) { return sqrt(t); }); });
                 }) ==
        lines{" in a loop of 5000 iterations, counted as 4096, inside a loop whose iterations the call "
              "decides, counted as 16: sqrt 65536"});
  CHECK(lines_of("  computes for a row", {1000, 4096}, [](auto x) {
          return repeat(3, sum(x, axis<1>), [](auto s) { return sqrt(s); });
        }) == lines{" in a loop of 3 iterations: sqrt 3"});
}

TEST_CASE("explain says which reductions and scans by bodies run, and what they compute to combine") {
  const fake_cuda fake;
  constexpr const char* combines = "  combines by a body: ";
  constexpr const char* computes = "  computes for ";
  const auto sum_and_largest = [](auto x) {
    const auto [total, largest] = reduce(
        [](auto a, auto b) {
          const auto [s, m] = a;
          const auto [t, n] = b;
          return std::tuple(s + t, maximum(m, n));
        },
        std::tuple{0, -inf}, std::tuple{exp(x), x}, axis<1>);
    return total * largest;
  };
  CHECK(lines_of(combines, {1000, 4096}, sum_and_largest) ==
        lines{"reduce of 2 values (float32, float32) along axis 0 of the iteration space"});
  CHECK(lines_of(computes, {1000, 4096}, sum_and_largest) ==
        lines{"an element: exp 1", "a row: multiply 1", "a combine: maximum 1, add 1"});
  CHECK(lines_of(combines, {3, 4 * million}, sum_and_largest) ==
        lines{"reduce of 2 values (float32, float32) along axis 0 of the iteration space, in pieces",
              "reduce of 2 values (float32, float32) along axis 0 of the iteration space"});
  const auto product = [](auto a, auto b) { return a * b; };
  CHECK(lines_of(combines, {1000, 4096}, [&](auto x) { return scan(product, 1, x, axis<1>); }) ==
        lines{"scan of 1 value (float32) along axis 0 of the iteration space"});
  CHECK(lines_of(combines, {1000, 4096}, [&](auto x) { return reduce(product, 1, x, axis<1>, ordered); }) ==
        lines{"reduce, in order, of 1 value (float32) along axis 0 of the iteration space"});
  CHECK(lines_of(computes, {1000, 4096}, [](auto x) { return reduce(rooted, 1, x, axis<1>); }) ==
        lines{"a combine: add 1", "a combine in a loop of 3 iterations: sqrt 3"});
  CHECK(lines_of(combines, {1000, 4096}, [](auto x) { return sum(x, axis<1>); }).empty());
}

TEST_CASE("few rows are cut into pieces, and the pieces combined") {
  const fake_cuda fake;
  CHECK(stages_of({3, 4 * million}, [](auto x) { return sum(x, axis<1>); }) ==
        lines{"1 of 2: pieces of rows, since 3 rows would be 3 blocks, too few for 132 multiprocessors",
              "2 of 2: results, combined from pieces"});
}

TEST_CASE("pieces that are still many are combined by fewer, and these combined") {
  const fake_cuda fake;
  const std::string few = "since 256 columns would be 2 blocks, too few for 132 multiprocessors";
  CHECK(stages_of({million, 256}, [](auto x) { return max(x, axis<0>); }) ==
        lines{"1 of 3: pieces of columns, " + few, "2 of 3: made ahead, combined from pieces, " + few,
              "3 of 3: results, combined from pieces"});
}

TEST_CASE("what few rows need before anything else is made ahead of it") {
  const fake_cuda fake;
  const std::string few = "since 1 row would be 1 block, too few for 132 multiprocessors";
  CHECK(stages_of({64 * million}, [](auto x) { return x / sum(x); }) ==
        lines{"1 of 3: pieces of rows, " + few, "2 of 3: made ahead, combined from pieces, " + few,
              "3 of 3: results"});
}

TEST_CASE("rows that do not fit the chip are cut into pieces that do") {
  const fake_cuda fake;
  const std::string rereading = " do not fit the chip, and would be read once more for each loop over them";
  CHECK(stages_of({65536, 4096}, [](auto x) { return var(x, axis<0>); }) ==
        lines{"1 of 2: pieces of columns, since columns of 65536 elements" + rereading,
              "2 of 2: results, combined from pieces"});
  CHECK(stages_of({512, 2 * million},
                  [](auto x) { return (x - mean(x, axis<1>, keepdims)) / stddev(x, axis<1>, keepdims); }) ==
        lines{"1 of 3: pieces of rows, since rows of 2097152 elements" + rereading,
              "2 of 3: made ahead, combined from pieces, since rows of 2097152 elements" + rereading,
              "3 of 3: results"});
}

TEST_CASE("a scan of few rows takes totals of pieces, their starts, and the pieces from there") {
  const auto running_sums = [](auto x) { return cumsum(x); };
  const auto stages = [](const std::string& reason) {
    return lines{"1 of 3: totals of the pieces of a scan, " + reason,
                 "2 of 3: starts of the pieces of a scan, " + reason,
                 "3 of 3: results, in pieces that go on from their starts"};
  };
  const fake_cuda fake;
  CHECK(stages_of({16 * million}, running_sums) ==
        stages("since 1 row would be 1 block, too few for 132 multiprocessors"));
  CHECK(stages_of({16 * million}, running_sums, device::cpu()) ==
        stages("since 1 row of 16777216 elements cannot keep all threads busy"));
}

TEST_CASE("on the CPU few rows are shared among threads") {
  CHECK(stages_of(
            {3, 4 * million}, [](auto x) { return sum(x, axis<1>); }, device::cpu()) ==
        lines{"1 of 2: pieces of rows, since 3 rows of 4194304 elements cannot keep all threads busy",
              "2 of 2: results, combined from pieces"});
}

TEST_CASE("stages of a call with several results say which they write") {
  const fake_cuda fake;
  CHECK(lines_of("  writes: ", {2000, 3000}, [](auto x) {
          return std::tuple{sum(x, axis<1>), sum(x, axis<0>), max(x, axis<1>)};
        }) == lines{"results 0, 2", "results 1"});
  CHECK(lines_of("  writes: ", {2000, 3000}, [](auto x) { return sum(x, axis<1>); }).empty());
}

TEST_CASE("a launch tells its clusters, its shared memory, and where a row lies meanwhile") {
  const fake_cuda fake;
  CHECK(
      lines_of("  launch: ", {1000, 4096}, softmax_rows) ==
      lines{"1000 blocks of 512 x 1 threads, 0 bytes of dynamic shared memory, a row lies in registers, 132 "
            "multiprocessors"});
  CHECK(
      lines_of("  launch: ", {1000, million}, softmax_rows) ==
      lines{
          "16000 blocks of 1024 x 1 threads in clusters of 16, 131072 bytes of dynamic shared memory, a row "
          "lies in registers and shared memory of the blocks of a cluster, 132 multiprocessors"});
  CHECK(lines_of("  launch: ", {1000, 4 * million}, softmax_rows) ==
        lines{"1000 blocks of 1024 x 1 threads, 0 bytes of dynamic shared memory, a row is read by each loop "
              "that needs it, 132 multiprocessors"});
}

TEST_CASE("explain prints the description that is the key of each stage's kernel") {
  const fake_cuda fake;
  const auto described = [](auto called, std::int64_t rows) {
    const view<const float, 2> x(nullptr, {rows, 4096}, {4096, 1}, device::cuda(0));
    const std::string text = called.explain(x);
    std::vector<std::string> blocks;
    const std::string heading = "\n  description:\n";
    for (std::size_t at = text.find(heading); at != std::string::npos; at = text.find(heading, at)) {
      std::string block;
      for (at += heading.size(); text.compare(at, 4, "    ") == 0; at = text.find('\n', at) + 1)
        block += text.substr(at + 4, text.find('\n', at) - at - 3);
      at -= 1;  // the end of the line before, where the next heading may begin
      blocks.push_back(block);
    }
    return blocks;
  };
  const auto rows = fuse("explained_rows", softmax_rows);
  const auto whole = described(rows, 1000);
  REQUIRE(whole.size() == 1);
  CHECK(
      whole[0].starts_with("kernel 'explained_rows' for compute capability 9.0, standard arithmetic, "
                           "emitter " +
                           std::to_string(emitter_version) + "\nschedule: "));
  CHECK(whole[0].find("\naxes from the innermost: reduced, kept; 3 phases\n") != std::string::npos);
  CHECK(whole[0].find("\na0 = read float32 [contiguous, strided]\n") != std::string::npos);
  CHECK(whole[0].find(" = exp %") != std::string::npos);
  CHECK(described(rows, 2000) == whole);
  CHECK(described(rows.strict(), 1000) != whole);
  CHECK(described(fuse("explained_sum", [](auto x) { return sum(max(x, axis<1>)); }), 2000).size() == 2);
}

TEST_CASE("a stage moves what it reads and writes") {
  const fake_cuda fake;
  const lines moved = lines_of("  moves: ", {3, 4 * million}, [](auto x) { return sum(x, axis<1>); });
  REQUIRE(moved.size() == 2);
  CHECK(moved[0].find("48.0 MiB") == 0);
  CHECK(moved[1].find(" KiB") < 8);
}

TEST_CASE("slices of one array that overlap are moved once") {
  const fake_cuda fake;
  const lines moved = lines_of("  moves: ", {1002, 1002}, [](auto u) {
    return u(slice(2, end), slice(1, -1)) + u(slice(0, -2), slice(1, -1)) + u(slice(1, -1), slice(2, end)) +
           u(slice(1, -1), slice(0, -2)) - 4 * u(slice(1, -1), slice(1, -1));
  });
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].find("7.6 MiB") == 0);  // 1002 * 1002 and 1000 * 1000 elements
}

}  // namespace sinter::test
