#pragma once
// The size of a directory of entries, and eviction from it.

#include <sinter/runtime/posix/files.hpp>

#include <cstdint>
#include <string>

namespace sinter::inline v0::runtime {

/// The result of a scan over all entries.
struct usage_scan {
  std::uint64_t entries = 0, bytes = 0;          ///< remaining
  std::uint64_t removed = 0, removed_bytes = 0;  ///< evicted
  std::uint64_t temporary = 0;                   ///< bytes of files that other processes are writing
};

/// Makes room for an entry of `bytes`, and creates its temporary file. From then on it counts, so that
/// entries and temporary files together never exceed `capacity`, even with concurrent writers. A small file
/// records the total: the entries are scanned only if the total exceeds `capacity` (or after many entries, in
/// case the total is wrong). The least recently used entries are then evicted until an eighth of the capacity
/// is free. If the total can be neither read nor written, or there is no room, no file is created.
file_answer make_room(const folder& in, const std::string& name, std::uint64_t bytes, std::uint64_t capacity,
                      unpublished_file& to);

/// Scans all entries. If these and the temporary files exceed `most` bytes, evicts the least recently used
/// entries until at most `enough` are left. Also removes the temporary files of writers that were killed.
usage_scan remove_least_recently_used(const folder& in, std::uint64_t most, std::uint64_t enough);

/// A hit updates an entry's time of use only if it is older than this, so that other hits cost nothing.
inline constexpr std::int64_t seconds_between_touches = 24 * 60 * 60;

}  // namespace sinter::inline v0::runtime
