#pragma once
// One entry of a cache as bytes. It describes itself, and a reader checks all of it.

#include <sinter/runtime/cache/key.hpp>
#include <sinter/runtime/object/code_image.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::runtime {

/// A kernel as the cache stores it.
struct cache_entry {
  std::string key_content;  ///< everything that the kernel depends on (key.hpp)
  std::string kernel;       ///< name of its entry point
  std::string text;         ///< the compiled source text
  std::string schedule;     ///< the schedule of the text, for readers only
  std::string compiler;     ///< "nvrtc 13.0"
  std::string log;          ///< the compiler's log
  int cuda_version = 0;     ///< version of the compiling toolkit: 13000 is 13.0; 0 for the CPU
  int registers = -1, spill_bytes = -1, shared_bytes = -1;  ///< -1: unknown
  double compile_milliseconds = 0;
  std::vector<code_image> images;  ///< the same code in one or several forms
  bool operator==(const cache_entry&) const = default;
};

/// Why bytes cannot be used as an entry.
enum class entry_fault : std::uint8_t {
  none,
  not_an_entry,  ///< another kind of file, or empty
  other_format,  ///< another version of the format
  truncated,     ///< shorter or longer than its header says
  damaged,       ///< its checksum is wrong
  other_key,     ///< intact, but of another kernel
};
/// "it was cut short" and the like.
const char* describe(entry_fault fault);

/// Little-endian; an entry has the same bytes on every machine. Layout: magic, version, total length,
/// numbered sections (each with its length and bytes, text compressed by zstd), xxHash3-128 of everything
/// before.
std::string encode(const cache_entry& entry);

/// Reads an entry. `expected` is the content of its key, "" to accept any. Safe for arbitrary bytes.
entry_fault decode(std::string_view bytes, std::string_view expected, cache_entry& to);

/// Larger inputs are not read: no entry is that large.
inline constexpr std::uint64_t largest_entry = std::uint64_t{256} << 20;

}  // namespace sinter::inline v0::runtime
