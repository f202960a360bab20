// sinter cache list, verify, prune, clear and stats.

#include <filesystem>

#include "run_command.hpp"

namespace sinter::test {
namespace {

namespace files = std::filesystem;
using runtime::cache_entry;

/// Every way in which bytes can be an invalid entry, each under its own key; returns the number.
int add_damaged(cache_fixture& cache) {
  const std::string whole = encode(entry_of(100));
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  int number = 100;
  for (const std::string& bytes : {std::string("nothing of the kind"), whole.substr(0, whole.size() / 2),
                                   flipped, encode(entry_of(999)), std::string()})
    cache.add_bytes(key_of(number++), bytes);
  return 5;
}

std::string other_format() {
  std::string bytes = encode(entry_of(200));
  bytes[8] = 77;  // the version follows eight bytes of magic
  return bytes;
}

}  // namespace

TEST_CASE("list shows each entry's kernel, target and size, the latest used first") {
  cache_fixture cache(3);
  age(cache.file_of(key_of(1)), 2);
  age(cache.file_of(key_of(0)), 40);
  const runtime::program_answer answer = cache.run({"cache", "list"});
  CHECK(answer.status == 0);
  CHECK(answer.errors.empty());
  const std::string& text = answer.output;
  CHECK(has(text, "KEY"));
  CHECK(has(text, "cuda 90"));
  CHECK(has(text, "1.2 KiB"));
  CHECK(has(text, "2 days ago"));
  CHECK(has(text, "3 entries, "));
  CHECK(has(text, cache.path()));
  CHECK(text.find("kernel_2") < text.find("kernel_1"));
  CHECK(text.find("kernel_1") < text.find("kernel_0"));
  CHECK_MESSAGE(!has(text, "\x1b"), "no colours where there is no terminal");
}

TEST_CASE("list as JSON has stable names") {
  const cache_fixture cache(2);
  const json read = cache.read({"cache", "list", "--sort", "kernel"});
  CHECK(read["directory"] == cache.path());
  CHECK(read["entries"] == 2);
  const json& first = read["list"][0];
  CHECK(first["key"] == to_string(key_of(0)));
  CHECK(first["kernel"] == "kernel_0");
  CHECK(first["state"] == "whole");
  CHECK(first["target"] == "cuda 90");
  CHECK(first["compiler"] == "nvrtc 13.0");
  CHECK(first["emitter"] == 3);
  CHECK(first["compile_milliseconds"] == 12.5);
  CHECK(first["bytes"] == encode(entry_of(0)).size());
  CHECK(first["used"].get<std::string>().size() == std::string("2026-11-21T10:00:00Z").size());
}

TEST_CASE("list filters by kernel, target and days since the last use") {
  cache_fixture cache(4);
  age(cache.file_of(key_of(2)), 10);
  cache_entry cpu = entry_of(50);
  cpu.kernel = "softmax";
  cpu.key_content = runtime::key_content({content_of(50).substr(4, 8), "cpu avx2", "-O3", ""});
  cache.add(cpu);
  const auto count = [&](words filter) {
    filter.insert(filter.begin(), {"cache", "list"});
    return cache.read(filter)["entries"].get<int>();
  };
  CHECK(count({}) == 5);
  CHECK(count({"--kernel", "kernel_*"}) == 4);
  CHECK(count({"--kernel", "kernel_?"}) == 4);
  CHECK(count({"--kernel", "*max"}) == 1);
  CHECK(count({"--kernel", "kernel"}) == 0);
  CHECK(count({"--target", "cuda"}) == 4);
  CHECK(count({"--target", "cuda 90"}) == 4);
  CHECK(count({"--target", "cuda 80"}) == 0);
  CHECK(count({"--target", "cpu"}) == 1);
  CHECK(count({"--older", "9.5"}) == 1);
  CHECK(count({"--older", "11"}) == 0);
  CHECK(count({"--older", "9", "--kernel", "*_3"}) == 0);
}

TEST_CASE("list sorts by what it is told to, either way round") {
  cache_fixture cache;
  for (int i = 0; i < 3; ++i) {
    cache_entry entry = entry_of(i, 1000 * static_cast<std::size_t>(3 - i));
    entry.compile_milliseconds = i == 1 ? 900 : i;
    cache.add(entry);
  }
  const auto order = [&](words how) {
    how.insert(how.begin(), {"cache", "list"});
    std::string kernels;
    const json answer = cache.read(how);
    for (const json& each : answer["list"]) kernels += each["kernel"].get<std::string>().back();
    return kernels;
  };
  CHECK(order({"--sort", "kernel"}) == "012");
  CHECK(order({"--sort", "kernel", "--reverse"}) == "210");
  CHECK(order({"--sort", "bytes"}) == "012");
  CHECK(order({"--sort", "time"}) == "120");
}

TEST_CASE("list gives keys alone, one a line, for other programs") {
  cache_fixture cache(2);
  cache.add_bytes(key_of(7), "damaged, and nobody looks");
  const runtime::program_answer answer = cache.run({"cache", "list", "--keys", "--sort", "key"});
  CHECK(answer.status == 0);
  CHECK(answer.output.size() == 3 * (to_string(key_of(0)).size() + 1));
  CHECK(has(answer.output, to_string(key_of(7)) + "\n"));
  CHECK(cache.read({"cache", "list", "--keys"})["keys"].size() == 3);
}

TEST_CASE("list shows as many digits of a key as tell it from the others, or all") {
  cache_fixture cache;
  cache_entry one = entry_of(1), other = entry_of(1);
  other.key_content = content_of(1, 4);  // another version: the same first sixteen digits
  cache.add(one);
  cache.add(other);
  const std::string name = to_string(runtime::key_of(other.key_content));
  const std::string text = cache.run({"cache", "list"}).output;
  CHECK(has(text, name.substr(0, 18) + "  "));
  CHECK_FALSE(has(text, name));
  CHECK(has(cache.run({"cache", "list", "--full-keys"}).output, name));
}

TEST_CASE("list tells entries that are damaged as such") {
  cache_fixture cache(1);
  add_damaged(cache);
  const runtime::program_answer answer = cache.run({"cache", "list"});
  CHECK(answer.status == 0);
  CHECK(has(answer.output, "damaged"));
  int damaged = 0;
  const json listed = cache.read({"cache", "list"});
  for (const json& each : listed["list"])
    if (each["state"] == "damaged") ++damaged;
  CHECK(damaged == 5);
}

TEST_CASE("an empty directory is an empty cache, and so is the usual one that no program has made yet") {
  const temporary_folder home;
  const std::string usual = home / "sinter";
  const words variables{"XDG_CACHE_HOME=" + home.path()};
  const auto read = [&](words arguments) {
    arguments.emplace_back("--json");
    const runtime::program_answer answer = run_command(arguments, variables);
    INFO(answer.errors);
    CHECK(answer.status == 0);
    return json::parse(answer.output);
  };
  for (const bool made : {false, true}) {
    if (made) files::create_directory(usual);
    const std::string listed = run_command({"cache", "list"}, variables).output;
    CHECK(has(listed, "0 entries"));
    CHECK(has(listed, "not made yet") != made);
    CHECK(read({"cache", "list"})["list"].empty());
    CHECK(read({"cache", "verify"})["whole"] == 0);
    CHECK(read({"cache", "prune", "--bytes", "0"})["removed"] == 0);
    CHECK(read({"cache", "clear", "--yes"})["removed"] == 0);
    for (const words& each : {words{"cache", "list"}, words{"cache", "verify"}, words{"cache", "stats"},
                              words{"cache", "prune"}, words{"cache", "clear", "--yes"}})
      CHECK_MESSAGE(read(each)["exists"] == made, each.back());
    CHECK_MESSAGE(files::exists(usual) == made, "looking makes nothing");
  }
}

TEST_CASE(
    "a directory that somebody named and that is not there is no empty cache, but an error that says so") {
  const cache_fixture cache;  // its directory does not exist yet
  const std::string pack = cache.root() + "/pack";
  for (const words& each :
       {words{"cache", "list"}, words{"cache", "list", "--keys"}, words{"cache", "verify"},
        words{"cache", "stats"}, words{"cache", "prune"}, words{"cache", "clear", "--yes"},
        words{"show", "ab"}, words{"cache", "show", "ab"}, words{"cache", "export", pack}}) {
    INFO(each.back());
    const runtime::program_answer named = cache.run(each);
    CHECK(named.status == 3);
    CHECK(named.output.empty());
    CHECK(
        has(named.errors, "there is no cache directory " + cache.path() + ", which SINTER_CACHE_DIR names"));
    words given = each;
    given.insert(given.end(), {"--directory", cache.root() + "/mispelt", "--json"});
    const runtime::program_answer told = run_command(given);
    CHECK(told.status == 3);
    const json error = json::parse(told.output);
    CHECK(error["exit_code"] == 3);
    CHECK(has(error["error"], "/mispelt, which --directory names"));
  }
  CHECK_FALSE(files::exists(cache.path()));
  CHECK_FALSE(files::exists(pack));
}

TEST_CASE("a directory that others may write to, or that is none, is refused with what to do") {
  const cache_fixture open, file;
  files::create_directory(open.path());
  files::permissions(open.path(), files::perms::all);
  write_file(file.path(), "");
  for (const words& command :
       {words{"cache", "list"}, words{"cache", "verify"}, words{"cache", "stats"}, words{"cache", "prune"},
        words{"cache", "clear", "--yes"}, words{"show", "ab"}}) {
    const runtime::program_answer refused = open.run(command);
    CHECK(refused.status == 3);
    CHECK(refused.output.empty());
    CHECK(has(refused.errors, "chmod 700"));
    CHECK(has(refused.errors, open.path()));
    const runtime::program_answer none = file.run(command);
    CHECK(none.status == 3);
    CHECK(has(none.errors, "SINTER_CACHE_DIR"));
  }
  const json told = open.read({"cache", "list"}, 3);
  CHECK(told["exit_code"] == 3);
  CHECK(has(told["error"], "chmod 700"));
}

TEST_CASE("the directory can be said on the command line, and must be known somehow") {
  const cache_fixture cache(2);
  CHECK(has(run_command({"cache", "list", "--directory", cache.path()}).output, "2 entries"));
  CHECK(has(run_command({"cache", "list"}, {"XDG_CACHE_HOME=" + cache.root()}).output,
            cache.root() + "/sinter"));
  const runtime::program_answer none = run_command({"cache", "list"}, {"-u", "XDG_CACHE_HOME", "-u", "HOME"});
  CHECK(none.status == 3);
  CHECK(has(none.errors, "--directory"));
}

TEST_CASE("verify reads every entry and tells each that is damaged, with the reason") {
  cache_fixture cache(3);
  CHECK(cache.run({"cache", "verify"}).status == 0);
  CHECK(cache.read({"cache", "verify"})["whole"] == 3);
  add_damaged(cache);
  const runtime::program_answer answer = cache.run({"cache", "verify"});
  CHECK(answer.status == 1);
  CHECK(has(answer.output, to_string(key_of(100))));
  CHECK(has(answer.output, "it was cut short"));
  CHECK(has(answer.output, "its checksum does not fit"));
  CHECK(has(answer.output, "it is of another kernel"));
  CHECK(has(answer.output, "3 of 8 entries whole"));
  CHECK(has(answer.output, "--remove"));
  const json read = cache.read({"cache", "verify"}, 1);
  CHECK(read["damaged"] == 5);
  CHECK(read["removed"] == 0);
  CHECK(read["faults"].size() == 5);
  CHECK(cache.size() == 8);
}

TEST_CASE("verify --remove removes what is damaged and nothing else") {
  cache_fixture cache(3);
  add_damaged(cache);
  cache.add_bytes(key_of(200), other_format());
  const json read = cache.read({"cache", "verify", "--remove"});
  CHECK(read["removed"] == 5);
  CHECK(read["other_format"] == 1);
  CHECK(cache.size() == 4);
  CHECK(cache.read({"cache", "verify"})["damaged"] == 0);
}

TEST_CASE("an entry that is no file of this user's is unreadable, and verify says no") {
  cache_fixture cache(2);
  files::permissions(cache.file_of(key_of(1)), files::perms::all);
  const json read = cache.read({"cache", "verify", "--remove"}, 1);
  CHECK(read["unreadable"] == 1);
  CHECK(read["faults"][0]["state"] == "unreadable");
  CHECK(cache.size() == 2);
}

TEST_CASE("looking at entries does not count as using them") {
  cache_fixture cache(2);
  for (int i = 0; i < 2; ++i) age(cache.file_of(key_of(i)), 20 + i);
  for (const words& command : {words{"cache", "list"}, words{"cache", "verify"}, words{"cache", "stats"},
                               words{"show", to_string(key_of(0))}})
    CHECK(cache.run(command).status == 0);
  CHECK(cache.read({"cache", "list", "--older", "19"})["entries"] == 2);
}

TEST_CASE("prune removes what was used least recently, until the rest is small enough") {
  cache_fixture cache(10);
  for (int i = 0; i < 10; ++i) age(cache.file_of(key_of(i)), i);
  const std::size_t each = encode(entry_of(0)).size();
  const json read = cache.read({"cache", "prune", "--bytes", std::to_string(each * 4 + each / 2)});
  CHECK(read["removed"] == 6);
  CHECK(read["entries"] == 4);
  for (int i = 0; i < 10; ++i) CHECK(files::exists(cache.file_of(key_of(i))) == (i < 4));
  CHECK(has(cache.run({"cache", "prune", "--bytes", "0"}).output, "4 entries removed"));
  CHECK(cache.size() == 0);
}

TEST_CASE("prune takes sizes with units, and the cache's own bound without one") {
  const cache_fixture cache(3);
  CHECK(cache.read({"cache", "prune", "--bytes", "1.5GiB"})["bound"] == 3 * (std::uint64_t{1} << 29));
  CHECK(cache.read({"cache", "prune"}, 0, {"SINTER_CACHE_BYTES=5000000"})["bound"] == 5000000);
  CHECK(cache.size() == 3);
  const runtime::program_answer wrong = cache.run({"cache", "prune", "--bytes", "many"});
  CHECK(wrong.status == 2);
  CHECK(has(wrong.errors, "200M"));
}

TEST_CASE("clear without a terminal wants --yes, and removes nothing else than asked") {
  cache_fixture cache(5);
  const runtime::program_answer refused = cache.run({"cache", "clear"});
  CHECK(refused.status == 2);
  CHECK(has(refused.errors, "--yes"));
  CHECK(cache.size() == 5);
  CHECK(cache.read({"cache", "clear", "--yes", "--kernel", "kernel_3"})["removed"] == 1);
  CHECK_FALSE(files::exists(cache.file_of(key_of(3))));
  age(cache.file_of(key_of(1)), 9);
  CHECK(cache.read({"cache", "clear", "--yes", "--older", "8"})["removed"] == 1);
  CHECK_FALSE(files::exists(cache.file_of(key_of(1))));
  CHECK(cache.size() == 3);
  add_damaged(cache);
  CHECK(has(cache.run({"cache", "clear", "--yes"}).output, "8 entries removed"));
  CHECK(cache.size() == 0);
}

TEST_CASE("stats count by target, compiler and emitter") {
  cache_fixture cache(3);
  cache_entry cpu = entry_of(50);
  cpu.compiler = "clang 19.1.7";
  cpu.key_content = runtime::key_content({content_of(50).substr(4, 8), "cpu avx2", "-O3", ""});
  cache.add(cpu);
  cache.add_bytes(key_of(100), "damaged");
  const json read = cache.read({"cache", "stats"}, 0, {"SINTER_CACHE_BYTES=5000000"});
  CHECK(read["entries"] == 5);
  CHECK(read["bound"] == 5000000);
  CHECK(read["compile_milliseconds"] == 50.0);
  CHECK(read["targets"]["cuda 90"]["entries"] == 3);
  CHECK(read["targets"]["cpu"]["compile_milliseconds"] == 12.5);
  CHECK(read["compilers"]["clang 19.1.7"]["entries"] == 1);
  CHECK(read["emitters"]["3"]["entries"] == 4);
  CHECK(read["states"]["damaged"]["bytes"] == 7);
  const std::string text = cache.run({"cache", "stats"}).output;
  CHECK(has(text, "5 entries"));
  CHECK(has(text, "clang 19.1.7"));
}

}  // namespace sinter::test
