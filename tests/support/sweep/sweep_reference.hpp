#pragma once
// Compares a graph on a device with the reference interpreter and with itself, for sweeps over reductions and
// scans. Inputs are whole numbers, so that the order of additions does not matter.

#include "sweep.hpp"

namespace sinter::test {

/// Elements of an array.
std::size_t count_of(const shape& extents);
/// "3x4".
std::string text_of(const shape& extents);

/// Whole numbers of a type, from random bits; for bool the lowest bit.
bits whole_numbers(element_type type, std::size_t count, std::uint64_t seed,
                   const std::function<std::int64_t(std::int64_t drawn)>& make);

/// The allowed distance of a floating result from the reference: `relative` times the reference's magnitude
/// plus `least`. Other results must be equal.
struct allowed_error {
  long double relative = 0, least = 0;
};

/// Runs a graph whose input i has these elements and extents, and adds to `failures` each element that
/// differs from the interpreter's.
void check_against_reference(const std::string& name, const graph& recorded, const std::vector<bits>& values,
                             const std::vector<shape>& extents, placement where, device on,
                             allowed_error allowed, failure_list& failures);

/// Runs a graph of one float32 input several times, with the input at different addresses, and adds to
/// `failures` results whose bits differ from the first run.
void check_same_bits(const std::string& name, const graph& recorded, const bits& values, const shape& extents,
                     device on, failure_list& failures);

/// Calls `work` like in_parallel(), and fails the test if its list has failures.
void sweep(std::size_t count, const std::function<void(std::size_t, failure_list&)>& work);

}  // namespace sinter::test
