#pragma once
// The arrays of a program on a device.

#include "program.hpp"

#include <sinter/runtime/call.hpp>
#include <sinter/sinter.hpp>

#include <iosfwd>
#include <span>
#include <vector>

namespace sinter_bench {

class program_memory {
 public:
  /// With numbers of the ranges that programs are drawn for: between 1/2 and 2, from 1 to 9, or of coins.
  program_memory(const program& of, sinter::device where);
  /// With the bytes that follow the program in a stream.
  program_memory(const program& of, sinter::device where, std::istream& bytes);

  std::span<const sinter::runtime::operand> operands() const { return operands_; }
  std::span<const sinter::any_array> buffers() const { return buffers_; }

 private:
  void allocate(const program& of, sinter::device where);
  std::vector<sinter::any_array> buffers_;
  std::vector<sinter::runtime::operand> operands_;
};

/// The bytes of an array, on the host.
std::vector<std::byte> bytes_of(const sinter::any_array& array);

}  // namespace sinter_bench
