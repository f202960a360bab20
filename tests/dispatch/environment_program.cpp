// Prints what a program reads from its environment, for environment_test.cpp, which also runs it set-user-id:
// one line per variable, and one per setting chosen by them. Linked to the library by an absolute path, the
// only kind that the loader accepts then.

#include <cstdio>
#include <string>
#include <vector>

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/posix/environment.hpp>

namespace {

void tell(const char* what, const std::string& value) { std::printf("%s=%s\n", what, value.c_str()); }

std::string first_of(const std::vector<std::string>& all) { return all.empty() ? "" : all.front(); }

}  // namespace

int main() {
  const sinter::cache_settings cache = sinter::cache_settings_from_environment();
  tell("elevated", sinter::runtime::runs_with_rights_of_another() ? "yes" : "no");
  tell("cache", cache.directory);
  tell("bytes", std::to_string(cache.bytes));
  tell("shared", cache.shared);
  tell("pack", first_of(cache.packs));
  tell("key", first_of(cache.pack_keys));
  tell("driver", first_of(sinter::runtime::driver_candidates()));
  tell("nvrtc", first_of(sinter::runtime::nvrtc_candidates()));
  tell("nvjitlink", first_of(sinter::runtime::nvjitlink_candidates()));
  for (const char* name :
       {"SINTER_CPU_COMPILER", "SINTER_RECORD", "SINTER_LIST_FUNCTIONS", "SINTER_CHECK", "TMPDIR"})
    tell(name, sinter::runtime::environment_value(name));
}
