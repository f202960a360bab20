#pragma once
// How many bytes a directory of entries has, and what goes when they are too many.

#include <sinter/runtime/posix/files.hpp>

#include <cstdint>
#include <string>

namespace sinter::runtime {

/// What a walk over all entries found and did.
struct usage_scan {
  std::uint64_t entries = 0, bytes = 0;          ///< that are left
  std::uint64_t removed = 0, removed_bytes = 0;  ///< entries that went
  std::uint64_t aside = 0;                       ///< bytes of what others are writing
};

/// Makes room for an entry of `bytes`, and the file that is to become it: from then on it counts, so that
/// entries and what is being written never have more than `capacity` together, whoever writes at once. The
/// total is kept in a small file: this looks at the entries themselves only once the total has passed
/// `capacity` (or after many entries, in case the total is wrong); the least recently used then go until an
/// eighth of it is free. Where the total can be neither read nor written, or there is no room, nothing is
/// made.
file_answer make_room(const folder& in, const std::string& name, std::uint64_t bytes, std::uint64_t capacity,
                      file_aside& to);

/// Walks all entries. If these and what is being written have more than `most` bytes, removes the least
/// recently used entries until no more than `enough` are left. What writers that were killed have left behind
/// goes too.
usage_scan remove_least_recently_used(const folder& in, std::uint64_t most, std::uint64_t enough);

/// An entry whose time of last use is older than this is told that it was used; others are not, so that a hit
/// costs nothing.
inline constexpr std::int64_t seconds_between_touches = 24 * 60 * 60;

}  // namespace sinter::runtime
