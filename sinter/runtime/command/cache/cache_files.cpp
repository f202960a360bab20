#include <sinter/codegen/target/cpu_levels.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "../failure.hpp"
#include "../terminal/progress.hpp"
#include "../terminal/units.hpp"
#include "cache_files.hpp"

#include <sinter/runtime/posix/environment.hpp>

namespace sinter::inline v0::command {
namespace {

constexpr std::size_t shard_digits = 2;  // the digits of a name that name its folder
constexpr const char* how_to_choose = "--directory or SINTER_CACHE_DIR says another";

std::string advice_for(const runtime::file_answer& answer, const std::string& path) {
  if (answer.error == EPERM)
    return fmt::format(
        "A cache holds code, so it must belong to you and others must not write to it. If it is "
        "yours: chmod 700 '{}'; {}.",
        path, how_to_choose);
  if (answer.error == EACCES) return fmt::format("You may not read it; {}.", how_to_choose);
  return fmt::format("{}.", how_to_choose);
}

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

}  // namespace

const char* to_string(read_entry::state is) {
  constexpr const char* names[] = {"whole", "damaged", "other format", "unreadable", "gone"};
  return names[static_cast<std::size_t>(is)];
}

chosen_directory::chosen_directory(const std::string& given) : path(given), named_by("--directory") {
  if (!path.empty()) return;
  path = cache_settings_from_environment().directory;
  if (path.empty())
    throw failure(
        "no cache directory: SINTER_CACHE_DIR, XDG_CACHE_HOME and HOME are not set. --directory says one.");
  named_by = runtime::environment_value("SINTER_CACHE_DIR").empty() ? "" : "SINTER_CACHE_DIR";
}

cache_files::cache_files(const chosen_directory& from, bool may_be_made) : path_(from.path) {
  const runtime::file_answer opened =
      runtime::folder::open(path_, runtime::folder_access::own, false, folder_);
  if (!opened && opened.error != ENOENT)
    throw failure(fmt::format("cache directory: {}. {}", opened.describe(path_), advice_for(opened, path_)));
  if (!opened && !from.named_by.empty() && !may_be_made)
    throw failure(fmt::format(
        "there is no cache directory {}, which {} names: programs make it when they first keep a kernel "
        "there. If it should be there, look at how it is spelt",
        path_, from.named_by));
}

std::vector<entry_file> cache_files::list(std::string_view prefix) const {
  std::vector<entry_file> all;
  if (!exists()) return all;
  const std::string_view shard_prefix = prefix.substr(0, shard_digits);
  for (const std::string& shard : folder_.folders()) {
    if (shard.size() != shard_digits || !shard.starts_with(shard_prefix)) continue;
    std::vector<runtime::file_facts> files;
    if (const runtime::file_answer listed = folder_.list(shard, files); !listed && !listed.missing())
      throw failure(fmt::format("cache directory: {}", listed.describe(path_ + "/" + shard)));
    for (runtime::file_facts& file : files) {
      const std::optional<runtime::cache_key> key = runtime::parse_key(file.name);
      if (key && file.name.starts_with(prefix))
        all.push_back({*key, std::move(file.name), file.bytes, file.modified});
    }
  }
  std::sort(all.begin(), all.end(), [](const entry_file& a, const entry_file& b) { return a.name < b.name; });
  return all;
}

entry_file cache_files::find(const std::string& prefix) const {
  if (!is_hexadecimal(prefix))
    throw failure(
        fmt::format("'{}' is no key: keys are digits 0 to 9 and a to f; 'sinter cache list' shows them",
                    harmless(prefix)),
        exit_code::usage);
  std::vector<entry_file> all = list(prefix);
  if (all.empty())
    throw failure(
        fmt::format("no entry of {} has a key that begins with '{}'; 'sinter cache list' shows them",
                    described_path(), prefix),
        exit_code::no);
  if (all.size() > 1)
    throw failure(
        fmt::format("{} entries have keys that begin with '{}': {} and {}{}; give more digits", all.size(),
                    prefix, all[0].name, all[1].name, all.size() > 2 ? " among them" : ""),
        exit_code::no);
  return std::move(all.front());
}

bool cache_files::bytes_of(const entry_file& file, std::string& bytes, read_entry& read) const {
  runtime::file_facts facts;
  const runtime::file_answer answer = folder_.read(file_name(file), runtime::largest_entry, bytes, facts);
  if (answer) return true;
  read.is = answer.missing() ? read_entry::state::gone : read_entry::state::unreadable;
  read.why = answer.missing() ? "it was removed meanwhile"
                              : fmt::format("{}: {}", answer.step, std::strerror(answer.error));
  return false;
}

read_entry cache_files::read(const entry_file& file) const {
  read_entry made;
  std::string bytes;
  if (!bytes_of(file, bytes, made)) return made;
  runtime::entry_fault fault = runtime::decode(bytes, "", made.entry);
  // intact, but stored under another name: readers of that name reject it
  if (fault == runtime::entry_fault::none && runtime::key_of(made.entry.key_content) != file.key)
    fault = runtime::entry_fault::other_key;
  if (fault == runtime::entry_fault::none) return made;
  made.is = fault == runtime::entry_fault::other_format ? read_entry::state::other_format
                                                        : read_entry::state::damaged;
  made.why = runtime::describe(fault);
  made.entry = {};
  return made;
}

bool cache_files::remove(const entry_file& file, std::string& why) const {
  const runtime::file_answer answer = folder_.remove(file_name(file));
  if (answer || answer.missing()) return true;
  why = answer.describe(path_ + "/" + file_name(file));
  return false;
}

std::vector<selected_entry> select(const cache_files& from, const entry_filter& filter, bool read_all,
                                   const console& to) {
  std::vector<entry_file> files = from.list();
  const std::int64_t before = now() - static_cast<std::int64_t>(filter.older * 24 * 60 * 60);
  if (filter.older > 0) std::erase_if(files, [&](const entry_file& file) { return file.used > before; });
  std::uint64_t bytes = 0, done = 0;
  for (const entry_file& file : files) bytes += file.bytes;
  std::vector<selected_entry> chosen;
  const bool reads = read_all || filter.reads_entries();
  progress_bar bar("reading entries", bytes, to.shows_progress() && reads);
  for (entry_file& file : files) {
    done += file.bytes;
    selected_entry each{std::move(file), {}};
    if (reads) {
      each.read = from.read(each.file);
      bar.advance_to(done);
    }
    if (filter.reads_entries()) {
      if (each.read.is != read_entry::state::whole) continue;
      if (!filter.kernel.empty() && !fits(filter.kernel, each.read.entry.kernel)) continue;
      const std::string target = target_of(each.read.entry);
      if (!filter.target.empty() && target != filter.target &&
          target.substr(0, target.find(' ')) != filter.target)
        continue;
    }
    // a cache may have gigabytes: a list needs only names and sizes
    for (code_image& image : each.read.entry.images) image.bytes = std::string();
    chosen.push_back(std::move(each));
  }
  return chosen;
}

std::string target_of(const runtime::cache_entry& entry) {
  const std::optional<runtime::key_parts> parts = runtime::parts_of(entry.key_content);
  if (!parts) return "unknown";
  constexpr std::string_view cpu = "cpu ";
  if (!parts->target.starts_with(cpu)) return std::string(parts->target);
  // for one exact processor it is a list of features
  const std::string_view processor = parts->target.substr(cpu.size());
  return find_cpu_level(processor) != nullptr ? fmt::format("cpu {}", processor) : "cpu";
}

std::uint64_t emitter_of(const runtime::cache_entry& entry) {
  const std::optional<runtime::key_parts> parts = runtime::parts_of(entry.key_content);
  return parts ? runtime::emitter_of(*parts) : 0;
}

std::string file_name(const entry_file& file) { return file.name.substr(0, shard_digits) + "/" + file.name; }

std::int64_t now() { return std::time(nullptr); }

}  // namespace sinter::inline v0::command
