// What takes the place of cache/redis_store.cpp in a build without hiredis.

#include <fmt/format.h>

#include <utility>

#include <sinter/runtime/cache/redis_store.hpp>

namespace sinter::inline v0::runtime {

std::string redis_absence_reason() {
  return "this Sinter was built without hiredis, by which it reaches Redis servers: build it with "
         "-DSINTER_REDIS_CACHE=ON, or share a directory instead";
}

class redis_store::connection {};

redis_store::redis_store(redis_address at) : address_(std::move(at)) {}
redis_store::~redis_store() = default;

std::string redis_store::name() const { return fmt::format("redis://{}:{}", address_.host, address_.port); }

store_answer redis_store::get(const cache_key&) {
  store_answer answer;
  answer.fault = redis_absence_reason();
  return answer;
}

store_answer redis_store::put(const cache_key& key, std::string_view) { return get(key); }

}  // namespace sinter::inline v0::runtime
