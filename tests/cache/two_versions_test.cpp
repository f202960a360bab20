// Two versions of the library in one process, with one cache directory.

#include <doctest/doctest.h>
#include <elf.h>

#include "../support/beside.hpp"
#include "../support/process/run_shell.hpp"
#include "../support/process/temporary_folder.hpp"

#include <cstring>
#include <string>

namespace sinter::test {
namespace {

/// The output of the program with both versions, with its cache in this folder.
std::string run_versions(const std::string& cache, const std::string& arguments) {
  const std::string program = path_beside("two_versions").string();
  const std::string compiler = path_beside_or("libsinter_cpu_compiler.so", SINTER_CPU_COMPILER_LIBRARY);
  return output_of("SINTER_CACHE= SINTER_CACHE_DIR=" + cache + " SINTER_CPU_COMPILER=" + compiler,
                   program + " " + arguments);
}

template <class Record>
Record record_at(const std::string& bytes, std::size_t offset) {
  Record record{};
  REQUIRE(offset + sizeof record <= bytes.size());
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

/// The symbols of a shared object that are unique in a process, whichever object defines them.
[[maybe_unused]] std::string unique_names(const std::string& object) {
  const auto file = record_at<Elf64_Ehdr>(object, 0);
  std::string names;
  std::size_t symbols = 0;
  for (std::size_t i = 0; i < file.e_shnum; ++i) {
    const auto table = record_at<Elf64_Shdr>(object, file.e_shoff + i * sizeof(Elf64_Shdr));
    if (table.sh_type != SHT_DYNSYM) continue;
    const auto text = record_at<Elf64_Shdr>(object, file.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
    for (std::size_t offset = 0; offset < table.sh_size; offset += sizeof(Elf64_Sym), ++symbols) {
      const auto symbol = record_at<Elf64_Sym>(object, table.sh_offset + offset);
      if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE)
        names += std::string(object.c_str() + text.sh_offset + symbol.st_name) + " ";
    }
  }
  CHECK(symbols > 100);  // the entry was examined
  return names;
}

}  // namespace

TEST_CASE("of two versions in a process each finds its own kernels, and tells what the other's differ in") {
  const temporary_folder root;
  CHECK(run_versions(root / "cache", "one0 two0") ==
        "one: compiled, no entry\ntwo: compiled, emitter version differs\n");
  CHECK(run_versions(root / "cache", "two0 one0") == "two: directory, served\none: directory, served\n");
  CHECK(run_versions(root / "cache", "two1 one1") ==
        "two: compiled, no entry\none: compiled, emitter version differs\n");
}

TEST_CASE("two versions compile and store the same kernels at once, and both are right and found later") {
  const temporary_folder root;
  const std::string first = run_versions(root / "cache", "both0 both1 both2 both3");
  std::size_t compiled = 0;
  for (std::size_t at = first.find("compiled, "); at != first.npos; at = first.find("compiled, ", at + 1))
    ++compiled;
  CHECK_MESSAGE(compiled == 8, first);
  CHECK_MESSAGE(first.find("wrong") == first.npos, first);
  std::string found;
  for (int i = 0; i < 4; ++i) found += "one: directory, served\ntwo: directory, served\n";
  CHECK(run_versions(root / "cache", "both0 both1 both2 both3") == found);
}

#if defined(__OPTIMIZE__)  // otherwise every constant of a header is a variable
TEST_CASE("the library shows no name that the loader would have versions share") {
  CHECK_MESSAGE(unique_names(read_file(SINTER_LIBRARY)).empty(),
                "list these as local in cmake/exports.map.in: ", unique_names(read_file(SINTER_LIBRARY)));
}
#endif

}  // namespace sinter::test
