// sinter pack list: lists a pack's entries.

#include <sinter/runtime/tuned/tuning_file.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "../terminal/units.hpp"
#include "pack_files.hpp"
#include "pack_options.hpp"

namespace sinter::inline v0::command {
namespace {

std::string images_of(const runtime::cache_entry& entry) {
  std::string text;
  for (const code_image& each : entry.images) {
    if (!text.empty()) text += ", ";
    text += sinter::to_string(each.format);
    if (each.architecture != 0) text += fmt::format(" {}", each.architecture);
  }
  return text;
}

std::string emitter_of(const runtime::pack& from) {
  if (from.size() == 0) return "";
  if (from.emitter() == 0) return " of several emitter versions";
  return fmt::format(" of emitter version {}", from.emitter());
}

std::size_t count_tunings(runtime::pack& from) {
  const runtime::store_answer answer = from.tunings();
  if (!answer.fault.empty()) throw failure(from.name() + ": " + answer.fault, exit_code::no);
  return answer.found ? runtime::read_tunings(answer.bytes, from.name()).size() : 0;
}

}  // namespace

exit_code run_pack_list(const pack_list_options& options) {
  const console to(options.json);
  const std::shared_ptr<runtime::pack> from = open_pack(options.file);
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  table rows({{"KEY"}, {"KERNEL"}, {"TARGET"}, {"CODE"}, {"SIZE", true}, {"SCHEDULE"}});
  std::size_t damaged = 0;
  for (std::size_t i = 0; i < from->size(); ++i) {
    const runtime::pack_row row = from->row(i);
    const runtime::store_answer answer = from->read(row);
    runtime::cache_entry entry;
    const std::string key = runtime::to_string(row.key);
    if (!answer.found || decode(answer.bytes, "", entry) != runtime::entry_fault::none) {
      ++damaged;
      rows.add({key, {"damaged", tint::bad}});
      entries.push_back({{"key", key}, {"bytes", row.size}, {"state", "damaged"}});
      continue;
    }
    rows.add({key.substr(0, 16), harmless(entry.kernel), target_of(entry), images_of(entry),
              readable_bytes(row.size), harmless(entry.schedule)});
    entries.push_back({{"key", key},
                       {"bytes", row.size},
                       {"state", "whole"},
                       {"kernel", entry.kernel},
                       {"target", target_of(entry)},
                       {"code", images_of(entry)},
                       {"compiler", entry.compiler},
                       {"emitter", emitter_of(entry)},
                       {"schedule", entry.schedule}});
  }
  const std::string signer = from->signed_by() ? sinter::to_string(*from->signed_by()) : "";
  const std::size_t tunings = count_tunings(*from);
  if (options.json) {
    to.document({{"pack", options.file},
                 {"tunings", tunings},
                 {"emitter", from->emitter()},
                 {"signed_by", signer},
                 {"entries", std::move(entries)}});
  } else {
    to.print(rows.text(to));
    to.line(
        fmt::format("{} kernels{}{}{}", from->size(), emitter_of(*from),
                    tunings == 0 ? "" : fmt::format(", {} tuned call{}", tunings, tunings == 1 ? "" : "s"),
                    signer.empty() ? "" : ", signed by " + signer));
  }
  return damaged == 0 ? exit_code::success : exit_code::no;
}

}  // namespace sinter::inline v0::command
