// Compiled code as a value: formats are recognised, nothing is loaded before its first use, and every device
// gets the image that fits it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include "../support/cuda/device_objects.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"

using namespace sinter;
using namespace sinter::runtime;
using sinter::test::fatbin_of;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class Called>
std::string refusal(const Called& called) {
  try {
    called();
  } catch (const device_error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

constexpr const char* two_kernels = R"(
__device__ int helper_of_both(int x) { return x + 1; }
extern "C" __global__ void first(int* x) { x[threadIdx.x] = helper_of_both(x[threadIdx.x]); }
extern "C" __global__ void second(int* x) { x[0] = 2; }
)";

code_image compiled(int architecture, cuda_code code = cuda_code::cubin) {
  const code_format formats[] = {code_format::cubin, code_format::ptx, code_format::lto_ir};
  return {formats[static_cast<int>(code)], code == cuda_code::lto_ir ? 0 : architecture,
          compile_cuda(two_kernels, "two.cu", "first", {architecture, code}).code};
}

std::string shared_object() {
  return compile_cpu(R"(extern "C" void fill(const void* block, long long first, long long last) {
    long long* const out = *static_cast<long long* const*>(block);
    for (long long i = first; i < last; ++i) out[i] = i;
  })",
                     "fill.cpp")
      .object;
}

}  // namespace

TEST_SUITE("object code") {
  TEST_CASE("the format, architecture and kernels of bytes are read off them") {
    if (test::lacks_nvrtc()) return;
    const std::vector<int> known = supported_architectures();
    for (const int architecture : {75, 80, 86, 90, 100, 120}) {
      if (std::find(known.begin(), known.end(), architecture) == known.end()) continue;
      CAPTURE(architecture);
      for (const cuda_code kind : {cuda_code::cubin, cuda_code::ptx}) {
        const code_image image = compiled(architecture, kind);
        const object_code code = object_code::from_bytes(image.bytes);
        CHECK(code.images() == std::vector{image});
        std::vector<std::string> names = code.entries();
        std::sort(names.begin(), names.end());
        CHECK(names == std::vector<std::string>{"first", "second"});
      }
    }
    const code_image lto_ir = compiled(90, cuda_code::lto_ir);
    CHECK(object_code::from_bytes(lto_ir.bytes).images() == std::vector{lto_ir});
    const std::string fatbin = fatbin_of(compiled(90));
    CHECK(object_code::from_bytes(fatbin).images()[0].format == code_format::fatbin);
    CHECK(object_code::from_bytes(fatbin).entry().empty());
  }

  TEST_CASE("PTX is known by its first directive, whatever comments stand before it") {
    const std::string text =
        "// .version\n/* .entry no */\n  .version 8.0\n.target sm_86, debug\n"
        ".visible .entry  one(.param .u64 a)\n{ ret; } // .entry two\n.entry three() {}";
    const object_code code = object_code::from_bytes(text);
    CHECK(code.images()[0].format == code_format::ptx);
    CHECK(code.images()[0].architecture == 86);
    CHECK(code.entries() == std::vector<std::string>{"one", "three"});
  }

  TEST_CASE("what is no compiled code is refused, and the message says where it came from") {
    for (const char* text : {"", "__global__ void k() {}", "version 8.0", "/* .version 8.0"})
      CHECK(contains(refusal([&] { object_code::from_bytes(text, "the answer"); }), "the answer"));
    CHECK(contains(refusal([] { object_code::from_file("/nonexistent/axpy.cubin"); }),
                   "/nonexistent/axpy.cubin"));
    CHECK(contains(refusal([] { object_code::from_file("/"); }), "regular file"));
  }

  TEST_CASE("code of the CPU runs out of a file and tells its functions") {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "sinter_object_code_test.so";
    const std::string bytes = shared_object();
    std::ofstream(path, std::ios::binary) << bytes;
    const object_code code = object_code::from_file(path.string());
    std::filesystem::remove(path);
    CHECK(code.origin() == "file " + path.string());
    CHECK(code.images()[0].format == code_format::elf);
    CHECK(code.entry() == "fill");
    CHECK_FALSE(code.loaded());
    long long out[4] = {};
    const long long* block[] = {out};
    code.cpu_entry()(static_cast<const void*>(block), 1, 3);
    CHECK(out[0] == 0);
    CHECK(out[1] == 1);
    CHECK(out[2] == 2);
    CHECK(code.loaded());
    CHECK(contains(refusal([&] { code.cpu_entry("empty"); }), "no kernel 'empty'"));
    CHECK(contains(refusal([&] { code.attributes(device::cpu()); }), "CUDA"));
  }

  TEST_CASE("making, copying and dropping calls no driver") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake;
    {
      const object_code code({compiled(90), compiled(90, cuda_code::ptx)}, "first");
      const object_code copy = code;
      CHECK_FALSE(copy.loaded());
      CHECK(object_code::from_bytes(code.images()[0].bytes).entries().size() == 2);
    }
    for (const char* function :
         {"cuInit", "cuDeviceGetCount", "cuLibraryLoadData", "cuLibraryUnload", "cuCtxGetCurrent"})
      CHECK_MESSAGE(fake.calls(function) == 0, function);
  }

  TEST_CASE("many threads on two devices load once, and the last copy unloads") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake(2);
    {
      const object_code code({compiled(90)}, "first");
      std::vector<std::thread> threads;
      for (int i = 0; i < 16; ++i)
        threads.emplace_back([copy = code, i] {
          for (int turn = 0; turn < 20; ++turn) CHECK(copy.cuda_entry(primary_context(i % 2)) != nullptr);
        });
      for (std::thread& each : threads) each.join();
      CHECK(code.loaded());
      CHECK(code.attributes(device::cuda(1)).registers == 32);
      CHECK(fake.calls("cuLibraryLoadData") == 1);
      CHECK(fake.calls("cuLibraryGetKernel") == 1);
      CHECK(fake.calls("cuLibraryUnload") == 0);
    }
    CHECK(fake.calls("cuLibraryUnload") == 1);
  }

  TEST_CASE("code that was captured stays loaded when its last copy goes") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake;
    {
      const object_code code({compiled(90)}, "first");
      code.cuda_entry(primary_context(0));
      code.keep_loaded();
    }
    CHECK(fake.calls("cuLibraryUnload") == 0);
  }

  TEST_CASE("each device gets the cubin of its architecture, else a lower one's of its kind, else PTX") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake(4);
    fake.set_architecture(0, 80);
    fake.set_architecture(1, 89);
    fake.set_architecture(2, 90);
    fake.set_architecture(3, 121);
    // The choice does not depend on the bytes; the first image that loads is as good as any other.
    code_image ptx = compiled(80, cuda_code::ptx);
    const std::string bytes = compiled(80).bytes;
    const object_code code({ptx,
                            {code_format::cubin, 80, bytes},
                            {code_format::cubin, 86, bytes},
                            {code_format::cubin, 90, bytes},
                            {code_format::cubin, 100, bytes}},
                           "first");
    const int expected[] = {80, 86, 90, 80};
    for (int i = 0; i < 4; ++i) {
      CAPTURE(i);
      const code_image& chosen = code.image_for(device::cuda(i));
      CHECK(chosen.architecture == expected[i]);
      CHECK((chosen.format == code_format::ptx) == (i == 3));
      code.cuda_entry(primary_context(i));
      CHECK(fake.loaded_from() == chosen.bytes.data());
    }
    CHECK(fake.calls("cuLibraryLoadData") == 4);
    CHECK(contains(refusal([&] { code.cpu_entry(); }), "the CPU"));
  }

  TEST_CASE("a fatbin serves where no cubin of the device's kind is, before PTX") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake(2);
    fake.set_architecture(1, 100);
    const object_code code(
        {{code_format::fatbin, 0, fatbin_of(compiled(90))}, compiled(80, cuda_code::ptx), compiled(90)},
        "first");
    CHECK(code.image_for(device::cuda(0)).format == code_format::cubin);
    CHECK(code.image_for(device::cuda(1)).format == code_format::fatbin);
    CHECK(code.cuda_entry(primary_context(1)) != nullptr);
  }

  TEST_CASE("a device that nothing fits is told what there is") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake;
    fake.set_architecture(0, 75);
    const object_code code({compiled(90), compiled(80, cuda_code::ptx)}, "first");
    const std::string told = refusal([&] { code.cuda_entry(primary_context(0)); });
    CHECK(contains(told, "kernel 'first' cannot run on cuda:0 (compute capability 7.5)"));
    CHECK(contains(told, "cubin for 9.0, PTX for 8.0"));
    const object_code unlinked = object_code::from_bytes(compiled(90, cuda_code::lto_ir).bytes);
    CHECK(contains(refusal([&] { unlinked.cuda_entry(primary_context(0)); }), "link()"));
    CHECK(fake.calls("cuLibraryLoadData") == 0);
  }

  TEST_CASE("an image that one device refuses throws there, runs on the others, and heals") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake(2);
    fake.refuse_on(1, CUresult::no_binary_for_gpu);
    const object_code code({compiled(90)}, "first");
    CHECK(contains(refusal([&] { code.cuda_entry(primary_context(1)); }), "'first'"));
    CHECK(code.cuda_entry(primary_context(0)) != nullptr);
    CHECK(contains(refusal([&] { code.cuda_entry(primary_context(1)); }), "'first'"));
    fake.refuse_on(1, CUresult::success);
    CHECK(code.cuda_entry(primary_context(1)) != nullptr);
    CHECK(fake.calls("cuLibraryLoadData") == 1);

    const object_code other({compiled(90)}, "first");
    fake.fail("cuLibraryLoadData", 1, CUresult::invalid_image);
    CHECK(contains(refusal([&] { other.cuda_entry(primary_context(0)); }), "loading compiled code"));
    CHECK_FALSE(other.loaded());
    CHECK(other.cuda_entry(primary_context(0)) != nullptr);
  }

  TEST_CASE("a broken image throws where it is used and leaves the device with another image alone") {
    if (test::lacks_nvrtc()) return;
    fake_cuda fake(2);
    fake.set_architecture(1, 80);
    code_image cut = compiled(90);
    cut.bytes.resize(cut.bytes.size() / 2);
    const object_code code({cut, compiled(80)}, "first", {}, "file axpy.cubin");
    CHECK(contains(refusal([&] { code.cuda_entry(primary_context(0)); }), "axpy.cubin"));
    CHECK(contains(refusal([&] { code.cuda_entry(primary_context(0)); }), "cut short"));
    CHECK(fake.calls("cuLibraryLoadData") == 0);
    CHECK(code.cuda_entry(primary_context(1)) != nullptr);
  }

  TEST_CASE(
      "bytes of another format than they are said to be are refused before a driver or loader sees them") {
    fake_cuda fake;
    const object_code text({{code_format::cubin, 90, "no ELF at all"}}, "k");
    CHECK(contains(refusal([&] { text.cuda_entry(primary_context(0)); }), "are no cubin"));
    const object_code host({{code_format::elf, 0, "no ELF at all"}}, "k");
    CHECK(contains(refusal([&] { host.cpu_entry(); }), "are no ELF"));
    const object_code ptx({{code_format::cubin, 90, ".version 8.0"}}, "k");
    CHECK(contains(refusal([&] { ptx.cuda_entry(primary_context(0)); }), "are PTX, not cubin"));
    CHECK(fake.calls("cuLibraryLoadData") == 0);
  }

  TEST_CASE("every truncation is recognised as cut short, or is no compiled code any more") {
    if (test::lacks_nvrtc()) return;
    const std::string samples[] = {compiled(80).bytes, compiled(90).bytes, fatbin_of(compiled(90)),
                                   shared_object()};
    for (const std::string& whole : samples) {
      const code_image image = recognise(whole, "whole");
      CHECK(fault_of(image).empty());
      for (std::size_t length = 0; length < whole.size(); ++length) {
        // A separate allocation, so that a sanitizer detects a read past its end.
        code_image cut{image.format, image.architecture, std::string(whole.data(), length)};
        cut.bytes.shrink_to_fit();
        if (fault_of(cut).empty()) FAIL_CHECK("a ", to_string(image.format), " of ", length, " bytes passed");
        if (!entries_of(cut).empty()) FAIL_CHECK("entries were read out of ", length, " bytes");
      }
    }
    // Text has no length field: the driver, which reads to its end, reports what is missing.
    for (const code_image& image : {compiled(90, cuda_code::ptx), compiled(90, cuda_code::lto_ir)})
      for (std::size_t length = 0; length < image.bytes.size(); ++length) {
        const std::string cut(image.bytes.data(), length);
        code_format format{};
        if (recognise_format(cut, format)) {
          if (format != image.format) FAIL_CHECK(length, " bytes were taken for another format");
          entries_of({format, 0, cut});
        }
      }
  }

  TEST_CASE("no flipped byte of a header leads a reader astray") {
    if (test::lacks_nvrtc()) return;
    for (const std::string& whole : {compiled(90).bytes, fatbin_of(compiled(90)), shared_object()}) {
      for (std::size_t at = 0; at < whole.size(); ++at)
        for (const unsigned mask : {0x01u, 0x80u, 0xffu}) {
          std::string flipped = whole;
          flipped[at] = static_cast<char>(static_cast<unsigned char>(flipped[at]) ^ mask);
          code_image image{code_format::cubin, 0, std::move(flipped)};
          if (recognise_format(image.bytes, image.format)) entries_of(image);  // checked by a sanitizer
        }
    }
  }
}
