#pragma once
// The user's directory of entries, as the command looks at it: nothing it reads counts as used.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/posix/files.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../terminal/output.hpp"

namespace sinter::command {

/// One file of the directory.
struct entry_file {
  runtime::cache_key key;
  std::string name;  ///< to_string(key)
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  ///< seconds since 1970, exact to a day
};

/// An entry as it was read.
struct read_entry {
  enum class state : unsigned char {
    whole,
    damaged,       ///< a miss for whoever asks for it
    other_format,  ///< of another version of the library, for which it may be whole
    unreadable,    ///< the system refused
    gone,          ///< somebody removed it meanwhile
  };
  state is = state::whole;
  std::string why;  ///< unless it is whole
  runtime::cache_entry entry;
};
/// "whole", "damaged", "other format", "unreadable", "gone".
const char* to_string(read_entry::state is);

/// Which directory is meant, and how that came about.
struct chosen_directory {
  /// The given one, else what the environment says. Throws failure where neither says anything.
  explicit chosen_directory(const std::string& given);

  std::string path;
  std::string named_by;  ///< "--directory", "SINTER_CACHE_DIR"; "" of the usual place
};

class cache_files {
 public:
  /// Opens a directory. Throws failure that says what to do if it cannot be read, is not this user's alone,
  /// or is not there though somebody named it. That in the usual place need not be there yet: then it is
  /// empty. Nor need any where entries are to be put (`may_be_made`).
  explicit cache_files(const chosen_directory& from, bool may_be_made = false);

  const std::string& path() const { return path_; }
  /// The path for people, who are told where it is not there yet.
  std::string described_path() const { return exists() ? path_ : path_ + " (not made yet)"; }
  bool exists() const { return static_cast<bool>(folder_); }
  /// Entries whose names begin so, by name.
  std::vector<entry_file> list(std::string_view prefix = {}) const;
  /// The one entry whose name begins so. Throws failure with exit code 1 if there is none, or several.
  entry_file find(const std::string& prefix) const;
  /// The file's bytes; false and why in `read` if there are none.
  bool bytes_of(const entry_file& file, std::string& bytes, read_entry& read) const;
  read_entry read(const entry_file& file) const;
  /// False where the system refuses; what is gone already is no failure.
  bool remove(const entry_file& file, std::string& why) const;

 private:
  std::string path_;
  runtime::folder folder_;
};

/// Which entries a subcommand is about.
struct entry_filter {
  std::string kernel;  ///< a pattern of names, "" for all
  std::string target;  ///< "cuda", "cuda 90" or "cpu", "" for all
  double older = 0;    ///< days since the last use at least
  bool reads_entries() const { return !kernel.empty() || !target.empty(); }
};

/// An entry that passed a filter. It was read only if that was asked for, or the filter needed it.
struct selected_entry {
  entry_file file;
  read_entry read;
};
/// Entries that pass, in the order of their names; what has no content passes no filter of content. Shows
/// how far it is.
std::vector<selected_entry> select(const cache_files& from, const entry_filter& filter, bool read_all,
                                   const console& to);

/// "cuda 90", "cpu x86-64-v3" or "cpu", of one very processor: what an entry is compiled for.
std::string target_of(const runtime::cache_entry& entry);
/// The version of the emitter that wrote an entry's text; 0 where its key tells none.
std::uint64_t emitter_of(const runtime::cache_entry& entry);
std::string file_name(const entry_file& file);
std::int64_t now();

}  // namespace sinter::command
