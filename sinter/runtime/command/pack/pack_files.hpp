#pragma once
// Packs and keys as files: what commands read and write.

#include <sinter/runtime/cache/pack.hpp>

#include <memory>
#include <string>

namespace sinter::command {

/// A pack, of whomever. Throws failure that says what is wrong with it.
std::shared_ptr<runtime::pack> open_pack(const std::string& path);

/// The secret key in a file. Throws failure where there is none.
pack_secret_key read_secret_key(const std::string& path);

}  // namespace sinter::command
