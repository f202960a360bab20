// A library with Sinter inside, for programs that know nothing of Sinter. Built twice, as user NUMBER.
#include <sinter/sinter.h>
#include <sinter/sinter.hpp>

#include <vector>
#ifdef LINKED  // the library file whose functions must be the ones that are called
#include <dlfcn.h>

#include <filesystem>
#endif

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

/// 10 * x + NUMBER for x = 3, by a kernel; else what went wrong, as a negative number.
extern "C" __attribute__((visibility("default"))) int JOINED(user_, NUMBER)() {
  using namespace sinter;
  try {
#ifdef LINKED
    // A name without a number in it.
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(&sinter_version), &found) == 0 ||
        !std::filesystem::equivalent(found.dli_fname, LINKED))
      return -3;
#endif
    device::set_default(device::cpu());
    const auto x = array<int, 1>::from(std::vector<int>{1, 2, 3}, {3});
    auto scaled = fuse("scaled", [](auto v) { return v * 10 + NUMBER; });
    try {
      const array<int, 1> never = x + array<int, 1>::from(std::vector<int>{1, 2}, {2});
      return -2;
    } catch (const shape_error&) {  // this copy catches what it throws
    }
    return scaled(x).to_vector().back();
  } catch (const std::exception&) {
    return -1;
  }
}
