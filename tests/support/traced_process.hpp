#pragma once
// A child process of which every call to the system can be counted, made to fail, or be its last. x86-64
// Linux.

#include <functional>
#include <vector>

namespace sinter::test {

/// What happens at one of the child's calls to the system.
struct intervention {
  enum class kind {
    none,
    kill,
    fail,
    full_disk,     ///< this call and all later ones that write fail, with ENOSPC
    foreign_owner  ///< what the call tells of a file says that another user owns it
  } what = kind::none;
  int at = 0;     ///< which call, from 0, of those that deal with files
  int error = 0;  ///< of fail: what the call answers instead of being done
};

struct traced_result {
  int calls = 0;              ///< to the system that deal with files
  std::vector<long> numbers;  ///< of those calls, in their order
  bool killed = false;
  int forged = 0;      ///< calls that were told of another owner, or of a full disk
  int exit_code = -1;  ///< -1: killed or crashed
};

/// Runs work() in a child, whose exit code is what it gives. Calls that have nothing to do with files are
/// left alone. Throws std::runtime_error where processes cannot be traced.
traced_result run_traced(const std::function<int()>& work, const intervention& at = {});

}  // namespace sinter::test
