#pragma once
// Entries on a Redis server, for machines that share compiled kernels.

#include <sinter/runtime/cache/entry_store.hpp>
#include <sinter/runtime/posix/fork.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sinter::inline v0::runtime {

/// The address of a Redis server.
struct redis_address {
  std::string host;
  int port = 6379;
  std::string user, password;  ///< "": none
  int database = 0;
};
/// Parses "redis://[[user]:password@]host[:port][/database]"; nullopt for anything else.
std::optional<redis_address> parse_redis_address(std::string_view text);

/// Why this build reaches no Redis server; "" if it does. Stores of a build that does not give this as the
/// fault of whatever they are asked.
std::string redis_absence_reason();

/// Each entry is a string under "sinter:" and its key. There is one connection, opened on first use. After a
/// failure it is opened again only after some seconds, so that an unreachable server costs one wait, not one
/// per kernel. The server decides what to evict (maxmemory-policy).
class redis_store final : public entry_store {
 public:
  explicit redis_store(redis_address at);
  ~redis_store() override;

  std::string name() const override;
  store_answer get(const cache_key& key) override;
  store_answer put(const cache_key& key, std::string_view bytes) override;

 private:
  class connection;
  /// The connection of this process: the child of a fork has its own.
  std::shared_ptr<connection> own_connection();

  const redis_address address_;
  fork_mutex guard_;
  std::shared_ptr<connection> connection_;
  std::uint64_t generation_ = 0;  ///< of the process that made it
};

}  // namespace sinter::inline v0::runtime
