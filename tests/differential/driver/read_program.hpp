// The text of a program:
//
//   program ID MODE VARIANT       MODE: standard, strict, fast; VARIANT: fused, unfused (a kernel for each
//   value), call
//                                 (runtime::call), general (the kernels for every layout), quick
//                                 (quick_first)
//   buffer BYTES ...              numbered from 0; the rest of the line is not read
//   input BUFFER TYPE BYTE_OFFSET RANK EXTENT... STRIDE...
//   literal TYPE HEX WEAK         HEX: the value's bits; WEAK: 1 for a scalar that takes the type of its
//   partner param TYPE HEX WEAK           a scalar parameter of the call apply OPERATION VALUE... cast VALUE
//   TYPE reduce OPERATION VALUE AXES KEEP scan OPERATION VALUE AXIS coordinate VALUE AXIS extent VALUE AXIS
//   view VALUE COUNT ITEM...      s:START:STOP:STEP (_ absent, pN parameter N), i:POSITION, n (new axis),
//   p:AXIS output VALUE [into BUFFER TYPE BYTE_OFFSET RANK EXTENT... STRIDE...] end
//
// The lines from `input` to `view` make values, numbered from 0. The bytes of all buffers follow `end`. Empty
// lines and lines that start with # are skipped.
#pragma once

#include <iosfwd>

#include "program.hpp"

namespace differential {

/// Reads the next program and its buffers. Returns false at the end of the input; throws if a line cannot be
/// read, after the whole program has been taken from the input.
bool read_program(std::istream& from, program& to);

}  // namespace differential
