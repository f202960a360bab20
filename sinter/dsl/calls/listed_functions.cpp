#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/dsl/detail/listed_functions.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/posix/append_file.hpp>
#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/runtime/posix/program_notes.hpp>

namespace sinter::inline v0 {
namespace {

using body_of_recording = void (*)(const void*);
constexpr std::size_t offset_bytes = 4;

struct listed_function {
  const void* body = nullptr;  ///< a body_of_recording
  arithmetic_mode mode = arithmetic_mode::standard;
  const std::string* file = nullptr;
  auto operator<=>(const listed_function&) const = default;
};

/// The functions in the notes, once for each mode that the callable is used in.
class noted_functions {
 public:
  noted_functions() {
    runtime::for_each_program_note([this](const runtime::program_note& note) { add(note); });
    for (const auto& [body, mark] : functions_) {
      all_.push_back({body, arithmetic_mode::standard, &files_.at(body)});
      for (const arithmetic_mode mode : modes_[mark]) all_.push_back({body, mode, &files_.at(body)});
    }
  }
  const std::vector<listed_function>& all() const { return all_; }

 private:
  void add(const runtime::program_note& note) {
    if (note.content.size() < 2 * offset_bytes) return;
    const std::string_view second = note.content.substr(offset_bytes);
    if (note.kind == runtime::note_kind::function) {
      const void* body = runtime::target_of_note(note.content);
      functions_.emplace(body, runtime::target_of_note(second));  // inlining may have copied the note
      files_.emplace(body, *note.file);
    } else if (note.kind == runtime::note_kind::mode) {
      const auto mode = static_cast<std::uint8_t>(note.content.front());
      if (mode == 0 || mode > static_cast<std::uint8_t>(arithmetic_mode::fast)) return;
      modes_[runtime::target_of_note(second)].insert(static_cast<arithmetic_mode>(mode));
    }
  }

  std::map<const void*, const void*> functions_;  ///< the callable's mark, by the function that records it
  std::map<const void*, std::string> files_;
  std::map<const void*, std::set<arithmetic_mode>> modes_;
  std::vector<listed_function> all_;
};

/// The record of a function; "" if it turns out to be stateful.
std::string record_of(const listed_function& listed) {
  const char stateless_callable = 0;  // has no members that could be read
  detail::call_site site;
  site.kind = detail::recorded_as::stateless;
  site.mode = listed.mode;
  detail::frame recorded(site, true);
  reinterpret_cast<body_of_recording>(const_cast<void*>(listed.body))(&stateless_callable);
  const graph& content = recorded->steps.builder().recorded();
  if (recorded->stateful) return {};  // only a recording of a run can record it
  return runtime::to_bytes(runtime::recorded_request{content, std::nullopt});
}

}  // namespace

std::size_t list_functions(const std::string& path) {
  runtime::append_file file;
  if (const std::string reason = file.open(path); !reason.empty())
    throw device_error(fmt::format("the list of functions cannot be written to '{}': {}", path, reason));
  const noted_functions noted;
  const std::vector<listed_function>& all = noted.all();
  const std::vector<std::size_t> failed = runtime::run_in_children(all.size(), [&](std::size_t index) {
    try {
      if (const std::string reason = file.append(record_of(all[index])); !reason.empty())
        throw device_error(fmt::format("writing to '{}' failed: {}", path, reason));
    } catch (const std::exception& thrown) {
      fmt::print(stderr, "sinter: {}\n", thrown.what());
      throw;
    }
  });
  for (const std::size_t index : failed)
    fmt::print(stderr,
               "sinter: a function of {} could not be recorded without running the program; what it needs "
               "must come from a recording of a run (SINTER_RECORD)\n",
               *all[index].file);
  return all.size() - failed.size();
}

}  // namespace sinter::inline v0
