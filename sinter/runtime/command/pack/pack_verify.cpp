// sinter pack verify: reads whole packs, reports faults, and checks signatures against keys.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pack_files.hpp"
#include "pack_options.hpp"

namespace sinter::inline v0::command {

exit_code run_pack_verify(const pack_verify_options& options) {
  const console to(options.json);
  std::vector<pack_public_key> keys;
  for (const std::string& text : options.keys) {
    const std::optional<pack_public_key> key = parse_pack_public_key(text);
    if (!key)
      throw failure(fmt::format("--key {}: a public key has 64 hexadecimal digits", text), exit_code::usage);
    keys.push_back(*key);
  }
  nlohmann::ordered_json packs = nlohmann::ordered_json::array();
  bool all_whole = true;
  for (const std::string& file : options.files) {
    std::string fault;
    const std::shared_ptr<runtime::pack> opened = runtime::pack::open(file, keys, fault);
    const std::vector<std::string> faults = opened == nullptr ? std::vector{fault} : opened->check();
    const std::string signer =
        opened != nullptr && opened->signed_by() ? sinter::to_string(*opened->signed_by()) : "";
    all_whole &= faults.empty();
    packs.push_back({{"pack", file},
                     {"whole", faults.empty()},
                     {"kernels", opened != nullptr ? opened->size() : 0},
                     {"signed_by", signer},
                     {"faults", faults}});
    if (options.json) continue;
    if (faults.empty())
      to.line(fmt::format("{}: {}, {} kernels{}", file, to.tinted(tint::good, "whole"), opened->size(),
                          signer.empty() ? ", not signed" : ", signed by " + signer));
    for (const std::string& each : faults) to.line(fmt::format("{}: {}", file, to.tinted(tint::bad, each)));
  }
  if (options.json) to.document(packs);
  return all_whole ? exit_code::success : exit_code::no;
}

}  // namespace sinter::inline v0::command
