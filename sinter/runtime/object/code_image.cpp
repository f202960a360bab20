#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/code_image.hpp>

namespace sinter {
namespace {

// The facts of the formats that are used here, all little-endian. ELF: the System V ABI. Fatbin: a header of
// magic, version, its own size and the size of what follows it; then elements, each again with a header that
// gives both sizes. LTO-IR: known by its magic alone.
constexpr std::uint32_t fatbin_magic = 0xBA55ED50;
constexpr std::uint32_t lto_ir_magic = 0x7F4E43ED;
constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";
constexpr std::size_t elf_header_bytes = 64, section_header_bytes = 64, program_header_bytes = 56,
                      symbol_bytes = 24, fatbin_header_bytes = 16;
constexpr std::uint16_t machine_cuda = 190;
constexpr std::uint32_t section_symbols = 2, section_no_bits = 8, section_dynamic_symbols = 11;

// Reads numbers at offsets; what lies outside reads as zero, and whoever needs to know asks holds().
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

  bool holds(std::uint64_t offset, std::uint64_t count) const {
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }
  template <class Number>
  Number at(std::uint64_t offset) const {
    Number value = 0;
    if (holds(offset, sizeof value)) std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  // Text up to a zero; none where that is missing.
  std::string_view text_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(offset);
    const std::size_t end = rest.find('\0');
    return end == rest.npos ? std::string_view{} : rest.substr(0, end);
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

struct elf_section {
  std::uint32_t type = 0, link = 0;
  std::uint64_t offset = 0, size = 0;
};

class elf_reader {
 public:
  explicit elf_reader(std::string_view bytes) : read_(bytes) {}

  // Only 64-bit little-endian code: nothing else can be loaded here.
  static bool is(std::string_view bytes) {
    return bytes.size() >= 20 && bytes.substr(0, 4) == elf_magic && bytes[4] == 2 && bytes[5] == 1;
  }
  bool is_cuda() const { return read_.at<std::uint16_t>(18) == machine_cuda; }

  // CUDA 13 moved the architecture one byte up, and says so by another version of its binary interface.
  int cuda_architecture() const {
    const auto flags = read_.at<std::uint32_t>(48);
    return static_cast<int>(read_.at<std::uint8_t>(8) >= 8 ? flags >> 8 & 0xff : flags & 0xff);
  }
  unsigned section_count() const { return read_.at<std::uint16_t>(60); }
  elf_section section(unsigned index) const {
    const std::uint64_t at = read_.at<std::uint64_t>(40) + std::uint64_t{index} * section_header_bytes;
    return {read_.at<std::uint32_t>(at + 4), read_.at<std::uint32_t>(at + 40),
            read_.at<std::uint64_t>(at + 24), read_.at<std::uint64_t>(at + 32)};
  }

  // Whether everything that its headers speak of is there.
  bool complete() const {
    if (read_.size() < elf_header_bytes) return false;
    const std::uint64_t programs = read_.at<std::uint16_t>(56), sections = section_count();
    if (programs != 0 && read_.at<std::uint16_t>(54) != program_header_bytes) return false;
    if (sections != 0 && read_.at<std::uint16_t>(58) != section_header_bytes) return false;
    const auto program_table = read_.at<std::uint64_t>(32), section_table = read_.at<std::uint64_t>(40);
    if (!read_.holds(program_table, programs * program_header_bytes)) return false;
    if (!read_.holds(section_table, sections * section_header_bytes)) return false;
    for (std::uint64_t i = 0; i < programs; ++i) {
      const std::uint64_t at = program_table + i * program_header_bytes;
      if (!read_.holds(read_.at<std::uint64_t>(at + 8), read_.at<std::uint64_t>(at + 32))) return false;
    }
    for (unsigned i = 0; i < sections; ++i) {
      const elf_section each = section(i);
      if (each.type != section_no_bits && !read_.holds(each.offset, each.size)) return false;
    }
    return true;
  }

  // Whether there is a section that the host compilers of CUDA put device code in.
  bool embeds_device_code() const {
    const elf_section names = section(read_.at<std::uint16_t>(62));
    for (unsigned i = 0; i < section_count(); ++i) {
      const std::uint64_t at = read_.at<std::uint64_t>(40) + std::uint64_t{i} * section_header_bytes;
      const std::string_view name = read_.text_at(names.offset + read_.at<std::uint32_t>(at));
      if (name == ".nv_fatbin" || name == "__nv_relfatbin") return true;
    }
    return false;
  }

  enum class wanted { called, strong };

  // Functions that are defined here and seen from outside: of a cubin the kernels, or all that are strong.
  std::vector<std::string> functions(wanted which) const {
    std::vector<std::string> names;
    const bool cuda = is_cuda();
    for (unsigned i = 0; i < section_count(); ++i) {
      const elf_section symbols = section(i);
      if (symbols.type != (cuda ? section_symbols : section_dynamic_symbols)) continue;
      const elf_section text = section(symbols.link);
      for (std::uint64_t at = 0; at + symbol_bytes <= symbols.size; at += symbol_bytes) {
        const std::uint64_t symbol = symbols.offset + at;
        const auto kind = read_.at<std::uint8_t>(symbol + 4), other = read_.at<std::uint8_t>(symbol + 5);
        constexpr unsigned function = 2, local = 0, weak = 2, kernel = 0x10;
        if (kind >> 4 == weak && which == wanted::strong) continue;
        if ((kind & 15u) != function || kind >> 4 == local || read_.at<std::uint16_t>(symbol + 6) == 0)
          continue;
        if (cuda && (other & kernel) == 0 && which == wanted::called) continue;
        const std::string_view name = read_.text_at(text.offset + read_.at<std::uint32_t>(symbol));
        if (!name.empty()) names.emplace_back(name);
      }
    }
    return names;
  }

 private:
  byte_reader read_;
};

bool fatbin_complete(std::string_view bytes) {
  const byte_reader read(bytes);
  const std::uint64_t header = read.at<std::uint16_t>(6), size = read.at<std::uint64_t>(8);
  if (header < fatbin_header_bytes || !read.holds(header, size)) return false;
  for (std::uint64_t at = header; at < header + size;) {
    const std::uint64_t element_header = read.at<std::uint32_t>(at + 4),
                        payload = read.at<std::uint64_t>(at + 8);
    if (element_header < 16 || !read.holds(at + element_header, payload)) return false;
    at += element_header + payload;
  }
  return true;
}

// PTX as words: directives, names, punctuation by single characters. Comments and white space are passed
// over.
class ptx_words {
 public:
  explicit ptx_words(std::string_view text) : rest_(text) {}

  // The next word, or nothing at the end.
  std::string_view next() {
    pass_over_blanks();
    if (rest_.empty()) return {};
    const auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '$' || c == '%' || c == '.';
    };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), in_word);
    const auto length = std::max<std::size_t>(1, static_cast<std::size_t>(end - rest_.begin()));
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  void pass_over_blanks() {
    while (!rest_.empty()) {
      if (rest_.front() == ' ' || (rest_.front() >= '\t' && rest_.front() <= '\r'))
        rest_.remove_prefix(1);
      else if (rest_.substr(0, 2) == "//")
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      else if (rest_.substr(0, 2) == "/*")
        rest_.remove_prefix(std::min(rest_.find("*/", 2), rest_.size() - 2) + 2);
      else
        return;
    }
  }
  std::string_view rest_;
};

int ptx_architecture(std::string_view text) {
  ptx_words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".target") continue;
    std::string_view name = words.next();
    if (name.substr(0, 3) != "sm_") return 0;
    name.remove_prefix(3);
    int number = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(name.size(), 4) && name[i] >= '0' && name[i] <= '9';
         ++i)
      number = number * 10 + (name[i] - '0');
    return number;
  }
  return 0;
}

std::vector<std::string> ptx_entries(std::string_view text) {
  std::vector<std::string> names;
  ptx_words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    if (word == ".entry")
      if (const std::string_view name = words.next(); !name.empty()) names.emplace_back(name);
  return names;
}

// ".visible .entry f(...)" and ".visible .func (.param .b32 r) f(...)", the latter maybe declared before.
std::vector<std::string> ptx_definitions(std::string_view text) {
  std::vector<std::string> names;
  ptx_words words(text);
  std::string_view before;
  for (std::string_view word = words.next(); !word.empty(); before = word, word = words.next()) {
    if (before != ".visible" || (word != ".entry" && word != ".func")) continue;
    std::string_view name = words.next();
    if (name == "(") {
      while (!name.empty() && name != ")") name = words.next();
      name = words.next();
    }
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  return names;
}

}  // namespace

const char* to_string(code_format format) {
  switch (format) {
    case code_format::cubin:
      return "cubin";
    case code_format::ptx:
      return "PTX";
    case code_format::lto_ir:
      return "LTO-IR";
    case code_format::fatbin:
      return "fatbin";
    case code_format::elf:
      return "ELF";
  }
  return "";
}

bool recognise_format(std::string_view bytes, code_format& format) noexcept {
  const auto magic = byte_reader(bytes).at<std::uint32_t>(0);
  if (magic == fatbin_magic)
    format = code_format::fatbin;
  else if (magic == lto_ir_magic)
    format = code_format::lto_ir;
  else if (elf_reader::is(bytes))
    format = elf_reader(bytes).is_cuda() ? code_format::cubin : code_format::elf;
  else if (ptx_words(bytes).next() == ".version")
    format = code_format::ptx;
  else
    return false;
  return true;
}

code_image recognise(std::string bytes, std::string_view origin) {
  code_image image;
  if (!recognise_format(bytes, image.format))
    throw device_error(fmt::format(
        "{} of {} bytes is no compiled code: cubin, PTX, LTO-IR, fatbin and 64-bit ELF shared objects "
        "are known; was it cut short, or is it source text, which has to be compiled first?",
        origin, bytes.size()));
  image.bytes = std::move(bytes);
  if (image.format == code_format::cubin) image.architecture = elf_reader(image.bytes).cuda_architecture();
  if (image.format == code_format::ptx) image.architecture = ptx_architecture(image.bytes);
  return image;
}

std::string fault_of(const code_image& image) {
  code_format found{};
  if (!recognise_format(image.bytes, found))
    return fmt::format("its {} bytes are no {}", image.bytes.size(), to_string(image.format));
  if (found != image.format)
    return fmt::format("its {} bytes are {}, not {}", image.bytes.size(), to_string(found),
                       to_string(image.format));
  bool complete = true;
  if (found == code_format::cubin || found == code_format::elf) complete = elf_reader(image.bytes).complete();
  if (found == code_format::fatbin) complete = fatbin_complete(image.bytes);
  if (found == code_format::ptx) complete = ptx_architecture(image.bytes) != 0;
  if (complete) return {};
  return fmt::format("it was cut short: {} bytes are there, and its headers speak of more",
                     image.bytes.size());
}

std::vector<std::string> strong_definitions_of(const code_image& image) {
  if (!fault_of(image).empty()) return {};
  if (image.format == code_format::ptx) return ptx_definitions(image.bytes);
  if (image.format == code_format::cubin)
    return elf_reader(image.bytes).functions(elf_reader::wanted::strong);
  return {};
}

bool has_device_code(const code_image& image) {
  return image.format != code_format::elf ||
         (fault_of(image).empty() && elf_reader(image.bytes).embeds_device_code());
}

std::vector<std::string> entries_of(const code_image& image) {
  if (!fault_of(image).empty()) return {};
  if (image.format == code_format::ptx) return ptx_entries(image.bytes);
  if (image.format == code_format::cubin || image.format == code_format::elf)
    return elf_reader(image.bytes).functions(elf_reader::wanted::called);
  return {};
}

}  // namespace sinter
