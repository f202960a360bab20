// sinter pack build: builds a pack from programs and recordings.

#include <sinter/runtime/pack/pack_builder.hpp>
#include <sinter/runtime/posix/whole_file.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "../terminal/progress.hpp"
#include "../terminal/units.hpp"
#include "pack_files.hpp"
#include "pack_options.hpp"

namespace sinter::inline v0::command {
namespace {

constexpr std::string_view native_processor = "native";

void append(runtime::recording_content&& from, runtime::recording_content& to) {
  std::move(from.requests.begin(), from.requests.end(), std::back_inserter(to.requests));
  std::move(from.faults.begin(), from.faults.end(), std::back_inserter(to.faults));
}

/// The records of all files as one text.
std::string tunings_in(const std::vector<std::string>& files) {
  std::vector<runtime::tuning_record> all;
  for (const std::string& file : files)
    for (runtime::tuning_record& each : runtime::read_tuning_file(file)) all.push_back(std::move(each));
  return all.empty() ? std::string() : runtime::to_text(std::move(all));
}

}  // namespace

exit_code run_pack_build(const pack_build_options& options) {
  const console to(options.json);
  if (options.programs.empty() && options.recordings.empty())
    throw failure(
        "there is nothing to pack: name a --program, or a --recording that one made with SINTER_RECORD",
        exit_code::usage);
  if (options.no_cpu && options.architectures.empty())
    throw failure("there is no target to pack for: name --architectures, or leave --no-cpu out",
                  exit_code::usage);
  runtime::recording_content wanted = runtime::read_recordings(options.recordings);
  for (const std::string& program : options.programs) append(runtime::functions_of_program(program), wanted);

  runtime::built_pack made;
  {
    std::optional<progress_bar> bar;
    std::size_t all = 0;
    runtime::pack_options how;
    how.architectures = options.architectures;
    how.cpu = !options.no_cpu && options.processors.empty();
    for (const std::string& each : options.processors)
      if (each == native_processor)
        how.cpu = true;
      else
        how.cpu_levels.push_back(each);
    how.threads = options.threads;
    how.tunings = tunings_in(options.tunings);
    how.progress = [&](const runtime::pack_progress& at) {
      if (at.all != all) bar.emplace("compiling", all = at.all, to.shows_progress());
      bar->advance_to(at.done);
    };
    made = build_pack(wanted.requests, how);
  }
  made.faults.insert(made.faults.begin(), wanted.faults.begin(), wanted.faults.end());
  if (!options.sign_with.empty())
    made.bytes = runtime::sign_pack(made.bytes, read_secret_key(options.sign_with));
  runtime::write_whole_file(options.output, made.bytes);

  if (options.json) {
    to.document({{"pack", options.output},
                 {"bytes", made.bytes.size()},
                 {"functions_and_calls", wanted.requests.size()},
                 {"kernels", made.kernels},
                 {"faults", made.faults}});
  } else {
    to.line(fmt::format("{} kernels of {} functions and calls in {} ({})", made.kernels,
                        wanted.requests.size(), options.output, readable_bytes(made.bytes.size())));
    for (const std::string& fault : made.faults) fmt::print(stderr, "sinter: lacking: {}\n", harmless(fault));
  }
  return made.faults.empty() || options.allow_faults ? exit_code::success : exit_code::no;
}

}  // namespace sinter::inline v0::command
