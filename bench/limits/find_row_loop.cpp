#include "row_loops.hpp"

namespace sinter_bench {
namespace {

bool has_v4() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

}  // namespace

row_loop find_row_loop(std::string_view operation, std::string_view type) {
  return has_v4() ? row_loops_v4::find(operation, type) : row_loops_v3::find(operation, type);
}

const char* row_loop_architecture() { return has_v4() ? "x86-64-v4" : "x86-64-v3"; }

}  // namespace sinter_bench
