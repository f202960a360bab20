// A program whose functions put arrays together, read and write at indices and draw numbers runs from packs,
// of a recording and of its list of functions.

#include <doctest/doctest.h>

#include "../support/process/temporary_folder.hpp"
#include "run_program.hpp"

#include <sinter/runtime/pack/pack_builder.hpp>

#include <string>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

/// What the program says, with a pack of these requests and without any compiler.
std::string run_with_pack_of(const std::vector<recorded_request>& requests) {
  const temporary_folder root;
  const built_pack made =
      build_pack(requests, {.architectures = {}, .cpu = true, .threads = 2, .progress = nullptr});
  CHECK(made.faults.empty());
  CHECK(made.kernels >= 10);
  write_file(root / "pack", made.bytes);
  return run(without_compilers + ("SINTER_PACKS=" + (root / "pack")), path_of("packed_parts_program"));
}

}  // namespace

TEST_CASE("a program of parts runs from a pack of its recording, also with other sizes and distances") {
  const temporary_folder root;
  const std::string path = root / "recording";
  const std::string text = run("SINTER_CACHE=off SINTER_RECORD=" + path, path_of("packed_parts_program"));
  CHECK(text.starts_with("right: compiled "));
  const recording_content recorded = read_recordings({&path, 1});
  CHECK(recorded.faults.empty());
  CHECK(run_with_pack_of(recorded.requests).starts_with("right: compiled 0 pack "));
  std::vector<recorded_request> first = recorded.requests;
  std::erase_if(first, [](const recorded_request& each) { return each.call->inputs[0].extents[0] != 64; });
  CHECK(first.size() >= 9);
  CHECK(first.size() < recorded.requests.size());
  CHECK(run_with_pack_of(first).starts_with("right: compiled 0 pack "));
}

TEST_CASE("a program of parts runs from a pack of its list of functions") {
  const recording_content listed = functions_of_program(path_of("packed_parts_program"));
  CHECK(listed.requests.size() == 9);
  const std::string said = run_with_pack_of(listed.requests);
  CAPTURE(said);
  CHECK(said.starts_with("right: compiled 0 pack "));
}

TEST_CASE("without its pack a program of parts needs a compiler") {
  CHECK(run(without_compilers, path_of("packed_parts_program")).starts_with("failed: "));
}

}  // namespace sinter::test
