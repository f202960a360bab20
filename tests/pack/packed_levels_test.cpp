// Packs for processor levels serve every processor of the level or a higher one, and no other.

#include <doctest/doctest.h>

#include "../support/needs.hpp"
#include "../support/process/temporary_folder.hpp"
#include "run_program.hpp"

#include <sinter/codegen/target/cpu_levels.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/pack/pack_builder.hpp>
#include <sinter/runtime/posix/host.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

constexpr const char* all_found = "right: compiled 0 pack 5 compiler 0\n";

const recording_content& recorded_run() {
  static const recording_content made = [] {
    const temporary_folder root;
    const std::string path = root / "recording";
    run("SINTER_CACHE=off SINTER_RECORD=" + path, path_of("packed_program"));
    return read_recordings({&path, 1});
  }();
  return made;
}

built_pack pack_for(std::vector<std::string> levels) {
  built_pack made = build_pack(recorded_run().requests, {.architectures = {},
                                                         .cpu = false,
                                                         .cpu_levels = std::move(levels),
                                                         .threads = 2,
                                                         .progress = nullptr});
  CHECK(made.faults.empty());
  return made;
}

bool runs_here(const cpu_level& level) {
  const std::vector<const cpu_level*> own = levels_of(processor_feature_set());
  return std::find(own.begin(), own.end(), &level) != own.end();
}

std::string run_with(const std::string& bytes) {
  const temporary_folder root;
  write_file(root / "pack", bytes);
  return run(without_compilers + ("SINTER_PACKS=" + (root / "pack")), path_of("packed_program"));
}

std::vector<cache_entry> entries_of(const std::string& bytes) {
  std::string fault;
  const std::shared_ptr<pack> from = pack::open_bytes(bytes, "pack", {}, fault);
  std::vector<cache_entry> all(from->size());
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK(decode(from->read(from->row(i)).bytes, "", all[i]) == entry_fault::none);
  return all;
}

}  // namespace

TEST_CASE(
    "a pack for a level serves processors of that level without any compiler, and is refused by others") {
  for (const cpu_level& level : cpu_levels()) {
    CAPTURE(level.name);
    const std::string text = run_with(pack_for({std::string(level.name)}).bytes);
    if (runs_here(level))
      CHECK(text == all_found);
    else
      CHECK(text.starts_with("failed: "));
  }
}

TEST_CASE(
    "of several levels the best that the processor has is taken, and a lower one where that is not packed") {
  const std::vector<const cpu_level*> own = levels_of(processor_feature_set());
  if (lacks(need::processor, own.size() < 3 ? "this one has fewer than two levels above the lowest" : ""))
    return;
  const std::string best(own[0]->name), lower(own[1]->name);
  // the lower level's kernels have invalid code: using one fails
  std::vector<cache_entry> entries = entries_of(pack_for({lower}).bytes);
  for (cache_entry& each : entries) each.images[0].bytes = "no code";
  const std::string broken = make_pack(entries);
  CHECK(run_with(broken) != all_found);
  for (cache_entry& each : entries_of(pack_for({best}).bytes)) entries.push_back(std::move(each));
  CHECK(run_with(make_pack(entries)) == all_found);
}

TEST_CASE("kernels of this very processor come before those of its level") {
  const std::vector<const cpu_level*> own = levels_of(processor_feature_set());
  if (lacks(need::processor, own.empty() ? "this one has no level of x86-64" : "")) return;
  std::vector<cache_entry> entries = entries_of(pack_for({std::string(own[0]->name)}).bytes);
  for (cache_entry& each : entries) each.images[0].bytes = "no code";
  const built_pack native = build_pack(recorded_run().requests,
                                       {.architectures = {}, .cpu = true, .threads = 2, .progress = nullptr});
  for (cache_entry& each : entries_of(native.bytes)) entries.push_back(std::move(each));
  CHECK(run_with(make_pack(entries)) == all_found);
}

TEST_CASE("a pack for levels is the same bytes whatever order they are named in") {
  CHECK(pack_for({"x86-64-v2", "x86-64-v3"}).bytes == pack_for({"x86-64-v3", "x86-64-v2"}).bytes);
}

TEST_CASE("a level that does not exist is refused with those that do") {
  try {
    pack_for({"x86-64-v9"});
    FAIL("nothing was thrown");
  } catch (const error& refused) {
    const std::string text = refused.what();
    CHECK(text.find("'x86-64-v9' is no level of processors") != std::string::npos);
    CHECK(text.find("x86-64-v3") != std::string::npos);
  }
}

}  // namespace sinter::test
