// Writes the words of a stream of rng::bits to the standard output, without end, for test suites that read
// raw numbers: sinter_random_stream SEED | dieharder -a -g 200
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  constexpr std::size_t words = std::size_t{1} << 20;
  const auto draw = sinter::fuse([](auto like, auto seed, auto sequence) {
    return sinter::rng::bits<std::uint32_t>(like, seed, sequence);
  });
  const sinter::array<float, 1> like({words});
  const std::int64_t seed = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 0;
  for (std::int64_t sequence = 0;; ++sequence) {
    const std::vector<std::uint32_t> drawn = draw(like, seed, sequence).to_vector();
    if (std::fwrite(drawn.data(), sizeof(std::uint32_t), words, stdout) != words) return 0;
  }
}
