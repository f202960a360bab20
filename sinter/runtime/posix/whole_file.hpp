#pragma once

#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// A regular file's content. Throws device_error with the path and the system's message.
std::string read_whole_file(const std::string& path);

/// Replaces a file atomically, in an existing folder: readers see the old content or all of the new. Throws
/// device_error with the path and the system's message; the old content then remains.
void write_whole_file(const std::string& path, std::string_view bytes);

/// Creates a file that only this user can read. Throws device_error, also if a file of that name exists; no
/// partial file remains.
void make_secret_file(const std::string& path, std::string_view bytes);

}  // namespace sinter::inline v0::runtime
