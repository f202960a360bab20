#include <sinter/runtime/base/elf_reader.hpp>
#include <sinter/runtime/posix/program_file.hpp>
#include <sinter/runtime/posix/random_access_file.hpp>

namespace sinter::inline v0::runtime {
namespace {

/// A file's bytes, in the parts that are asked for; none if it cannot be opened.
class bytes_of_file final : public byte_source {
 public:
  explicit bytes_of_file(const std::string& path) { file_.open(path); }
  std::uint64_t size() const override { return file_.size(); }
  bool read(std::uint64_t offset, char* to, std::size_t count) const override {
    std::string bytes;
    if (!file_ || !file_.read(offset, count, bytes).empty()) return false;
    bytes.copy(to, count);
    return true;
  }

 private:
  random_access_file file_;
};

}  // namespace

bool is_program(const std::string& path) {
  const bytes_of_file bytes(path);
  const elf_reader from(bytes);
  if (!from.is_elf()) return false;
  for (unsigned i = 0; i < from.header().e_phnum; ++i)
    if (from.segment(i).p_type == PT_INTERP) return true;  // shared libraries have no interpreter entry
  return from.header().e_type == ET_EXEC;
}

std::optional<file_range> find_section(const std::string& path, std::string_view name) {
  const bytes_of_file bytes(path);
  const elf_reader from(bytes);
  if (!from.is_elf()) return std::nullopt;
  const std::optional<Elf64_Shdr> found = from.section_named(name);
  if (!found) return std::nullopt;
  return file_range{found->sh_offset, found->sh_size};
}

}  // namespace sinter::inline v0::runtime
