// The reader of ELF headers: what a file has is found, whatever is missing from it, in memory and on disk
// alike.

#include <doctest/doctest.h>

#include "../support/process/temporary_folder.hpp"

#include <sinter/runtime/base/elf_reader.hpp>
#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/runtime/posix/program_file.hpp>

#include <cstring>
#include <string>

namespace sinter::test {

using namespace runtime;

namespace {

template <class Record>
std::string bytes_of(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof record};
}

constexpr std::string_view payload = "what is in it";

/// A header, a segment, and two sections: one with `payload`, named ".payload", and one with the names.
std::string small_elf(unsigned segment_kind = PT_LOAD) {
  const std::string names("\0.payload\0.names\0", 17);
  const std::uint64_t first = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shoff = first + payload.size() + names.size();
  header.e_shnum = 2;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shstrndx = 1;
  Elf64_Phdr segment{};
  segment.p_type = segment_kind;
  segment.p_offset = first;
  segment.p_filesz = payload.size();
  Elf64_Shdr content{}, texts{};
  content.sh_name = 1;
  content.sh_offset = first;
  content.sh_size = payload.size();
  texts.sh_name = 10;
  texts.sh_offset = first + payload.size();
  texts.sh_size = names.size();
  return bytes_of(header) + bytes_of(segment) + std::string(payload) + names + bytes_of(content) +
         bytes_of(texts);
}

}  // namespace

TEST_CASE("a section is found by its name, with its bytes") {
  const std::string bytes = small_elf();
  const bytes_in_memory source(bytes);
  const elf_reader from(source);
  REQUIRE(from.is_elf());
  CHECK(from.complete());
  REQUIRE(from.section_named(".payload"));
  CHECK(from.content_of(*from.section_named(".payload")) == payload);
  CHECK_FALSE(from.section_named(".missing"));
  CHECK_FALSE(from.section_named("payload"));
}

TEST_CASE("of a file that is cut short anywhere, nothing is read that is not there") {
  const std::string whole = small_elf();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string bytes = whole.substr(0, size);
    const bytes_in_memory source(bytes);
    const elf_reader from(source);
    CHECK_FALSE(from.complete());
    CHECK(from.is_elf() == (size >= offsetof(Elf64_Ehdr, e_version)));
    if (const auto found = from.section_named(".payload")) CHECK(from.content_of(*found) == payload);
  }
}

TEST_CASE("files of 32 bits, of the other byte order, and other files are not read") {
  for (const auto& [at, value] :
       {std::pair(EI_CLASS, ELFCLASS32), std::pair(EI_DATA, ELFDATA2MSB), std::pair(EI_MAG1, int{'e'})}) {
    std::string bytes = small_elf();
    bytes[static_cast<std::size_t>(at)] = static_cast<char>(value);
    const bytes_in_memory source(bytes);
    CHECK_FALSE(elf_reader(source).is_elf());
  }
}

TEST_CASE("sections and segments whose positions wrap around are not complete, and have no bytes") {
  std::string bytes = small_elf();
  const std::size_t content = bytes.size() - 2 * sizeof(Elf64_Shdr);
  const std::uint64_t before_all = ~std::uint64_t{4};
  std::memcpy(bytes.data() + content + offsetof(Elf64_Shdr, sh_offset), &before_all, sizeof before_all);
  const bytes_in_memory source(bytes);
  const elf_reader from(source);
  CHECK_FALSE(from.complete());
  CHECK(from.content_of(from.section(0)).empty());
}

TEST_CASE("programs have an interpreter and libraries none; sections are found in files") {
  const temporary_folder root;
  write_file(root / "library", small_elf());
  write_file(root / "program", small_elf(PT_INTERP));
  write_file(root / "text", "text");
  CHECK_FALSE(is_program(root / "library"));
  CHECK(is_program(root / "program"));
  CHECK(is_program(path_of_this_program()));
  const auto found = find_section(root / "library", ".payload");
  REQUIRE(found);
  CHECK(small_elf().substr(found->offset, found->size) == payload);
  CHECK_FALSE(find_section(root / "library", ".missing"));
  for (const std::string& path : {root / "text", root / "missing", std::string("/dev/null")}) {
    CHECK_FALSE(is_program(path));
    CHECK_FALSE(find_section(path, ".payload"));
  }
}

}  // namespace sinter::test
