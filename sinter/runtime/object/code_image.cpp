#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/runtime/base/elf_reader.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/code_image.hpp>

namespace sinter::inline v0 {
namespace {

// Format constants that <elf.h> lacks, all little-endian. A fatbin has a header of magic, version, its own
// size and the size of the rest; then elements, each with a header that has both sizes. LTO-IR is recognised
// by its magic alone.
constexpr std::uint32_t fatbin_magic = 0xBA55ED50;
constexpr std::uint32_t lto_ir_magic = 0x7F4E43ED;
constexpr std::uint8_t cuda_kernel = 0x10;     // in st_other of a symbol
constexpr std::uint8_t cuda_abi_since_13 = 8;  // of e_ident[EI_ABIVERSION]

struct fatbin_header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};
struct fatbin_element {
  std::uint32_t kind, header_bytes;
  std::uint64_t bytes;
};

bool is_cubin(const elf_reader& from) { return from.header().e_machine == EM_CUDA; }

// CUDA 13 moved the architecture up by one byte, and raised the ABI version.
int architecture_of(const elf_reader& cubin) {
  const Elf64_Ehdr& header = cubin.header();
  const bool moved = header.e_ident[EI_ABIVERSION] >= cuda_abi_since_13;
  return static_cast<int>((moved ? header.e_flags >> 8 : header.e_flags) & 0xff);
}

// Whether there is a section in which CUDA host compilers embed device code.
bool embeds_device_code(const elf_reader& from) {
  return from.section_named(".nv_fatbin") || from.section_named("__nv_relfatbin");
}

enum class wanted : std::uint8_t { called, strong };

// Functions that are defined and visible: the kernels of a cubin, or all strong ones.
std::vector<std::string> functions_of(const elf_reader& from, wanted which) {
  std::vector<std::string> names;
  const bool cuda = is_cubin(from);
  for (unsigned i = 0; i < from.header().e_shnum; ++i) {
    const Elf64_Shdr section = from.section(i);
    if (section.sh_type != (cuda ? SHT_SYMTAB : SHT_DYNSYM)) continue;
    const std::string symbols = from.content_of(section),
                      texts = from.content_of(from.section(section.sh_link));
    byte_reader rest(symbols);
    for (std::size_t left = symbols.size() / sizeof(Elf64_Sym); left > 0; --left) {
      const auto symbol = rest.take<Elf64_Sym>();
      const unsigned binding = ELF64_ST_BIND(symbol.st_info);
      if (binding == STB_WEAK && which == wanted::strong) continue;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || binding == STB_LOCAL || symbol.st_shndx == SHN_UNDEF)
        continue;
      if (cuda && (symbol.st_other & cuda_kernel) == 0 && which == wanted::called) continue;
      if (const std::string_view name = text_in(texts, symbol.st_name); !name.empty())
        names.emplace_back(name);
    }
  }
  return names;
}

bool fatbin_complete(std::string_view bytes) {
  const byte_reader read(bytes);
  const auto header = read.at(0).take<fatbin_header>();
  if (header.header_bytes < sizeof header || !read.holds(header.header_bytes, header.bytes)) return false;
  const std::uint64_t end = header.header_bytes + header.bytes;
  for (std::uint64_t at = header.header_bytes; at < end;) {
    const auto element = read.at(at).take<fatbin_element>();
    if (element.header_bytes < sizeof element || !read.holds(at + element.header_bytes, element.bytes))
      return false;
    at += element.header_bytes + element.bytes;
  }
  return true;
}

// Splits PTX into words: directives, names, single punctuation characters. Skips comments and white space.
class ptx_words {
 public:
  explicit ptx_words(std::string_view text) : rest_(text) {}

  // The next word, or an empty one at the end.
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

// ".visible .entry f(...)" and ".visible .func (.param .b32 r) f(...)"; the latter may be declared before.
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
  const bytes_in_memory source(bytes);
  const elf_reader elf(source);
  const auto magic = byte_reader(bytes).take<std::uint32_t>();
  if (magic == fatbin_magic)
    format = code_format::fatbin;
  else if (magic == lto_ir_magic)
    format = code_format::lto_ir;
  else if (elf.is_elf())
    format = is_cubin(elf) ? code_format::cubin : code_format::elf;
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
  const bytes_in_memory source(image.bytes);
  if (image.format == code_format::cubin) image.architecture = architecture_of(elf_reader(source));
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
  const bytes_in_memory source(image.bytes);
  if (found == code_format::cubin || found == code_format::elf) complete = elf_reader(source).complete();
  if (found == code_format::fatbin) complete = fatbin_complete(image.bytes);
  if (found == code_format::ptx) complete = ptx_architecture(image.bytes) != 0;
  if (complete) return {};
  return fmt::format("it was cut short: {} bytes are there, and its headers speak of more",
                     image.bytes.size());
}

std::vector<std::string> strong_definitions_of(const code_image& image) {
  if (!fault_of(image).empty()) return {};
  if (image.format == code_format::ptx) return ptx_definitions(image.bytes);
  const bytes_in_memory source(image.bytes);
  if (image.format == code_format::cubin) return functions_of(elf_reader(source), wanted::strong);
  return {};
}

bool has_device_code(const code_image& image) {
  const bytes_in_memory source(image.bytes);
  return image.format != code_format::elf ||
         (fault_of(image).empty() && embeds_device_code(elf_reader(source)));
}

std::vector<std::string> entries_of(const code_image& image) {
  if (!fault_of(image).empty()) return {};
  if (image.format == code_format::ptx) return ptx_entries(image.bytes);
  const bytes_in_memory source(image.bytes);
  if (image.format == code_format::cubin || image.format == code_format::elf)
    return functions_of(elf_reader(source), wanted::called);
  return {};
}

}  // namespace sinter::inline v0
