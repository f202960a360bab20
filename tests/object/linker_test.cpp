// Linking of object code that was never loaded: formats of the inputs, the result, and the errors.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/linker.hpp>

#include "../support/cuda/device_objects.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"
#include "../support/process/own_process.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool linker_is_missing() { return test::lacks_nvrtc() || test::lacks_nvjitlink(); }

constexpr const char* calling = R"(
extern "C" __device__ float helper(float a, float b);
extern "C" __global__ void kernel_that_calls(float* x) {
  x[threadIdx.x] = helper(x[threadIdx.x], x[1]) * x[2] + x[3];
})";
constexpr const char* called = R"(
extern "C" __device__ float helper(float a, float b) { return a * b + 1.0f; })";

object_code compiled(const char* text, cuda_code code, const char* name, int architecture = 90) {
  const std::string options[] = {"--relocatable-device-code=true"};
  return object_code::from_bytes(compile_cuda(text, "text.cu", "", {architecture, code}, options).code, name);
}

link_options for_architecture(int architecture, std::vector<std::string> entries = {}) {
  link_options options;
  options.architecture = architecture;
  options.entries = std::move(entries);
  return options;
}

template <class Called>
compile_error refusal(const Called& called) {
  try {
    called();
  } catch (const compile_error& thrown) {
    return thrown;
  }
  return compile_error("nothing was thrown", {}, {});
}

// A file that is removed with its scope.
struct temporary_file {
  temporary_file(const char* name, const std::string& bytes)
      : path((std::filesystem::temp_directory_path() / name).string()) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~temporary_file() { std::filesystem::remove(path); }
  std::string path;
};

}  // namespace

TEST_SUITE("linker") {
  TEST_CASE("every pair of formats links to a cubin with the kernel in it") {
    if (linker_is_missing()) return;
    fake_cuda fake;
    for (const cuda_code kernel : {cuda_code::lto_ir, cuda_code::ptx, cuda_code::cubin})
      for (const cuda_code helper : {cuda_code::lto_ir, cuda_code::ptx, cuda_code::cubin}) {
        CAPTURE(static_cast<int>(kernel));
        CAPTURE(static_cast<int>(helper));
        const object_code inputs[] = {compiled(calling, kernel, "calling"),
                                      compiled(called, helper, "called")};
        const object_code made = sinter::link(inputs, for_architecture(90, {"kernel_that_calls"}));
        REQUIRE(made.images().size() == 1);
        CHECK(made.images()[0].format == code_format::cubin);
        CHECK(made.images()[0].architecture == 90);
        CHECK(fault_of(made.images()[0]).empty());
        CHECK(made.entries() == std::vector<std::string>{"kernel_that_calls"});
        CHECK(made.facts().registers > 0);
        CHECK(made.facts().shared_bytes == 0);
        CHECK(contains(made.facts().compiler, "nvjitlink "));
        CHECK(made.origin() == "linked");
      }
    CHECK(fake.all_calls() == "");
  }

  TEST_CASE("LTO-IR is inlined, for any later architecture, and nothing is contracted") {
    if (linker_is_missing()) return;
    const object_code inputs[] = {compiled(calling, cuda_code::lto_ir, "calling", 80),
                                  compiled(called, cuda_code::lto_ir, "called", 80)};
    link_options options = for_architecture(90);
    options.ptx = true;
    const object_code made = sinter::link(inputs, options);
    CHECK(made.images()[0].format == code_format::ptx);
    CHECK(contains(made.images()[0].bytes, ".target sm_90"));
    CHECK_FALSE(contains(made.images()[0].bytes, "call.uni"));
    CHECK_FALSE(contains(made.images()[0].bytes, "fma.rn"));
    CHECK(made.entry() == "kernel_that_calls");
  }

  TEST_CASE("the same inputs make the same bytes") {
    if (linker_is_missing()) return;
    const object_code inputs[] = {compiled(calling, cuda_code::lto_ir, "calling"),
                                  compiled(called, cuda_code::ptx, "called", 80)};
    CHECK(sinter::link(inputs, for_architecture(90)).images() ==
          sinter::link(inputs, for_architecture(90)).images());
  }

  TEST_CASE("fatbins, object files and libraries of a host compiler give their device code") {
    if (linker_is_missing()) return;
    const object_code kernel = compiled(calling, cuda_code::cubin, "calling");
    const std::string fatbin = test::fatbin_of(compiled(called, cuda_code::cubin, "called").images()[0]);
    const object_code inputs[] = {kernel, object_code::from_bytes(fatbin, "fatbin")};
    CHECK(sinter::link(inputs, for_architecture(90)).entry() == "kernel_that_calls");

    const std::string object = test::host_object_of(fatbin);
    const temporary_file one("sinter_linker_test.o", object);
    const temporary_file many("sinter_linker_test.a", test::archive_of(object));
    const temporary_file plain("sinter_linker_test.fatbin", fatbin);
    for (const std::string& path : {one.path, many.path, plain.path}) {
      CAPTURE(path);
      link_options options = for_architecture(90);
      options.libraries = {path};
      CHECK(sinter::link({&kernel, 1}, options).entry() == "kernel_that_calls");
    }
  }

  TEST_CASE("a function that nobody defines is named") {
    if (linker_is_missing()) return;
    for (const cuda_code kind : {cuda_code::lto_ir, cuda_code::ptx, cuda_code::cubin}) {
      const object_code input = compiled(calling, kind, "file of the kernel");
      const compile_error told = refusal([&] { sinter::link({&input, 1}, for_architecture(90)); });
      CAPTURE(told.what());
      CHECK(contains(told.what(), "none of them defines 'helper'"));
      CHECK(contains(told.what(), "file of the kernel"));
      CHECK(contains(told.log(), "helper"));
    }
  }

  TEST_CASE("an input that is refused, cut short or for another architecture is named") {
    if (linker_is_missing()) return;
    const object_code kernel = compiled(calling, cuda_code::ptx, "calling");
    const std::string cubin = compiled(called, cuda_code::cubin, "called").images()[0].bytes;
    const object_code cut = object_code::from_bytes(cubin.substr(0, cubin.size() / 2), "half a file");
    const object_code with_cut[] = {kernel, cut};
    CHECK(contains(refusal([&] { sinter::link(with_cut, for_architecture(90)); }).what(), "half a file"));

    const object_code garbage =
        object_code::from_bytes(".version 8.0\n.target sm_80\n.garbage\n", "a broken text");
    const object_code with_garbage[] = {kernel, garbage};
    const compile_error told = refusal([&] { sinter::link(with_garbage, for_architecture(90)); });
    CHECK(contains(told.what(), "refused a broken text"));
    CHECK(contains(told.log(), ".garbage"));

    const object_code other[] = {kernel, compiled(called, cuda_code::cubin, "of the other", 80)};
    CHECK(contains(refusal([&] { sinter::link(other, for_architecture(90)); }).what(),
                   "of the other cannot be linked for compute capability 9.0: there is cubin for 8.0"));
  }

  TEST_CASE("object code that was never loaded goes without asking for the driver") {
    // in this process the driver may be initialised already
    const test::own_process alone = test::run_alone("what is mapped after a link (in a process of its own)",
                                                    {{"SINTER_CUDA_DRIVER", fake_cuda_path()}});
    CHECK(alone.status == 0);
    CHECK(alone.told == "ended");
  }

  TEST_CASE("what is mapped after a link (in a process of its own)" * doctest::skip()) {
    if (!test::runs_alone()) return;
    const auto is_mapped = [] {
      std::ifstream maps("/proc/self/maps");
      const std::string all((std::istreambuf_iterator<char>(maps)), std::istreambuf_iterator<char>());
      return contains(all, "libfake_cuda");
    };
    if (nvrtc() != nullptr && nvjitlink() != nullptr) {
      const object_code inputs[] = {compiled(calling, cuda_code::ptx, "calling"),
                                    compiled(called, cuda_code::ptx, "called")};
      sinter::link(inputs, for_architecture(90));
    }
    {
      const object_code unused(
          std::vector<code_image>{{code_format::ptx, 90, ".version 8.0\n.target sm_90\n"}});
    }
    CHECK_FALSE(is_mapped());
    CHECK(driver() != nullptr);
    CHECK(is_mapped());
    test::tell("ended");
  }

  TEST_CASE("two inputs that define one kernel are both named, whatever they come as") {
    if (linker_is_missing()) return;
    constexpr const char* twin = R"(extern "C" __global__ void kernel_that_calls(float* x) { x[0] = 3; })";
    for (const cuda_code first : {cuda_code::ptx, cuda_code::cubin, cuda_code::lto_ir})
      for (const cuda_code second : {cuda_code::ptx, cuda_code::cubin, cuda_code::lto_ir}) {
        CAPTURE(static_cast<int>(first));
        CAPTURE(static_cast<int>(second));
        const object_code inputs[] = {compiled(called, cuda_code::ptx, "the helper"),
                                      compiled(calling, first, "the one"),
                                      compiled(twin, second, "the other")};
        const std::string told = refusal([&] { sinter::link(inputs, for_architecture(90)); }).what();
        CAPTURE(told);
        CHECK(contains(told, "kernel_that_calls"));
        CHECK(contains(told, "the one"));
        CHECK(contains(told, "the other"));
      }
  }

  TEST_CASE("two inputs that define one function are both named") {
    if (linker_is_missing()) return;
    for (const cuda_code kind : {cuda_code::ptx, cuda_code::cubin, cuda_code::lto_ir}) {
      CAPTURE(static_cast<int>(kind));
      const object_code inputs[] = {compiled(calling, cuda_code::ptx, "calling"),
                                    compiled(called, kind, "the one"), compiled(called, kind, "the other")};
      const std::string told = refusal([&] { sinter::link(inputs, for_architecture(90)); }).what();
      CAPTURE(told);
      CHECK(contains(told, "'helper'"));
      CHECK(contains(told, "the one"));
      CHECK(contains(told, "the other"));
    }
  }

  TEST_CASE("kernels of templates may be defined by two inputs") {
    if (linker_is_missing()) return;
    constexpr const char* instance =
        "template <int N> __global__ void scaled(float* x) { x[0] *= N; }\n"
        "template __global__ void scaled<3>(float*);\n";
    const object_code inputs[] = {compiled(instance, cuda_code::ptx, "one"),
                                  compiled(instance, cuda_code::ptx, "other")};
    CHECK(sinter::link(inputs, for_architecture(90)).entries().size() == 1);
  }

  TEST_CASE("code for the CPU is said to be that") {
    const std::string bytes = [] {
      std::ifstream file("/proc/self/exe", std::ios::binary);
      return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    }();
    const object_code elf = object_code::from_bytes(bytes, "a program");
    for (const int architecture : {0, 90}) {
      CAPTURE(architecture);
      const std::string told =
          refusal([&] { sinter::link({&elf, 1}, for_architecture(architecture)); }).what();
      CAPTURE(told);
      CHECK(contains(told, "ELF code for the CPU"));
      CHECK(contains(told, "a program"));
    }
    if (linker_is_missing()) return;
    const object_code kernel = compiled(calling, cuda_code::ptx, "calling");
    link_options options = for_architecture(90);
    options.libraries = {"/proc/self/exe"};
    CHECK(contains(refusal([&] { sinter::link({&kernel, 1}, options); }).what(), "ELF code for the CPU"));
  }

  TEST_CASE("a kernel that was asked for and is not there is named, with those that are") {
    if (linker_is_missing()) return;
    const object_code inputs[] = {compiled(calling, cuda_code::cubin, "calling"),
                                  compiled(called, cuda_code::cubin, "called")};
    const std::string told =
        refusal([&] { sinter::link(inputs, for_architecture(90, {"other_kernel"})); }).what();
    CHECK(contains(told, "'other_kernel'"));
    CHECK(contains(told, "kernel_that_calls"));
  }

  TEST_CASE("an option or architecture that does not exist, and no architecture, are told") {
    if (linker_is_missing()) return;
    const object_code inputs[] = {compiled(calling, cuda_code::lto_ir, "calling"),
                                  compiled(called, cuda_code::lto_ir, "called")};
    link_options wrong = for_architecture(90);
    wrong.options = {"-no-such-option"};
    CHECK(contains(refusal([&] { sinter::link(inputs, wrong); }).what(), "-no-such-option"));
    CHECK(contains(refusal([&] { sinter::link(inputs, for_architecture(19)); }).what(), "sm_19"));
    CHECK(contains(refusal([&] { sinter::link(inputs, for_architecture(0)); }).what(),
                   "link_options::architecture"));
    CHECK_THROWS_AS(sinter::link({}, for_architecture(90)), compile_error);
  }

  TEST_CASE("two threads may link at once") {
    if (linker_is_missing()) return;
    const object_code inputs[] = {compiled(calling, cuda_code::lto_ir, "calling"),
                                  compiled(called, cuda_code::lto_ir, "called")};
    object_code made[2];
    std::vector<std::thread> threads;
    for (object_code& each : made)
      threads.emplace_back([&] { each = sinter::link(inputs, for_architecture(90)); });
    for (std::thread& each : threads) each.join();
    CHECK(made[0].images() == made[1].images());
  }

  TEST_CASE("without nvJitLink the reason says what to install") {
    nvjitlink_api table;
    std::string why;
    const std::string names[] = {"/nonexistent"}, other[] = {"libc.so.6"};
    CHECK_FALSE(load_nvjitlink(names, table, why));
    CHECK(contains(why, "/nonexistent"));
    CHECK(contains(why, "SINTER_NVJITLINK"));
    CHECK_FALSE(load_nvjitlink(other, table, why));
    CHECK(contains(why, "no usable nvJitLink"));
  }
}
