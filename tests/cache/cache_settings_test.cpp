// Changes to the process's cache at run time: settings, added packs, and a shared store.

#include <doctest/doctest.h>

#include "../support/optional_parts.hpp"
#include "cache_entries.hpp"

#include <sinter/runtime/cache/found_packs.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

std::string pack_of(int number) {
  const cache_entry entries[] = {reproducible(entry_of(number))};
  return make_pack(entries);
}

/// Packs and stores that outlive the tests, because added ones stay.
std::span<const std::byte> kept(std::string pack) {
  const auto* const forever = new std::string(std::move(pack));
  return std::as_bytes(std::span(*forever));
}

cache_settings nothing_but_packs() {
  cache_settings made;
  made.on_disk = false;
  return made;
}

bool uses(const std::string& pack) {
  const auto packs = current_cache()->current().packs;
  return std::any_of(packs.begin(), packs.end(),
                     [&](const auto& each) { return each->name() == "pack " + pack; });
}

int warnings_of_packs = 0;

struct settings_for_a_test {
  settings_for_a_test()
      : before(set_log_hook([](log_level level, std::string_view text) {
          warnings_of_packs += level == log_level::warning && text.find("which was added") != text.npos;
        })) {
    warnings_of_packs = 0;
    set_cache(nothing_but_packs());
  }
  settings_for_a_test(const settings_for_a_test&) = delete;
  settings_for_a_test& operator=(const settings_for_a_test&) = delete;
  ~settings_for_a_test() {
    set_log_hook(before);
    set_cache(cache_settings_from_environment());
  }
  log_hook before;
};

class empty_store final : public entry_store {
 public:
  std::string name() const override { return "nothing"; }
  store_answer get(const cache_key&) override { return {}; }
  store_answer put(const cache_key&, std::string_view) override { return {}; }
};

}  // namespace

TEST_CASE("packs that were added are checked again when the keys that are trusted change") {
  if (lacks_sodium()) return;
  const settings_for_a_test scope;
  const pack_key_pair trusted = make_pack_keys(), other = make_pack_keys();
  std::string altered = sign_pack(pack_of(4), trusted.kept);
  altered[altered.find("kernel 4")] ^= 1;  // in the entry: the index, which is signed, stays intact
  add_pack(kept(pack_of(1)), "unsigned");
  add_pack(kept(sign_pack(pack_of(2), other.kept)), "of another");
  add_pack(kept(sign_pack(pack_of(3), trusted.kept)), "of the trusted");
  add_pack(kept(altered), "altered");
  for (const char* name : {"unsigned", "of another", "of the trusted", "altered"}) CHECK(uses(name));

  cache_settings strict = nothing_but_packs();
  strict.pack_keys = {to_string(trusted.shown)};
  set_cache(strict);
  CHECK_FALSE(uses("unsigned"));
  CHECK_FALSE(uses("of another"));
  CHECK(uses("of the trusted"));
  CHECK(warnings_of_packs == 2);
  for (const auto& each : current_cache()->current().packs)
    if (each->name() == "pack altered")
      CHECK(each->get(key_of(4)).fault == "an entry is not what was signed");
  CHECK_THROWS_AS(add_pack(kept(pack_of(5)), "unsigned, later"), device_error);

  set_cache(nothing_but_packs());
  CHECK(uses("unsigned"));
  CHECK_FALSE(uses("unsigned, later"));
}

TEST_CASE("a malformed key among those that are trusted is refused, and nothing is changed") {
  if (lacks_sodium()) return;
  const settings_for_a_test scope;
  add_pack(kept(pack_of(8)), "unsigned, before");
  const std::string good = to_string(make_pack_keys().shown);
  for (const std::string& malformed : {std::string("abc"), good + "0", std::string(64, '0'),
                                       std::string(63, '0') + "1", std::string(64, 'g')}) {
    CAPTURE(malformed);
    cache_settings strict = nothing_but_packs();
    strict.pack_keys = {good, malformed};
    CHECK_THROWS_WITH_AS(set_cache(strict),
                         doctest::Contains(("'" + malformed + "' is no public key").c_str()), device_error);
    CHECK(uses("unsigned, before"));
  }
}

TEST_CASE("where SINTER_PACK_KEY is malformed, nothing is taken from anywhere until that is corrected") {
  const settings_for_a_test scope;
  for (const char* const text : {"abc", ":", "::"}) {
    CAPTURE(text);
    ::setenv("SINTER_PACK_KEY", text, 1);
    CHECK_THROWS_AS(trusted_keys(cache_settings_from_environment()), device_error);
    CHECK_THROWS_AS(set_cache(cache_settings_from_environment()), device_error);
  }
  ::unsetenv("SINTER_PACK_KEY");
  CHECK(trusted_keys(cache_settings_from_environment()).empty());
}

TEST_CASE("of changes that threads make at once none is lost") {
  const settings_for_a_test scope;
  constexpr int packs = 200;
  const std::span<const std::byte> content = kept(pack_of(6));
  const std::size_t before = current_cache()->current().packs.size();
  const auto store = std::make_shared<empty_store>();
  std::thread setting([&] {
    for (int i = 0; i < packs; ++i) set_shared_store(i % 2 == 0 ? store : nullptr);
    set_shared_store(store);
  });
  std::thread adding([&] {
    for (int i = 0; i < packs; ++i) add_pack(content, "one of many");
  });
  for (int i = 0; i < packs; ++i) add_pack(content, "one of many");
  setting.join();
  adding.join();
  CHECK(current_cache()->current().packs.size() == before + 2 * packs);
  CHECK(current_cache()->current().shared == store);
}

}  // namespace sinter::test
