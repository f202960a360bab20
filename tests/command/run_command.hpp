#pragma once
// Runs the built command as users do, on a cache that a test has filled.

#include <sinter/runtime/cache/directory_store.hpp>
#include <sinter/runtime/posix/child_process.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/runtime/posix/program_search.hpp>
#include "../cache/cache_entries.hpp"
#include "../support/needs.hpp"
#include "../support/process/temporary_folder.hpp"

namespace sinter::test {

using words = std::vector<std::string>;
using json = nlohmann::ordered_json;

/// Runs it without a terminal; of Sinter's environment variables it has only `variables`.
inline runtime::program_answer run_command(const words& arguments, const words& variables = {}) {
  words all;
  for (const char* name : {"SINTER_CACHE", "SINTER_CACHE_DIR", "SINTER_CACHE_BYTES", "SINTER_SHARED_CACHE",
                           "SINTER_PACKS", "SINTER_PACK_KEY"})
    all.insert(all.end(), {"-u", name});
  all.insert(all.end(), variables.begin(), variables.end());
  all.emplace_back(SINTER_COMMAND);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return runtime::run_program("/usr/bin/env", all);
}

inline bool lacks_cpu_compiler() {
  const bool built = std::string(SINTER_COMMAND_HAS_CPU_COMPILER) == "1";
  return lacks(need::cpu_compiler, built ? "" : "it is not built");
}

/// A directory of entries, and the command on it.
class cache_fixture {
 public:
  explicit cache_fixture(int entries = 0) {
    for (int i = 0; i < entries; ++i) add(entry_of(i));
  }

  std::string path() const { return folder_ / "cache"; }
  std::string root() const { return folder_.path(); }
  std::string file_of(const runtime::cache_key& key) const {
    const std::string name = to_string(key);
    return path() + "/" + name.substr(0, 2) + "/" + name;
  }
  void add(const runtime::cache_entry& entry) {
    add_bytes(runtime::key_of(entry.key_content), encode(entry));
  }
  void add_bytes(const runtime::cache_key& key, const std::string& bytes) {
    REQUIRE(store().put(key, bytes).stored);
  }
  runtime::directory_store store() const {
    return {path(), runtime::folder_access::own, std::uint64_t{1} << 30};
  }
  std::size_t size() const { return store().list().size(); }

  runtime::program_answer run(words arguments, words variables = {}) const {
    variables.push_back("SINTER_CACHE_DIR=" + path());
    return run_command(arguments, variables);
  }
  /// The output with --json.
  json read(words arguments, int status = 0, words variables = {}) const {
    arguments.emplace_back("--json");
    const runtime::program_answer answer = run(std::move(arguments), std::move(variables));
    INFO(answer.errors);
    CHECK(answer.status == status);
    return json::parse(answer.output);
  }

 private:
  temporary_folder folder_;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Sets a file's time of use to this many days ago.
inline void age(const std::string& path, int days) {
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * days));
}

}  // namespace sinter::test
