#pragma once

#include <string>

namespace sinter::inline v0::runtime {

/// Whether this process has privileges that its caller may lack: its program is set-user-id or set-group-id,
/// or has capabilities.
bool runs_with_rights_of_another() noexcept;

/// The value of an environment variable; "" if it is not set. All of Sinter's reads of the environment go
/// through here, because the answer is always "" in a privileged process: otherwise its caller would choose
/// which libraries it opens, which code it runs and which files it writes.
std::string environment_value(const char* name);

}  // namespace sinter::inline v0::runtime
