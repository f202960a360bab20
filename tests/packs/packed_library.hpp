#pragma once
// A library of a program, with functions of its own.

#include <vector>

/// Twice each value and one.
std::vector<float> library_result(const std::vector<float>& values);
