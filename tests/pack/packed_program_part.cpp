#include "packed_program.hpp"

std::vector<float> part_result(const sinter::array<float, 1>& x) { return shared_result(x); }
