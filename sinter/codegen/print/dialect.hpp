#pragma once
// How a target spells what the loop IR says: the table that its printer is driven by.

#include <span>
#include <string_view>

namespace sinter::inline v0::codegen {

/// A helper of the loop IR that a target has by another name.
struct call_spelling {
  std::string_view name, spelling;
};

struct dialect {
  // The line before a loop of a kind; empty for none.
  std::string_view unrolled{}, unrolled_twice{}, rows{}, vector{}, vector_pairs{}, compiler_vector{}, lanes{},
      rolled{};
  // The numbers of a thread and a block.
  std::string_view thread_along{}, thread_across{}, block{};
  // What a declaration begins with.
  std::string_view stack{}, shared{}, shared_aligned{};
  std::string_view shared_of_launch{};  // the whole declaration
  // Fast paths: the flag, how it takes up a test, and the guard of the other path. {} is the test.
  std::string_view flag, require, fallback;
  // Barriers and arrivals at one by their scope, an asynchronous copy to {0} from {1} with the property {2},
  // and the wait for copies.
  std::string_view barriers[4]{}, arrivals[4]{}, copy{}, wait_for_copies{};
  // A position by a divisor of the argument block, {0} by {1}.
  std::string_view quotient, narrow_quotient;
  /// Pointers of reads carry the access property of all loads that are made through them.
  bool has_access_properties;
  std::span<const call_spelling> calls;
};

}  // namespace sinter::inline v0::codegen
