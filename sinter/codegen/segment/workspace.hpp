#pragma once
// The workspace of a call: memory beside its arrays, which its stages pass values through.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter {

/// Lays out the workspace of one call. Everything in it begins at a multiple of 256 bytes.
class workspace {
 public:
  /// Starts over, keeping its memory.
  void clear();
  /// Takes memory for the whole call; returns its offset.
  std::size_t take(std::size_t bytes);
  /// Takes memory for a temporary, that of another one of as many bytes that was given back if there is any;
  /// returns the temporary's number.
  std::uint32_t add_temporary(std::size_t bytes);
  /// Says that nothing reads a temporary of so many bytes any more: stages run one after the other, so a
  /// later one may write there.
  void give_back(std::uint32_t temporary, std::size_t bytes);
  /// Offset of each temporary, by its number.
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

}  // namespace sinter
