#pragma once
// The command's access to the user's directory of entries: reading does not count as use.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/posix/files.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../terminal/output.hpp"

namespace sinter::inline v0::command {

/// One file of the directory.
struct entry_file {
  runtime::cache_key key;
  std::string name;  ///< to_string(key)
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  ///< seconds since 1970, accurate to a day
};

/// The result of reading an entry.
struct read_entry {
  enum class state : unsigned char {
    whole,
    damaged,       ///< a miss for any reader
    other_format,  ///< of another version of the library, for which it may be intact
    unreadable,    ///< the system denied access
    gone,          ///< removed meanwhile by another process
  };
  state is = state::whole;
  std::string why;  ///< unless it is intact
  runtime::cache_entry entry;
};
/// "whole", "damaged", "other format", "unreadable", "gone".
const char* to_string(read_entry::state is);

/// The chosen directory, and where the choice comes from.
struct chosen_directory {
  /// The given one, else the environment's. Throws failure if neither names one.
  explicit chosen_directory(const std::string& given);

  std::string path;
  std::string named_by;  ///< "--directory", "SINTER_CACHE_DIR"; "" for the default
};

class cache_files {
 public:
  /// Opens a directory. Throws failure with a remedy if it cannot be read, is accessible to other users, or
  /// was named explicitly and does not exist. The default directory may be missing: it is then empty. With
  /// `may_be_made` any directory may be missing, because entries will be stored there.
  explicit cache_files(const chosen_directory& from, bool may_be_made = false);

  const std::string& path() const { return path_; }
  /// The path for messages, which says if it does not exist yet.
  std::string described_path() const { return exists() ? path_ : path_ + " (not made yet)"; }
  bool exists() const { return static_cast<bool>(folder_); }
  /// Entries whose names start with the prefix, by name.
  std::vector<entry_file> list(std::string_view prefix = {}) const;
  /// The only entry whose name starts with the prefix. Throws failure with exit code 1 if there is none, or
  /// several.
  entry_file find(const std::string& prefix) const;
  /// The file's bytes; false with the reason in `read` on failure.
  bool bytes_of(const entry_file& file, std::string& bytes, read_entry& read) const;
  read_entry read(const entry_file& file) const;
  /// False if the system refuses; a file that is gone already is not a failure.
  bool remove(const entry_file& file, std::string& why) const;

 private:
  std::string path_;
  runtime::folder folder_;
};

/// The entries that a subcommand applies to.
struct entry_filter {
  std::string kernel;  ///< a name pattern, "" for all
  std::string target;  ///< "cuda", "cuda 90" or "cpu", "" for all
  double older = 0;    ///< minimum days since the last use
  bool reads_entries() const { return !kernel.empty() || !target.empty(); }
};

/// An entry that passed a filter. Its content was read only if requested, or if the filter needs it.
struct selected_entry {
  entry_file file;
  read_entry read;
};
/// Entries that pass, ordered by name; unreadable entries pass no filter on content. Shows progress.
std::vector<selected_entry> select(const cache_files& from, const entry_filter& filter, bool read_all,
                                   const console& to);

/// The compile target of an entry: "cuda 90", "cpu x86-64-v3", or "cpu" for one exact processor.
std::string target_of(const runtime::cache_entry& entry);
/// The version of the emitter of an entry's text; 0 if its key has none.
std::uint64_t emitter_of(const runtime::cache_entry& entry);
std::string file_name(const entry_file& file);
std::int64_t now();

}  // namespace sinter::inline v0::command
