#pragma once
// The packs that a process uses without having been told of them by a call.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/pack.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sinter::runtime {

/// Opens the packs that the settings name, and those that sinter_add_pack() put into the program and its
/// libraries or beside them. For one that cannot be used there is a warning, once. Throws as trusted_keys()
/// does.
std::vector<std::shared_ptr<entry_store>> open_packs(const cache_settings& settings);

/// The keys that the settings trust. Throws device_error if one is none: what is meant to be trusted is not
/// known then.
std::vector<pack_public_key> trusted_keys(const cache_settings& settings);

}  // namespace sinter::runtime
