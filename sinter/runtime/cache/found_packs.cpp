#include <fmt/format.h>

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/cache/found_packs.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/program_file.hpp>
#include <sinter/runtime/posix/program_notes.hpp>

namespace sinter::inline v0::runtime {
namespace {

std::shared_ptr<pack> open_noted(const program_note& note, std::span<const pack_public_key> trusted,
                                 std::string& name, std::string& fault) {
  const std::string text(note.content.substr(0, note.content.find('\0')));
  if (note.kind == note_kind::beside) {
    const std::size_t end = note.file->rfind('/');
    name = (end == std::string::npos ? std::string() : note.file->substr(0, end + 1)) + text;
    return pack::open(name, trusted, fault);
  }
  name = *note.file;
  if (const std::optional<file_range> at = find_section(name, text))
    return pack::open_part(name, at->offset, at->size, trusted, fault);
  fault = "it was to have a pack in its section " + text + ", and has none";
  return nullptr;
}

}  // namespace

std::vector<pack_public_key> trusted_keys(const cache_settings& settings) {
  std::vector<pack_public_key> keys;
  for (const std::string& text : settings.pack_keys) {
    const std::optional<pack_public_key> key = parse_pack_public_key(text);
    if (!key)
      throw device_error(
          fmt::format("'{}' is no public key of packs, which is what 'sinter pack keys' shows, 64 "
                      "hexadecimal digits: correct it "
                      "where keys are named, in SINTER_PACK_KEY or cache_settings::pack_keys; which packs "
                      "are to be trusted is not "
                      "known until then",
                      text));
    keys.push_back(*key);
  }
  return keys;
}

void warn_of_other_emitter(const pack& opened) {
  if (opened.emitter() == 0 || opened.emitter() == emitter_version) return;
  warn_once("emitter of " + opened.name(),
            fmt::format("{} is of emitter version {}, and this Sinter's is {}: none of its kernels is used. "
                        "Build it again with this version's 'sinter pack build'; a program that has it from "
                        "sinter_add_pack() is built again",
                        opened.name(), opened.emitter(), emitter_version));
}

std::vector<std::shared_ptr<entry_store>> open_packs(const cache_settings& settings) {
  const std::vector<pack_public_key> trusted = trusted_keys(settings);
  std::vector<std::shared_ptr<entry_store>> opened;
  const auto add = [&](std::shared_ptr<pack> made, const std::string& name, const std::string& fault) {
    if (made == nullptr) {
      warn_once("pack " + name, fmt::format("pack '{}' is not used: {}", name, fault));
      return;
    }
    warn_of_other_emitter(*made);
    opened.push_back(std::move(made));
  };
  std::string fault;
  for (const std::string& path : settings.packs) add(pack::open(path, trusted, fault), path, fault);
  for_each_program_note([&](const program_note& note) {
    if (note.kind != note_kind::inner_pack && note.kind != note_kind::beside) return;
    std::string name;
    std::shared_ptr<pack> made = open_noted(note, trusted, name, fault);
    add(std::move(made), name, fault);
  });
  return opened;
}

}  // namespace sinter::inline v0::runtime
