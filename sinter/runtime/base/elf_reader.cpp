#include <algorithm>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/runtime/base/elf_reader.hpp>

namespace sinter::inline v0 {

bool bytes_in_memory::read(std::uint64_t offset, char* to, std::size_t count) const {
  if (!byte_reader(bytes_).holds(offset, count)) return false;
  bytes_.copy(to, count, static_cast<std::size_t>(offset));
  return true;
}

elf_reader::elf_reader(const byte_source& from) : from_(&from) {
  const auto size = std::min<std::uint64_t>(from.size(), sizeof header_);
  if (!from.read(0, reinterpret_cast<char*>(&header_), static_cast<std::size_t>(size))) header_ = {};
}

bool elf_reader::is_elf() const {
  const std::string_view magic(reinterpret_cast<const char*>(header_.e_ident), SELFMAG);
  return holds(0, offsetof(Elf64_Ehdr, e_version)) && magic == ELFMAG &&
         header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB;
}

bool elf_reader::holds(std::uint64_t offset, std::uint64_t count) const {
  return offset <= from_->size() && count <= from_->size() - offset;
}

bool elf_reader::complete() const {
  if (!holds(0, sizeof header_)) return false;
  const std::uint64_t segments = header_.e_phnum, sections = header_.e_shnum;
  if (segments != 0 && header_.e_phentsize != sizeof(Elf64_Phdr)) return false;
  if (sections != 0 && header_.e_shentsize != sizeof(Elf64_Shdr)) return false;
  if (!holds(header_.e_phoff, segments * sizeof(Elf64_Phdr))) return false;
  if (!holds(header_.e_shoff, sections * sizeof(Elf64_Shdr))) return false;
  for (unsigned i = 0; i < segments; ++i) {
    const Elf64_Phdr each = segment(i);
    if (!holds(each.p_offset, each.p_filesz)) return false;
  }
  for (unsigned i = 0; i < sections; ++i) {
    const Elf64_Shdr each = section(i);
    if (each.sh_type != SHT_NOBITS && !holds(each.sh_offset, each.sh_size)) return false;
  }
  return true;
}

template <class Record>
Record elf_reader::record_at(std::uint64_t table, std::uint64_t index) const {
  Record record{};
  const bool there =
      from_->read(table + index * sizeof record, reinterpret_cast<char*>(&record), sizeof record);
  return there ? record : Record{};
}

Elf64_Phdr elf_reader::segment(unsigned index) const { return record_at<Elf64_Phdr>(header_.e_phoff, index); }

Elf64_Shdr elf_reader::section(unsigned index) const { return record_at<Elf64_Shdr>(header_.e_shoff, index); }

std::optional<Elf64_Shdr> elf_reader::section_named(std::string_view name) const {
  if (header_.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  const std::string names = content_of(section(header_.e_shstrndx));
  for (unsigned i = 0; i < header_.e_shnum; ++i)
    if (const Elf64_Shdr each = section(i); text_in(names, each.sh_name) == name) return each;
  return std::nullopt;
}

std::string elf_reader::content_of(const Elf64_Shdr& section) const {
  if (!holds(section.sh_offset, section.sh_size)) return {};
  std::string bytes(static_cast<std::size_t>(section.sh_size), '\0');
  return from_->read(section.sh_offset, bytes.data(), bytes.size()) ? bytes : std::string();
}

std::string_view text_in(std::string_view texts, std::uint64_t offset) {
  return byte_reader(texts).at(offset).take_terminated_text();
}

}  // namespace sinter::inline v0
