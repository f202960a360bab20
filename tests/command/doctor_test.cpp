// sinter doctor: what it finds, what is missing and the consequences, and when that is essential.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/cache/pack.hpp>

#include <filesystem>

#include "../support/beside.hpp"
#include "../support/optional_parts.hpp"
#include "run_command.hpp"

namespace sinter::test {
namespace {

namespace files = std::filesystem;

const words no_gpu{"SINTER_CUDA_DRIVER=/nonexistent"};

json piece_of(const json& told, const std::string& id) {
  for (const json& each : told["pieces"])
    if (each["piece"] == id) return each;
  FAIL("no piece ", id);
  return {};
}

words with(words all, const words& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A working driver with one device of architecture 90.
words fake_gpu() { return {"SINTER_CUDA_DRIVER=" + path_beside("libfake_cuda.so").string()}; }

}  // namespace

TEST_CASE("without a GPU, and with the CPU's compiler, nothing essential is missing") {
  const cache_fixture cache(2);
  const bool has_compiler = std::string(SINTER_COMMAND_HAS_CPU_COMPILER) == "1";
  const json told = cache.read({"doctor"}, has_compiler ? 0 : 1, no_gpu);
  CHECK(told["ok"] == has_compiler);
  const json driver = piece_of(told, "cuda_driver");
  CHECK(driver["state"] == "absent");
  CHECK(has(driver["cost"], "no GPU is used"));
  CHECK(has(driver["advice"], "/nonexistent"));
  CHECK(piece_of(told, "device")["details"]["device"] == "cpu");
  CHECK(piece_of(told, "device")["details"]["threads"].get<int>() > 0);
}

TEST_CASE("without the CPU's compiler and without a GPU nothing can be compiled: that is essential") {
  const cache_fixture cache;
  const words none = with(no_gpu, {"SINTER_CPU_COMPILER=/nonexistent"});
  const json told = cache.read({"doctor"}, 1, none);
  CHECK(told["ok"] == false);
  const json compiler = piece_of(told, "cpu_compiler");
  CHECK(compiler["state"] == "essential");
  CHECK(has(compiler["cost"], "cannot be compiled for the CPU"));
  const runtime::program_answer text = cache.run({"doctor"}, none);
  CHECK(text.status == 1);
  CHECK(has(text.output, "MISSING"));
  CHECK(has(text.output, "SINTER_CPU_COMPILER"));
}

TEST_CASE("a GPU without NVRTC is essential, and says what is missing") {
  const cache_fixture cache;
  const json told = cache.read({"doctor"}, 1, with(fake_gpu(), {"SINTER_NVRTC=/nonexistent"}));
  const json nvrtc = piece_of(told, "nvrtc");
  CHECK(nvrtc["state"] == "essential");
  CHECK(has(nvrtc["cost"], "cannot be compiled for GPUs"));
  CHECK(has(nvrtc["advice"], "/nonexistent"));
  CHECK(piece_of(told, "cuda_driver")["details"]["version"] == "13.0");
  bool seen = false;
  for (const json& each : told["pieces"])
    if (each["name"] == "cuda:0") seen = each["details"]["architecture"] == 90;
  CHECK(seen);
}

TEST_CASE("with a GPU that works, the CPU's compiler is not essential") {
  if (lacks_nvrtc()) return;
  const cache_fixture cache;
  const json told = cache.read({"doctor"}, 0, with(fake_gpu(), {"SINTER_CPU_COMPILER=/nonexistent"}));
  CHECK(piece_of(told, "cpu_compiler")["state"] == "absent");
  CHECK(piece_of(told, "nvrtc")["state"] == "found");
}

TEST_CASE("nvJitLink and disassemblers may be missing, and what that costs is said") {
  const cache_fixture cache;
  const json told = cache.read({"doctor"}, std::string(SINTER_COMMAND_HAS_CPU_COMPILER) == "1" ? 0 : 1,
                               with(no_gpu, {"SINTER_NVJITLINK=/nonexistent", "PATH=/nonexistent"}));
  CHECK(piece_of(told, "nvjitlink")["state"] == "absent");
  CHECK(has(piece_of(told, "nvjitlink")["cost"], "linked"));
  CHECK(piece_of(told, "disassemblers")["details"]["cpu"] == "");
  CHECK(has(piece_of(told, "disassemblers")["advice"], "binutils"));
}

TEST_CASE("the cache directory is told with owner, mode, entries, bytes and free space") {
  const cache_fixture cache(3);
  const json details =
      piece_of(json::parse(cache.run({"doctor", "--json"}, no_gpu).output), "cache")["details"];
  CHECK(details["path"] == cache.path());
  CHECK(details["mode"] == "0700");
  CHECK(details["owner"].is_string());
  CHECK(details["entries"] == 3);
  CHECK(details["bytes"] == 3 * encode(entry_of(0)).size());
  CHECK(details["free_bytes"].get<std::uint64_t>() > 0);
}

TEST_CASE("a cache that is off, unsafe or without a home is told, and costs compiles") {
  const cache_fixture cache;
  const auto told = [&](const words& variables) {
    return piece_of(json::parse(cache.run({"doctor", "--json"}, with(no_gpu, variables)).output), "cache");
  };
  CHECK(told({})["state"] == "found");
  CHECK(told({"SINTER_CACHE=off"})["state"] == "absent");
  CHECK(has(told({"SINTER_CACHE=off"})["advice"], "SINTER_CACHE"));
  files::create_directory(cache.path());
  files::permissions(cache.path(), files::perms::all);
  const json open = told({});
  CHECK(open["state"] == "absent");
  CHECK(has(open["cost"], "compiles all of its kernels again"));
  CHECK(has(open["advice"], "chmod 700"));
  CHECK(open["details"]["mode"] == "0777");
  const json homeless = piece_of(
      json::parse(
          run_command({"doctor", "--json"}, with({"-u", "HOME", "-u", "XDG_CACHE_HOME"}, no_gpu)).output),
      "cache");
  CHECK(homeless["state"] == "absent");
  CHECK(has(homeless["advice"], "SINTER_CACHE_DIR"));
}

TEST_CASE("a key of packs that is malformed is told, with the rest") {
  const cache_fixture cache;
  const runtime::program_answer answer =
      cache.run({"doctor", "--json"}, with(no_gpu, {"SINTER_PACK_KEY=nonsense"}));
  const json keys = piece_of(json::parse(answer.output), "pack");
  CHECK(keys["state"] == "absent");
  CHECK(has(keys["cost"], "'nonsense' is no public key"));
}

TEST_CASE("packs that are named are opened and counted, and one that cannot be used is told") {
  const cache_fixture cache;
  const std::string file = cache.root() + "/all.sinterpack";
  const auto write_pack = [&](std::uint64_t emitter) {
    write_file(file, runtime::make_pack(std::vector{entry_of(1, 40, emitter), entry_of(2, 40, emitter)}));
  };
  write_pack(emitter_version);
  const auto told = [&](const std::string& packs) {
    return piece_of(
        json::parse(cache.run({"doctor", "--json"}, with(no_gpu, {"SINTER_PACKS=" + packs})).output), "pack");
  };
  CHECK(told("")["state"] == "absent");
  CHECK(told(file)["state"] == "found");
  CHECK(told(file)["details"]["entries"] == 2);
  write_pack(3);
  CHECK(told(file)["state"] == "absent");
  CHECK(has(told(file)["cost"], "emitter version 3"));
  write_file(file, read_file(file).substr(0, 100));
  CHECK(told(file)["state"] == "absent");
  CHECK(has(told(file)["cost"], file));
}

TEST_CASE("a shared cache is looked at: a directory, a server that is not there, and nonsense") {
  const cache_fixture cache;
  const auto told = [&](const std::string& where) {
    return piece_of(
        json::parse(cache.run({"doctor", "--json"}, with(no_gpu, {"SINTER_SHARED_CACHE=" + where})).output),
        "shared_cache");
  };
  CHECK(told("")["state"] == "absent");
  runtime::directory_store shared(cache.root() + "/shared", runtime::folder_access::shared, 1 << 20);
  REQUIRE(shared.put(key_of(1), encode(entry_of(1))).stored);
  CHECK(told(cache.root() + "/shared")["state"] == "found");
  CHECK(told(cache.root() + "/shared")["details"]["entries"] == 1);
  const json server = told("redis://user:secret@127.0.0.1:1/0");
  CHECK(server["state"] == "absent");
  CHECK_FALSE_MESSAGE(has(server.dump(), "secret"), "passwords are not printed");
  CHECK(has(told("http://example")["advice"], "redis://"));
}

TEST_CASE("what the library is built without is told, with the option that builds it") {
  const cache_fixture cache;
  const json told = piece_of(json::parse(cache.run({"doctor", "--json"}, no_gpu).output), "optional_parts");
  const bool redis = runtime::redis_absence_reason().empty(),
             signatures = runtime::signature_absence_reason().empty();
  CHECK(told["details"]["redis_cache"] == redis);
  CHECK(told["details"]["signed_packs"] == signatures);
  CHECK(told["state"] == (redis && signatures ? "found" : "absent"));
  if (!redis) CHECK(has(told["cost"], "SINTER_REDIS_CACHE"));
  if (!signatures) CHECK(has(told["cost"], "SINTER_SIGNED_PACKS"));
}

}  // namespace sinter::test
