#pragma once
// Entries on a Redis server, for machines that share what they compile.

#include <sinter/runtime/cache/entry_store.hpp>
#include <sinter/runtime/posix/fork.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sinter::runtime {

/// Where a Redis server is.
struct redis_address {
  std::string host;
  int port = 6379;
  std::string user, password;  ///< "": none
  int database = 0;
};
/// Of "redis://[[user]:password@]host[:port][/database]"; nullopt of anything else.
std::optional<redis_address> parse_redis_address(std::string_view text);

/// An entry is a string under "sinter:" and its key. One connection, made when it is first needed and again
/// after a failure, though not before some seconds have passed: a server that is gone costs one wait, not one
/// a kernel. What goes when there is too much is the server's to decide (maxmemory-policy).
class redis_store final : public entry_store {
 public:
  explicit redis_store(redis_address at);
  ~redis_store() override;

  std::string name() const override;
  store_answer get(const cache_key& key) override;
  store_answer put(const cache_key& key, std::string_view bytes) override;

 private:
  class connection;
  /// That of this process: the child of a fork has one of its own.
  std::shared_ptr<connection> own_connection();

  const redis_address address_;
  fork_mutex guard_;
  std::shared_ptr<connection> connection_;
  std::uint64_t generation_ = 0;  ///< of the process that made it
};

}  // namespace sinter::runtime
