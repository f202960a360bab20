#pragma once
// Packs and keys as files: what commands read and write.

#include <sinter/runtime/cache/pack.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace sinter::command {

/// A pack, of whomever. Throws failure that says what is wrong with it.
std::shared_ptr<runtime::pack> open_pack(const std::string& path);

/// Writes a file beside its place and renames it, so that nobody sees a part of it. Throws failure.
void write_whole_file(const std::string& path, std::string_view bytes);
/// A new file that nobody else may read; one that is there is never replaced. Throws failure.
void write_secret_file(const std::string& path, std::string_view bytes);

/// The secret key in a file. Throws failure where there is none.
pack_secret_key read_secret_key(const std::string& path);

}  // namespace sinter::command
