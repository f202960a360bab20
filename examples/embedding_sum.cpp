// Bags of words: the rows of a table at the words of each bag, added. One kernel reads the rows at their
// indices and adds them, and stores no row; beside the same loop in C++.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

const std::int64_t vocabulary = 20'000, width = 128, bags = 2'000, longest = 32;

// In C++. A bag that has fewer words than there is room for has -1 in the rest.
void sums_in_loop(const std::vector<float>& table, const std::vector<std::int32_t>& words,
                  std::vector<float>& sums) {
  std::fill(sums.begin(), sums.end(), 0.f);
  for (std::int64_t bag = 0; bag < bags; ++bag) {
    float* const sum = sums.data() + bag * width;
    for (std::int64_t i = 0; i < longest; ++i) {
      const std::int64_t word = words[static_cast<std::size_t>(bag * longest + i)];
      if (word < 0) continue;
      const float* const row = table.data() + word * width;
      for (std::int64_t column = 0; column < width; ++column) sum[column] += row[column];
    }
  }
}

// With Sinter. `take` gives a row for each word of each bag: (bags, words, columns), the middle axis of which
// is added up.
const auto bag_sums = [](auto table, auto words) {
  return sum(take(table, words, axis<0>), axis<1>, only_where(words(all(), all(), newaxis) >= 0));
};

int main() {
  std::mt19937 random(2013);
  std::vector<float> table(static_cast<std::size_t>(vocabulary * width));
  for (float& element : table) element = std::uniform_real_distribution<float>(-1, 1)(random);
  std::vector<std::int32_t> words(static_cast<std::size_t>(bags * longest), -1);
  for (auto bag = words.begin(); bag != words.end(); bag += longest) {
    const auto length = static_cast<std::ptrdiff_t>(random() % (longest + 1));
    std::generate(bag, bag + length, [&] { return static_cast<std::int32_t>(random() % vocabulary); });
  }

  const array<float, 2> rows = array<float, 2>::from(table, {vocabulary, width});
  const array<std::int32_t, 2> indices = array<std::int32_t, 2>::from(words, {bags, longest});
  const auto add = fuse("embedding_sum", bag_sums);
  array<float, 2> sums = add(rows, indices);
  std::vector<float> expected(static_cast<std::size_t>(bags * width));
  const double in_loop = milliseconds([&] { sums_in_loop(table, words, expected); });
  const double in_kernel = milliseconds([&] {
    add.into(sums)(rows, indices);
    synchronize();
  });

  // The order of the additions differs.
  const std::vector<float> found = sums.to_vector();
  float largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  check(largest < 1e-4f, "sums of bags");
  std::printf("%lld bags of up to %lld words, rows of %lld: C++ loop %.2f ms, Sinter %.2f ms\n",
              static_cast<long long>(bags), static_cast<long long>(longest), static_cast<long long>(width),
              in_loop, in_kernel);
}
