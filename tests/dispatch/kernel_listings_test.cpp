// source(), ptx() and assembly(): the kernels of a call as text, and the programs that print machine code.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <sinter/builder.hpp>
#include <sinter/runtime/object/disassemble.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"
#include "../support/process/temporary_folder.hpp"

namespace sinter::test {
namespace {

const auto softmax_rows = fuse("listed_softmax", [](auto x) { return softmax(x, axis<1>); });
const described<float, 2> large({1 << 12, 1 << 12}, device::cpu()), small({50, 70}, device::cpu());

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const device_error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

any_function scaled_by() {
  const array<float, 1> like(0, device::cpu());
  return any_function(
      {like, 2.5},
      [](graph_builder& builder, auto operands) {
        builder.output(builder.apply(operation::multiply, operands));
      },
      arithmetic_mode::standard, "listed_scale");
}

/// Whether the CPU's kernels cannot be compiled.
bool is_without_cpu_compiler() {
  try {
    softmax_rows.prepare(ones<float>({3, 4}, device::cpu()));
  } catch (const device_error& missing) {
    return lacks(need::cpu_compiler, missing.what());
  }
  return false;
}

/// Sets PATH to one folder.
class only_path {
 public:
  explicit only_path(const std::string& folder) : before_(std::getenv("PATH")) {
    ::setenv("PATH", folder.c_str(), 1);
  }
  only_path(const only_path&) = delete;
  only_path& operator=(const only_path&) = delete;
  ~only_path() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

/// A folder with an nvdisasm that prints its first argument and the first four bytes of the code.
class imitated_nvdisasm {
 public:
  imitated_nvdisasm() {
    replace("#!/bin/sh\necho \"$1\"\n/usr/bin/head -c 4 \"$2\" | /usr/bin/tail -c 3\necho\n");
    std::filesystem::permissions(folder_ / "nvdisasm", std::filesystem::perms::owner_all);
  }
  void replace(const std::string& text) { write_file(folder_ / "nvdisasm", text); }
  const std::string& path() const { return folder_.path(); }

 private:
  temporary_folder folder_;
};

constexpr const char* imitated_output = "--print-code\nELF\n";

}  // namespace

TEST_CASE("PTX for a model of GPU is that of the kernel's entry") {
  if (lacks_nvrtc()) return;
  const std::string text = softmax_rows.ptx(gpu_model("H200"), large);
  CHECK(has(text, ".target sm_90"));
  CHECK(has(text, ".entry listed_softmax"));
}

TEST_CASE("PTX and machine code of a GPU that is here are those of its own kernels") {
  if (lacks_nvrtc()) return;
  const fake_cuda fake;
  const view<const float, 2> x(nullptr, {64, 1000}, {1000, 1}, device::cuda(0));
  CHECK(has(softmax_rows.ptx(x), ".entry listed_softmax"));
  const imitated_nvdisasm tool;
  const only_path path(tool.path());
  CHECK(softmax_rows.assembly(x) == imitated_output);
}

TEST_CASE("several kernels are headed by a comment each") {
  if (lacks_nvrtc()) return;
  const auto total = fuse("listed_total", [](auto x) { return sum(x); });
  const std::string ptx = total.ptx(gpu_model("H200"), large);
  CHECK(has(ptx, "// kernel 1 of 2: listed_total"));
  CHECK(has(ptx, "\n// kernel 2 of 2: listed_total"));
  const imitated_nvdisasm tool;
  const only_path path(tool.path());
  const std::string assembly = total.assembly(gpu_model("H200"), large);
  CHECK(assembly.starts_with("// kernel 1 of 2: listed_total"));
  CHECK(assembly.ends_with(imitated_output));
}

TEST_CASE("rows that the runtime sorts are told of where kernels are listed") {
  const auto sorted = fuse("listed_sort", [](auto x) { return sort(x, axis<0>); });
  const std::string text = sorted.source(gpu_model("H200"), described<float, 1>({1 << 22}));
  CHECK(has(text, " has no kernel: sorts 1 row of 4194304 keys of 32 bits\n"));
  CHECK(has(text, "__global__"));
}

TEST_CASE("assembly on the CPU is its compiler's") {
  if (is_without_cpu_compiler()) return;
  const std::string text = softmax_rows.assembly(small);
  CHECK(has(text, "listed_softmax"));
  CHECK(has(text, "\tret"));
  CHECK(softmax_rows.assembly(ones<float>({50, 70}, device::cpu())) == text);
  CHECK(softmax_rows.strict().assembly(small) != "");
  array<float, 2> y({50, 70}, device::cpu());
  CHECK(has(softmax_rows.into(y).assembly(small), "listed_softmax"));
}

TEST_CASE("the CPU has no PTX") {
  const std::string wanted = ": it runs on the CPU, which has no PTX: ask for assembly()";
  CHECK(has(refusal([] { (void)softmax_rows.ptx(small); }), "listed_softmax"));
  CHECK(has(refusal([] { (void)softmax_rows.ptx(small); }), wanted));
  const array<float, 1> x = ones<float>(5, device::cpu());
  CHECK(has(refusal([&] { (void)scaled_by().ptx({x, 1.0}); }), wanted));
}

TEST_CASE("the kernels of a function of operands known at run time are listed likewise") {
  if (is_without_cpu_compiler()) return;
  const array<float, 1> x = ones<float>(5, device::cpu());
  const std::string text = scaled_by().assembly({x, 1.0});
  CHECK(has(text, "listed_scale"));
  CHECK(has(text, "\tret"));
}

TEST_CASE("machine code for a model of GPU is what nvdisasm or cuobjdump prints") {
  if (lacks_nvrtc()) return;
  const bool none = runtime::find_disassembler(code_format::cubin).empty();
  if (lacks(need::nvdisasm, none ? "neither nvdisasm nor cuobjdump is installed" : "")) return;
  const std::string text = softmax_rows.assembly(gpu_model("H200"), large);
  CHECK(has(text, "listed_softmax"));
  CHECK(has(text, "EXIT"));
}

TEST_CASE("a disassembler gets the code, and is named where it refuses it") {
  imitated_nvdisasm tool;
  const only_path path(tool.path());
  const code_image code{code_format::cubin, 90, "\177ELF of a test"};
  const runtime::code_listing shown = runtime::disassemble(code);
  CHECK(shown.text == imitated_output);
  CHECK(shown.by == tool.path() + "/nvdisasm");
  tool.replace("#!/bin/sh\necho no idea >&2\nexit 7\n");
  const std::string why = refusal([&] { (void)runtime::disassemble(code); });
  CHECK(has(why, tool.path() + "/nvdisasm could not read the code (exit code 7): no idea"));
}

TEST_CASE("where there is no disassembler, it is said which ones were looked for") {
  const only_path path("/nonexistent");
  const std::string of_cpu = refusal([] { (void)runtime::disassemble({code_format::elf, 0, "code"}); });
  CHECK(has(of_cpu, "none is there: objdump, llvm-objdump, llvm-objdump-19. Install binutils."));
  if (!runtime::find_disassembler(code_format::cubin).empty()) return;  // in /usr/local/cuda/bin
  const std::string of_gpu = refusal([] { (void)runtime::disassemble({code_format::cubin, 90, "code"}); });
  CHECK(has(of_gpu, "none is there: nvdisasm, cuobjdump. They come with the CUDA toolkit"));
}

}  // namespace sinter::test
