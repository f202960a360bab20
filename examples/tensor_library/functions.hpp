// Functions of the library that are written as fused lambdas.
#pragma once

#include "tensor.hpp"

namespace tensors {

/// The softmax of each row of a matrix of float32 or float64.
tensor softmax(const tensor& rows, const queue& on);

}  // namespace tensors
