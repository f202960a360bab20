// Programs whose kernels call their own functions run from packs: the packs contain the linked code.

#include <doctest/doctest.h>

#include "../support/beside.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/process/temporary_folder.hpp"
#include "run_program.hpp"

#include <sinter/dsl/extern_function.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/pack/pack_builder.hpp>

#include <filesystem>
#include <set>
#include <string>

namespace sinter::test {

using namespace runtime;

namespace {

std::string program(const std::string& words) { return path_of("packed_extern_program") + " " + words; }

const std::string on_fake_cuda = " SINTER_CUDA_DRIVER=" + path_of("libfake_cuda.so");

/// The recording of a run of the program, and the number of its kernels.
struct recorded_run {
  recording_content content;
  int kernels = 0;
};
recorded_run record(const std::string& words, const std::string& environment = {}) {
  const temporary_folder root;
  const std::string path = root / "recording";
  const std::string text = run("SINTER_CACHE=off SINTER_RECORD=" + path + environment, program(words));
  recorded_run made{read_recordings({&path, 1}), 0};
  CHECK(made.content.faults.empty());
  const std::size_t at = text.find("compiled ");
  REQUIRE_MESSAGE(at != std::string::npos, text);
  made.kernels = std::stoi(text.substr(at + 9));
  CHECK(made.kernels >= 2);
  return made;
}

built_pack pack_of(const recorded_run& from, std::vector<int> architectures) {
  const bool cpu = architectures.empty();
  return build_pack(
      from.content.requests,
      {.architectures = std::move(architectures), .cpu = cpu, .threads = 2, .progress = nullptr});
}

std::string all_found(int kernels) { return ": compiled 0 pack " + std::to_string(kernels) + "\n"; }

bool nvjitlink_is_missing() { return lacks_nvrtc() || lacks_nvjitlink(); }

/// Each entry's images, such as "cubin 90 PTX 90 ".
std::multiset<std::string> forms_of(const built_pack& made) {
  std::string fault;
  const std::shared_ptr<pack> from = pack::open_bytes(made.bytes, "pack", {}, fault);
  std::multiset<std::string> forms;
  for (std::size_t i = 0; i < from->size(); ++i) {
    cache_entry entry;
    CHECK(decode(from->read(from->row(i)).bytes, "", entry) == entry_fault::none);
    std::string form;
    for (const code_image& image : entry.images)
      form += std::string(to_string(image.format)) + " " + std::to_string(image.architecture) + " ";
    forms.insert(form);
  }
  return forms;
}

}  // namespace

TEST_CASE("a function of text, of bitcode or of a pointer is in the CPU's kernels of a pack") {
  for (const char* form : {"text", "bitcode", "pointer"}) {
    CAPTURE(form);
    const temporary_folder root;
    const recorded_run recorded = record(form);
    const built_pack made = pack_of(recorded, {});
    CHECK(made.faults.empty());
    write_file(root / "pack", made.bytes);
    CHECK(run(without_compilers + ("SINTER_PACKS=" + (root / "pack")), program(form)) ==
          "right" + all_found(recorded.kernels));
  }
}

TEST_CASE("a pack's kernel with a function's text does not serve a program with another text") {
  const temporary_folder root;
  write_file(root / "pack", pack_of(record("text"), {}).bytes);
  CHECK(run(without_compilers + ("SINTER_PACKS=" + (root / "pack")), program("bitcode"))
            .starts_with("failed: "));
}

TEST_CASE(
    "headers are in the recording: the pack is built where they are not, and serves equal ones elsewhere") {
  const temporary_folder there, here;
  write_file(there / "twice.h", "#define TWICE(x) ((x) + (x))\n");
  const recorded_run recorded = record("text " + there.path());
  std::filesystem::remove(there / "twice.h");
  const built_pack made = pack_of(recorded, {});
  CHECK(made.faults.empty());
  write_file(here / "pack", made.bytes);
  write_file(here / "twice.h", "#define TWICE(x) ((x) + (x))\n");
  const std::string packed = "SINTER_CACHE=off SINTER_PACKS=" + (here / "pack");
  CHECK(run(packed, program("text " + here.path())) == "right" + all_found(recorded.kernels));
  write_file(here / "twice.h", "#define TWICE(x) (2 * (x))\n");
  CHECK(run(packed, program("text " + here.path())).starts_with("right: compiled 2 "));
}

TEST_CASE("a function is linked on the machine that packs, for each architecture and as PTX for newer ones") {
  if (nvjitlink_is_missing()) return;
  const temporary_folder root;
  const std::string text = "extern \"C\" __device__ float blend(float a, float b) { return a + a - b; }";
  const std::string options[] = {"--relocatable-device-code=true"};
  write_file(root / "blend.lto", compile_cuda(text, "blend.cu", "", {80, cuda_code::lto_ir}, options).code);
  for (const std::string& words : {std::string("text cuda"), "object " + (root / "blend.lto") + " cuda"}) {
    CAPTURE(words);
    const recorded_run recorded = record(words, on_fake_cuda);
    const built_pack made = pack_of(recorded, {80, 90});
    CHECK(made.faults.empty());
    for (const std::string& form : forms_of(made)) CHECK((form == "cubin 80 " || form == "cubin 90 PTX 90 "));
    write_file(root / "pack", made.bytes);
    CHECK(run(without_compilers + ("SINTER_PACKS=" + (root / "pack")) + " SINTER_NVJITLINK=/nonexistent" +
                  on_fake_cuda,
              program(words))
              .ends_with(all_found(recorded.kernels)));
  }
}

TEST_CASE("code that links to machine code only is packed without PTX, which is told") {
  if (nvjitlink_is_missing()) return;
  const temporary_folder root;
  const std::string text = "extern \"C\" __device__ float blend(float a, float b) { return a + a - b; }";
  const std::string options[] = {"--relocatable-device-code=true"};
  write_file(root / "blend.ptx", compile_cuda(text, "blend.cu", "", {80, cuda_code::ptx}, options).code);
  const built_pack made = pack_of(record("object " + (root / "blend.ptx") + " cuda", on_fake_cuda), {90});
  CHECK(made.kernels > 0);
  for (const std::string& form : forms_of(made)) CHECK(form == "cubin 90 ");
  REQUIRE_FALSE(made.faults.empty());
  CHECK(made.faults[0].find("has no PTX for devices newer than compute capability 9.0") != std::string::npos);
}

TEST_CASE(
    "a function that no target of a pack has a form for is told, and is no fault where another one has") {
  if (lacks_nvrtc()) return;
  const recorded_run recorded = record("pointer");
  const built_pack made = pack_of(recorded, {90});
  CHECK(made.kernels == 0);
  REQUIRE(made.faults.size() == 2);
  CHECK(made.faults[0] ==
        "function 'blended': no target of the pack can run it: 'blend', which it calls, has no form for "
        "compute "
        "capability 9.0");
  CHECK(build_pack(recorded.content.requests,
                   {.architectures = {90}, .cpu = true, .threads = 2, .progress = nullptr})
            .faults.empty());
}

}  // namespace sinter::test
