#pragma once
// Files in a folder shared by processes: read as a whole, published atomically, locked by byte.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::runtime {

class byte_lock;
class unpublished_file;

/// How long to wait for a lock that another process holds.
struct lock_wait {
  /// Since the holder's last sign of life (byte_lock::show_life), or since the start of the wait.
  std::chrono::milliseconds patience{};
  std::chrono::milliseconds at_most = patience;  ///< in total, regardless of signs
  std::chrono::milliseconds say_after{};
  std::function<void()> say = nullptr;  ///< called once after waiting this long; may be empty
};

/// The result of a system call: 0, or an errno and the operation.
struct file_answer {
  int error = 0;
  const char* step = "";
  explicit operator bool() const { return error == 0; }
  bool missing() const;  ///< the file does not exist
  /// "writing /home/…/cache: No space left on device".
  std::string describe(const std::string& path) const;
};

struct file_facts {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< seconds since 1970
};

/// Who may use a folder.
enum class folder_access {
  own,     ///< only this user: 0700, and files of other users are not read
  shared,  ///< anyone whom the system permits
};

/// An open folder, independent of later changes to the path above it. Names are files in it, or in a folder
/// in it ("ab/name"). Symbolic links in it are never followed. Safe from any thread, and in the child of a
/// fork.
class folder {
 public:
  folder() = default;
  folder(folder&& other) noexcept;
  folder& operator=(folder&& other) noexcept;
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder();

  /// Opens the folder, creating it first if requested. For this user's own folder, one that others may write
  /// to or that another user owns is rejected (EPERM).
  static file_answer open(const std::string& path, folder_access access, bool create, folder& to);
  explicit operator bool() const { return descriptor_ >= 0; }

  /// Reads a whole regular file of at most `most` bytes (else EFBIG).
  file_answer read(const std::string& name, std::uint64_t most, std::string& bytes, file_facts& facts) const;
  /// Creates a temporary file for this name, with its final size; the content follows later. Creates the
  /// name's folder if needed.
  file_answer begin(const std::string& name, std::uint64_t size, unpublished_file& to) const;
  /// Sets the modification time to now.
  void touch(const std::string& name) const;
  file_answer remove(const std::string& name) const;
  /// Regular files of a folder in this one, or of this one for "".
  file_answer list(const std::string& name, std::vector<file_facts>& to) const;
  /// Names of folders in this one.
  std::vector<std::string> folders() const;
  /// Whether the path still refers to this folder.
  bool is_at(const std::string& path) const;

  /// Changes the first bytes of a small file in place, in a critical section among processes: `change`
  /// receives the old content and returns the new. EWOULDBLOCK if the section stays busy.
  file_answer change(const std::string& name, const std::function<std::string(std::string_view)>& edit) const;

 private:
  friend class byte_lock;
  friend class unpublished_file;
  int descriptor_ = -1;
  folder_access access_ = folder_access::own;
};

/// A temporary file of a folder, which must outlive it. Removed by the destructor unless it was published.
class unpublished_file {
 public:
  unpublished_file() = default;
  unpublished_file(const unpublished_file&) = delete;
  unpublished_file& operator=(const unpublished_file&) = delete;
  ~unpublished_file();

  /// Writes the bytes, as many as begin() was told, flushes them, and gives the file its name: readers see
  /// the old content, none, or all of the new.
  file_answer publish(std::string_view bytes);
  /// Removes the file now.
  void remove();

 private:
  friend class folder;
  const folder* in_ = nullptr;
  std::string temporary_, name_;
  int descriptor_ = -1;
};

/// A byte of a file, locked against every other process (and copy of this library) during the lifetime of
/// this object or of the process.
class byte_lock {
 public:
  byte_lock() = default;
  byte_lock(byte_lock&& other) noexcept;
  byte_lock& operator=(byte_lock&& other) noexcept;
  byte_lock(const byte_lock&) = delete;
  byte_lock& operator=(const byte_lock&) = delete;
  ~byte_lock();

  /// Waits until the byte is free, or for the given time (EWOULDBLOCK). Other errors mean that the file
  /// system has no locks.
  static file_answer acquire(const folder& in, const std::string& name, std::uint64_t offset,
                             const lock_wait& wait, byte_lock& to);
  /// Signals progress to processes that wait for this lock: increments a counter in the file's first bytes,
  /// which several locks share. Safe from any thread.
  void show_life() const;
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  friend class folder;
  std::uint64_t life_seen() const;
  int descriptor_ = -1;
  std::uint64_t offset_ = 0;
};

}  // namespace sinter::inline v0::runtime
