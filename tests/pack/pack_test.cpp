// Packs: equal entries give equal bytes, entries are found wherever the file is, and never wrong ones.

#include <doctest/doctest.h>

#include "../cache/cache_entries.hpp"
#include "../support/optional_parts.hpp"
#include "../support/process/temporary_folder.hpp"

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

std::vector<cache_entry> entries(int first, int count, std::size_t bytes = 200) {
  std::vector<cache_entry> made;
  for (int number = first; number < first + count; ++number) made.push_back(test::entry_of(number, bytes));
  return made;
}

std::shared_ptr<pack> opened(std::string_view bytes, std::span<const pack_public_key> trusted = {}) {
  std::string fault;
  std::shared_ptr<pack> made = pack::open_bytes(bytes, "pack of a test", trusted, fault);
  CHECK((made != nullptr) == fault.empty());
  return made;
}

std::string why_not(std::string_view bytes, std::span<const pack_public_key> trusted = {}) {
  std::string fault;
  pack::open_bytes(bytes, "pack of a test", trusted, fault);
  return fault;
}

/// Whether a pack serves this entry correctly: intact, or as a reported miss.
enum class served : std::uint8_t { right, miss, wrong };
served ask(pack& from, int number) {
  const store_answer answer = from.get(test::key_of(number));
  cache_entry got;
  if (!answer.found || decode(answer.bytes, content_of(number), got) != entry_fault::none)
    return served::miss;
  return got == reproducible(test::entry_of(number, 200)) ? served::right : served::wrong;
}

pack_secret_key secret(std::uint8_t number) {
  pack_secret_key made;
  made.bytes.fill(number);
  return made;
}

}  // namespace

TEST_CASE("every entry of a pack is found by its key, and no other") {
  const std::string bytes = make_pack(entries(0, 100));
  const std::shared_ptr<pack> made = opened(bytes);
  REQUIRE(made != nullptr);
  CHECK(made->size() == 100);
  CHECK(made->check().empty());
  for (int number = 0; number < 100; ++number) CHECK(ask(*made, number) == served::right);
  CHECK_FALSE(made->get(test::key_of(100)).found);
  CHECK(made->get(test::key_of(100)).fault.empty());
}

TEST_CASE("a pack of nothing is a pack") {
  const std::string bytes = make_pack({});
  const std::shared_ptr<pack> made = opened(bytes);
  REQUIRE(made != nullptr);
  CHECK(made->check().empty());
  CHECK_FALSE(made->get(test::key_of(1)).found);
}

TEST_CASE("a pack has the same bytes for the same entries, whatever their order and times") {
  std::vector<cache_entry> one = entries(0, 20), other = one;
  std::reverse(other.begin(), other.end());
  for (cache_entry& each : other) {
    each.compile_milliseconds += 5;
    each.log = "said something else";
  }
  CHECK(make_pack(one) == make_pack(other));
}

TEST_CASE("a pack is served from a file wherever that lies, and while it is open also after it has gone") {
  const temporary_folder root;
  write_file(root / "one", make_pack(entries(0, 3)));
  std::filesystem::rename(root / "one", root / "two");
  std::string fault;
  const std::shared_ptr<pack> made = pack::open(root / "two", {}, fault);
  REQUIRE(made != nullptr);
  CHECK(made->name() == "pack " + (root / "two"));
  std::filesystem::remove(root / "two");
  for (int number = 0; number < 3; ++number) CHECK(ask(*made, number) == served::right);
}

TEST_CASE("a pack is served from a part of a file") {
  const temporary_folder root;
  const std::string bytes = make_pack(entries(0, 3));
  write_file(root / "program", "before " + bytes + " after");
  std::string fault;
  const std::shared_ptr<pack> made = pack::open_part(root / "program", 7, bytes.size(), {}, fault);
  REQUIRE(made != nullptr);
  CHECK(made->check().empty());
  CHECK(ask(*made, 2) == served::right);
  CHECK(pack::open_part(root / "program", 6, bytes.size(), {}, fault) == nullptr);
  CHECK(pack::open_part(root / "program", 7, bytes.size() + 100, {}, fault) == nullptr);
}

TEST_CASE("what is no pack is refused with a reason: a folder, a pipe, nothing, an entry") {
  const temporary_folder root;
  std::string fault;
  for (const char* path : {"/", "/dev/null", "/nonexistent"}) {
    CHECK(pack::open(path, {}, fault) == nullptr);
    CHECK_FALSE(fault.empty());
  }
  CHECK(why_not("") == "it is no pack");
  CHECK(why_not(encode(test::entry_of(1))) == "it is no pack");
}

TEST_CASE("a pack that is cut short at any length is refused") {
  const std::string whole = make_pack(entries(0, 3));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(why_not(std::string_view(whole).substr(0, size)).empty());
  CHECK_FALSE(why_not(whole + "x").empty());
  if (!lacks_sodium()) CHECK_FALSE(why_not(sign_pack(whole, secret(1)) + "x").empty());
}

TEST_CASE("a pack that is cut short while it is open misses, and nothing else happens") {
  const temporary_folder root;
  write_file(root / "pack", make_pack(entries(0, 3)));
  std::string fault;
  const std::shared_ptr<pack> made = pack::open(root / "pack", {}, fault);
  REQUIRE(made != nullptr);
  std::filesystem::resize_file(root / "pack", 400);
  for (int number = 0; number < 3; ++number) {
    const store_answer answer = made->get(test::key_of(number));
    CHECK_FALSE(answer.found);
    CHECK(answer.fault == "it was cut short");
  }
  CHECK_FALSE(made->check().empty());
}

TEST_CASE(
    "whatever byte of a pack is changed, it is refused, misses or serves what is right; check() tells") {
  const std::string whole = make_pack(entries(0, 3));
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bit : {0, 5}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
      std::string fault;
      const std::shared_ptr<pack> made = pack::open_bytes(changed, "pack", {}, fault);
      if (made == nullptr) continue;
      CHECK_FALSE(made->check().empty());
      for (int number = 0; number < 3; ++number) CHECK(ask(*made, number) != served::wrong);
    }
}

TEST_CASE("a pack whose head is changed anywhere is not opened") {
  const std::string whole = make_pack(entries(0, 3));
  const std::uint64_t head = opened(whole)->row(0).offset;
  for (std::size_t at = 0; at < head; ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CAPTURE(at);
    CHECK_FALSE(why_not(changed).empty());
  }
}

TEST_CASE("packs are merged: each entry once, that of the first pack, the same bytes as one pack of all") {
  const std::string first = make_pack(entries(0, 5)), second = make_pack(entries(3, 5));
  const std::shared_ptr<pack> both[] = {opened(first), opened(second)};
  const std::string merged = merge_packs(both);
  CHECK(merged == make_pack(entries(0, 8)));
  const std::shared_ptr<pack> made = opened(merged);
  REQUIRE(made != nullptr);
  CHECK(made->size() == 8);
}

TEST_CASE("a pack that is damaged is not merged") {
  std::string bytes = make_pack(entries(0, 3));
  const std::shared_ptr<pack> whole = opened(bytes);
  const pack_row row = whole->row(1);
  bytes[static_cast<std::size_t>(row.offset) + 60] ^= 1;
  const std::shared_ptr<pack> damaged[] = {opened(bytes)};
  REQUIRE(damaged[0] != nullptr);
  CHECK_THROWS_AS(merge_packs(damaged), device_error);
  CHECK_THROWS_AS(sign_pack(bytes, secret(1)), device_error);
}

TEST_CASE("a pack names the emitter version of its kernels, and none where they are of several") {
  const auto emitter_of_pack = [](std::vector<cache_entry> made) {
    const std::string bytes = make_pack(made);
    const std::shared_ptr<pack> from = opened(bytes);
    REQUIRE(from != nullptr);
    CHECK(from->check().empty());
    return from->emitter();
  };
  CHECK(emitter_of_pack({test::entry_of(0, 40, 7), test::entry_of(1, 40, 7)}) == 7);
  CHECK(emitter_of_pack({test::entry_of(0, 40, 7), test::entry_of(1, 40, 8)}) == 0);
  CHECK(emitter_of_pack({}) == 0);
  const std::string old = make_pack(entries(0, 1)),
                    now = make_pack(std::vector{test::entry_of(1, 40, emitter_version)});
  const std::shared_ptr<pack> both[] = {opened(old), opened(now)};
  CHECK(opened(merge_packs(both))->emitter() == 0);
  CHECK(opened(merge_packs({&both[1], 1}))->emitter() == emitter_version);
}

TEST_CASE("the contents of a pack are told in a line for each entry") {
  const std::string bytes = make_pack(entries(0, 3));
  const std::string contents = opened(bytes)->contents().bytes;
  CHECK(std::count(contents.begin(), contents.end(), '\n') == 3);
  for (int number = 0; number < 3; ++number) {
    CHECK(contents.find(to_string(test::key_of(number))) != std::string::npos);
    CHECK(contents.find("kernel_" + std::to_string(number)) != std::string::npos);
  }
  CHECK(contents.find("cuda 90") != std::string::npos);
}

TEST_CASE("a pack is never written to") {
  const std::string bytes = make_pack(entries(0, 1));
  const store_answer answer = opened(bytes)->put(test::key_of(5), "anything");
  CHECK_FALSE(answer.stored);
  CHECK_FALSE(answer.fault.empty());
}

// ---- signatures ----

TEST_CASE("a pack that a trusted key signed is used, and no other") {
  if (lacks_sodium()) return;
  const std::string plain = make_pack(entries(0, 3)), bytes = sign_pack(plain, secret(1));
  const pack_public_key mine = public_key_of(secret(1)), other = public_key_of(secret(2));
  const pack_public_key both[] = {other, mine};
  const std::shared_ptr<pack> made = opened(bytes, both);
  REQUIRE(made != nullptr);
  CHECK(*made->signed_by() == mine);
  CHECK(made->check().empty());
  for (int number = 0; number < 3; ++number) CHECK(ask(*made, number) == served::right);
  CHECK(why_not(bytes, {&other, 1}).find("not a key that is trusted") != std::string::npos);
  CHECK(why_not(plain, {&mine, 1}).find("not signed") != std::string::npos);
  CHECK(opened(bytes) != nullptr);  // without trusted keys, signatures are ignored
}

TEST_CASE("the same pack signed by the same key has the same bytes; signing again replaces the signature") {
  if (lacks_sodium()) return;
  const std::string plain = make_pack(entries(0, 3));
  CHECK(sign_pack(plain, secret(1)) == sign_pack(plain, secret(1)));
  CHECK(sign_pack(sign_pack(plain, secret(2)), secret(1)) == sign_pack(plain, secret(1)));
}

TEST_CASE("whatever byte of a signed pack is changed, none of it that differs is used") {
  if (lacks_sodium()) return;
  const std::string whole = sign_pack(make_pack(entries(0, 2)), secret(1));
  const pack_public_key mine = public_key_of(secret(1));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole, fault;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    const std::shared_ptr<pack> made = pack::open_bytes(changed, "pack", {&mine, 1}, fault);
    if (made == nullptr) continue;
    CHECK_FALSE(made->check().empty());
    for (int number = 0; number < 2; ++number) CHECK(ask(*made, number) != served::wrong);
  }
}

TEST_CASE("the signature of another pack, by a key that is trusted, makes no pack trusted") {
  if (lacks_sodium()) return;
  const std::string mine = make_pack(entries(0, 2)), forged = make_pack(entries(2, 2));
  const std::string signature = sign_pack(mine, secret(1)).substr(mine.size());
  const pack_public_key key = public_key_of(secret(1));
  CHECK(why_not(mine + signature, {&key, 1}).empty());
  CHECK(why_not(forged + signature, {&key, 1}) == "its signature is not right");
  // without trusted keys it opens, and check() reports the fault
  CHECK(opened(mine + signature)->check().empty());
  CHECK_FALSE(opened(forged + signature)->check().empty());
}

TEST_CASE("an entry that was exchanged for another whole one is refused by the signature") {
  if (lacks_sodium()) return;
  // the same size, with a correct checksum of its own, in a pack with an unchanged index
  std::string bytes = sign_pack(make_pack(entries(1, 1)), secret(1));
  const pack_public_key mine = public_key_of(secret(1));
  cache_entry forged = reproducible(test::entry_of(1, 200));
  forged.images[0].bytes[7] ^= 1;
  const pack_row row = opened(bytes)->row(0);
  const std::string forged_bytes = encode(forged);
  REQUIRE(forged_bytes.size() == row.size);
  bytes.replace(static_cast<std::size_t>(row.offset), forged_bytes.size(), forged_bytes);
  const store_answer trusting = opened(bytes)->get(test::key_of(1));
  CHECK(trusting.found);  // no trusted keys, so the signer is not verified
  const std::shared_ptr<pack> made = opened(bytes, {&mine, 1});
  REQUIRE(made != nullptr);
  const store_answer answer = made->get(test::key_of(1));
  CHECK_FALSE(answer.found);
  CHECK(answer.fault == "an entry is not what was signed");
}

TEST_CASE("keys are written as hexadecimal digits and read back") {
  if (lacks_sodium()) return;
  const pack_key_pair keys = make_pack_keys();
  CHECK(parse_pack_public_key(" " + to_string(keys.shown) + "\n") == keys.shown);
  CHECK(parse_pack_secret_key(to_string(keys.kept))->bytes == keys.kept.bytes);
  CHECK(public_key_of(keys.kept) == keys.shown);
  CHECK(make_pack_keys().shown != keys.shown);
  CHECK_FALSE(parse_pack_public_key(""));
  CHECK_FALSE(parse_pack_public_key(to_string(keys.shown) + "0"));
  CHECK_FALSE(parse_pack_public_key(std::string(64, 'g')));
}

TEST_CASE("signatures are those of Ed25519") {
  if (lacks_sodium()) return;
  // RFC 8032, 7.1, test 1.
  const auto seed = parse_pack_secret_key("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
  CHECK(to_string(public_key_of(*seed)) ==
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  const pack_signature signature = sign("", *seed);
  CHECK(signature[0] == 0xe5);
  CHECK(signature[63] == 0x0b);
  CHECK(is_signature(signature, "", public_key_of(*seed)));
  CHECK_FALSE(is_signature(signature, "x", public_key_of(*seed)));
}

TEST_CASE("digests are those of BLAKE2b, of whole blocks, of parts and of nothing") {
  // By hashlib.blake2b(bytes(i % 251 for i in range(size)), digest_size=32).
  const std::pair<std::size_t, std::string> digests[] = {
      {0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
      {1, "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314"},
      {127, "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72"},
      {128, "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"},
      {129, "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9"},
      {256, "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24"},
      {1000, "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331"},
  };
  for (const auto& [size, expected] : digests) {
    CAPTURE(size);
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 251);
    pack_public_key digest;  // for its text
    digest.bytes = digest_of(bytes);
    CHECK(to_string(digest) == expected);
  }
}

// ---- as a layer of the cache ----

TEST_CASE("a kernel in a pack is not compiled, and nothing is written for it") {
  const temporary_folder root;
  const std::string bytes = make_pack(entries(0, 2));
  kernel_cache::layers layers;
  layers.packs.push_back(opened(bytes));
  layers.own = std::make_shared<directory_store>(root / "cache", folder_access::own, 1 << 20);
  kernel_cache cache(layers);
  const auto compiled = [&](int number) {
    bool any = false;
    cache.find_or_compile({content_of(number), "k", 13000}, [&] {
      any = true;
      return test::entry_of(number);
    });
    return any;
  };
  CHECK_FALSE(compiled(0));
  CHECK_FALSE(compiled(1));
  CHECK_FALSE(std::filesystem::exists(root / "cache"));
  CHECK(compiled(2));
}

TEST_CASE("a damaged entry of a pack is compiled, with one warning") {
  std::string bytes = make_pack(entries(0, 1));
  const pack_row row = opened(bytes)->row(0);
  bytes[static_cast<std::size_t>(row.offset) + 60] ^= 1;
  static int warnings = 0;
  warnings = 0;
  set_log_hook([](log_level level, std::string_view) { warnings += level == log_level::warning; });
  kernel_cache::layers layers;
  layers.packs.push_back(opened(bytes));
  kernel_cache cache(layers);
  for (int i = 0; i < 3; ++i) {
    const auto got = cache.find_or_compile({content_of(0), "k", 13000}, [] { return test::entry_of(0); });
    CHECK(got.found == cache_layer::compiled);
  }
  CHECK(warnings == 1);
  set_log_hook(nullptr);
}

TEST_CASE("where a kernel is not in a pack, one that can stand in for it is taken, if its code runs there") {
  std::vector<cache_entry> made = entries(0, 1);
  const std::string bytes = make_pack(made);
  made[0].images.push_back({code_format::ptx, 90, "text"});
  const std::string with_ptx = make_pack(made);
  const auto compiles_for = [&](std::string_view of, const char* target) {
    std::string signature(8, '\1');
    const kernel_request wanted{
        key_content({.signature = signature, .target = target, .options = "-O", .linked = ""}), "k", 13000,
        [] { return std::vector<std::string>{content_of(7), content_of(0)}; }};
    kernel_cache::layers layers;
    layers.packs.push_back(opened(of));
    return kernel_cache(layers).find_or_compile(wanted, [] { return test::entry_of(9); }).found ==
           cache_layer::compiled;
  };
  CHECK_FALSE(compiles_for(bytes, "cuda 90"));
  CHECK(compiles_for(bytes, "cuda 100"));
  CHECK(compiles_for(bytes, "cuda 89"));
  CHECK_FALSE(compiles_for(with_ptx, "cuda 100"));
  CHECK(compiles_for(with_ptx, "cuda 80"));
}

TEST_CASE("a program adds packs by a call, which refuses what cannot be used") {
  const temporary_folder root;
  write_file(root / "pack", make_pack(entries(0, 1)));
  write_file(root / "broken", "sinter");
  static const std::string in_memory = make_pack(entries(1, 1));
  cache_settings settings;
  settings.on_disk = false;
  set_cache(settings);
  const std::size_t before = current_cache()->current().packs.size();
  add_pack(root / "pack");
  add_pack(std::as_bytes(std::span(in_memory)), "memory");
  CHECK_THROWS_AS(add_pack(root / "broken"), device_error);
  CHECK_THROWS_AS(add_pack(root / "missing"), device_error);
  CHECK(current_cache()->current().packs.size() == before + 2);
  cache_event event;
  for (int number = 0; number < 2; ++number)
    CHECK(current_cache()->find({content_of(number), "k", 13000}, event)->found == cache_layer::pack);
}

TEST_CASE("a pack of another emitter version says so once, when it is opened, however it is named") {
  const temporary_folder root;
  constexpr std::uint64_t other = emitter_version + 1;
  write_file(root / "other", make_pack(std::vector{test::entry_of(20, 40, other)}));
  write_file(root / "added", make_pack(std::vector{test::entry_of(21, 40, other)}));
  write_file(root / "own", make_pack(std::vector{test::entry_of(22, 40, emitter_version)}));
  write_file(root / "both",
             make_pack(std::vector{test::entry_of(23, 40, other), test::entry_of(24, 40, emitter_version)}));
  static std::vector<std::string> warnings;
  static std::string folder;
  warnings.clear();
  folder = root / "";
  set_log_hook([](log_level level, std::string_view text) {
    if (level == log_level::warning && text.find(folder) != std::string_view::npos)
      warnings.emplace_back(text);
  });
  cache_settings settings;
  settings.on_disk = false;
  settings.packs = {root / "own", root / "other", root / "both"};
  for (int i = 0; i < 2; ++i) set_cache(settings);
  CHECK(warnings == std::vector<std::string>{
                        "pack " + (root / "other") + " is of emitter version " + std::to_string(other) +
                        ", and this Sinter's is " + std::to_string(emitter_version) +
                        ": none of its kernels is used. Build it again with this version's 'sinter pack "
                        "build'; a program that has it from sinter_add_pack() is built again"});
  add_pack(root / "added");
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[1].find(root / "added") != std::string::npos);
  cache_event event;
  CHECK(current_cache()->find({content_of(22, emitter_version), "k", 13000}, event));
  CHECK_FALSE(current_cache()->find({content_of(20, emitter_version), "k", 13000}, event));
  CHECK(warnings.size() == 2);  // misses say nothing more
  set_log_hook(nullptr);
}

TEST_CASE("settings name packs and keys; what cannot be used is a warning") {
  if (lacks_sodium()) return;
  const temporary_folder root;
  const auto pack_of = [](int number) {
    return make_pack(std::vector{test::entry_of(number, 200, emitter_version)});
  };
  write_file(root / "plain", pack_of(5));
  write_file(root / "signed", sign_pack(pack_of(6), secret(1)));
  static int warnings = 0;
  static std::string folder;
  warnings = 0;
  folder = root / "";
  // packs added by other tests are checked again under these keys, and reported too
  set_log_hook([](log_level level, std::string_view text) {
    warnings += level == log_level::warning && text.find(folder) != std::string_view::npos;
  });
  cache_settings settings;
  settings.on_disk = false;
  settings.packs = {root / "plain", root / "signed", root / "missing"};
  settings.pack_keys = {to_string(public_key_of(secret(1)))};
  set_cache(settings);
  CHECK(warnings == 2);
  cache_event event;
  CHECK_FALSE(current_cache()->find({content_of(5, emitter_version), "k", 13000}, event));
  CHECK(current_cache()->find({content_of(6, emitter_version), "k", 13000}, event));
  set_log_hook(nullptr);
}

TEST_CASE("a key that is none is refused where keys are named, and no pack is used instead") {
  const temporary_folder root;
  write_file(root / "plain", make_pack(entries(7, 1)));
  cache_settings settings;
  settings.on_disk = false;
  settings.packs = {root / "plain"};
  settings.pack_keys = {"a key with a mistake in it"};
  CHECK_THROWS_WITH_AS(set_cache(settings),
                       doctest::Contains("'a key with a mistake in it' is no public key"), device_error);
  cache_event event;
  CHECK_FALSE(current_cache()->find({content_of(7), "k", 13000}, event));
}

TEST_CASE("digits that are nobody's key are no public key") {
  if (lacks_sodium()) return;
  CHECK_FALSE(parse_pack_public_key(std::string(64, '0')));
  CHECK_FALSE(parse_pack_public_key("01" + std::string(62, '0')));  // the point that makes every signature
                                                                    // valid
}

}  // namespace sinter::test
