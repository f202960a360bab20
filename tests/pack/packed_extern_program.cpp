// A program whose kernels call its own functions, for packed_extern_test.cpp. The first word selects the
// form: "text" (with a header in the folder named by the second word), "object", "bitcode" or "pointer". With
// "cuda" as last word it runs on a GPU, which may be a fake one: results are then wrong.

#include "../vectors/blend_bitcode.hpp"

#include <sinter/dsl/extern_function.hpp>
#include <sinter/runtime/cache/cache.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <vector>

using namespace sinter;

namespace {

float blend_here(float a, float b) { return a + a - b; }

using blend_function = extern_function<float(float, float)>;

blend_function made_of(const std::string& form, const std::string& given) {
  if (form == "pointer") return {"blend", blend_here};
  if (form == "object") return blend_function("blend", object_code::from_file(given)).on_cpu(blend_here);
  if (form == "bitcode")
    return {"blend", {.bitcode = std::string(std::begin(blend_bitcode), std::end(blend_bitcode))}};
  if (given.empty())
    return {"blend",
            {.cuda = "extern \"C\" __device__ float blend(float a, float b) { return a + a - b; }",
             .cpp = "extern \"C\" float blend(float a, float b) { return a + a - b; }"}};
  return {"blend",
          {.cuda = "#include \"twice.h\"\nextern \"C\" __device__ float blend(float a, float b) { return "
                   "TWICE(a) - b; }",
           .cpp = "#include \"twice.h\"\nextern \"C\" float blend(float a, float b) { return TWICE(a) - b; }",
           .folders = {given}}};
}

int count(cache_layer layer) {
  return static_cast<int>(cache_statistics_now().found[static_cast<std::size_t>(layer)]);
}

void run(const blend_function& blend) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 8;
  const auto x = array<float, 1>::from(values, {1000});
  const auto blended = fuse("blended", [&](auto v) { return blend(v, 1.0f) + 1; })(x).to_vector();
  const auto total = fuse("total", [&](auto v) { return sum(blend(v, v)); })(x).to_vector();
  const bool right = blended[8] == 2 && blended[999] == 249.75f && total[0] == 62437.5f;
  std::printf("%s: compiled %d pack %d\n", right ? "right" : "wrong", count(cache_layer::compiled),
              count(cache_layer::pack));
}

}  // namespace

int main(int words, char** word) {
  try {
    const bool cuda = std::string(word[words - 1]) == "cuda";
    device::set_default(cuda ? device::cuda(0) : device::cpu());
    run(made_of(words > 1 ? word[1] : "", words > (cuda ? 3 : 2) ? word[2] : ""));
  } catch (const std::exception& thrown) {
    std::printf("%s\n", thrown.what());
    return 1;
  }
  return 0;
}
