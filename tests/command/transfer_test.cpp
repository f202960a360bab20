// sinter cache export and import.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/cache/pack.hpp>

#include <filesystem>

#include "../support/optional_parts.hpp"
#include "run_command.hpp"

namespace sinter::test {
namespace {

namespace files = std::filesystem;

/// Whether a cache has everything except what export omits.
bool has_all(const cache_fixture& cache, int entries) {
  for (int i = 0; i < entries; ++i) {
    runtime::cache_entry read;
    const runtime::store_answer answer = cache.store().get(key_of(i));
    if (!answer.found || decode(answer.bytes, content_of(i), read) != runtime::entry_fault::none)
      return false;
    if (read != runtime::reproducible(entry_of(i))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("what one machine exports another one imports, and has it then") {
  const cache_fixture from(5), to;
  const std::string file = from.root() + "/all.sinterpack";
  const json out = from.read({"cache", "export", file});
  CHECK(out["entries"] == 5);
  CHECK(out["left_out"] == 0);
  CHECK(out["bytes"] == files::file_size(file));
  const json in = to.read({"cache", "import", file});
  CHECK(in["imported"] == 5);
  CHECK(in["damaged"] == 0);
  CHECK(has_all(to, 5));
  CHECK(to.read({"cache", "verify"})["whole"] == 5);
  CHECK(to.read({"cache", "import", file})["present"] == 5);
  CHECK(has(to.run({"cache", "import", file}).output, "0 of 5 entries imported"));
}

TEST_CASE("the same entries are exported as the same bytes, whatever happened to them meanwhile") {
  cache_fixture one(3), other;
  for (int i = 2; i >= 0; --i) {
    runtime::cache_entry entry = entry_of(i);
    entry.compile_milliseconds += i;
    other.add(entry);
  }
  const std::string first = one.root() + "/a", second = other.root() + "/b";
  CHECK(one.run({"cache", "export", first}).status == 0);
  CHECK(other.run({"cache", "export", second}).status == 0);
  CHECK(read_file(first) == read_file(second));
}

TEST_CASE("export takes what passes the filters, and leaves out what is damaged") {
  cache_fixture cache(3);
  cache.add_bytes(key_of(50), "damaged");
  const std::string file = cache.root() + "/some";
  CHECK(cache.read({"cache", "export", file, "--kernel", "kernel_1"})["entries"] == 1);
  const json all = cache.read({"cache", "export", file, "--force"}, 1);
  CHECK(all["entries"] == 3);
  CHECK(all["left_out"] == 1);
}

TEST_CASE("export replaces no file unless told to, and leaves none where it cannot write") {
  const cache_fixture cache(1);
  const std::string file = cache.root() + "/precious";
  write_file(file, "precious");
  const runtime::program_answer refused = cache.run({"cache", "export", file});
  CHECK(refused.status == 3);
  CHECK(has(refused.errors, "--force"));
  CHECK(read_file(file) == "precious");
  const runtime::program_answer nowhere = cache.run({"cache", "export", cache.root() + "/none/file"});
  CHECK(nowhere.status == 3);
  CHECK(has(nowhere.errors, "could not be written"));
  CHECK(cache.run({"cache", "export", "/dev/full/x"}).status == 3);
}

TEST_CASE("what is no pack is not imported, and a damaged entry of one is left out") {
  cache_fixture from(4), to;
  const std::string file = from.root() + "/pack";
  write_file(file, "no pack");
  const runtime::program_answer none = to.run({"cache", "import", file});
  CHECK(none.status == 3);
  CHECK(has(none.errors, "cannot be imported"));
  CHECK(to.run({"cache", "import", from.root() + "/missing"}).status == 3);

  REQUIRE(from.run({"cache", "export", file, "--force"}).status == 0);
  std::string fault;
  const std::shared_ptr<runtime::pack> opened = runtime::pack::open(file, {}, fault);
  REQUIRE(opened != nullptr);
  const runtime::pack_row row = opened->row(2);
  std::string bytes = read_file(file);
  bytes[row.offset + row.size / 2] ^= 1;
  write_file(file, bytes);
  const json in = to.read({"cache", "import", file}, 1);
  CHECK(in["imported"] == 3);
  CHECK(in["damaged"] == 1);
  CHECK(to.read({"cache", "verify"})["whole"] == 3);
}

TEST_CASE("where signatures are wanted, only packs with one are imported") {
  if (lacks_sodium()) return;
  const cache_fixture from(2), to;
  const std::string file = from.root() + "/pack";
  REQUIRE(from.run({"cache", "export", file}).status == 0);
  const pack_key_pair keys = make_pack_keys(), others = make_pack_keys();
  const words wanted{"SINTER_PACK_KEY=" + to_string(keys.shown)};
  CHECK(to.run({"cache", "import", file}, wanted).status == 3);
  write_file(file, runtime::sign_pack(read_file(file), others.kept));
  CHECK(to.run({"cache", "import", file}, wanted).status == 3);
  CHECK(to.size() == 0);
  write_file(file, runtime::sign_pack(read_file(file), keys.kept));
  CHECK(to.read({"cache", "import", file}, 0, wanted)["imported"] == 2);
}

TEST_CASE("a cache that takes no entries makes importing fail, with the reason") {
  const cache_fixture from(2), to;
  const std::string file = from.root() + "/pack";
  REQUIRE(from.run({"cache", "export", file}).status == 0);
  const runtime::program_answer answer = to.run({"cache", "import", file}, {"SINTER_CACHE_BYTES=100"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "could not be stored"));
  CHECK(has(answer.errors, "its bound is 100"));
}

}  // namespace sinter::test
