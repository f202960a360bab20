// expect any: say x.copy() to copy an array
// not with nvcc: its message names no constructor
#include <sinter/sinter.hpp>

#include <vector>
using namespace sinter;

void use(std::vector<array<float, 1>>& v, const array<float, 1>& x) { v.push_back(x); }
