// A directory of entries: permissions, lookup, and what happens when it is removed or changed during use.

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "../support/process/temporary_folder.hpp"
#include "../support/process/traced_process.hpp"
#include "cache_entries.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/cache/directory_store.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

namespace sinter::test {

using namespace runtime;
namespace files = std::filesystem;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

std::string file_of(const std::string& root, int number) {
  const std::string name = to_string(key_of(number));
  return root + "/" + name.substr(0, 2) + "/" + name;
}

std::uint64_t bytes_in(const std::string& root) {
  std::uint64_t bytes = 0;
  for (const auto& at : files::recursive_directory_iterator(root))
    if (at.is_regular_file() && parse_key(at.path().filename().string())) bytes += at.file_size();
  return bytes;
}

bool mentions(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("what is put into a directory is found again, by another process too") {
  const temporary_folder root;
  directory_store writer(root / "cache", folder_access::own, plenty);
  CHECK_FALSE(writer.get(key_of(1)).found);
  CHECK(writer.get(key_of(1)).fault.empty());
  CHECK(writer.put(key_of(1), encode(entry_of(1))).stored);
  directory_store reader(root / "cache", folder_access::own, plenty);
  const store_answer answer = reader.get(key_of(1));
  CHECK(answer.found);
  CHECK(answer.bytes == encode(entry_of(1)));
  CHECK_FALSE(reader.get(key_of(2)).found);
}

TEST_CASE("a directory that is only read from is not made") {
  const temporary_folder root;
  directory_store reader(root / "cache", folder_access::own, plenty);
  CHECK_FALSE(reader.get(key_of(1)).found);
  CHECK_FALSE(files::exists(root / "cache"));
}

TEST_CASE("a directory and what is in it belong to the user alone") {
  const temporary_folder root;
  directory_store store(root / "deep/cache", folder_access::own, plenty);
  REQUIRE(store.put(key_of(1), "bytes").stored);
  struct stat facts{};
  REQUIRE(::stat((root / "deep/cache").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0700);
  REQUIRE(::stat(file_of(root / "deep/cache", 1).c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
}

TEST_CASE("a directory that others may write to is refused, and why is told") {
  const temporary_folder root;
  files::create_directory(root / "cache");
  REQUIRE(::chmod((root / "cache").c_str(), 0777) == 0);
  directory_store store(root / "cache", folder_access::own, plenty);
  const store_answer answer = store.put(key_of(1), "bytes");
  CHECK_FALSE(answer.stored);
  CHECK(mentions(answer.fault, "others may write to"));
  CHECK(mentions(store.get(key_of(1)).fault, root / "cache"));
}

TEST_CASE("an entry that others may write to is not read") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, plenty);
  REQUIRE(store.put(key_of(1), "bytes").stored);
  REQUIRE(::chmod(file_of(root / "cache", 1).c_str(), 0666) == 0);
  const store_answer answer = store.get(key_of(1));
  CHECK_FALSE(answer.found);
  CHECK(mentions(answer.fault, "others may write to"));
}

TEST_CASE("a directory or an entry of another user's is refused") {
  const temporary_folder root;
  REQUIRE(directory_store(root / "cache", folder_access::own, plenty).put(key_of(1), "bytes").stored);
  // only root can change a file's owner; any user can intercept the system call that reports it
  const auto refusals_of = [&](const std::function<bool(directory_store&)>& works) {
    const auto exit_code = [&] {
      directory_store store(root / "cache", folder_access::own, plenty);
      return works(store) ? 0 : 1;
    };
    const traced_result whole = run_traced(exit_code);
    REQUIRE(whole.exit_code == 0);
    int refusals = 0;
    for (int at = 0; at < whole.calls; ++at) {
      CAPTURE(at);
      const traced_result forged = run_traced(exit_code, {intervention::kind::foreign_owner, at});
      CHECK(forged.exit_code == (forged.forged > 0 ? 1 : 0));
      refusals += forged.forged;
    }
    return refusals;
  };
  CHECK(refusals_of([](directory_store& store) { return store.get(key_of(1)).found; }) == 2);
  CHECK(refusals_of([](directory_store& store) { return store.put(key_of(1), "bytes").stored; }) == 1);
}

TEST_CASE("a symbolic link in the place of an entry is not followed") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, plenty);
  REQUIRE(store.put(key_of(1), "bytes").stored);
  write_file(root / "secret", "secret");
  files::remove(file_of(root / "cache", 1));
  files::create_symlink(root / "secret", file_of(root / "cache", 1));
  CHECK_FALSE(store.get(key_of(1)).found);
  // a link is replaced, and not written through
  REQUIRE(store.put(key_of(1), "new bytes").stored);
  CHECK(read_file(root / "secret") == "secret");
  CHECK(store.get(key_of(1)).bytes == "new bytes");
}

TEST_CASE("a pipe or a folder in the place of an entry does not hold the reader up") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, plenty);
  REQUIRE(store.put(key_of(1), "bytes").stored);
  files::remove(file_of(root / "cache", 1));
  REQUIRE(::mkfifo(file_of(root / "cache", 1).c_str(), 0600) == 0);
  CHECK_FALSE(store.get(key_of(1)).found);
  files::remove(file_of(root / "cache", 1));
  files::create_directory(file_of(root / "cache", 1));
  CHECK_FALSE(store.get(key_of(1)).found);
}

TEST_CASE("a directory whose path is a file, or cannot be made, refuses entries and says so") {
  const temporary_folder root;
  write_file(root / "file", "");
  directory_store below_a_file(root / "file/cache", folder_access::own, plenty);
  const store_answer answer = below_a_file.put(key_of(1), "bytes");
  CHECK_FALSE(answer.stored);
  CHECK(mentions(answer.fault, "file/cache"));
  CHECK_FALSE(below_a_file.get(key_of(1)).found);
}

TEST_CASE("a directory that is removed under a process is made again by the next store") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, plenty);
  REQUIRE(store.put(key_of(1), "bytes").stored);
  files::remove_all(root / "cache");
  CHECK_FALSE(store.get(key_of(1)).found);
  CHECK(store.put(key_of(2), "more").stored);
  CHECK(store.get(key_of(2)).bytes == "more");
  CHECK(files::exists(file_of(root / "cache", 2)));
  files::remove_all(root / "cache");  // and no process checks before the next store
  CHECK(store.put(key_of(3), "at once").stored);
  CHECK(store.get(key_of(3)).bytes == "at once");
}

TEST_CASE("a directory that was removed and made again by another process is found by who had it open") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, plenty);
  REQUIRE(store.put(key_of(1), "bytes").stored);
  REQUIRE(store.get(key_of(1)).found);
  files::remove_all(root / "cache");
  directory_store other(root / "cache", folder_access::own, plenty);
  REQUIRE(other.put(key_of(1), "other bytes").stored);
  CHECK(store.get(key_of(1)).bytes == "other bytes");
}

TEST_CASE("an entry larger than the bound is refused, and one that fits is kept") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, 10'000);
  CHECK_FALSE(store.put(key_of(1), std::string(10'001, 'x')).stored);
  CHECK(store.put(key_of(2), std::string(10'000, 'x')).stored);
}

TEST_CASE("a directory never has more bytes than its bound, and keeps what was used last") {
  const temporary_folder root;
  constexpr std::uint64_t bound = 100'000;
  directory_store store(root / "cache", folder_access::own, bound);
  for (int i = 0; i < 300; ++i) {
    REQUIRE(store.put(key_of(i), encode(entry_of(i))).stored);
    REQUIRE(bytes_in(root / "cache") <= bound);
  }
  CHECK(store.get(key_of(299)).found);
  CHECK_FALSE(store.get(key_of(0)).found);
  CHECK(bytes_in(root / "cache") > bound / 2);
}

TEST_CASE("where no room can be had, since another process counts for too long, nothing is stored") {
  const temporary_folder root;
  constexpr std::uint64_t bound = 10'000;
  directory_store store(root / "cache", folder_access::own, bound);
  REQUIRE(store.put(key_of(1), std::string(9'000, 'x')).stored);
  {
    folder opened;
    REQUIRE(folder::open(root / "cache", folder_access::own, false, opened));
    byte_lock counting;
    REQUIRE(byte_lock::acquire(opened, "usage", 0, {}, counting));
    const store_answer answer = store.put(key_of(2), std::string(9'000, 'x'));
    CHECK_FALSE(answer.stored);
    CHECK(mentions(answer.fault, "waiting for the lock"));
    CHECK_FALSE(store.get(key_of(2)).found);
  }
  CHECK(store.put(key_of(2), std::string(9'000, 'x')).stored);
  CHECK(bytes_in(root / "cache") <= bound);
}

TEST_CASE("what is being written counts, and is never what goes") {
  const temporary_folder root;
  constexpr std::uint64_t bound = 10'000;
  directory_store store(root / "cache", folder_access::own, bound);
  folder opened;
  REQUIRE(folder::open(root / "cache", folder_access::own, true, opened));
  const std::string name = files::path(file_of("", 1)).relative_path(), bytes(6'000, 'x');
  {
    unpublished_file slow;
    REQUIRE(make_room(opened, name, bytes.size(), bound, slow));
    for (int i = 2; i < 20; ++i) REQUIRE(store.put(key_of(i), std::string(1'000, 'x')).stored);
    CHECK(bytes_in(root / "cache") <= bound - bytes.size());
    const store_answer too_much = store.put(key_of(20), std::string(5'000, 'x'));
    CHECK_FALSE(too_much.stored);
    CHECK(mentions(too_much.fault, "making room beside what others write"));
    REQUIRE(slow.publish(bytes));
  }
  CHECK(store.get(key_of(1)).bytes == bytes);
  CHECK(bytes_in(root / "cache") <= bound);
  {
    unpublished_file given_up;
    REQUIRE(make_room(opened, name, bytes.size(), bound, given_up));
  }
  CHECK(store.get(key_of(1)).found == false);  // it was evicted to make room for the failed entry
  CHECK(store.put(key_of(20), std::string(10'000, 'x')).stored);
}

TEST_CASE("of many who write at once at the bound none passes it") {
  const temporary_folder root;
  constexpr std::uint64_t bound = 40'000;
  constexpr int writers = 12;
  for (int round = 0; round < 25; ++round) {
    std::vector<std::thread> threads;
    for (int writer = 0; writer < writers; ++writer)
      threads.emplace_back([&, writer] {
        directory_store store(root / "cache", folder_access::own, bound);
        for (int i = 0; i < 3; ++i)
          store.put(key_of((round * writers + writer) * 3 + i), std::string(3'000, 'x'));
      });
    for (std::thread& each : threads) each.join();
    REQUIRE(bytes_in(root / "cache") <= bound);
  }
}

TEST_CASE("the least recently used entry goes first") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, 1'000'000);
  for (int i = 0; i < 10; ++i) {
    REQUIRE(store.put(key_of(i), encode(entry_of(i))).stored);
    files::last_write_time(file_of(root / "cache", i),
                           files::file_time_type::clock::now() - std::chrono::hours(24 * (30 - i)));
  }
  CHECK(store.get(key_of(0)).found);  // days after its last use: this read counts as one
  const usage_scan scan = store.prune(5 * encode(entry_of(1)).size() + 100);
  CHECK(scan.removed == 5);
  CHECK(scan.entries == 5);
  CHECK(store.get(key_of(0)).found);
  for (int i = 1; i <= 5; ++i) CHECK_FALSE(store.get(key_of(i)).found);
  for (int i = 6; i < 10; ++i) CHECK(store.get(key_of(i)).found);
}

TEST_CASE("clocks that are ten years off lose nothing but the order of use") {
  const temporary_folder root;
  constexpr std::uint64_t bound = 20'000;
  directory_store store(root / "cache", folder_access::own, bound);
  const auto years = std::chrono::hours(24 * 3650);
  const auto set_clock_off = [&](int number) {
    files::last_write_time(file_of(root / "cache", number),
                           files::file_time_type::clock::now() + (number % 2 == 0 ? years : -years));
  };
  for (int i = 0; i < 6; ++i) {
    REQUIRE(store.put(key_of(i), encode(entry_of(i))).stored);
    set_clock_off(i);
  }
  for (int i = 0; i < 6; ++i) CHECK(store.get(key_of(i)).found);
  for (int i = 0; i < 6; ++i) set_clock_off(i);  // its use corrected the time
  for (int i = 6; i < 60; ++i) {
    REQUIRE(store.put(key_of(i), encode(entry_of(i))).stored);
    REQUIRE(bytes_in(root / "cache") <= bound);
  }
  CHECK(store.get(key_of(59)).found);
  // an entry with a time in the future is evicted too
  for (int i = 0; i < 6; ++i) CHECK_FALSE(store.get(key_of(i)).found);
}

TEST_CASE(
    "what a killed writer left behind is removed once it is old, and nothing else that is not Sinter's") {
  const temporary_folder root;
  directory_store store(root / "cache", folder_access::own, plenty);
  REQUIRE(store.put(key_of(1), "bytes").stored);
  const std::string shard = files::path(file_of(root / "cache", 1)).parent_path();
  write_file(shard + "/.123-456", "half an ent");
  write_file(shard + "/.123-789", "half an ent");
  write_file(shard + "/README", "mine");
  files::last_write_time(shard + "/.123-456", files::file_time_type::clock::now() - std::chrono::hours(2));
  store.prune(plenty);
  CHECK_FALSE(files::exists(shard + "/.123-456"));
  CHECK(files::exists(shard + "/.123-789"));
  CHECK(files::exists(shard + "/README"));
  CHECK(store.get(key_of(1)).found);
}

TEST_CASE("an account of the bytes that is damaged or removed is made anew") {
  const temporary_folder root;
  constexpr std::uint64_t bound = 50'000;
  directory_store store(root / "cache", folder_access::own, bound);
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 5) write_file(root / "cache/usage", std::string(24, '\xff'));
    if (i % 10 == 7) files::remove(root / "cache/usage");
    if (i % 10 == 9) write_file(root / "cache/usage", "");
    REQUIRE(store.put(key_of(i), encode(entry_of(i))).stored);
    REQUIRE(bytes_in(root / "cache") <= bound);
  }
}

TEST_CASE("readers beside a writer, an evictor and a removal of everything get whole entries or none") {
  const temporary_folder root;
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0}, found{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < 2; ++reader)
    threads.emplace_back([&] {
      directory_store store(root / "cache", folder_access::own, plenty);
      for (int i = 0; !over; i = (i + 1) % 20) {
        const store_answer answer = store.get(key_of(i));
        if (!answer.found) continue;
        ++found;
        cache_entry read;
        if (decode(answer.bytes, content_of(i), read) != entry_fault::none || read != entry_of(i)) ++wrong;
      }
    });
  threads.emplace_back([&] {
    directory_store store(root / "cache", folder_access::own, plenty);
    for (int i = 0; !over; ++i) store.put(key_of(i % 20), encode(entry_of(i % 20)));
  });
  threads.emplace_back([&] {
    directory_store store(root / "cache", folder_access::own, plenty);
    while (!over) store.prune(4000);
  });
  // flushing takes a varying time: continue until a read succeeded
  for (int i = 0; i < 20 || (found < 100 && i < 400); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::error_code ignored;
    files::remove_all(root / "cache", ignored);
  }
  over = true;
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
  CHECK(found > 0);
}

TEST_CASE("a shared directory may be another user's, and may be written by many") {
  const temporary_folder root;
  files::create_directory(root / "shared");
  REQUIRE(::chmod((root / "shared").c_str(), 0777) == 0);
  directory_store store(root / "shared", folder_access::shared, plenty);
  CHECK(store.put(key_of(1), "bytes").stored);
  CHECK(store.get(key_of(1)).bytes == "bytes");
}

}  // namespace sinter::test
