// Kernels of the CPU compute lanes behind the last element. None of these reads outside of an array, which
// ends where the program may not read.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sinter::test {
namespace {

/// Memory between two pages that nothing may read; the elements end, or begin, where it does.
class guarded_floats {
 public:
  guarded_floats(std::int64_t count, bool at_end) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float),
                      inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED) throw std::runtime_error("no memory");
    mprotect(memory_, page, PROT_NONE);
    mprotect(memory_ + page + inner, page, PROT_NONE);
    elements_ = reinterpret_cast<float*>(memory_ + page + (at_end ? inner - bytes : 0));
    for (std::int64_t i = 0; i < count; ++i) elements_[i] = static_cast<float>(i);
  }
  guarded_floats(const guarded_floats&) = delete;
  guarded_floats& operator=(const guarded_floats&) = delete;
  ~guarded_floats() { munmap(memory_, size_); }
  float* data() { return elements_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  float* elements_ = nullptr;
};

}  // namespace

TEST_SUITE("reads beyond the ends of arrays") {
  TEST_CASE("elements of few rows at indices, forward and backward") {
    if (!device::current_default().is_cpu()) return;
    const auto chosen = fuse([](auto x, auto i) { return take_along_axis(x, i, axis<1>); });
    for (const std::int64_t rows : {1, 7, 8, 63, 64, 65, 130})
      for (const bool at_end : {false, true}) {
        CAPTURE(rows);
        CAPTURE(at_end);
        const std::int64_t columns = 1001;
        guarded_floats memory(rows * columns, at_end);
        const view<const float, 2> x(memory.data(), {rows, columns});
        const array<int, 2> last = full<int>({rows, 1}, -1), first = full<int>({rows, 1}, 0);
        const view<const float, 2> upward(memory.data() + (rows - 1) * columns, {rows, columns},
                                          {-columns, 1});
        const std::vector<float> ends = chosen(x, last).to_vector(),
                                 begins = chosen(upward, first).to_vector();
        for (std::int64_t row = 0; row < rows; ++row) {
          CHECK(ends[static_cast<std::size_t>(row)] == static_cast<float>(row * columns + columns - 1));
          CHECK(begins[static_cast<std::size_t>(row)] == static_cast<float>((rows - 1 - row) * columns));
        }
        CHECK(chosen.general()(x, last).to_vector() == ends);
        CHECK(chosen.general()(upward, first).to_vector() == begins);
      }
  }

  TEST_CASE("sums, maxima and scans of what is gathered") {
    if (!device::current_default().is_cpu()) return;
    const std::int64_t rows = 9, columns = 515;
    guarded_floats memory(rows * columns, true);
    const view<const float, 2> x(memory.data(), {rows, columns});
    const array<int, 2> last = full<int>({rows, 3}, -1);
    const auto along = fuse([](auto x, auto i) { return sum(take_along_axis(x, i, axis<1>), axis<1>); });
    const auto across = fuse([](auto x, auto i) { return max(take_along_axis(x, i, axis<1>), axis<0>); });
    const auto scan = fuse([](auto x, auto i) { return cumsum(take_along_axis(x, i, axis<1>), axis<0>); });
    for (std::int64_t row = 0; row < rows; ++row)
      CHECK(along(x, last).to_vector()[static_cast<std::size_t>(row)] ==
            3 * static_cast<float>(row * columns + columns - 1));
    CHECK(across(x, last).to_vector() == std::vector<float>(3, static_cast<float>(rows * columns - 1)));
    CHECK(scan(x, last).to_vector().size() == static_cast<std::size_t>(rows * 3));
    CHECK(along.general()(x, last).to_vector() == along(x, last).to_vector());
  }

  TEST_CASE("updates of few rows read the exponents of their sums") {
    if (!device::current_default().is_cpu()) return;
    guarded_floats memory(8 * 33, true);
    const view<const float, 2> updates(memory.data(), {8, 33});
    const auto sums = fuse([](auto u, auto i) { return segment_sum(u, i, 1001, axis<1>); });
    const array<int, 1> at = full<int>(33, 1000);
    const array<float, 2> made = sums(updates, at);
    CHECK(made.shape() == shape<2>{8, 1001});
    CHECK(made.to_vector()[1000] == 32 * 33 / 2);
  }
}

}  // namespace sinter::test
