#pragma once
// A store whose entries are files in a directory.

#include <sinter/runtime/cache/entry_store.hpp>
#include <sinter/runtime/cache/usage.hpp>
#include <sinter/runtime/posix/files.hpp>
#include <sinter/runtime/posix/fork.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// Each entry is a file, named by its key, in one of 256 folders. The directory is private to this user or
/// shared (folder_access). It is opened on first use, and created by the first put(). If that fails, the
/// store acts as empty, rejects entries and reports the reason. Evicts the least recently used entries so
/// that at most `capacity` bytes stay.
class directory_store final : public entry_store {
 public:
  directory_store(std::string path, folder_access access, std::uint64_t capacity);

  std::string name() const override;
  store_answer get(const cache_key& key) override;
  store_answer put(const cache_key& key, std::string_view bytes) override;

  const std::string& path() const { return path_; }
  /// Keeps other processes from compiling this key while this one does; see byte_lock.
  file_answer lock(const cache_key& key, const lock_wait& wait, byte_lock& to);
  /// Keys of entries that differ from this one only in options or version.
  std::vector<cache_key> relatives(const cache_key& key);
  /// Every entry, in no particular order: for the `sinter` command and for packs.
  struct listed {
    cache_key key;
    file_facts file;
  };
  std::vector<listed> list();
  file_answer remove(const cache_key& key);
  /// Evicts the least recently used entries until at most this many bytes are left. Returns what was removed.
  usage_scan prune(std::uint64_t bytes);

 private:
  /// The open folder, opened or created on demand; opened again if the path now leads elsewhere.
  std::shared_ptr<const folder> opened(bool create, std::string& fault);
  std::shared_ptr<const folder> reopened(bool create, std::string& fault);

  const std::string path_;
  const folder_access access_;
  const std::uint64_t capacity_;
  fork_mutex guard_;
  std::shared_ptr<const folder> folder_;
};

}  // namespace sinter::inline v0::runtime
