#pragma once
// The packs that a process uses without a call of add_pack().

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/pack.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// Opens the packs named by the settings, and those that sinter_add_pack() embedded in the program and its
/// libraries or put beside them. A pack that cannot be used causes one warning. Throws as trusted_keys()
/// does.
std::vector<std::shared_ptr<entry_store>> open_packs(const cache_settings& settings);

/// Warns once where another version of the emitter wrote the kernels of an opened pack: no key of this
/// version finds any of them.
void warn_of_other_emitter(const pack& opened);

/// The keys that the settings trust. Throws device_error if one is malformed, because the intended trust is
/// then unknown.
std::vector<pack_public_key> trusted_keys(const cache_settings& settings);

}  // namespace sinter::inline v0::runtime
