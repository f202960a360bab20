#pragma once
// Entries as files of a directory.

#include <sinter/runtime/cache/entry_store.hpp>
#include <sinter/runtime/cache/usage.hpp>
#include <sinter/runtime/posix/files.hpp>
#include <sinter/runtime/posix/fork.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sinter::runtime {

/// An entry is a file, named by its key, in one of 256 folders. A folder of this user's own, or a shared one
/// (folder_access). The path is opened when it is first needed, and made when something is first stored;
/// where that fails the store is empty and refuses entries, and says why. Forgets what was used least
/// recently so that no more than `capacity` bytes stay.
class directory_store final : public entry_store {
 public:
  directory_store(std::string path, folder_access access, std::uint64_t capacity);

  std::string name() const override;
  store_answer get(const cache_key& key) override;
  store_answer put(const cache_key& key, std::string_view bytes) override;

  const std::string& path() const { return path_; }
  /// Keeps other processes from compiling for a key while this one does; see byte_lock.
  file_answer lock(const cache_key& key, const lock_wait& wait, byte_lock& to);
  /// Keys of other entries that could have served, had they been made with other options or another version.
  std::vector<cache_key> relatives(const cache_key& key);
  /// Every entry, in no order: for the `sinter` command and for packs.
  struct listed {
    cache_key key;
    file_facts file;
  };
  std::vector<listed> list();
  file_answer remove(const cache_key& key);
  /// Forgets entries, the least recently used first, until no more than this many bytes are left. Returns
  /// what was removed.
  usage_scan prune(std::uint64_t bytes);

 private:
  /// The open folder, opened or made now; again if the path has come to lead elsewhere.
  std::shared_ptr<const folder> opened(bool create, std::string& fault);
  std::shared_ptr<const folder> reopened(bool create, std::string& fault);

  const std::string path_;
  const folder_access access_;
  const std::uint64_t capacity_;
  fork_mutex guard_;
  std::shared_ptr<const folder> folder_;
};

}  // namespace sinter::runtime
