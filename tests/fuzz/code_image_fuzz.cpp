// Arbitrary bytes as compiled code: everything reported about them is true, and nothing beyond them is read.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/code_image.hpp>

#include "expect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sinter;
  // a heap block of exactly this size, so that a read past it is detected
  const std::unique_ptr<char[]> copy(new char[size]);
  if (size != 0) std::memcpy(copy.get(), data, size);
  const std::string_view bytes(copy.get(), size);
  code_format format{};
  const bool known = recognise_format(bytes, format);
  try {
    const code_image image = recognise(std::string(bytes), "input");
    SINTER_FUZZ_EXPECT(known && image.format == format && image.bytes == bytes);
    SINTER_FUZZ_EXPECT(image.architecture >= 0);
  } catch (const device_error&) {
    SINTER_FUZZ_EXPECT(!known);
  }
  for (const code_format said :
       {code_format::cubin, code_format::ptx, code_format::lto_ir, code_format::fatbin, code_format::elf}) {
    const code_image image{said, 0, std::string(bytes)};
    const bool whole = fault_of(image).empty();
    SINTER_FUZZ_EXPECT(!whole || (known && said == format));
    for (const std::string& entry : entries_of(image)) {
      SINTER_FUZZ_EXPECT(whole && !entry.empty());
      SINTER_FUZZ_EXPECT(bytes.find(entry) != bytes.npos);
    }
  }
  return 0;
}
