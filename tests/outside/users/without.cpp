// What a Sinter without hiredis and libsodium says where they are asked for.
#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>
#include <string>

static std::string reported;

int main() {
  using namespace sinter;
  set_log_hook([](log_level level, std::string_view text) {
    if (level != log_level::information) reported += text;
  });
  device::set_default(device::cpu());
  cache_settings settings;
  settings.shared = "redis://127.0.0.1";
  set_cache(settings);
  const array<float, 1> x({4});
  const auto y = fuse([](auto v) { return v + 1; })(x);
  if (reported.find("built without hiredis") == reported.npos ||
      reported.find("-DSINTER_REDIS_CACHE=ON") == reported.npos)
    return std::printf("of a cache on a Redis server this was said: '%s'\n", reported.c_str()), 1;
  settings.pack_keys = {"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"};
  try {
    set_cache(settings);
    return std::puts("a key was taken, and nothing can be checked with it"), 1;
  } catch (const error& refused) {
    const std::string told = refused.what();
    if (told.find("built without libsodium") == told.npos ||
        told.find("-DSINTER_SIGNED_PACKS=ON") == told.npos)
      return std::printf("of a key of packs this was said: '%s'\n", told.c_str()), 1;
  }
}
