#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>
#include <thread>
#include <utility>

#include <sinter/runtime/posix/file_descriptor.hpp>
#include <sinter/runtime/posix/files.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t others_may_write = S_IWGRP | S_IWOTH;

file_answer failed(const char* step) { return {errno, step}; }

mode_t folder_mode(folder_access access) { return access == folder_access::own ? 0700 : 0777; }
mode_t file_mode(folder_access access) { return access == folder_access::own ? 0600 : 0666; }

/// Creates the missing folders of a path.
file_answer make_folders(const std::string& path, mode_t mode) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    const bool last = end == std::string::npos || end + 1 == path.size();
    // parents may be links, or be created concurrently
    if (::mkdir(part.c_str(), last ? mode : mode | S_IRWXU) != 0 && errno != EEXIST && last)
      return failed("making folder");
    if (last) return {};
  }
}

file_answer check_owner(int number, folder_access access) {
  struct stat facts{};
  if (::fstat(number, &facts) != 0) return failed("looking at");
  if (access == folder_access::own &&
      (facts.st_uid != ::geteuid() || (facts.st_mode & others_may_write) != 0))
    return {EPERM, "using what others may write to"};
  return {};
}

std::string unlikely_name(const std::string& name) {
  // from a device, not from a seed: the child of a fork must not repeat its parent's numbers
  std::random_device random;
  std::string made =
      "." + std::to_string(::getpid()) + "-" + std::to_string(random()) + std::to_string(random());
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? made : name.substr(0, slash + 1) + made;
}

struct flock byte_at(std::uint64_t offset, short kind) {
  struct flock wanted{};
  wanted.l_type = kind;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = static_cast<off_t>(offset & 0x3fff'ffff'ffff'ffff);
  wanted.l_len = 1;
  return wanted;
}

// A process in the critical section may scan a hundred thousand entries.
constexpr std::chrono::milliseconds patience_for_changes{1000};

// The number of progress counters in a file of locks: one page. Two locks that share a counter prolong each
// other's waits, which are still bounded.
constexpr std::uint64_t life_counters = 512;
off_t life_of(std::uint64_t offset) {
  return static_cast<off_t>(offset % life_counters * sizeof(std::uint64_t));
}

}  // namespace

bool file_answer::missing() const { return error == ENOENT || error == ENOTDIR; }

std::string file_answer::describe(const std::string& path) const {
  return std::string(step) + " " + path + ": " + std::strerror(error);
}

folder::folder(folder&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), access_(other.access_) {}
folder& folder::operator=(folder&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(access_, other.access_);
  return *this;
}
folder::~folder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

file_answer folder::open(const std::string& path, folder_access access, bool create, folder& to) {
  if (path.empty()) return {ENOENT, "opening"};
  int number = ::open(path.c_str(), folder_flags);
  if (number < 0 && errno == ENOENT && create) {
    if (const file_answer made = make_folders(path, folder_mode(access)); !made) return made;
    number = ::open(path.c_str(), folder_flags);
  }
  if (number < 0) return failed("opening");
  folder opened;
  opened.descriptor_ = number;
  opened.access_ = access;
  if (const file_answer checked = check_owner(number, access); !checked) return checked;
  to = std::move(opened);
  return {};
}

file_answer folder::read(const std::string& name, std::uint64_t most, std::string& bytes,
                         file_facts& facts) const {
  // O_NONBLOCK: opening a pipe must not wait for a writer
  const file_descriptor file(
      ::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return failed("opening");
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return failed("looking at");
  if (!S_ISREG(found.st_mode)) return {EINVAL, "reading what is no regular file"};
  if (access_ == folder_access::own &&
      (found.st_uid != ::geteuid() || (found.st_mode & others_may_write) != 0))
    return {EPERM, "reading what others may write to"};
  if (static_cast<std::uint64_t>(found.st_size) > most) return {EFBIG, "reading"};
  facts = {name, static_cast<std::uint64_t>(found.st_size), found.st_mtim.tv_sec};
  if (const int error = read_all(file.get(), 0, facts.bytes, bytes); error != 0) return {error, "reading"};
  return {};
}

file_answer folder::begin(const std::string& name, std::uint64_t size, unpublished_file& to) const {
  to.remove();
  const std::string temporary = unlikely_name(name);
  const auto create = [&] {
    return ::openat(descriptor_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    file_mode(access_));
  };
  int number = create();
  const std::size_t slash = name.find('/');
  if (number < 0 && errno == ENOENT && slash != std::string::npos) {
    if (::mkdirat(descriptor_, name.substr(0, slash).c_str(), folder_mode(access_)) != 0 && errno != EEXIST)
      return failed("making a folder in");
    number = create();
  }
  if (number < 0) return failed("creating a file in");
  to.in_ = this;
  to.temporary_ = temporary;
  to.name_ = name;
  to.descriptor_ = number;
  if (retried([&] { return ::ftruncate(number, static_cast<off_t>(size)); }) == 0) return {};
  const file_answer answer = failed("sizing a file in");
  to.remove();
  return answer;
}

unpublished_file::~unpublished_file() { remove(); }

void unpublished_file::remove() {
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  ::unlinkat(in_->descriptor_, temporary_.c_str(), 0);
}

file_answer unpublished_file::publish(std::string_view bytes) {
  file_answer answer{write_all(descriptor_, bytes), "writing"};
  // some file systems report a full disk only here
  if (answer && retried([&] { return ::fdatasync(descriptor_); }) != 0) answer = failed("flushing");
  if (answer && ::renameat(in_->descriptor_, temporary_.c_str(), in_->descriptor_, name_.c_str()) != 0)
    answer = failed("naming a file in");
  if (answer)
    ::close(std::exchange(descriptor_, -1));
  else
    remove();
  return answer;
}

void folder::touch(const std::string& name) const {
  ::utimensat(descriptor_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

file_answer folder::remove(const std::string& name) const {
  if (::unlinkat(descriptor_, name.c_str(), 0) != 0) return failed("removing");
  return {};
}

namespace {

/// Calls use(entry) for each entry of a folder except . and ..
template <class Use>
file_answer for_each_entry(int in, const char* name, const Use& use) {
  const int number = ::openat(in, name, folder_flags | O_NOFOLLOW);
  if (number < 0) return failed("opening");
  DIR* const opened = ::fdopendir(number);
  if (opened == nullptr) {
    ::close(number);
    return failed("opening");
  }
  while (const dirent* entry = ::readdir(opened))
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      use(::dirfd(opened), entry->d_name);
  ::closedir(opened);
  return {};
}

}  // namespace

file_answer folder::list(const std::string& name, std::vector<file_facts>& to) const {
  return for_each_entry(descriptor_, name.empty() ? "." : name.c_str(), [&](int in, const char* entry) {
    struct stat found{};
    if (::fstatat(in, entry, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode))
      to.push_back({entry, static_cast<std::uint64_t>(found.st_size), found.st_mtim.tv_sec});
  });
}

std::vector<std::string> folder::folders() const {
  std::vector<std::string> names;
  for_each_entry(descriptor_, ".", [&](int in, const char* entry) {
    struct stat found{};
    if (::fstatat(in, entry, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode))
      names.emplace_back(entry);
  });
  std::sort(names.begin(), names.end());
  return names;
}

bool folder::is_at(const std::string& path) const {
  struct stat here{}, there{};
  return ::fstat(descriptor_, &here) == 0 && ::stat(path.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

file_answer folder::change(const std::string& name,
                           const std::function<std::string(std::string_view)>& edit) const {
  byte_lock lock;
  if (const file_answer locked = byte_lock::acquire(*this, name, 0, {patience_for_changes}, lock); !locked)
    return locked;
  char before[64];
  const ssize_t size = retried([&] { return ::pread(lock.descriptor_, before, sizeof before, 0); });
  if (size < 0) return failed("reading");
  const std::string after = edit({before, static_cast<std::size_t>(size)});
  if (retried([&] { return ::pwrite(lock.descriptor_, after.data(), after.size(), 0); }) < 0)
    return failed("writing");
  return {};
}

byte_lock::byte_lock(byte_lock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), offset_(other.offset_) {}
byte_lock& byte_lock::operator=(byte_lock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(offset_, other.offset_);
  return *this;
}

byte_lock::~byte_lock() {
  if (descriptor_ < 0) return;
  // a child forked meanwhile shares the open file, so closing it here would not unlock
  struct flock all{};
  all.l_type = F_UNLCK;
  all.l_whence = SEEK_SET;
  ::fcntl(descriptor_, F_OFD_SETLK, &all);
  ::close(descriptor_);
}

file_answer byte_lock::acquire(const folder& in, const std::string& name, std::uint64_t offset,
                               const lock_wait& wait, byte_lock& to) {
  using steady = std::chrono::steady_clock;
  byte_lock made;
  made.offset_ = offset;
  made.descriptor_ = ::openat(in.descriptor_, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                              file_mode(in.access_));
  if (made.descriptor_ < 0) return failed("opening");
  const auto begin = steady::now(), end = begin + wait.at_most;
  auto until = begin + wait.patience;
  bool said = wait.say == nullptr;
  std::uint64_t life = made.life_seen();
  // Polled, because the system's own wait is unbounded, and a lock manager that hangs must not hang a
  // program.
  constexpr std::chrono::microseconds shortest{500}, longest{20'000};
  for (auto pause = shortest;; pause = std::min(2 * pause, longest)) {
    struct flock wanted = byte_at(offset, F_WRLCK);
    if (::fcntl(made.descriptor_, F_OFD_SETLK, &wanted) == 0) {
      to = std::move(made);
      return {};
    }
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return failed("locking");
    const auto now = steady::now();
    if (const std::uint64_t seen = made.life_seen(); seen != life) {
      life = seen;
      until = now + wait.patience;
    }
    if (now >= std::min(until, end)) return {EWOULDBLOCK, "waiting for the lock of"};
    if (!said && now - begin >= wait.say_after) {
      said = true;
      wait.say();
    }
    std::this_thread::sleep_for(pause);
  }
}

void byte_lock::show_life() const {
  const std::uint64_t next = life_seen() + 1;
  // without the sign, other processes only stop waiting earlier
  static_cast<void>(retried([&] { return ::pwrite(descriptor_, &next, sizeof next, life_of(offset_)); }));
}

std::uint64_t byte_lock::life_seen() const {
  std::uint64_t seen = 0;
  const ssize_t size = retried([&] { return ::pread(descriptor_, &seen, sizeof seen, life_of(offset_)); });
  return size == sizeof seen ? seen : 0;
}

}  // namespace sinter::inline v0::runtime
