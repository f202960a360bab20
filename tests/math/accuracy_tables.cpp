// sinter_accuracy: writes the tables of docs/accuracy.md, measured on the given devices.

#include "../support/accuracy.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace {

using namespace sinter;
using namespace sinter::test;

constexpr const char* usage = R"(usage: sinter_accuracy [--devices=cpu,cuda] [--largest=28] [--out=FILE]

  --devices=LIST  of cpu and cuda (cpu)
  --largest=N     sums of 2^10 to 2^N float32 (28)
  --out=FILE      writes there instead of to the standard output
)";

constexpr const char* introduction = R"(# Accuracy of reductions

`sinter_accuracy` (tests/math/accuracy_tables.cpp) writes this page; tests/math/accuracy_test.cpp asserts bounds at sizes
that a test can afford. The reference is a sum with 64 bits of mantissa. Each trial draws new data.

*Pairwise* is NumPy's summation of contiguous float32: blocks of up to 128 elements in eight sums, halves above that;
tests/support/accuracy.cpp implements it, so that it runs on the same elements. Errors of sums are fractions of the sum of
absolute values, in units of 2^-24 (half of float32's last place at 1): *typical* is the root mean square over the trials.
)";

struct options {
  std::string devices = "cpu", out;
  int largest = 28;
};

bool understand(int count, char** words, options& to) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("--devices="))
      to.devices = word.substr(10);
    else if (word.starts_with("--out="))
      to.out = word.substr(6);
    else if (word.starts_with("--largest=")) {
      const auto [stop, failure] = std::from_chars(word.data() + 10, word.data() + word.size(), to.largest);
      if (failure != std::errc() || *stop != 0 || to.largest < 10 || to.largest > 30) return false;
    } else {
      return false;
    }
  }
  return true;
}

std::string number(double value, const char* format = "%.3f") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void write_sums(std::ostream& to, device on, int largest) {
  to << "\n### float32 sums\n\n"
        "| data | elements | trials | typical | pairwise, typical | largest | pairwise, largest |\n"
        "|---|---|---|---|---|---|---|\n";
  for (const kind_of_data& kind : kinds_of_data)
    for (int exponent = 10; exponent <= largest; exponent += 2) {
      const std::size_t count = std::size_t{1} << exponent;
      const std::size_t trials = std::clamp<std::size_t>((std::size_t{1} << 27) / count, 12, 256);
      const summation_errors found = measure_sums(kind, count, trials, on);
      to << "| " << kind.name << " | 2^" << exponent << " | " << trials;
      for (const double error :
           {found.sinter.typical, found.pairwise.typical, found.sinter.largest, found.pairwise.largest})
        to << " | " << number(error * 0x1p24, "%.3g");
      to << " |\n" << std::flush;
    }
}

/// Relative errors of a full reduction of `count` elements, over trials.
template <class T, class Function, class Exact>
spread_of_errors errors_of(const Function& function, const Exact& exact, double mean, double spread,
                           std::size_t count, device on) {
  constexpr std::size_t trials = 16;
  spread_of_errors found;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::vector<T> elements;
    std::vector<float> values;
    for (const float drawn : make_data({"", mean, spread}, count, trial)) {
      elements.push_back(T(drawn));
      values.push_back(static_cast<float>(elements.back()));
    }
    const long double wanted = exact(values);
    const auto made = static_cast<double>(
        static_cast<float>(function(array<T, 1>::from(elements, {count}, on)).to_vector()[0]));
    const auto error = static_cast<double>(std::fabs((made - wanted) / wanted));
    found.typical += error * error / trials;
    found.largest = std::max(found.largest, error);
  }
  found.typical = std::sqrt(found.typical);
  return found;
}

long double exact_mean(const std::vector<float>& values) {
  return exact_sum(values) / static_cast<long double>(values.size());
}
long double exact_variance(const std::vector<float>& values) {
  return exact_squares(values, exact_mean(values)) / static_cast<long double>(values.size());
}
long double exact_logsumexp(const std::vector<float>& values) {
  const long double most = *std::max_element(values.begin(), values.end());
  long double total = 0;
  for (const float value : values) total += std::exp(value - most);
  return most + std::log(total);
}

void write_other(std::ostream& to, device on) {
  to << "\n### Other reductions\n\n"
        "Relative errors over 16 trials. Half types are summed in float32 and rounded once: half of their "
        "last place is "
        "4.9e-04 for float16 and 3.9e-03 for bfloat16.\n\n"
        "| function | data | elements | typical | largest |\n|---|---|---|---|---|\n";
  const auto line = [&](const char* name, const char* data, std::size_t count,
                        const spread_of_errors& found) {
    to << "| " << name << " | " << data << " | " << count << " | " << number(found.typical, "%.1e") << " | "
       << number(found.largest, "%.1e") << " |\n"
       << std::flush;
  };
  const auto total = fuse("accuracy_sum", [](auto x) { return sum(x); });
  const auto average = fuse("accuracy_mean", [](auto x) { return mean(x); });
  const auto spread = fuse("accuracy_var", [](auto x) { return var(x); });
  const auto together = fuse("accuracy_logsumexp", [](auto x) { return logsumexp(x); });
  const auto sum_of = [](const std::vector<float>& values) { return exact_sum(values); };
  for (const std::size_t count : {std::size_t{1000}, std::size_t{1} << 16, std::size_t{1} << 22}) {
    line("mean", "float32, [0, 1)", count, errors_of<float>(average, exact_mean, 0.5, 0.5, count, on));
    line("var", "float32, [0, 1)", count, errors_of<float>(spread, exact_variance, 0.5, 0.5, count, on));
    line("var", "float32, 1e6 ± 1", count, errors_of<float>(spread, exact_variance, 1e6, 1, count, on));
    line("logsumexp", "float32, ±10", count, errors_of<float>(together, exact_logsumexp, 0, 10, count, on));
    line("mean", "float16, [0, 1)", count, errors_of<float16>(average, exact_mean, 0.5, 0.5, count, on));
    line("mean", "bfloat16, [0, 1)", count, errors_of<bfloat16>(average, exact_mean, 0.5, 0.5, count, on));
  }
  line("sum", "float16, [0, 1)", 100000, errors_of<float16>(total, sum_of, 0.5, 0.5, 100000, on));
  line("sum", "bfloat16, [0, 1)", 1 << 22, errors_of<bfloat16>(total, sum_of, 0.5, 0.5, 1 << 22, on));
}

void write_softmax(std::ostream& to, device on) {
  to << "\n### Softmax\n\nRelative errors of all elements of rows of float32 in ±10.\n\n"
        "| row length | rows | typical | largest |\n|---|---|---|---|\n";
  const auto soft = fuse("accuracy_softmax", [](auto x) { return softmax(x, axis<1>); });
  for (const std::size_t length : {100u, 4096u, 65536u, 1u << 20}) {
    const std::size_t rows = std::max<std::size_t>(1, (1u << 20) / length);
    const std::vector<float> elements = make_data({"", 0, 10}, rows * length, length);
    const std::vector<float> made = soft(array<float, 2>::from(elements, {rows, length}, on)).to_vector();
    double squares = 0, largest = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::vector<float> of_row(elements.begin() + static_cast<std::ptrdiff_t>(row * length),
                                      elements.begin() + static_cast<std::ptrdiff_t>((row + 1) * length));
      const long double whole = exact_logsumexp(of_row);
      for (std::size_t i = 0; i < length; ++i) {
        const long double wanted = std::exp(of_row[i] - whole);
        const auto error = static_cast<double>(std::fabs((made[row * length + i] - wanted) / wanted));
        squares += error * error;
        largest = std::max(largest, error);
      }
    }
    to << "| " << length << " | " << rows << " | "
       << number(std::sqrt(squares / static_cast<double>(rows * length)), "%.1e") << " | "
       << number(largest, "%.1e") << " |\n"
       << std::flush;
  }
}

}  // namespace

int main(int count, char** words) {
  options chosen;
  if (!understand(count, words, chosen)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    std::ostringstream text;
    text << introduction;
    std::istringstream names(chosen.devices);
    for (std::string name; std::getline(names, name, ',');) {
      if (name != "cpu" && name != "cuda") throw std::runtime_error("no device '" + name + "'\n" + usage);
      const device on = name == "cpu" ? device::cpu() : device::cuda(0);
      text << "\n## " << (on.is_cpu() ? "CPU: " : "CUDA: ") << on.name() << '\n';
      write_sums(text, on, chosen.largest);
      write_other(text, on);
      write_softmax(text, on);
    }
    if (chosen.out.empty()) {
      std::fputs(text.str().c_str(), stdout);
    } else {
      std::ofstream file(chosen.out, std::ios::binary);
      file << text.str();
      if (!file.flush()) throw std::runtime_error("cannot write " + chosen.out);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "sinter_accuracy: %s\n", failure.what());
    return 1;
  }
}
