// sinter pack keys and sinter pack sign: keys and signatures of packs.

#include <sinter/runtime/posix/whole_file.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pack_files.hpp"
#include "pack_options.hpp"

namespace sinter::inline v0::command {

exit_code run_pack_keys(const pack_keys_options& options) {
  const console to(options.json);
  const pack_key_pair made = make_pack_keys();
  runtime::make_secret_file(options.output, sinter::to_string(made.kept) + "\n");
  if (options.json)
    to.document({{"secret_key_file", options.output}, {"public_key", sinter::to_string(made.shown)}});
  else
    to.line(fmt::format(
        "{}\nis the public key, for SINTER_PACK_KEY. The secret one is in {}: whoever has it signs as "
        "you.",
        sinter::to_string(made.shown), options.output));
  return exit_code::success;
}

exit_code run_pack_sign(const pack_sign_options& options) {
  const console to(options.json);
  const pack_secret_key key = read_secret_key(options.key);
  const std::string output = options.output.empty() ? options.file : options.output;
  runtime::write_whole_file(output, runtime::sign_pack(runtime::read_whole_file(options.file), key));
  const std::string signer = sinter::to_string(public_key_of(key));
  if (options.json)
    to.document({{"pack", output}, {"signed_by", signer}});
  else
    to.line(fmt::format("{} is signed by {}", output, signer));
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
