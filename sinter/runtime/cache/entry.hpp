#pragma once
// One entry of a cache as bytes: it tells what it is, and nothing that it says is believed unchecked.

#include <sinter/runtime/cache/key.hpp>
#include <sinter/runtime/object/code_image.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

/// A kernel as it is kept.
struct cache_entry {
  std::string key_content;  ///< all that the kernel depends on (key.hpp)
  std::string kernel;       ///< name of its entry point
  std::string text;         ///< that was compiled
  std::string schedule;     ///< by which it was emitted, for those who look
  std::string compiler;     ///< "nvrtc 13.0"
  std::string log;          ///< of the compiler
  int cuda_version = 0;     ///< of the toolkit that compiled it: 13000 is 13.0; 0 for the CPU
  int registers = -1, spill_bytes = -1, shared_bytes = -1;  ///< -1: not known
  double compile_milliseconds = 0;
  std::vector<code_image> images;  ///< the same code in one or several forms
  bool operator==(const cache_entry&) const = default;
};

/// Why bytes are not an entry that can be used.
enum class entry_fault : std::uint8_t {
  none,
  not_an_entry,  ///< of something else, or empty
  other_format,  ///< of another version of the format
  truncated,     ///< shorter or longer than it says
  damaged,       ///< its checksum does not fit
  other_key,     ///< whole, and of another kernel
};
/// "it was cut short" and the like.
const char* describe(entry_fault fault);

/// Little-endian, the same bytes for the same entry on every machine. Layout: magic, version, length of all,
/// sections by number (each its length and its bytes, text compressed by zstd), xxHash3-128 of what precedes.
std::string encode(const cache_entry& entry);

/// Reads an entry; `expected` is the content that its key was made of, "" for whatever it holds. Accepts any
/// bytes at all.
entry_fault decode(std::string_view bytes, std::string_view expected, cache_entry& to);

/// Beyond this nothing is read: no entry is as large.
inline constexpr std::uint64_t largest_entry = std::uint64_t{256} << 20;

}  // namespace sinter::runtime
