// Valid entries whose code the driver or the system's loader rejects.

#include <doctest/doctest.h>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/host_array.hpp"
#include "../support/process/temporary_folder.hpp"

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/directory_store.hpp>
#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace sinter::test {

using namespace runtime;

namespace {

int warnings = 0;
void count_warnings(log_level level, std::string_view) { warnings += level == log_level::warning; }

/// Uses this folder as the cache, and counts warnings, until the end of the scope.
struct cache_for_a_test {
  explicit cache_for_a_test(const std::string& path)
      : store(path, folder_access::own, std::uint64_t{1} << 30), before(set_log_hook(&count_warnings)) {
    begin_again();
    warnings = 0;
  }
  cache_for_a_test(const cache_for_a_test&) = delete;
  cache_for_a_test& operator=(const cache_for_a_test&) = delete;
  ~cache_for_a_test() {
    set_log_hook(before);
    set_cache(cache_settings_from_environment());
  }

  /// Resets what the cache remembers, as in a new process.
  void begin_again() {
    cache_settings settings = cache_settings_from_environment();
    settings.on_disk = true;
    settings.directory = store.path();
    settings.shared.clear();
    set_cache(settings);
  }
  /// Writes "kept" into the log of every entry, so that new entries can be recognised.
  int mark_all() {
    int marked = 0;
    for (const directory_store::listed& each : store.list()) {
      cache_entry entry;
      REQUIRE(decode(store.get(each.key).bytes, "", entry) == entry_fault::none);
      entry.log = "kept";
      REQUIRE(store.put(each.key, encode(entry)).stored);
      ++marked;
    }
    return marked;
  }
  int count_marked() {
    int marked = 0;
    for (const directory_store::listed& each : store.list()) {
      cache_entry entry;
      REQUIRE(decode(store.get(each.key).bytes, "", entry) == entry_fault::none);
      marked += entry.log == "kept";
    }
    return marked;
  }

  directory_store store;
  log_hook before;
};

/// Compiles and loads, or finds and loads, a * x + y with the current driver.
void prepare_axpy(const char* name) {
  device_array x(1024), y(1024);
  const operand inputs[] = {x.view(), y.view()};
  const scalar a = bits_of(2.0f);
  prepare(axpy_function(name), inputs, {&a, 1});
}

}  // namespace

TEST_CASE("a kernel that the driver refuses is compiled again in that very call, and its entry replaced") {
  if (nvrtc_is_missing()) return;
  const temporary_folder root;
  cache_for_a_test cache(root / "cache");
  {
    const fake_cuda fake;
    prepare_axpy("refused_first");
    prepare_axpy("refused_second");
  }
  REQUIRE(cache.mark_all() == 2);
  {
    cache.begin_again();
    fake_cuda fake;  // a new driver, which has not loaded what the first one has
    fake.fail("cuLibraryLoadData", 1, CUresult::invalid_image);
    prepare_axpy("refused_first");
    CHECK(recent_cache_events().back().found == cache_layer::compiled);
    CHECK(recent_cache_events().back().reason == miss_reason::refused_by_driver);
    CHECK(fake.calls("cuLibraryLoadData") == 2);
    CHECK(cache.count_marked() == 1);
    CHECK(warnings == 1);

    fake.fail("cuLibraryLoadData", 1, CUresult::no_binary_for_gpu);
    prepare_axpy("refused_second");
    CHECK(recent_cache_events().back().reason == miss_reason::refused_by_driver);
    CHECK(cache.count_marked() == 0);
    CHECK(warnings == 1);  // one for each kind of failure
  }
  cache.begin_again();
  fake_cuda fake;
  prepare_axpy("refused_first");
  CHECK(recent_cache_events().back().found == cache_layer::directory);
  CHECK(fake.calls("cuLibraryLoadData") == 1);
  CHECK(warnings == 1);
}

TEST_CASE("a kernel that cannot be loaded for want of memory or of a context stays in the cache") {
  if (nvrtc_is_missing()) return;
  const temporary_folder root;
  cache_for_a_test cache(root / "cache");
  {
    const fake_cuda fake;
    prepare_axpy("kept");
  }
  REQUIRE(cache.mark_all() == 1);
  for (const CUresult trouble :
       {CUresult::out_of_memory, CUresult::not_initialized, CUresult::invalid_context,
        CUresult::ecc_uncorrectable, CUresult::illegal_address, CUresult::context_is_destroyed,
        CUresult::launch_failed, CUresult::not_permitted, CUresult::unknown}) {
    CAPTURE(static_cast<int>(trouble));
    cache.begin_again();
    fake_cuda fake;
    fake.fail("cuLibraryLoadData", 1, trouble);
    CHECK_THROWS_AS(prepare_axpy("kept"), error);
    CHECK(fake.calls("cuLibraryLoadData") == 1);
    prepare_axpy("kept");
    CHECK(recent_cache_events().back().found == cache_layer::directory);
    CHECK(cache.count_marked() == 1);
  }
  CHECK(warnings == 0);
}

TEST_CASE("each answer of a driver that refuses an image has it compiled again") {
  if (nvrtc_is_missing()) return;
  const temporary_folder root;
  cache_for_a_test cache(root / "cache");
  {
    const fake_cuda fake;
    prepare_axpy("answered");
  }
  for (const CUresult refusal : {CUresult::invalid_image, CUresult::no_binary_for_gpu, CUresult::invalid_ptx,
                                 CUresult::jit_compiler_not_found, CUresult::unsupported_ptx_version,
                                 CUresult::jit_compilation_disabled, CUresult::invalid_source,
                                 CUresult::shared_object_symbol_not_found}) {
    CAPTURE(static_cast<int>(refusal));
    REQUIRE(cache.mark_all() == 1);
    cache.begin_again();
    fake_cuda fake;
    fake.fail("cuLibraryLoadData", 1, refusal);
    prepare_axpy("answered");
    CHECK(recent_cache_events().back().reason == miss_reason::refused_by_driver);
    CHECK(cache.count_marked() == 0);
  }
}

TEST_CASE("a kernel that was just compiled and is refused is an error, and compiled once") {
  if (nvrtc_is_missing()) return;
  const temporary_folder root;
  cache_for_a_test cache(root / "cache");
  fake_cuda fake;
  fake.fail("cuLibraryLoadData", 0, CUresult::invalid_image);
  const auto compiled = [] {
    return cache_statistics_now().found[static_cast<std::size_t>(cache_layer::compiled)];
  };
  const auto before = compiled();
  CHECK_THROWS_AS(prepare_axpy("refused_always"), device_error);
  CHECK(compiled() - before == 1);
  CHECK(fake.calls("cuLibraryLoadData") == 1);
}

TEST_CASE("a kernel that the driver refuses from the cache and from the compiler is an error of the driver") {
  if (nvrtc_is_missing()) return;
  const temporary_folder root;
  cache_for_a_test cache(root / "cache");
  {
    const fake_cuda fake;
    prepare_axpy("refused_twice");
  }
  cache.begin_again();
  fake_cuda fake;
  fake.fail("cuLibraryLoadData", 0, CUresult::invalid_image);
  CHECK_THROWS_AS(prepare_axpy("refused_twice"), device_error);
  CHECK(fake.calls("cuLibraryLoadData") == 2);
}

}  // namespace sinter::test
