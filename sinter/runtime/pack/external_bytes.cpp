#include <utility>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/codegen/base/error.hpp>
#include <sinter/runtime/object/extern_function.hpp>
#include <sinter/runtime/pack/external_bytes.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr auto last_type = static_cast<element_type>(element_types.size() - 1);
constexpr auto last_format = code_format::elf;

// Stands for a function of the recording program: kernels are compiled for a call of it, which never runs
// here.
void function_of_another_process() {
  throw error("an external function that was recorded by its pointer can be called in its own program only");
}

void call_of_another_process(std::uint64_t, const std::uint64_t*, std::uint64_t*) {
  function_of_another_process();
}

element_type read_type(byte_reader& from) {
  const auto type = from.take_enumerator(last_type);
  if (is_storage_only(type)) from.refuse();  // the same check as in extern_function
  return type;
}

void write(const external_function& called, byte_writer& to) {
  to.put_text(called.name);
  to.put(called.result);
  to.put(called.arity);
  for (unsigned i = 0; i < called.arity; ++i) to.put(called.arguments[i]);
  to.put(static_cast<std::uint8_t>(called.address != 0));
  const device_source& source = source_of(called);
  to.put_text(source.cuda);
  to.put_text(source.cpp);
  to.put_text(source.bitcode);
  to.put(static_cast<std::uint32_t>(source.code ? source.code.images().size() : 0));
  if (!source.code) return;
  for (const code_image& image : source.code.images()) {
    to.put(image.format);
    to.put(image.architecture);
    to.put_text(image.bytes);
  }
}

const external_function* read_external(byte_reader& from) {
  external_signature types;
  types.call = call_of_another_process;
  std::string name(from.take_text());
  types.result = read_type(from);
  types.arity = from.take<std::uint8_t>();
  if (types.arity == 0 || types.arity > max_external_arguments) from.refuse();
  for (unsigned i = 0; i < types.arity && from.good(); ++i) types.arguments[i] = read_type(from);
  const auto has_pointer = from.take<std::uint8_t>();
  if (has_pointer > 1) from.refuse();
  device_source source;
  source.cuda = from.take_text();
  source.cpp = from.take_text();
  source.bitcode = from.take_text();
  std::vector<code_image> images;
  for (std::uint32_t left = from.take_count(9); left > 0 && from.good(); --left) {
    code_image image;
    image.format = from.take_enumerator(last_format);
    image.architecture = from.take<int>();
    image.bytes = from.take_text();
    images.push_back(std::move(image));
  }
  if (!from.good()) return nullptr;
  if (!images.empty()) source.code = object_code(std::move(images), std::vector{name}, {}, "a recording");
  return &intern_expanded(
      types, name, source,
      has_pointer != 0 ? reinterpret_cast<std::uintptr_t>(&function_of_another_process) : 0);
}

}  // namespace

std::string to_bytes(std::span<const external_function* const> called) {
  byte_writer all;
  all.put(static_cast<std::uint32_t>(called.size()));
  for (const external_function* each : called) write(*each, all);
  return std::move(all.bytes);
}

bool read_externals(std::string_view bytes, std::vector<const external_function*>& to, std::string& fault) {
  to.clear();
  byte_reader from(bytes);
  try {
    constexpr std::size_t min_bytes = 24;
    for (std::uint32_t left = from.take_count(min_bytes); left > 0 && from.good(); --left)
      to.push_back(read_external(from));
  } catch (const error& refused) {
    fault = refused.what();
    return false;
  }
  if (from.good() && from.at_end()) return true;
  fault = "its bytes are not those of users' functions";
  return false;
}

}  // namespace sinter::inline v0::runtime
