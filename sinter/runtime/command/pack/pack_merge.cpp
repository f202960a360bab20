// sinter pack merge: merges several packs into one.

#include <sinter/runtime/posix/whole_file.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "../terminal/units.hpp"
#include "pack_files.hpp"
#include "pack_options.hpp"

namespace sinter::inline v0::command {

exit_code run_pack_merge(const pack_merge_options& options) {
  const console to(options.json);
  std::vector<std::shared_ptr<runtime::pack>> packs;
  for (const std::string& file : options.files) packs.push_back(open_pack(file));
  const std::string bytes = runtime::merge_packs(packs);
  runtime::write_whole_file(options.output, bytes);
  const std::size_t kernels = open_pack(options.output)->size();
  if (options.json)
    to.document({{"pack", options.output}, {"kernels", kernels}, {"bytes", bytes.size()}});
  else
    to.line(fmt::format("{} kernels of {} packs in {} ({}); it is not signed", kernels, packs.size(),
                        options.output, readable_bytes(bytes.size())));
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
