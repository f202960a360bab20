#include "cub_limits.hpp"

#include "cuda_limits.hpp"

#include <sinter/sinter.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

namespace sinter_bench {
namespace {

using cub_function = int (*)(void* temporary, std::size_t* temporary_bytes, const float* from, float* to,
                             int count, void* stream);

struct cub_library {
  cub_function sum = nullptr, sort = nullptr;
  std::string why_not;

  cub_library() {
    const std::filesystem::path file =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libsinter_cub_limits.so";
    void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](const char* name) {
      return opened == nullptr ? nullptr : reinterpret_cast<cub_function>(dlsym(opened, name));
    };
    sum = find("sinter_cub_sum");
    sort = find("sinter_cub_sort");
    if (sum == nullptr || sort == nullptr) why_not = dlerror();
  }
};

const cub_library& library() {
  static const cub_library only;  // stays open
  return only;
}

void check(int answer) {
  if (answer != 0) throw std::runtime_error("CUB failed with CUDA error " + std::to_string(answer));
}

/// A function of `count` elements with `results` of them as result.
side cub_side(cub_function function, const float* from, std::int64_t count, std::int64_t results) {
  if (function == nullptr) throw std::runtime_error("no CUB here: " + why_no_cub());
  cuda_choose_context(true);
  std::size_t bytes = 0;
  const int elements = static_cast<int>(count);
  check(function(nullptr, &bytes, from, nullptr, elements, nullptr));
  const sinter::device where = sinter::device::cuda(0);
  struct storage {
    sinter::array<unsigned char, 1> temporary;
    sinter::array<float, 1> result;
  };
  auto held = std::make_shared<storage>(
      storage{sinter::array<unsigned char, 1>({static_cast<std::int64_t>(bytes) + 1}, where),
              sinter::array<float, 1>({results}, where)});
  sinter::synchronize(where);  // memory is allocated in the order of Sinter's stream
  side made;
  made.call = [function, held, from, elements, bytes] {
    std::size_t size = bytes;
    check(function(held->temporary.data(), &size, from, held->result.data(), elements, nullptr));
  };
  made.wait = cuda_wait;
  return made;
}

}  // namespace

std::string why_no_cub() { return library().why_not; }

side cub_sum(const float* from, std::int64_t count) { return cub_side(library().sum, from, count, 1); }
side cub_sort(const float* from, std::int64_t count) { return cub_side(library().sort, from, count, count); }

}  // namespace sinter_bench
