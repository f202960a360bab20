#pragma once

#include <string>

namespace sinter::runtime {

/// Whether this process has rights that whoever started it may not have: it runs a program that is
/// set-user-id or set-group-id, or has capabilities.
bool runs_with_rights_of_another() noexcept;

/// The value of a variable of the environment; "" where it is not set. Everything that Sinter reads from the
/// environment comes through here, since the answer is "" for each variable in a process with rights of
/// another: who started it would choose which libraries are opened, which code is run and which files are
/// written with them.
std::string environment_value(const char* name);

}  // namespace sinter::runtime
