#pragma once
// The packs that a process uses without having been told of them by a call.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/pack.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sinter::runtime {

/// Opens the packs that the settings name, and those that sinter_add_pack() put into the program and its
/// libraries or beside them. For one that cannot be used there is a warning, once.
std::vector<std::shared_ptr<entry_store>> open_packs(const cache_settings& settings);

/// The keys that the settings trust. One that is no key is a warning, and then no pack is trusted that is not
/// signed by another one.
std::vector<pack_public_key> trusted_keys(const cache_settings& settings);

}  // namespace sinter::runtime
