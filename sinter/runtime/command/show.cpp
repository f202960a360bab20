// sinter show: one entry of the cache, or kernel of a pack, and its content.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/lowering.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "disassemble.hpp"
#include "options.hpp"
#include "pack/pack_files.hpp"
#include "terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

using runtime::cache_entry;

std::string graph_of(const cache_entry& entry) {
  const std::optional<runtime::key_parts> parts = runtime::parts_of(entry.key_content);
  std::optional<kernel_description> described;
  if (parts) described = read_signature(parts->signature);
  if (described) return to_string(*described);
  if (const std::uint64_t emitter = emitter_of(entry); emitter != static_cast<std::uint64_t>(emitter_version))
    throw failure(
        fmt::format("the entry is of emitter version {}, and this Sinter reads graphs of version {} only: "
                    "--text shows what was compiled",
                    emitter, emitter_version));
  throw failure("the entry's key holds no graph that can be read: --text shows what was compiled");
}

/// One part of an entry that can be printed.
struct section {
  bool show_options::* wanted;
  const char* name;
  std::function<listing(const cache_entry&)> read;
};
const std::vector<section>& sections() {
  static const std::vector<section> all{
      {&show_options::graph, "graph", [](const cache_entry& entry) { return listing{graph_of(entry), ""}; }},
      {&show_options::schedule, "schedule",
       [](const cache_entry& entry) { return listing{entry.schedule, ""}; }},
      {&show_options::text, "text", [](const cache_entry& entry) { return listing{entry.text, ""}; }},
      {&show_options::ptx, "ptx", ptx_of},
      {&show_options::assembly, "assembly", machine_code_of},
      {&show_options::log, "log", [](const cache_entry& entry) { return listing{entry.log, ""}; }}};
  return all;
}

nlohmann::ordered_json known(int number) {
  return number < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(number);
}

/// An entry, and where it is.
struct found_entry {
  std::string key, file;
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> used;  ///< in the cache
  cache_entry content;
};

found_entry find_in_cache(const show_options& options) {
  const cache_files files(chosen_directory(options.directory));
  const entry_file file = files.find(options.key);
  read_entry read = files.read(file);
  if (read.is != read_entry::state::whole)
    throw failure(fmt::format("entry {} is {}: {}. The next program that needs it compiles it again.",
                              file.name, to_string(read.is), read.why),
                  exit_code::no);
  return {file.name, files.path() + "/" + file_name(file), file.bytes, file.used, std::move(read.entry)};
}

found_entry find_in_pack(const show_options& options) {
  const std::shared_ptr<runtime::pack> from = open_pack(options.pack);
  std::vector<runtime::pack_row> rows;
  for (std::size_t i = 0; i < from->size(); ++i)
    if (const runtime::pack_row row = from->row(i); runtime::to_string(row.key).starts_with(options.key))
      rows.push_back(row);
  if (rows.size() != 1)
    throw failure(
        fmt::format("{} kernels of {} have keys that begin with '{}'; 'sinter pack list' shows them",
                    rows.size(), options.pack, harmless(options.key)),
        exit_code::no);
  const runtime::store_answer answer = from->read(rows[0]);
  found_entry found{runtime::to_string(rows[0].key), options.pack, rows[0].size, std::nullopt, {}};
  if (!answer.found || decode(answer.bytes, "", found.content) != runtime::entry_fault::none)
    throw failure(fmt::format("kernel {} of {} is damaged: build the pack again", found.key, options.pack),
                  exit_code::no);
  return found;
}

nlohmann::ordered_json described(const found_entry& found) {
  const cache_entry& entry = found.content;
  nlohmann::ordered_json images = nlohmann::ordered_json::array();
  for (const code_image& image : entry.images)
    images.push_back({{"format", to_string(image.format)},
                      {"architecture", image.architecture},
                      {"bytes", image.bytes.size()}});
  nlohmann::ordered_json made{
      {"key", found.key},
      {"file", found.file},
      {"bytes", found.bytes},
      {"used", found.used ? nlohmann::ordered_json(iso_time(*found.used)) : nlohmann::ordered_json()},
      {"kernel", entry.kernel},
      {"target", target_of(entry)},
      {"compiler", entry.compiler},
      {"emitter", emitter_of(entry)},
      {"compile_milliseconds", entry.compile_milliseconds},
      {"registers", known(entry.registers)},
      {"spill_bytes", known(entry.spill_bytes)},
      {"shared_bytes", known(entry.shared_bytes)},
      {"schedule", entry.schedule},
      {"images", std::move(images)}};
  if (const std::optional<runtime::key_parts> parts = runtime::parts_of(entry.key_content)) {
    made["compiled_for"] = parts->target;
    made["options"] = parts->options;
  }
  return made;
}

void print_facts(const console& to, const nlohmann::ordered_json& facts, const cache_entry& entry) {
  const auto number = [](int value, const char* unit) {
    return value < 0 ? std::string("not known") : fmt::format("{}{}", value, unit);
  };
  const auto line = [&](const char* name, const std::string& value) {
    to.line(fmt::format("{} {}", to.tinted(tint::strong, fmt::format("{:<13}", name)), harmless(value)));
  };
  line("kernel", entry.kernel);
  line("key", facts["key"]);
  line("file", facts["file"]);
  line("target", facts.value("compiled_for", target_of(entry)));
  line("compiler",
       fmt::format("{}, in {}", entry.compiler, readable_duration(entry.compile_milliseconds / 1000)));
  line("options", facts.value("options", ""));
  line("emitter", fmt::format("version {}", emitter_of(entry)));
  line("schedule", entry.schedule);
  line("registers", number(entry.registers, ""));
  line("spilled", number(entry.spill_bytes, " bytes"));
  line("shared memory", number(entry.shared_bytes, " bytes"));
  for (const code_image& image : entry.images)
    line("code", fmt::format("{}{}, {}", to_string(image.format),
                             image.architecture == 0 ? "" : fmt::format(" for {}", image.architecture),
                             readable_bytes(image.bytes.size())));
  if (!facts["used"].is_null()) line("last used", facts["used"]);
  line("holds", fmt::format("text ({}), log ({})", readable_bytes(entry.text.size()),
                            readable_bytes(entry.log.size())));
}

}  // namespace

exit_code run_show(const show_options& options) {
  const console to(options.json);
  const found_entry found = options.pack.empty() ? find_in_cache(options) : find_in_pack(options);
  const cache_entry& entry = found.content;
  const nlohmann::ordered_json facts = described(found);
  std::vector<const section*> wanted;
  for (const section& each : sections())
    if (options.*each.wanted) wanted.push_back(&each);
  if (options.json) {
    nlohmann::ordered_json made = facts;
    for (const section* each : wanted) made[each->name] = each->read(entry).text;
    to.document(made);
    return exit_code::success;
  }
  if (wanted.empty()) print_facts(to, facts, entry);
  for (const section* each : wanted) {
    const listing shown = each->read(entry);
    // a single section is printed without a header, for use by another program
    if (wanted.size() > 1)
      to.line(
          to.tinted(tint::strong, fmt::format("{}{}{}:", each == wanted.front() ? "" : "\n", each->name,
                                              shown.by.empty() ? "" : fmt::format(" (by {})", shown.by))));
    to.foreign(shown.text);
    if (!shown.text.empty() && shown.text.back() != '\n') to.line("");
  }
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
