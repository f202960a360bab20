// README.md: its code compiles and computes, and its kernel is the text that is made.
#include "readme_first.inc"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

void check(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("wrong: %s\n", what.c_str());
  std::exit(1);
}

void check_results() {
  const array<float, 2> x = array<float, 2>::from({{3, 4}, {0, 2}}, device::cpu());
  const array<float, 1> weight = array<float, 1>::from({1, 10}, {2}, device::cpu());
  const std::vector<float> found = normalised(x, weight).to_vector();
  const float first = 3 / std::sqrt(12.5f), last = 20 / std::sqrt(2.f);
  check(std::abs(found[0] - first) < 1e-4f && std::abs(found[3] - last) < 1e-4f,
        "rows divided by their norm");
}

void check_masked() {
  const std::int64_t rows = 2;
  const std::vector<float> host_points{1, 2, 3, 4, 5, 6};
  const std::vector<bool> host_mask{true, false};
#include "readme_second.inc"
  check(std::isinf(back[0]) && back[3] == 4, "points behind a mask");
}

/// The block of this language in a page, without its fences.
std::string block_of(const std::string& page, const std::string& language) {
  const std::size_t at = page.find("```" + language + "\n");
  check(at != std::string::npos, "README.md has no block of " + language);
  const std::size_t begin = page.find('\n', at) + 1;
  return page.substr(begin, page.find("```", begin) - begin);
}

/// The parts between the lines of dots stand in the text, in this order.
void check_kernel(const std::string& quoted, const std::string& text) {
  std::istringstream lines(quoted);
  std::string line, part;
  std::size_t from = 0;
  unsigned parts = 0;
  const auto find = [&] {
    if (part.empty()) return;
    const std::size_t at = text.find(part, from);
    check(at != std::string::npos,
          "README.md quotes lines that are not in the kernel, or not there:\n" + part + "\nof\n" + text);
    from = at + part.size();
    part.clear();
    ++parts;
  };
  while (std::getline(lines, line)) {
    if (line.find("…") == std::string::npos)
      part += line + "\n";
    else
      find();
  }
  find();
  check(parts >= 2, "README.md quotes a kernel");
}

}  // namespace

int main(int count, char** arguments) {
  check(count == 2, "README.md was not named");
  std::ostringstream page;
  page << std::ifstream(arguments[1]).rdbuf();
  check_results();
  check_masked();
  check_kernel(
      block_of(page.str(), "cuda"),
      rms_norm.source(gpu_model("H200"), described<float, 2>({8192, 4096}), described<float, 1>({4096})));
  std::puts("README.md: ok");
}
