#pragma once

#include <cstddef>

/// Counts calls of operator new on the constructing thread, in every library of the process, during its
/// lifetime.
class allocation_counter {
 public:
  allocation_counter();
  allocation_counter(const allocation_counter&) = delete;
  allocation_counter& operator=(const allocation_counter&) = delete;
  ~allocation_counter();
  std::size_t count() const;
};
