#pragma once
// Packs and keys as files that commands read and write.

#include <sinter/runtime/cache/pack.hpp>

#include <memory>
#include <string>

namespace sinter::inline v0::command {

/// Opens a pack of any signer. Throws failure with the reason if it cannot be used.
std::shared_ptr<runtime::pack> open_pack(const std::string& path);

/// The secret key in a file. Throws failure if there is none.
pack_secret_key read_secret_key(const std::string& path);

}  // namespace sinter::inline v0::command
