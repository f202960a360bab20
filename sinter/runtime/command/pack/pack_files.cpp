#include <fmt/format.h>

#include <sinter/runtime/posix/whole_file.hpp>

#include "../failure.hpp"
#include "pack_files.hpp"

namespace sinter::inline v0::command {
std::shared_ptr<runtime::pack> open_pack(const std::string& path) {
  std::string fault;
  std::shared_ptr<runtime::pack> opened = runtime::pack::open(path, {}, fault);
  if (opened == nullptr)
    throw failure(fmt::format("pack '{}' cannot be used: {}", path, fault), exit_code::no);
  return opened;
}

pack_secret_key read_secret_key(const std::string& path) {
  const std::optional<pack_secret_key> key = parse_pack_secret_key(runtime::read_whole_file(path));
  if (!key)
    throw failure(fmt::format(
        "{} is no secret key, which has 64 hexadecimal digits; 'sinter pack keys' makes one", path));
  return *key;
}

}  // namespace sinter::inline v0::command
