// Repeated runs of a program: the first run compiles, later runs open no compiler.

#include <doctest/doctest.h>

#include "../support/beside.hpp"
#include "../support/process/run_shell.hpp"
#include "../support/process/temporary_folder.hpp"

#include <sinter/runtime/cache/directory_store.hpp>
#include <sinter/runtime/cache/entry.hpp>

#include <filesystem>
#include <string>

namespace sinter::test {
namespace {

/// The program's output with these environment variables.
std::string run_program(const std::string& environment) {
  return output_of(environment, path_beside("cached_program").string());
}

constexpr const char* all_compiled = "compiled 2 directory 0 shared 0 compiler 1\n";
constexpr const char* all_found = "compiled 0 directory 2 shared 0 compiler 0\n";

/// Changes the code in the first entry to another processor's; the rest stays valid. Returns whether there is
/// an entry.
bool spoil_first_entry(const std::string& path) {
  using namespace runtime;
  directory_store store(path, folder_access::own, std::uint64_t{1} << 30);
  const auto all = store.list();
  cache_entry entry;
  if (all.empty() || decode(store.get(all[0].key).bytes, "", entry) != entry_fault::none) return false;
  constexpr std::size_t machine = 18;        // the processor field of an ELF header
  entry.images.at(0).bytes.at(machine) = 8;  // MIPS
  return store.put(all[0].key, encode(entry)).stored;
}

}  // namespace

TEST_CASE("a program compiles in its first run, and in later ones runs without a compiler") {
  const temporary_folder root;
  const std::string cached = "SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "cache");
  CHECK(run_program(cached) == all_compiled);
  CHECK(run_program(cached) == all_found);
  CHECK(run_program(cached + " SINTER_CPU_COMPILER=/nonexistent SINTER_NVRTC=/nonexistent") == all_found);
}

TEST_CASE("a program that counts in a histogram of two axes starts no compiler in its second run") {
  const temporary_folder root;
  const std::string cached = "SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "cache");
  const std::string program = path_beside("histogram_program").string();
  const std::string first = output_of(cached, program);
  CHECK(first.starts_with("right: compiled "));
  CHECK(first.ends_with(" directory 0 compiler 1\n"));
  const std::size_t begin = std::string("right: compiled ").size();
  const std::string kernels = first.substr(begin, first.find(' ', begin) - begin);
  CHECK(std::stoi(kernels) >= 2);
  const std::string found = "right: compiled 0 directory " + kernels + " compiler 0\n";
  CHECK(output_of(cached, program) == found);
  CHECK(output_of(cached + " SINTER_CPU_COMPILER=/nonexistent SINTER_NVRTC=/nonexistent", program) == found);
}

TEST_CASE("the home of the cache is XDG_CACHE_HOME, or else .cache of the home") {
  const temporary_folder root;
  const std::string with_xdg = "-u SINTER_CACHE_DIR SINTER_CACHE= XDG_CACHE_HOME=" + (root / "xdg");
  CHECK(run_program(with_xdg) == all_compiled);
  CHECK(std::filesystem::exists(root / "xdg/sinter"));
  const std::string with_home = "-u SINTER_CACHE_DIR -u XDG_CACHE_HOME SINTER_CACHE= HOME=" + (root / "home");
  CHECK(run_program(with_home) == all_compiled);
  CHECK(std::filesystem::exists(root / "home/.cache/sinter"));
  CHECK(run_program(with_home) == all_found);
}

TEST_CASE("a cache can be turned off, and a program without any home compiles") {
  const temporary_folder root;
  const std::string off = "SINTER_CACHE=off SINTER_CACHE_DIR=" + (root / "cache");
  CHECK(run_program(off) == all_compiled);
  CHECK(run_program(off) == all_compiled);
  CHECK_FALSE(std::filesystem::exists(root / "cache"));
  CHECK(run_program("-u SINTER_CACHE_DIR -u XDG_CACHE_HOME -u HOME SINTER_CACHE=") == all_compiled);
}

TEST_CASE("a home that cannot be written to costs compiles and a warning") {
  const temporary_folder root;
  write_file(root / "file", "");
  const std::string text =
      run_program("SINTER_LOG=warning SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "file/cache"));
  CHECK(text.find("sinter: warning:") != std::string::npos);
  CHECK(text.find(all_compiled) != std::string::npos);
  // Warnings are printed where that is asked for, and nowhere else.
  const std::string unasked = "-u SINTER_LOG SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "file/cache");
  CHECK(run_program(unasked) == all_compiled);
  CHECK(run_program("SINTER_LOG=error SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "file/cache")) ==
        all_compiled);
  CHECK(run_program("SINTER_LOG=information SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "file/cache"))
            .find("sinter: information: kernel ") != std::string::npos);
}

TEST_CASE("a kernel that the system's loader refuses is compiled again, with one warning, and replaced") {
  const temporary_folder root;
  const std::string cached = "SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "cache");
  REQUIRE(run_program(cached) == all_compiled);
  REQUIRE(spoil_first_entry(root / "cache"));
  const std::string text = run_program("SINTER_LOG=warning " + cached);
  CHECK(
      text.starts_with("sinter: warning: a kernel from the cache could not be loaded and is compiled again"));
  CHECK(text.find("warning", text.find("warning") + 1) == text.npos);
  CHECK_MESSAGE(text.ends_with("compiled 1 directory 2 shared 0 compiler 1\n"), text);
  CHECK(run_program(cached) == all_found);
}

TEST_CASE("machines share a directory, and each fills its own from it") {
  const temporary_folder root;
  const auto machine = [&](const char* name) {
    return "SINTER_CACHE= SINTER_CACHE_DIR=" + (root / name) + " SINTER_SHARED_CACHE=" + (root / "shared");
  };
  CHECK(run_program(machine("one")) == all_compiled);
  CHECK(run_program(machine("two")) == "compiled 0 directory 0 shared 2 compiler 0\n");
  CHECK(run_program(machine("two")) == all_found);
}

TEST_CASE("a program that was moved, with its cache, finds everything") {
  const temporary_folder root;
  CHECK(run_program("SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "here")) == all_compiled);
  std::filesystem::rename(root / "here", root / "there");
  CHECK(run_program("SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "there")) == all_found);
}

}  // namespace sinter::test
