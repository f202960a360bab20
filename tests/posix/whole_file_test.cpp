// Files that are read and written as a whole.

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "../support/process/temporary_folder.hpp"

namespace sinter::test {

using namespace runtime;

namespace {

unsigned mode_of(const std::string& path) {
  struct stat about{};
  REQUIRE(::stat(path.c_str(), &about) == 0);
  return about.st_mode & 0777u;
}

std::size_t files_in(const std::string& folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("a file that is written is read back, replaces what was there, and leaves nothing beside it") {
  const temporary_folder root;
  const std::string path = root / "file", bytes("with\0zero", 9);
  write_whole_file(path, "what was there before, and longer");
  write_whole_file(path, bytes);
  CHECK(read_whole_file(path) == bytes);
  CHECK(files_in(path.substr(0, path.rfind('/'))) == 1);
}

TEST_CASE("who may read a file that is written is decided by the process' mask") {
  const temporary_folder root;
  const mode_t before = ::umask(027);
  write_whole_file(root / "file", "bytes");
  ::umask(before);
  CHECK(mode_of(root / "file") == 0640);
}

TEST_CASE("a file that cannot be written is told by its path and the reason, and nothing is left of it") {
  const temporary_folder root;
  CHECK_THROWS_WITH_AS(
      write_whole_file(root / "none/file", "bytes"),
      ("file " + (root / "none/file") + " could not be written: No such file or directory").c_str(),
      device_error);
  std::filesystem::create_directory(root / "folder");
  CHECK_THROWS_AS(write_whole_file(root / "folder", "bytes"), device_error);
  CHECK(files_in(root / "") == 1);
}

TEST_CASE("a secret file is its user's alone, and never replaces one") {
  const temporary_folder root;
  make_secret_file(root / "key", "first");
  CHECK(mode_of(root / "key") == 0600);
  CHECK_THROWS_WITH_AS(make_secret_file(root / "key", "second"),
                       ("file " + (root / "key") + " could not be written: File exists").c_str(),
                       device_error);
  CHECK(read_whole_file(root / "key") == "first");
}

TEST_CASE("what is no regular file is not read") {
  const temporary_folder root;
  CHECK_THROWS_AS(read_whole_file(root / ""), device_error);
  CHECK_THROWS_AS(read_whole_file(root / "none"), device_error);
  CHECK_THROWS_AS(read_whole_file("/dev/null"), device_error);
}

}  // namespace sinter::test
