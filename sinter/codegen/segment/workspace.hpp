#pragma once
// The workspace of a call: memory beside its arrays, through which its stages pass values.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Lays out the workspace of one call. Everything in it starts at a multiple of 256 bytes.
class workspace {
 public:
  /// Starts over and retains its memory.
  void clear();
  /// Reserves memory for the whole call; returns its offset.
  std::size_t take(std::size_t bytes);
  /// Reserves memory for a temporary, reusing a free one of the same size if there is any; returns the
  /// temporary's number.
  std::uint32_t add_temporary(std::size_t bytes);
  /// Frees a temporary of this size: stages run one after the other, so a later stage may write there.
  void give_back(std::uint32_t temporary, std::size_t bytes);
  /// The offset of each temporary, by number.
  std::span<const std::size_t> temporaries() const { return temporaries_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct spare_memory {
    std::size_t offset = 0, bytes = 0;
  };
  std::vector<std::size_t> temporaries_;
  std::vector<spare_memory> spare_;
  std::size_t bytes_ = 0;
};

}  // namespace sinter::inline v0
