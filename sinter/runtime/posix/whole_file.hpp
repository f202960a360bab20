#pragma once

#include <string>
#include <string_view>

namespace sinter::runtime {

/// A regular file's content. Throws device_error that names the path and what the system said.
std::string read_whole_file(const std::string& path);

/// Writes a file anew, in a folder that is there. Who reads it meanwhile sees what was there before or all
/// of this. Throws device_error that names the path and what the system said; then what was there stays.
void write_whole_file(const std::string& path, std::string_view bytes);

/// Makes a file that this user alone may read. Throws device_error, also where there is a file of that name
/// already, and then leaves none.
void make_secret_file(const std::string& path, std::string_view bytes);

}  // namespace sinter::runtime
