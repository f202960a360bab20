#pragma once

#include <string>

namespace sinter::runtime {

/// A regular file's content. Throws device_error that names the path and what the system said.
std::string read_whole_file(const std::string& path);

}  // namespace sinter::runtime
