#pragma once

#include <string>
#include <string_view>

namespace sinter::runtime {

/// A regular file's content. Throws device_error that names the path and what the system said.
std::string read_whole_file(const std::string& path);

/// Writes a file anew, and makes the folders of its path that are not there. Who reads it meanwhile sees all
/// of it or none. Throws device_error that names the path and what the system said.
void write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace sinter::runtime
