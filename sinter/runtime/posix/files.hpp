#pragma once
// Files of a folder that processes share: read whole, published whole, locked by the byte.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

class byte_lock;
class file_aside;

/// How long to wait for a lock that somebody else holds.
struct lock_wait {
  /// From the last sign of life (byte_lock::show_life) that the one who holds it has given, or from the
  /// beginning.
  std::chrono::milliseconds patience{};
  std::chrono::milliseconds at_most = patience;  ///< in all, whatever signs there are
  std::chrono::milliseconds say_after{};
  std::function<void()> say = nullptr;  ///< called once, after that much of waiting; may be empty
};

/// What the system answered: 0, or an errno and what was being done.
struct file_answer {
  int error = 0;
  const char* step = "";
  explicit operator bool() const { return error == 0; }
  bool missing() const;  ///< there is no such file
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
  own,     ///< this user alone: 0700, and nothing in it that another user owns is read
  shared,  ///< whoever the system lets
};

/// A folder that stays open: what happens to the path above it changes nothing. Names are of files in it, or
/// of files in a folder in it ("ab/name"). Symbolic links in it are never followed. Safe from any thread, and
/// in the child of a fork.
class folder {
 public:
  folder() = default;
  folder(folder&& other) noexcept;
  folder& operator=(folder&& other) noexcept;
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder();

  /// Opens it, and makes it first where that is asked for and it is not there. A folder of this user's that
  /// others may write to, or that another user owns, is refused (EPERM).
  static file_answer open(const std::string& path, folder_access access, bool create, folder& to);
  explicit operator bool() const { return descriptor_ >= 0; }

  /// The whole file, if it is a regular one of no more than `most` bytes (else EFBIG).
  file_answer read(const std::string& name, std::uint64_t most, std::string& bytes, file_facts& facts) const;
  /// Makes a file aside for what is to be named so: it has its size from now on, and its content later. The
  /// folder that the name is in is made where it is not there.
  file_answer begin(const std::string& name, std::uint64_t size, file_aside& to) const;
  /// Sets the time of modification to now.
  void touch(const std::string& name) const;
  file_answer remove(const std::string& name) const;
  /// Regular files of a folder in this one, or of this one itself for "".
  file_answer list(const std::string& name, std::vector<file_facts>& to) const;
  /// Names of folders in this one.
  std::vector<std::string> folders() const;
  /// Whether the path still leads here.
  bool is_at(const std::string& path) const;

  /// Reads and writes the first bytes of a small file that processes change in place, in a critical section
  /// among them: `change` gets what is there and gives what shall be there. EWOULDBLOCK if it is never free.
  file_answer change(const std::string& name, const std::function<std::string(std::string_view)>& edit) const;

 private:
  friend class byte_lock;
  friend class file_aside;
  int descriptor_ = -1;
  folder_access access_ = folder_access::own;
};

/// A file of a folder, which has to outlive it, that has no name yet: removed with this unless it is
/// published.
class file_aside {
 public:
  file_aside() = default;
  file_aside(const file_aside&) = delete;
  file_aside& operator=(const file_aside&) = delete;
  ~file_aside();

  /// Writes its bytes, as many as begin() was told, flushes them, and gives it its name: others see the old
  /// content, none, or all of the new.
  file_answer publish(std::string_view bytes);
  /// Removes it now.
  void remove();

 private:
  friend class folder;
  const folder* in_ = nullptr;
  std::string aside_, name_;
  int descriptor_ = -1;
};

/// A byte of a file, locked against every other process (and copy of this library) until this goes, or the
/// process ends.
class byte_lock {
 public:
  byte_lock() = default;
  byte_lock(byte_lock&& other) noexcept;
  byte_lock& operator=(byte_lock&& other) noexcept;
  byte_lock(const byte_lock&) = delete;
  byte_lock& operator=(const byte_lock&) = delete;
  ~byte_lock();

  /// Waits until it is free, or for as long as told (EWOULDBLOCK). Other errors: the file system has no
  /// locks.
  static file_answer acquire(const folder& in, const std::string& name, std::uint64_t offset,
                             const lock_wait& wait, byte_lock& to);
  /// Shows those who wait for it that what it is held for goes on: a counter changes in the file's first
  /// bytes, which many locks share. Safe from any thread.
  void show_life() const;
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  friend class folder;
  std::uint64_t life_seen() const;
  int descriptor_ = -1;
  std::uint64_t offset_ = 0;
};

}  // namespace sinter::runtime
