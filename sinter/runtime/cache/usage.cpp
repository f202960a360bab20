#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <sinter/runtime/cache/key.hpp>
#include <sinter/runtime/cache/usage.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr const char* account_file = "usage";
constexpr std::uint64_t entries_between_scans = 4096;
constexpr std::int64_t seconds_of_a_writer = 60 * 60;  ///< an older temporary file was abandoned

/// The recorded total: the first bytes of its file.
struct account {
  std::uint64_t mark = 0, bytes = 0, entries_since_scan = 0;
};
constexpr std::uint64_t account_mark = 0x3130656761737501;  // else the record is of another format, or new

struct found_entry {
  std::string name;
  std::uint64_t bytes;
  std::int64_t used;
};

/// A time in the future comes from a wrong clock. Such entries are evicted first.
std::int64_t time_of_use(std::int64_t modified, std::int64_t now) {
  return modified > now + seconds_between_touches ? 0 : modified;
}

}  // namespace

usage_scan remove_least_recently_used(const folder& in, std::uint64_t most, std::uint64_t enough) {
  const std::int64_t now = std::time(nullptr);
  std::vector<found_entry> all;
  usage_scan scan;
  for (const std::string& shard : in.folders()) {
    std::vector<file_facts> files;
    in.list(shard, files);
    for (const file_facts& file : files) {
      const std::string name = shard + "/" + file.name;
      if (parse_key(file.name)) {
        all.push_back({name, file.bytes, time_of_use(file.modified, now)});
        scan.bytes += file.bytes;
      } else if (file.name.front() == '.' && std::abs(now - file.modified) > seconds_of_a_writer) {
        in.remove(name);
      } else if (file.name.front() == '.') {
        scan.temporary += file.bytes;
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const found_entry& a, const found_entry& b) { return a.used < b.used; });
  scan.entries = all.size();
  if (scan.bytes + scan.temporary <= most) return scan;
  for (const found_entry& each : all) {
    if (scan.bytes + scan.temporary <= enough) break;
    if (const file_answer removed = in.remove(each.name); !removed && !removed.missing()) continue;
    scan.bytes -= each.bytes;
    scan.removed_bytes += each.bytes;
    --scan.entries;
    ++scan.removed;
  }
  return scan;
}

file_answer make_room(const folder& in, const std::string& name, std::uint64_t bytes, std::uint64_t capacity,
                      unpublished_file& to) {
  file_answer made;
  const file_answer counted = in.change(account_file, [&](std::string_view before) {
    account now;
    if (before.size() == sizeof now) std::memcpy(&now, before.data(), sizeof now);
    const bool unknown = now.mark != account_mark || now.entries_since_scan >= entries_between_scans;
    if (unknown || now.bytes + bytes > capacity) {
      const std::uint64_t room = capacity - std::min(capacity, bytes);
      // an eighth more than needed is evicted, so that the next entries find room
      const usage_scan scan = remove_least_recently_used(in, room, std::min(room, capacity - capacity / 8));
      now = {account_mark, scan.bytes + scan.temporary, 0};
    }
    // under the lock, so that the next scan of the files finds this one
    made = now.bytes + bytes <= capacity ? in.begin(name, bytes, to)
                                         : file_answer{EAGAIN, "making room beside what others write into"};
    if (made) {
      now.bytes += bytes;
      ++now.entries_since_scan;
    }
    return std::string(reinterpret_cast<const char*>(&now), sizeof now);
  });
  return counted ? made : counted;
}

}  // namespace sinter::inline v0::runtime
