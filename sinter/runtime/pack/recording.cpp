#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/pack/external_bytes.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/posix/append_file.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

namespace sinter::inline v0 {
namespace runtime {
namespace {

// A record: magic, length of the rest, graph, call, external functions if it calls any, xxHash3-128 of
// everything before.
constexpr std::string_view magic("sinter\x1arec1\n", 12);
constexpr std::size_t min_record = magic.size() + sizeof(std::uint32_t) + checksum_bytes;
constexpr std::size_t largest_record = std::size_t{16} << 20;

/// The record at the start of bytes that begin with the magic; "" if it is incomplete.
std::string_view whole_record(std::string_view bytes) {
  byte_reader from(bytes.substr(magic.size()));
  const std::uint64_t length = from.take<std::uint32_t>();
  if (!from.good() || length < min_record || length > std::min(largest_record, bytes.size())) return {};
  const std::string_view record = bytes.substr(0, static_cast<std::size_t>(length));
  return has_checksum(record) ? record : std::string_view();
}

bool read_record(std::string_view record, recorded_request& to, std::string& fault) {
  byte_reader from(record.substr(magic.size() + sizeof(std::uint32_t), record.size() - min_record));
  const std::string_view content = from.take_text(), call = from.take_text();
  const std::string_view called = from.at_end() ? std::string_view() : from.take_text();
  if (!from.good() || !from.at_end()) {
    fault = "its parts are not those of a record";
    return false;
  }
  std::vector<const external_function*> externals;
  if (!called.empty() && !read_externals(called, externals, fault)) return false;
  if (!read_graph(content, to.content, fault, externals)) return false;
  if (call.empty()) return true;
  return read_call(call, to.content, to.call.emplace(), fault);
}

struct recorder {
  fork_mutex guard;
  append_file file;
  std::string path;
  std::unordered_set<std::uint64_t> known;  ///< hashes of the appended records
  std::atomic<bool> warned = false;
};

enum class recording_state : std::uint8_t { undecided, off, on };
std::atomic<recording_state> state{recording_state::undecided};

// Never destroyed: calls may be made until the end of the process.
recorder& the_recorder() {
  static auto& made = *new recorder;
  return made;
}

/// Without the lock, because the log hook may call Sinter.
void warn(recorder& at, const std::string& path, const std::string& reason) {
  if (reason.empty() || at.warned.exchange(true)) return;
  report(log_level::warning, fmt::format("'{}' does not take what SINTER_RECORD or record_to() is to record, "
                                         "packs made of it will lack something: {}",
                                         path, reason));
}

/// With the lock held. Returns why the file cannot be opened.
std::string start(recorder& at, const std::string& path) {
  at.file = {};
  at.known.clear();
  at.warned = false;
  at.path = path;
  std::string reason = path.empty() ? std::string() : at.file.open(path);
  state.store(at.file ? recording_state::on : recording_state::off, std::memory_order_release);
  return reason;
}

}  // namespace

bool is_recording() noexcept {
  const recording_state now = state.load(std::memory_order_acquire);
  if (now != recording_state::undecided) return now == recording_state::on;
  try {
    recorder& at = the_recorder();
    const std::string path = environment_value("SINTER_RECORD");
    std::string reason;
    {
      const std::lock_guard lock(at.guard);
      if (state.load(std::memory_order_relaxed) == recording_state::undecided) reason = start(at, path);
    }
    warn(at, path, reason);
  } catch (...) {
    state.store(recording_state::off,
                std::memory_order_release);  // out of memory: the call itself matters more
  }
  return state.load(std::memory_order_relaxed) == recording_state::on;
}

std::string to_bytes(const recorded_request& request) {
  byte_writer made;
  made.bytes = magic;
  const std::string content = sinter::to_bytes(request.content);
  const std::string call = request.call ? sinter::to_bytes(*request.call) : std::string();
  byte_writer parts;
  parts.put_text(content);
  parts.put_text(call);
  if (!request.content.externals.empty()) parts.put_text(to_bytes(request.content.externals));
  made.put(static_cast<std::uint32_t>(min_record + parts.bytes.size()));
  made.bytes += parts.bytes;
  put_checksum(made);
  return std::move(made.bytes);
}

void record_request(const graph& content, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs, std::span<const std::uint64_t> scalars,
                    target_kind ran_on, const schedule* forced) noexcept {
  recorder& at = the_recorder();
  try {
    const std::string bytes =
        to_bytes(recorded_request{content, record_call(content, inputs, outputs, scalars, ran_on, forced)});
    if (bytes.size() > largest_record) {
      warn_once(
          "record " + content.name,
          fmt::format("function '{}' calls functions of yours with {} bytes of code, and a recording takes "
                      "{} at most: it will not be in packs; hand in no more code than what is called",
                      content.name, bytes.size(), largest_record));
      return;
    }
    std::string path, reason;
    {
      const std::lock_guard lock(at.guard);
      if (!at.file || !at.known.insert(short_hash_of_content(bytes)).second) return;
      reason = at.file.append(bytes);
      path = at.path;
    }
    warn(at, path, reason);
  } catch (...) {
    // out of memory: the record is dropped and the call continues
  }
}

void read_recording(std::string_view bytes, recording_content& to) {
  std::unordered_set<std::string_view> known;
  bool in_step = true;  // one fault for a whole range of invalid bytes
  while (!bytes.empty()) {
    if (!bytes.starts_with(magic)) {
      if (std::exchange(in_step, false)) to.faults.emplace_back("bytes that are no record were passed over");
      bytes.remove_prefix(std::min(bytes.find(magic, 1), bytes.size()));
      continue;
    }
    const std::string_view record = whole_record(bytes);
    if (record.empty()) {
      to.faults.emplace_back("a record is not whole");
      in_step = false;
      bytes.remove_prefix(std::min(bytes.find(magic, 1), bytes.size()));
      continue;
    }
    in_step = true;
    bytes.remove_prefix(record.size());
    if (!known.insert(record).second) continue;
    recorded_request made;
    std::string fault;
    if (read_record(record, made, fault))
      to.requests.push_back(std::move(made));
    else
      to.faults.push_back("a record cannot be used: " + fault);
  }
}

recording_content read_recordings(std::span<const std::string> paths) {
  std::string all;
  recording_content made;
  for (const std::string& path : paths) all += read_whole_file(path);
  read_recording(all, made);
  return made;
}

}  // namespace runtime

void record_to(const std::string& path) {
  runtime::recorder& at = runtime::the_recorder();
  std::string reason;
  {
    const std::lock_guard lock(at.guard);
    reason = runtime::start(at, path);
  }
  runtime::warn(at, path, reason);
}

}  // namespace sinter::inline v0
