#include <zstd.h>

#include <charconv>
#include <string_view>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/sort/packed_headers.hpp>

namespace sinter::inline v0::runtime {
namespace {

[[noreturn]] void refuse() {
  throw device_error("the headers of CCCL that this library holds are damaged: install the library again");
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == rest.npos) refuse();
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

}  // namespace

void unpack(const packed_headers& packed, unpacked_headers& to) {
  std::string text(packed.unpacked_size, '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), packed.bytes, packed.size);
  if (ZSTD_isError(size) != 0 || size != text.size()) refuse();
  to.headers.clear();
  to.storage.clear();
  // A header needs less than it does in the packed form: two zeros for two lines' ends and a number.
  to.storage.reserve(text.size());
  const auto store = [&](std::string_view part) {
    const std::size_t at = to.storage.size();
    to.storage.append(part).push_back('\0');
    return to.storage.data() + at;
  };
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view name = take_line(rest), digits = take_line(rest);
    std::size_t length = 0;
    const std::from_chars_result read = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || length > rest.size()) refuse();
    nvrtc_header header;
    header.name = store(name);
    header.text = store(rest.substr(0, length));
    rest.remove_prefix(length);
    to.headers.push_back(header);
  }
}

}  // namespace sinter::inline v0::runtime
