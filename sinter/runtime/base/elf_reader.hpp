#pragma once
// The headers of ELF files: of object code in memory, and of programs on disk, which are too large to be read
// whole.

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

/// Where the bytes of a file come from.
class byte_source {
 public:
  virtual std::uint64_t size() const = 0;
  /// Copies bytes of the file; false if not all of them are there.
  virtual bool read(std::uint64_t offset, char* to, std::size_t count) const = 0;

 protected:
  ~byte_source() = default;
};

/// Bytes in memory that must stay valid.
class bytes_in_memory final : public byte_source {
 public:
  explicit bytes_in_memory(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  bool read(std::uint64_t offset, char* to, std::size_t count) const override;

 private:
  std::string_view bytes_;
};

/// Reads 64-bit little-endian ELF files; nothing else can be loaded. What is not in the file is read as zeros
/// and as no text, so nothing has to be checked before it is asked for.
class elf_reader {
 public:
  /// Reads the header. The source must stay valid.
  explicit elf_reader(const byte_source& from);

  /// Whether the file begins as such a file does. The rest of the header may be missing.
  bool is_elf() const;
  /// Whether everything that the headers refer to is present.
  bool complete() const;

  const Elf64_Ehdr& header() const { return header_; }
  Elf64_Phdr segment(unsigned index) const;
  Elf64_Shdr section(unsigned index) const;
  /// The section of this name.
  std::optional<Elf64_Shdr> section_named(std::string_view name) const;
  /// The section's bytes; empty if they are not all in the file.
  std::string content_of(const Elf64_Shdr& section) const;

 private:
  bool holds(std::uint64_t offset, std::uint64_t count) const;
  template <class Record>
  Record record_at(std::uint64_t table, std::uint64_t index) const;

  const byte_source* from_;
  Elf64_Ehdr header_{};  ///< of a truncated file, the bytes that exist
};

/// The text that begins at an offset in a section of texts, up to the zero byte that ends it; empty without
/// one.
std::string_view text_in(std::string_view texts, std::uint64_t offset);

}  // namespace sinter::inline v0
