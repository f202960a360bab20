// What takes the place of cache/pack_signature.cpp in a build without libsodium.

#include <sinter/runtime/cache/pack_signature.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0 {
namespace {

[[noreturn]] void refuse() { throw error(runtime::signature_absence_reason()); }

}  // namespace

pack_key_pair make_pack_keys() { refuse(); }
pack_public_key public_key_of(const pack_secret_key&) { refuse(); }

namespace runtime {

std::string signature_absence_reason() {
  return "this Sinter was built without libsodium, which signs packs and checks their signatures: build it "
         "with -DSINTER_SIGNED_PACKS=ON";
}

bool can_verify(const pack_public_key&) { refuse(); }
pack_signature sign(std::string_view, const pack_secret_key&) { refuse(); }
bool is_signature(const pack_signature&, std::string_view, const pack_public_key&) { refuse(); }

}  // namespace runtime
}  // namespace sinter::inline v0
