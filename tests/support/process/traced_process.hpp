#pragma once
// A child process whose system calls can be counted, made to fail, or made its last. x86-64 Linux.

#include <functional>
#include <vector>

namespace sinter::test {

/// What to do at one of the child's system calls.
struct intervention {
  enum class kind {
    none,
    kill,
    fail,
    full_disk,     ///< this call and all later writing calls fail with ENOSPC
    foreign_owner  ///< the call's file attributes name another user as owner
  } what = kind::none;
  int at = 0;     ///< the index, from 0, among calls on files
  int error = 0;  ///< for fail: the call's result in place of its execution
};

struct traced_result {
  int calls = 0;              ///< system calls on files
  std::vector<long> numbers;  ///< those calls, in order
  bool killed = false;
  int forged = 0;      ///< calls whose owner was changed, or that failed with a full disk
  int exit_code = -1;  ///< -1: killed or crashed
};

/// Runs work() in a child, whose exit code is its result. Calls not on files are left alone. Throws
/// std::runtime_error if processes cannot be traced.
traced_result run_traced(const std::function<int()>& work, const intervention& at = {});

}  // namespace sinter::test
