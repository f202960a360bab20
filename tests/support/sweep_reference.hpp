#pragma once
// A graph on a device held against the reference interpreter, and against itself: for sweeps over reductions
// and scans, whose inputs are whole numbers so that no order of adding matters.

#include "sweep.hpp"

namespace sinter::test {

/// Elements of an array.
std::size_t count_of(const shape& extents);
/// "3x4".
std::string text_of(const shape& extents);

/// Whole numbers of a type, each made of a number drawn at random; of bool their lowest bit.
bits whole_numbers(element_type type, std::size_t count, std::uint64_t seed,
                   const std::function<std::int64_t(std::int64_t drawn)>& make);

/// How far a floating result may be from the reference: `relative` times the reference's size or, near zero,
/// `least` more. Other results are equal.
struct allowed_error {
  long double relative = 0, least = 0;
};

/// Runs a graph whose input i has such elements and extents, and adds to `failures` each element that is not
/// the interpreter's.
void check_against_reference(const std::string& name, const graph& recorded, const std::vector<bits>& values,
                             const std::vector<shape>& extents, placement where, device on,
                             allowed_error allowed, failure_list& failures);

/// Runs a graph of one float32 input several times, wherever that lies, and adds to `failures` what has not
/// the bits of the first time.
void check_same_bits(const std::string& name, const graph& recorded, const bits& values, const shape& extents,
                     device on, failure_list& failures);

/// Calls `work` as in_parallel() does, and fails the test with what it adds to its list.
void sweep(std::size_t count, const std::function<void(std::size_t, failure_list&)>& work);

}  // namespace sinter::test
