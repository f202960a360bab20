// What explain() says of compiled code for a GPU: how many of its blocks a multiprocessor holds, and how to
// profile it.

#include <doctest/doctest.h>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"

#include <sinter/runtime/dispatch/explain/describe_code.hpp>
#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/sinter.hpp>

#include <string>

namespace sinter::test {
namespace {

const auto squared = fuse("squared_to_profile", [](auto x) { return x * x; });

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the command for the profiler has the program's path in quotes where a shell needs them") {
  CHECK(runtime::profiler_command("squared_kernel", "/usr/bin/app-1.0") ==
        "ncu --set full --kernel-name squared_kernel --launch-count 1 /usr/bin/app-1.0");
  CHECK(runtime::profiler_command("k", "/home/a b/it's") ==
        "ncu --set full --kernel-name k --launch-count 1 '/home/a b/it'\\''s'");
}

TEST_CASE("explain tells the occupancy below the registers, and the profiler's command where the device is") {
  if (nvrtc_is_missing()) return;
  const described<float, 1> million({1 << 20});
  const std::string of_model = squared.explain(gpu_model("H200"), million);
  CHECK_MESSAGE(contains(of_model, "  occupancy: "), of_model);
  CHECK_MESSAGE(contains(of_model, " of 64 warps ("), of_model);
  CHECK_MESSAGE(contains(of_model, "%), limited by "), of_model);
  CHECK(of_model.find("  registers: ") < of_model.find("  occupancy: "));
  CHECK(!contains(of_model, "ncu "));

  const fake_cuda fake;
  const std::string here = squared.explain(view<const float, 1>(nullptr, {1 << 20}, {1}, device::cuda(0)));
  CHECK_MESSAGE(contains(here, "  occupancy: "), here);
  CHECK_MESSAGE(contains(here, "  ncu: " +
                                   runtime::profiler_command("squared_to_profile_kernel",
                                                             runtime::path_of_this_program()) +
                                   "\n"),
                here);
}

}  // namespace sinter::test
