#pragma once
// A program's library with functions of its own.

#include <vector>

/// Twice each value plus one.
std::vector<float> library_result(const std::vector<float>& values);
