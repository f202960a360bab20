#pragma once
// Tests of what a build may be without.

#include "needs.hpp"

#include <sinter/runtime/cache/pack_signature.hpp>
#include <sinter/runtime/cache/redis_store.hpp>

namespace sinter::test {

inline bool lacks_hiredis() { return lacks(need::hiredis, runtime::redis_absence_reason()); }
inline bool lacks_sodium() { return lacks(need::sodium, runtime::signature_absence_reason()); }

}  // namespace sinter::test
