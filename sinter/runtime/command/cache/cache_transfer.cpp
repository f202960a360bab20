// sinter cache export and import: entries as one file, a pack, for another machine.

#include <sinter/runtime/cache/directory_store.hpp>
#include <sinter/runtime/cache/found_packs.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "../options.hpp"
#include "../pack/pack_files.hpp"
#include "../terminal/progress.hpp"
#include "../terminal/units.hpp"

namespace sinter::inline v0::command {

exit_code run_cache_export(const export_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  if (!options.force && std::filesystem::exists(options.file))
    throw failure(fmt::format("{} is there already: --force replaces it", options.file));
  const std::vector<selected_entry> all = select(files, options.filter, false, to);
  std::vector<runtime::cache_entry> entries;
  std::uint64_t left_out = 0;
  {
    progress_bar bar("exporting", all.size(), to.shows_progress());
    std::uint64_t done = 0;
    for (const selected_entry& each : all) {
      // entries from select() have no code, which could be gigabytes
      read_entry read = files.read(each.file);
      if (read.is == read_entry::state::whole)
        entries.push_back(std::move(read.entry));
      else
        ++left_out;
      bar.advance_to(++done);
    }
  }
  const std::string bytes = runtime::make_pack(entries);
  runtime::write_whole_file(options.file, bytes);
  if (options.json)
    to.document({{"directory", files.path()},
                 {"file", options.file},
                 {"entries", entries.size()},
                 {"bytes", bytes.size()},
                 {"left_out", left_out}});
  else
    to.line(fmt::format(
        "{} entries written to {} ({}){}", entries.size(), options.file, readable_bytes(bytes.size()),
        left_out == 0 ? "" : fmt::format("; {} left out: 'sinter cache verify' says why", left_out)));
  return left_out == 0 ? exit_code::success : exit_code::no;
}

exit_code run_cache_import(const import_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory), true);
  const cache_settings settings = cache_settings_from_environment();
  std::string fault;
  const std::shared_ptr<runtime::pack> from =
      runtime::pack::open(options.file, runtime::trusted_keys(settings), fault);
  if (from == nullptr) throw failure(fmt::format("{} cannot be imported: {}", options.file, fault));

  std::set<runtime::cache_key> present;
  for (const entry_file& file : files.list()) present.insert(file.key);
  runtime::directory_store into(files.path(), runtime::folder_access::own, settings.bytes);
  std::uint64_t imported = 0, already = 0, damaged = 0, not_stored = 0;
  std::string why;
  {
    progress_bar bar("importing", from->size(), to.shows_progress());
    for (std::size_t i = 0; i < from->size(); ++i) {
      bar.advance_to(i);
      const runtime::pack_row row = from->row(i);
      // an existing damaged entry is replaced on use, or removed before by 'verify --remove'
      if (present.contains(row.key)) {
        ++already;
        continue;
      }
      const runtime::store_answer answer = from->read(row);
      runtime::cache_entry entry;
      if (!answer.found || runtime::decode(answer.bytes, "", entry) != runtime::entry_fault::none ||
          runtime::key_of(entry.key_content) != row.key) {
        ++damaged;
        continue;
      }
      const runtime::store_answer stored = into.put(row.key, answer.bytes);
      ++(stored.stored ? imported : not_stored);
      if (!stored.stored) why = stored.fault;
    }
  }
  if (options.json)
    to.document({{"file", options.file},
                 {"directory", files.path()},
                 {"entries", from->size()},
                 {"imported", imported},
                 {"present", already},
                 {"damaged", damaged},
                 {"not_stored", not_stored}});
  else
    to.line(fmt::format("{} of {} entries imported into {}, {} were there{}", imported, from->size(),
                        files.path(), already, damaged == 0 ? "" : fmt::format(", {} are damaged", damaged)));
  if (not_stored > 0) throw failure(fmt::format("{} entries could not be stored: {}", not_stored, why));
  return damaged == 0 ? exit_code::success : exit_code::no;
}

}  // namespace sinter::inline v0::command
