#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/linker.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

namespace sinter::inline v0 {
namespace {

using runtime::cuda_link_input;
using runtime::nvJitLinkInputType;

constexpr std::string_view archive_magic = "!<arch>\n";

nvJitLinkInputType input_type(code_format format) {
  switch (format) {
    case code_format::cubin:
      return nvJitLinkInputType::cubin;
    case code_format::ptx:
      return nvJitLinkInputType::ptx;
    case code_format::lto_ir:
      return nvJitLinkInputType::lto_ir;
    case code_format::fatbin:
      return nvJitLinkInputType::fatbin;
    case code_format::elf:
      break;
  }
  return nvJitLinkInputType::object;
}

// Higher is better; -1: cannot be linked for that architecture.
int fitness(const code_image& image, int architecture) {
  const int of = image.architecture;
  switch (image.format) {
    case code_format::lto_ir:
      return 30000;
    case code_format::cubin:
      return of == 0 || (of / 10 == architecture / 10 && of <= architecture) ? 20000 + of : -1;
    case code_format::fatbin:
      return 10000;
    case code_format::ptx:
      return of <= architecture ? 1 + of : -1;
    case code_format::elf:
      return has_device_code(image) ? 0 : -1;
  }
  return -1;
}

std::string name_of(const object_code& code) {
  return code.entry().empty() ? code.origin() : fmt::format("'{}' ({})", code.entry(), code.origin());
}

const code_image& chosen_image(const object_code& code, int architecture) {
  const code_image* best = nullptr;
  for (const code_image& image : code.images())
    if (fitness(image, architecture) >= (best != nullptr ? fitness(*best, architecture) + 1 : 0))
      best = &image;
  if (best == nullptr) {
    std::string list;
    for (const code_image& image : code.images())
      list += fmt::format("{}{} for {}.{}", list.empty() ? "" : ", ", to_string(image.format),
                          image.architecture / 10, image.architecture % 10);
    throw compile_error(
        fmt::format(
            "{} cannot be linked for compute capability {}.{}: there is {}; compile it for that one, or to "
            "LTO-IR, which links for all later ones",
            name_of(code), architecture / 10, architecture % 10, list.empty() ? "nothing" : list),
        {}, {});
  }
  // nvJitLink trusts headers: a truncated cubin would crash the process.
  if (const std::string fault = fault_of(*best); !fault.empty())
    throw compile_error(
        fmt::format("the {} of {} cannot be linked: {}", to_string(best->format), name_of(code), fault), {},
        {});
  return *best;
}

// Faults of the inputs that do not depend on the architecture.
void require_device_code(std::span<const object_code> inputs, const link_options& options) {
  if (inputs.empty() && options.libraries.empty())
    throw compile_error("linking needs object code, and none was given", {}, {});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const object_code& code = inputs[i];
    if (!code)
      throw compile_error(
          fmt::format("input {} of a link is an empty object_code, made by object_code{{}} or moved from",
                      i + 1),
          {}, {});
    if (std::none_of(code.images().begin(), code.images().end(), has_device_code))
      throw compile_error(
          code.images().empty()
              ? fmt::format("{} cannot be linked: it has no images", name_of(code))
              : fmt::format("{} cannot be linked: it is ELF code for the CPU and holds none for a GPU; give "
                            "link() the LTO-IR, PTX, cubin or fatbin of the same function",
                            name_of(code)),
          {}, {});
  }
}

// Given two definitions of one name, nvJitLink uses the first and only prints to standard error.
class known_definitions {
 public:
  void add(const std::vector<std::string>& names, const std::string& by) {
    for (const std::string& name : names) {
      const auto [known, is_new] = by_.try_emplace(name, by);
      if (!is_new && known->second != by)
        throw compile_error(fmt::format("'{}' is defined by {} and by {}: leave one of them out, or give the "
                                        "functions names of their own",
                                        name, known->second, by),
                            {}, {});
    }
  }
  bool empty() const { return by_.empty(); }

 private:
  std::map<std::string, std::string> by_;
};

// LTO-IR has no readable names. The names given with it are used; otherwise it is translated to PTX, which
// works despite undefined functions. The linker checks such inputs against each other.
void add_definitions_of_lto_ir(std::span<const cuda_link_input> inputs, std::span<const object_code> codes,
                               int architecture, known_definitions& to) {
  std::vector<cuda_link_input> untold;
  std::string names;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type != nvJitLinkInputType::lto_ir) continue;
    if (i < codes.size() && !codes[i].entry().empty()) {
      to.add(codes[i].entries(), fmt::format("{} (input {})", inputs[i].name, i + 1));
      continue;
    }
    untold.push_back(inputs[i]);
    names += fmt::format("{}{} (input {})", names.empty() ? "" : " or ", inputs[i].name, i + 1);
  }
  if (untold.empty()) return;
  code_image image{code_format::ptx, architecture, {}};
  image.bytes = link_cuda(untold, {architecture, runtime::cuda_code::ptx}, "", {}).code;
  to.add(strong_definitions_of(image), names);
}

int architecture_of(std::span<const object_code> inputs, const link_options& options) {
  if (options.architecture != 0) return options.architecture;
  for (const object_code& code : inputs)
    for (const code_image& image : code.images())
      if (image.architecture != 0) return image.architecture;
  throw compile_error(
      "linking needs an architecture, and no input tells one: set link_options::architecture, to 90 "
      "for compute capability 9.0",
      {}, {});
}

void require_entries(const std::vector<std::string>& wanted, const std::vector<std::string>& made) {
  for (const std::string& entry : wanted)
    if (std::find(made.begin(), made.end(), entry) == made.end())
      throw compile_error(
          fmt::format("what was linked has no kernel '{}': it has {}; is it declared extern \"C\"?", entry,
                      made.empty() ? "none" : fmt::format("{}", fmt::join(made, ", "))),
          {}, {});
}

}  // namespace

object_code link(std::span<const object_code> inputs, const link_options& options) {
  const auto begin = std::chrono::steady_clock::now();
  require_device_code(inputs, options);
  const int architecture = architecture_of(inputs, options);
  std::vector<cuda_link_input> all;
  known_definitions definitions;
  for (const object_code& code : inputs) {
    const code_image& image = chosen_image(code, architecture);
    all.push_back({input_type(image.format), image.bytes, name_of(code)});
    definitions.add(strong_definitions_of(image), fmt::format("{} (input {})", name_of(code), all.size()));
  }
  std::deque<std::string> files;
  for (const std::string& path : options.libraries) {
    const std::string& bytes = files.emplace_back(runtime::read_whole_file(path));
    nvJitLinkInputType type = nvJitLinkInputType::library;
    if (bytes.substr(0, archive_magic.size()) != archive_magic) {
      code_image image{code_format::elf, 0, bytes};
      if (recognise_format(bytes, image.format)) type = input_type(image.format);
      if (const std::string fault = fault_of(image); !fault.empty())
        throw compile_error(fmt::format("file {} cannot be linked: {}", path, fault), {}, {});
      if (!has_device_code(image))
        throw compile_error(
            fmt::format("file {} cannot be linked: it is ELF code for the CPU and holds none for a GPU",
                        path),
            {}, {});
      definitions.add(strong_definitions_of(image), "file " + path);
    }
    all.push_back({type, bytes, "file " + path});
  }

  if (!definitions.empty()) add_definitions_of_lto_ir(all, inputs, architecture, definitions);

  const auto code = options.ptx ? runtime::cuda_code::ptx : runtime::cuda_code::cubin;
  runtime::cuda_link_result made = link_cuda(
      all, {architecture, code}, options.entries.empty() ? "" : options.entries.front(), options.options);
  std::vector<code_image> images;
  images.push_back({options.ptx ? code_format::ptx : code_format::cubin, architecture, std::move(made.code)});
  const std::vector<std::string> entries = entries_of(images[0]);
  require_entries(options.entries, entries);

  object_facts facts;
  const runtime::kernel_resources used = options.entries.empty() && !entries.empty()
                                             ? runtime::parse_ptxas_log(made.log, entries[0])
                                             : made.resources;
  facts.registers = used.registers;
  if (used.spill_store_bytes >= 0 && used.spill_load_bytes >= 0)
    facts.spill_bytes = used.spill_store_bytes + used.spill_load_bytes;
  facts.shared_bytes = used.shared_bytes;
  facts.log = std::move(made.log);
  const runtime::nvjitlink_api& api = runtime::require_nvjitlink();
  facts.compiler = fmt::format("nvjitlink {}.{}", api.major, api.minor);
  facts.compile_milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return object_code(std::move(images), options.entries.empty() ? entries : options.entries, std::move(facts),
                     "linked");
}

}  // namespace sinter::inline v0
