#pragma once
// Containers of device code in the compilers' formats, made without a compiler: fatbins, and host objects
// that contain them.

#include <cstdint>
#include <string>

#include <sinter/runtime/object/code_image.hpp>

namespace sinter::test {

template <class Number>
void append(std::string& to, Number value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A fatbin of one uncompressed image: two headers, each with its own size and the size of what follows.
inline std::string fatbin_of(const code_image& image) {
  std::string element;
  append<std::uint16_t>(element, image.format == code_format::cubin ? 2 : 1);
  append<std::uint16_t>(element, 0x101);
  append<std::uint32_t>(element, 64);
  const std::size_t padded = (image.bytes.size() + 7) / 8 * 8;
  append<std::uint64_t>(element, padded);
  append<std::uint64_t>(element, 0);
  append<std::uint32_t>(element, 0x10008);
  append<std::uint32_t>(element, static_cast<std::uint32_t>(image.architecture));
  append<std::uint64_t>(element, 0);
  append<std::uint64_t>(element, 0x11);
  element.resize(64, '\0');
  element += image.bytes;
  element.resize(64 + padded, '\0');
  std::string whole;
  append<std::uint32_t>(whole, 0xBA55ED50);
  append<std::uint16_t>(whole, 1);
  append<std::uint16_t>(whole, 16);
  append<std::uint64_t>(whole, element.size());
  return whole + element;
}

/// A relocatable host object with the two sections of nvcc -dc for device code: fatbin and pointer.
inline std::string host_object_of(const std::string& fatbin) {
  const std::string names("\0__nv_relfatbin\0.nvFatBinSegment\0.shstrtab\0", 44);
  std::string segment;
  append<std::uint32_t>(segment, 0x466243b1);
  append<std::uint32_t>(segment, 1);
  segment.resize(24, '\0');
  const std::size_t at_code = 64 + (names.size() + 7) / 8 * 8, at_segment = at_code + fatbin.size();
  std::string object(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  object.resize(16, '\0');
  append<std::uint16_t>(object, 1);   // relocatable
  append<std::uint16_t>(object, 62);  // x86-64
  append<std::uint32_t>(object, 1);
  append<std::uint64_t>(object, 0);
  append<std::uint64_t>(object, 0);
  append<std::uint64_t>(object, at_segment + segment.size());  // the section headers are at the end
  append<std::uint32_t>(object, 0);
  for (const int half : {64, 0, 0, 64, 4, 3}) append<std::uint16_t>(object, static_cast<std::uint16_t>(half));
  object += names;
  object.resize(at_code, '\0');
  object += fatbin + segment;
  const auto section = [&](std::uint32_t name, std::uint32_t type, std::uint64_t offset, std::uint64_t size) {
    append<std::uint32_t>(object, name);
    append<std::uint32_t>(object, type);
    append<std::uint64_t>(object, type == 1 ? 2 : 0);  // loaded into memory
    append<std::uint64_t>(object, 0);
    append<std::uint64_t>(object, offset);
    append<std::uint64_t>(object, size);
    append<std::uint64_t>(object, 0);
    append<std::uint64_t>(object, type == 0 ? 0 : 8);
    append<std::uint64_t>(object, 0);
  };
  section(0, 0, 0, 0);
  section(1, 1, at_code, fatbin.size());
  section(16, 1, at_segment, segment.size());
  section(33, 3, 64, names.size());
  return object;
}

/// A library of one object, in the format of ar.
inline std::string archive_of(const std::string& object) {
  std::string size = std::to_string(object.size());
  size.resize(10, ' ');
  return "!<arch>\nhelper.o/       0           0     0     644     " + size + "`\n" + object +
         (object.size() % 2 != 0 ? "\n" : "");
}

}  // namespace sinter::test
