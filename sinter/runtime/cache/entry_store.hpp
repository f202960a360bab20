#pragma once
// Where entries lie: named blocks of bytes. A store knows nothing of what is in them; who reads one checks
// it.

#include <sinter/runtime/cache/key.hpp>

#include <string>
#include <string_view>

namespace sinter::runtime {

/// What a store answers. `fault` is "" on success and where there simply is no such entry; else it tells what
/// failed, in words for the log.
struct store_answer {
  bool found = false;   ///< of get: `bytes` is the entry
  bool stored = false;  ///< of put
  std::string bytes;
  std::string fault;
};

/// A layer of the cache: implement it to keep entries where you like. Called from any thread at once; must
/// not throw. What get() gives need not be what put() was given: every entry is checked by its reader.
class entry_store {
 public:
  entry_store() = default;
  entry_store(const entry_store&) = delete;
  entry_store& operator=(const entry_store&) = delete;
  virtual ~entry_store() = default;

  /// "cache directory /home/…": what explain() and the log call it.
  virtual std::string name() const = 0;
  virtual store_answer get(const cache_key& key) = 0;
  /// Publishes an entry at once: nobody ever gets a part of one. An entry that is there may stay or be
  /// replaced.
  virtual store_answer put(const cache_key& key, std::string_view bytes) = 0;
};

}  // namespace sinter::runtime
