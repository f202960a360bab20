#pragma once
// The interface of stores: named blocks of bytes. A store does not interpret them; the reader of an entry
// checks it.

#include <sinter/runtime/cache/key.hpp>

#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// The answer of a store. `fault` is "" on success and if there is no such entry; else it describes the
/// failure for the log.
struct store_answer {
  bool found = false;   ///< of get: `bytes` is the entry
  bool stored = false;  ///< of put
  std::string bytes;
  std::string fault;
};

/// A layer of the cache; implement it to store entries elsewhere. Called from any thread, concurrently; must
/// not throw. get() may return other bytes than put() received: the reader checks every entry.
class entry_store {
 public:
  entry_store() = default;
  entry_store(const entry_store&) = delete;
  entry_store& operator=(const entry_store&) = delete;
  virtual ~entry_store() = default;

  /// The name in explain() and in the log: "cache directory /home/…".
  virtual std::string name() const = 0;
  virtual store_answer get(const cache_key& key) = 0;
  /// Publishes an entry atomically: a reader never sees a part of one. An existing entry may stay or be
  /// replaced.
  virtual store_answer put(const cache_key& key, std::string_view bytes) = 0;
  /// What was tuned for the calls whose kernels it has, as text; found is false if there is nothing. Packs
  /// may have some (pack_builder.hpp).
  virtual store_answer tunings() { return {}; }
};

}  // namespace sinter::inline v0::runtime
