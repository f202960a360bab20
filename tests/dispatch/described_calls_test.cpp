// explain(), source() and result_shapes() of arrays that do not exist, and of GPUs that are not here.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include <sinter/sinter.hpp>

#include "../support/needs.hpp"

using namespace sinter;

namespace {

const device cpu = device::cpu();
const auto softmax_rows = fuse("described_softmax", [](auto x) { return softmax(x, axis<1>); });
const auto scaled = fuse("described_scaled", [](auto x, auto by) { return x * by; });

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

template <class E, class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const E& thrown) {
    return thrown.what();
  }
  return "";
}

}  // namespace

TEST_CASE("source and explain of a description are those of an array") {
  const array<float, 2> x = ones<float>({50, 70}, cpu);
  const described<float, 2> there({50, 70}, cpu);
  CHECK(softmax_rows.source(there) == softmax_rows.source(x));
  CHECK(!softmax_rows.source(there).empty());
  const std::string text = softmax_rows.explain(there);
  CHECK(has(text, "result: float32[50, 70]\n"));
  CHECK(has(text, "stage 1 of 1: results"));
  // Beside arrays and numbers.
  const array<float, 1> row = ones<float>({70}, cpu);
  CHECK(scaled.source(there, row) == scaled.source(x, row));
  CHECK(scaled.source(there, 2.5f) == scaled.source(x, 2.5f));
  CHECK(scaled.strict().source(there, row) == scaled.strict().source(x, row));
}

TEST_CASE("two descriptions are two arrays") {
  const array<float, 1> a = ones<float>({70}, cpu), b = ones<float>({70}, cpu);
  const described<float, 1> there({70}, cpu);
  CHECK(scaled.source(there, there) == scaled.source(a, b));
}

TEST_CASE("a range of extents is refused where one call is told of") {
  const described<float, 2> rows({extent_range(1, 50), 70}, cpu);
  for (const std::string& text : {refusal<shape_error>([&] { (void)softmax_rows.source(rows); }),
                                  refusal<shape_error>([&] { (void)softmax_rows.explain(rows); }),
                                  refusal<shape_error>([&] { (void)softmax_rows.assembly(rows); }),
                                  refusal<shape_error>([&] { (void)softmax_rows.result_shapes(rows); })})
    CHECK(has(text, "were given extent_range(1, 50)"));
}

TEST_CASE("result_shapes has the form of the results and runs nothing") {
  const array<float, 2> x = ones<float>({4, 6}, cpu);
  static_assert(std::is_same_v<decltype(softmax_rows.result_shapes(x)), shape<2>>);
  CHECK((softmax_rows.result_shapes(x) == shape<2>(4, 6)));
  const auto several = fuse([](auto v) { return std::tuple{sum(v), max(v, axis<0>), v(all(), newaxis)}; });
  const auto [total, largest, wide] = several.result_shapes(x);
  static_assert(std::is_same_v<decltype(total), const shape<0>>);
  CHECK((largest == shape<1>(6)));
  CHECK((wide == shape<3>(4, 1, 6)));
  CHECK((several.result_shapes(described<float, 2>({3, 5}, cpu)) ==
         std::tuple(shape<0>(), shape<1>(5), shape<3>(3, 1, 5))));
  CHECK((scaled.result_shapes(x + 1, 2) == shape<2>(4, 6)));  // an expression
  const array<float, 1> other = ones<float>({5}, cpu);
  CHECK(has(refusal<shape_error>([&] { (void)scaled.result_shapes(x, other); }), "cannot broadcast"));
  // A shape that a number decides.
  const auto longer = fuse([](auto v, auto n) { return repeat_elements(v, n, axis<0>); });
  CHECK((longer.result_shapes(other, 3) == shape<1>(15)));
}

TEST_CASE("source for a model of GPU needs no GPU") {
  const described<float, 2> large({1 << 12, 1 << 12}, cpu);
  const std::string text = softmax_rows.source(gpu_model("H200"), large);
  CHECK(has(text, "__global__"));
  CHECK(softmax_rows.source(gpu_model("H200"), described<float, 2>({1 << 12, 1 << 12}, device::cuda(3))) ==
        text);
  const array<float, 2> x = ones<float>({3, 4}, cpu);
  CHECK(has(scaled.source(gpu_model("RTX 4090"), x, 2), "__global__"));
  // A schedule of one's own is taken.
  const schedule chosen{.order = loop_order::rows, .vector = 1, .threads_along = 64};
  CHECK(scaled.with(chosen).source(gpu_model("A100"), large, 2) !=
        scaled.source(gpu_model("A100"), large, 2));
}

TEST_CASE("explain for a model of GPU tells of its registers") {
  const std::string text = softmax_rows.explain(gpu_model("H100 SXM"), described<float, 2>({1000, 4096}));
  CHECK(has(text, "device: H100 SXM, which need not be here, compute capability 9.0\n"));
  CHECK(has(text, "132 multiprocessors"));
  if (test::lacks_nvrtc()) {
    CHECK(has(text, "not compiled: "));
    return;
  }
  CHECK(has(text, "code: cubin of "));
  CHECK(has(text, "  registers: "));
  CHECK(!has(text, "registers: not reported"));
  CHECK(has(text, "  occupancy: "));
}

TEST_CASE("a model of GPU that is not known is named, with those that are") {
  const std::string text = refusal<device_error>(
      [] { (void)softmax_rows.source(gpu_model("Voodoo 2"), described<float, 2>({4, 4})); });
  CHECK(has(text, "gpu_model(\"Voodoo 2\")"));
  CHECK(has(text, "H200; B200"));
}
