// sinter cache list: lists the directory's entries.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "../options.hpp"
#include "../terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

constexpr std::size_t min_digits = 8;

/// The number of digits that distinguish each key from its neighbours in sorted order.
std::size_t digits_needed(const std::vector<selected_entry>& sorted) {
  std::size_t needed = min_digits;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const std::string &a = sorted[i - 1].file.name, &b = sorted[i].file.name;
    const auto differ =
        static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
    needed = std::max(needed, differ + 1);
  }
  return needed;
}

void sort_by(const std::string& what, bool reverse, std::vector<selected_entry>& all) {
  const auto kernel = [](const selected_entry& of) -> const std::string& { return of.read.entry.kernel; };
  const auto is_before = [&](const selected_entry& a, const selected_entry& b) {
    if (what == "bytes") return a.file.bytes > b.file.bytes;
    if (what == "kernel") return kernel(a) < kernel(b);
    if (what == "time") return a.read.entry.compile_milliseconds > b.read.entry.compile_milliseconds;
    if (what == "key") return a.file.name < b.file.name;
    return a.file.used > b.file.used;
  };
  // equal ones by their names, so that a list is the same each time
  std::ranges::sort(all, [&](const selected_entry& a, const selected_entry& b) {
    return is_before(a, b) || (!is_before(b, a) && a.file.name < b.file.name);
  });
  if (reverse) std::reverse(all.begin(), all.end());
}

nlohmann::ordered_json described(const selected_entry& each) {
  const runtime::cache_entry& entry = each.read.entry;
  nlohmann::ordered_json made{{"key", each.file.name},
                              {"bytes", each.file.bytes},
                              {"used", iso_time(each.file.used)},
                              {"state", to_string(each.read.is)}};
  if (each.read.is != read_entry::state::whole) {
    made["why"] = each.read.why;
    return made;
  }
  made["kernel"] = entry.kernel;
  made["target"] = target_of(entry);
  made["compiler"] = entry.compiler;
  made["emitter"] = emitter_of(entry);
  made["compile_milliseconds"] = entry.compile_milliseconds;
  return made;
}

}  // namespace

exit_code run_cache_list(const list_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  // listing keys alone reads no entry: shells do that while the user types
  const bool reads = !options.only_keys || options.sort == "kernel" || options.sort == "time";
  std::vector<selected_entry> all = select(files, options.filter, reads, to);
  const std::size_t digits = options.full_keys ? std::string::npos : digits_needed(all);
  std::uint64_t bytes = 0;
  for (const selected_entry& each : all) bytes += each.file.bytes;
  sort_by(options.sort, options.reverse, all);

  if (options.json) {
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const selected_entry& each : all)
      entries.push_back(options.only_keys ? nlohmann::ordered_json(each.file.name) : described(each));
    to.document({{"directory", files.path()},
                 {"exists", files.exists()},
                 {"entries", all.size()},
                 {"bytes", bytes},
                 {options.only_keys ? "keys" : "list", std::move(entries)}});
    return exit_code::success;
  }
  if (options.only_keys) {
    for (const selected_entry& each : all) to.line(each.file.name);
    return exit_code::success;
  }
  table rows({{"KEY"}, {"KERNEL"}, {"TARGET"}, {"SIZE", true}, {"COMPILED IN", true}, {"LAST USED"}});
  for (const selected_entry& each : all) {
    const runtime::cache_entry& entry = each.read.entry;
    const std::string key = each.file.name.substr(0, digits), size = readable_bytes(each.file.bytes),
                      age = readable_age(now() - each.file.used);
    if (each.read.is == read_entry::state::whole)
      rows.add({{key, tint::faint},
                harmless(entry.kernel),
                harmless(target_of(entry)),
                size,
                readable_duration(entry.compile_milliseconds / 1000),
                age});
    else
      rows.add({{key, tint::faint}, {to_string(each.read.is), tint::bad}, "", size, "", age});
  }
  to.print(rows.text(to));
  to.line(fmt::format("{}{} entr{}, {}, in {}", all.empty() ? "" : "\n", all.size(),
                      all.size() == 1 ? "y" : "ies", readable_bytes(bytes), files.described_path()));
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
