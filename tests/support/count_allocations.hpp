#pragma once

#include <cstddef>

/// Counts what operator new does on the thread that made it, in every library of the process, while it lives.
class allocation_counter {
 public:
  allocation_counter();
  allocation_counter(const allocation_counter&) = delete;
  allocation_counter& operator=(const allocation_counter&) = delete;
  ~allocation_counter();
  std::size_t count() const;
};
