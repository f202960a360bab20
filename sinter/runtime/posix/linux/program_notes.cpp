#include <elf.h>
#include <link.h>

#include <cstring>
#include <vector>

#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/runtime/posix/program_notes.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::string_view owner("Sinter\0", 7);  // including the terminating zero

struct noted {
  program_note note;
  std::string file;
};

std::string path_of(const dl_phdr_info& object) {
  if (object.dlpi_name != nullptr && *object.dlpi_name != 0) return object.dlpi_name;
  return path_of_this_program();
}

void read_notes(const dl_phdr_info& object, std::string_view segment, std::vector<noted>& to) {
  constexpr std::size_t alignment = 4;
  const auto padded = [](std::size_t size) { return (size + alignment - 1) / alignment * alignment; };
  while (segment.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, segment.data(), sizeof header);
    segment.remove_prefix(sizeof header);
    const std::size_t name = padded(header.n_namesz), content = padded(header.n_descsz);
    if (name > segment.size() || content > segment.size() - name) return;
    if (segment.substr(0, header.n_namesz) == owner)
      to.push_back(
          {{static_cast<note_kind>(header.n_type), segment.substr(name, header.n_descsz)}, path_of(object)});
    segment.remove_prefix(name + content);
  }
}

// Runs under the loader's lock: only collects, and calls nothing.
int read_object(dl_phdr_info* object, std::size_t, void* to) {
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || segment.p_align > 4) continue;
    read_notes(*object,
               {reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr),
                static_cast<std::size_t>(segment.p_memsz)},
               *static_cast<std::vector<noted>*>(to));
  }
  return 0;
}

}  // namespace

void for_each_program_note(const std::function<void(const program_note&)>& use) {
  std::vector<noted> found;
  ::dl_iterate_phdr(read_object, &found);
  for (noted& each : found) {
    each.note.file = &each.file;
    use(each.note);
  }
}

const void* target_of_note(std::string_view offset) {
  std::int32_t distance = 0;
  if (offset.size() < sizeof distance) return nullptr;
  std::memcpy(&distance, offset.data(), sizeof distance);
  return offset.data() + distance;
}

}  // namespace sinter::inline v0::runtime
