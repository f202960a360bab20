#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/extern_function.hpp>
#include <sinter/runtime/object/linker.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

// The object that external_function::code points to.
struct external_code {
  device_source source;
  renewed_mutex compiling;
  std::map<int, object_code> compiled;  // CUDA code of a text, by architecture; guarded by the table's lock
};

// Each part is prefixed with its length, so that different lists of parts differ.
void append_part(std::string& to, std::string_view part) {
  to += std::to_string(part.size());
  to += ':';
  to += part;
}

std::array<std::uint64_t, 2> hash_unless_empty(const std::string& content) {
  if (content.empty()) return {};
  const content_hash hash = hash_of_content(content);
  return {hash.low, hash.high};
}

std::array<std::uint64_t, 2> cuda_content(const device_source& source) {
  std::string content;
  if (!source.cuda.empty()) {
    append_part(content, "text");
    append_part(content, source.cuda);
  } else if (source.code) {
    for (const code_image& image : source.code.images()) {
      append_part(content, to_string(image.format));
      append_part(content, std::to_string(image.architecture));
      append_part(content, image.bytes);
    }
  }
  return hash_unless_empty(content);
}

std::array<std::uint64_t, 2> cpu_content(const device_source& source) {
  std::string content;
  if (!source.cpp.empty() || !source.bitcode.empty()) {
    append_part(content, source.cpp.empty() ? "bitcode" : "text");
    append_part(content, source.cpp.empty() ? source.bitcode : source.cpp);
  }
  return hash_unless_empty(content);
}

std::string list_of_forms(const device_source& source, std::uint64_t address) {
  std::vector<std::string> forms;
  if (!source.cuda.empty()) forms.emplace_back("CUDA C++ text");
  if (source.code)
    for (const code_image& image : source.code.images())
      forms.push_back(fmt::format("{} for CUDA", to_string(image.format)));
  if (!source.cpp.empty()) forms.emplace_back("C++ text for the CPU");
  if (!source.bitcode.empty()) forms.emplace_back("LLVM bitcode for the CPU");
  if (address != 0) forms.emplace_back("a function pointer for the CPU");
  return forms.empty() ? "none" : fmt::format("{}", fmt::join(forms, ", "));
}

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void require_identifier(const std::string& name) {
  if (!is_identifier(name))
    throw error(
        fmt::format("extern_function '{}': the name of an extern \"C\" function has letters, digits and "
                    "underscores only",
                    name));
}

bool same_function(const external_function& a, const external_function& b) {
  return a.name == b.name && a.result == b.result && a.arguments == b.arguments && a.arity == b.arity &&
         a.cuda == b.cuda && a.cpu == b.cpu && a.cuda_content == b.cuda_content &&
         a.cpu_content == b.cpu_content && a.address == b.address;
}

struct external_table {
  fork_mutex guard;
  std::unordered_multimap<std::string, const external_function*> functions;  // by name
};

// Never destroyed: graphs hold the functions' addresses until the process ends.
external_table& table() {
  static auto& functions = *new external_table;
  return functions;
}

external_code& code_of(const external_function& called) {
  return *static_cast<external_code*>(const_cast<void*>(called.code));
}

// Macros that NVRTC defines and headers test; one architecture stands for all, because conditions remain in
// the text.
constexpr const char* cuda_macros[] = {"__CUDACC__=1", "__CUDACC_RTC__=1", "__CUDA_ARCH__=900"};

// Whether the text has an #include: only then is Clang's library needed.
bool includes_anything(std::string_view text) {
  for (std::size_t at = text.find("include"); at != text.npos; at = text.find("include", at + 1)) {
    const std::size_t before = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (at == 0 || before == text.npos || text[before] != '#') continue;
    const std::size_t begin = before == 0 ? text.npos : text.find_last_not_of(" \t", before - 1);
    if (begin == text.npos || text[begin] == '\n') return true;
  }
  return false;
}

// The texts with their headers expanded.
device_source with_headers(device_source source, const std::string& name) {
  const auto expand = [&](std::string& text, const char* suffix, std::span<const char* const> macros) {
    if (includes_anything(text)) text = expand_user_headers(text, name + suffix, source.folders, macros);
  };
  expand(source.cuda, ".cu", cuda_macros);
  expand(source.cpp, ".cpp", {});
  source.folders.clear();
  return source;
}

// Options beside the defaults, because the code is linked.
std::span<const std::string> linked_options() {
  static const auto& options = *new std::vector<std::string>{"--relocatable-device-code=true"};
  return options;
}

object_code compile_part(std::string_view source, const std::string& name, std::vector<std::string> entries,
                         int architecture) {
  code_image image{code_format::lto_ir, 0, {}};
  image.bytes =
      compile_cuda(source, (name + ".cu").c_str(), "", {architecture, cuda_code::lto_ir}, linked_options())
          .code;
  std::vector<code_image> images;
  images.push_back(std::move(image));
  return object_code(std::move(images), std::move(entries), {}, name);
}

// The code to link for an architecture; a text is compiled once for each.
object_code cuda_code_of(const external_function& called, int architecture) {
  external_code& code = code_of(called);
  if (code.source.cuda.empty())
    return object_code(code.source.code.images(), called.name, {}, code.source.code.origin());
  const std::lock_guard one_compile(code.compiling.own());
  {
    const std::lock_guard lock(table().guard);
    if (const auto at = code.compiled.find(architecture); at != code.compiled.end()) return at->second;
  }
  object_code made = compile_part(code.source.cuda, called.name, {called.name}, architecture);
  const std::lock_guard lock(table().guard);
  return code.compiled.insert_or_assign(architecture, std::move(made)).first->second;
}

}  // namespace

const external_function& intern_external(const external_signature& types, const std::string& name,
                                         const device_source& given, std::uint64_t address) {
  require_identifier(name);
  return intern_expanded(types, name, with_headers(given, name), address);
}

const external_function& intern_expanded(const external_signature& types, const std::string& name,
                                         const device_source& source, std::uint64_t address) {
  require_identifier(name);
  external_function made;
  made.name = name;
  made.result = types.result;
  made.arguments = types.arguments;
  made.arity = types.arity;
  made.call = types.call;
  made.address = address;
  made.cuda_content = cuda_content(source);
  made.cpu_content = cpu_content(source);
  if (!source.cuda.empty() || source.code) made.cuda = external_form::linked;
  if (!source.cpp.empty() || !source.bitcode.empty())
    made.cpu = external_form::linked;
  else if (address != 0)
    made.cpu = external_form::pointer;
  made.forms = list_of_forms(source, address);

  external_table& all = table();
  const std::lock_guard lock(all.guard);
  const auto [first, last] = all.functions.equal_range(name);
  for (auto at = first; at != last; ++at)
    if (same_function(*at->second, made)) return *at->second;
  auto* const code = new external_code;
  code->source = source;
  made.code = code;
  const auto* kept = new external_function(std::move(made));
  all.functions.emplace(name, kept);
  return *kept;
}

const device_source& source_of(const external_function& called) { return code_of(called).source; }

const std::string& external_link_options() {
  static const auto& all = *new std::string(
      fmt::format("{} {}", linked_options().front(), fmt::join(default_nvjitlink_options(), " ")));
  return all;
}

object_code link_external_calls(const kernel_text& text, int architecture, bool ptx) {
  std::vector<object_code> parts{compile_part(text.source, text.entry, {text.entry}, architecture)};
  for (const external_function* called : text.linked) parts.push_back(cuda_code_of(*called, architecture));
  link_options options;
  options.architecture = architecture;
  options.entries = {text.entry};
  options.ptx = ptx;
  return sinter::link(parts, options);
}

}  // namespace sinter::inline v0::runtime
