#include "device_functions.hpp"
namespace sinter::codegen { std::span<const accuracy> accuracies() { static constexpr accuracy t[] = {{"exp_f32", 1.0, 1.0}}; return t; } }
