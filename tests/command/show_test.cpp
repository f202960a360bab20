// sinter show: an entry by its key, and its content.

#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/disassemble.hpp>

#include "run_command.hpp"

namespace sinter::test {
namespace {

constexpr const char* text_of_scale =
    "extern \"C\" __global__ void scale(float* x) { x[threadIdx.x] *= 2.0f; }\n";

/// An entry with PTX only, which was not compiled.
runtime::cache_entry ptx_entry() {
  runtime::cache_entry made = entry_of(300);
  made.kernel = "scale";
  made.text = text_of_scale;
  made.images = {{code_format::ptx, 90, ".version 8.0\n.target sm_90\n// by hand\n"}};
  return made;
}

}  // namespace

TEST_CASE("show tells what is known of an entry") {
  const cache_fixture cache(3);
  const std::string key = to_string(key_of(1));
  const runtime::program_answer answer = cache.run({"show", key});
  CHECK(answer.status == 0);
  for (const std::string part : {"kernel_1", "nvrtc 13.0, in 12 ms", "cuda 90", "version 3", "rows vector=4",
                                 "-O", "128 bytes", "cubin for 90, 1000 B", "cache"})
    CHECK_MESSAGE(has(answer.output, part), part);
  CHECK(has(answer.output, key));
  CHECK(cache.run({"cache", "show", key}).output == answer.output);
}

TEST_CASE("show as JSON has stable names, and the sections that are asked for") {
  const cache_fixture cache(2);
  const std::string key = to_string(key_of(1));
  const json told = cache.read({"show", key});
  CHECK(told["key"] == key);
  CHECK(told["file"] == cache.file_of(key_of(1)));
  CHECK(told["kernel"] == "kernel_1");
  CHECK(told["registers"] == 32);
  CHECK(told["spill_bytes"] == 0);
  CHECK(told["shared_bytes"] == 128);
  CHECK(told["options"] == "-O");
  CHECK(told["compiled_for"] == "cuda 90");
  CHECK(told["images"][0]["format"] == "cubin");
  CHECK(told["images"][0]["bytes"] == 1000);
  CHECK_FALSE(told.contains("text"));
  const json more = cache.read({"show", key, "--text", "--log"});
  CHECK(more["text"] == "the text of kernel 1");
  CHECK(more["log"] == "nothing to say");
}

TEST_CASE("one section is printed as it is, several under their names") {
  const cache_fixture cache(1);
  const std::string key = to_string(key_of(0));
  CHECK(cache.run({"show", key, "--text"}).output == "the text of kernel 0\n");
  CHECK(cache.run({"show", key, "--schedule"}).output == "rows vector=4\n");
  CHECK(cache.run({"show", key, "--log"}).output == "nothing to say\n");
  CHECK(cache.run({"show", key, "--schedule", "--text"}).output ==
        "schedule:\nrows vector=4\n\ntext:\nthe text of kernel 0\n");
}

TEST_CASE("as many digits as tell an entry from the others are enough") {
  cache_fixture cache(2);
  const std::string key = to_string(key_of(0));
  CHECK(cache.read({"show", key.substr(0, 8)})["key"] == key);
  runtime::cache_entry relative = entry_of(0);
  relative.key_content = content_of(0, 4);
  cache.add(relative);
  const runtime::program_answer several = cache.run({"show", key.substr(0, 16)});
  CHECK(several.status == 1);
  CHECK(has(several.errors, "2 entries"));
  CHECK(has(several.errors, "more digits"));
  CHECK(cache.read({"show", key})["key"] == key);
}

TEST_CASE("a key that is unknown, or none at all, is told as such") {
  const cache_fixture cache(1), empty;
  std::filesystem::create_directory(empty.path());
  for (const cache_fixture* each : {&cache, &empty}) {
    const runtime::program_answer unknown = each->run({"show", "0123456789abcdef-00"});
    CHECK(unknown.status == 1);
    CHECK(has(unknown.errors, "sinter cache list"));
    CHECK(each->read({"show", "0123456789abcdef-00"}, 1)["exit_code"] == 1);
  }
  const runtime::program_answer nonsense = cache.run({"show", "../../etc"});
  CHECK(nonsense.status == 2);
  CHECK(has(nonsense.errors, "is no key"));
}

TEST_CASE("a damaged entry is told as such, with the reason") {
  cache_fixture cache;
  cache.add_bytes(key_of(1), encode(entry_of(1)).substr(0, 100));
  const runtime::program_answer answer = cache.run({"show", to_string(key_of(1)), "--text"});
  CHECK(answer.status == 1);
  CHECK(answer.output.empty());
  CHECK(has(answer.errors, "it was cut short"));
}

TEST_CASE("the graph of an entry of another emitter cannot be read, and that is said") {
  const cache_fixture cache(1);
  const runtime::program_answer answer = cache.run({"show", to_string(key_of(0)), "--graph"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "emitter version 3"));
  CHECK(has(answer.errors, "--text"));
}

TEST_CASE("PTX is that of the entry where it has some, else its text is compiled") {
  cache_fixture cache;
  const runtime::cache_entry given = ptx_entry();
  cache.add(given);
  CHECK(cache.run({"show", to_string(key_of(300)), "--ptx"}).output == given.images[0].bytes);
  if (lacks_nvrtc()) return;
  runtime::cache_entry cubin = entry_of(301);
  cubin.kernel = "scale";
  cubin.text = text_of_scale;
  cache.add(cubin);
  const runtime::program_answer answer = cache.run({"show", to_string(key_of(301)), "--ptx"});
  INFO(answer.errors);
  CHECK(answer.status == 0);
  CHECK(has(answer.output, ".entry scale"));
  CHECK(has(answer.output, "sm_90"));
}

TEST_CASE("without NVRTC, PTX that has to be compiled is refused with what to install") {
  const cache_fixture cache(1);
  const runtime::program_answer answer =
      cache.run({"show", to_string(key_of(0)), "--ptx"}, {"SINTER_NVRTC=/nonexistent"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "NVRTC"));
  CHECK(has(answer.errors, "/nonexistent"));
}

TEST_CASE("text that does not compile is told with the compiler's words") {
  if (lacks_nvrtc()) return;
  const cache_fixture cache(1);
  const runtime::program_answer answer = cache.run({"show", to_string(key_of(0)), "--ptx"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "does not compile"));
}

TEST_CASE("machine code is shown by the tool that is there: it gets the very code") {
  cache_fixture cache(1);
  const std::string tools = cache.root() + "/tools";
  std::filesystem::create_directory(tools);
  write_file(tools + "/nvdisasm", "#!/bin/sh\necho \"$1\" as told\nexec /usr/bin/wc -c < \"$2\"\n");
  std::filesystem::permissions(tools + "/nvdisasm", std::filesystem::perms::owner_all);
  const std::string key = to_string(key_of(0));
  const runtime::program_answer answer = cache.run({"show", key, "--sass"}, {"PATH=" + tools});
  CHECK(answer.status == 0);
  CHECK(answer.output == "--print-code as told\n1000\n");
  CHECK(cache.read({"show", key, "--assembly"}, 0, {"PATH=" + tools})["assembly"] == answer.output);
  write_file(tools + "/nvdisasm", "#!/bin/sh\necho no idea >&2\nexit 7\n");
  const runtime::program_answer failed = cache.run({"show", key, "--sass"}, {"PATH=" + tools});
  CHECK(failed.status == 3);
  CHECK(has(failed.errors, "exit code 7"));
  CHECK(has(failed.errors, "no idea"));
}

TEST_CASE("without a disassembler it is said which ones were looked for") {
  cache_fixture cache;
  runtime::cache_entry cpu = entry_of(1);
  cpu.images[0].format = code_format::elf;
  cache.add(cpu);
  const runtime::program_answer answer =
      cache.run({"show", to_string(key_of(1)), "--sass"}, {"PATH=/nonexistent"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "objdump"));
  CHECK(has(answer.errors, "binutils"));
  CHECK(has(cache.run({"show", to_string(key_of(1)), "--ptx"}).errors, "has no PTX"));
}

TEST_CASE("a program's own entries can be looked into: graph, schedule, text and machine code") {
  if (lacks_cpu_compiler()) return;
  const cache_fixture cache;
  REQUIRE(runtime::run_program("/usr/bin/env", {"-u", "SINTER_CACHE", "SINTER_CACHE_DIR=" + cache.path(),
                                                std::filesystem::path(CACHED_PROGRAM)})
              .status == 0);
  const json list = cache.read({"cache", "list", "--kernel", "scaled*"});
  REQUIRE(list["entries"] == 1);
  CHECK(list["list"][0]["target"] == "cpu");
  const std::string key = list["list"][0]["key"];
  const std::string graph = cache.run({"show", key, "--graph"}).output;
  INFO(graph);
  CHECK(has(graph, "a0 = read float32 [contiguous]"));
  CHECK(has(graph, "= exp %"));
  CHECK(has(graph, " : float32"));
  CHECK(has(graph, "store %"));
  CHECK(has(cache.run({"show", key, "--schedule"}).output, "vector="));
  CHECK(has(cache.run({"show", key, "--text"}).output, "scaled"));
  const bool none = runtime::find_disassembler(code_format::elf).empty();
  if (lacks(need::objdump, none ? "none is installed" : "")) return;
  CHECK(has(cache.run({"show", key, "--sass"}).output, "<scaled"));
}

}  // namespace sinter::test
