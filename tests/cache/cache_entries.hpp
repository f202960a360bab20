#pragma once
// Entries for tests of the cache: small, valid, and of any number of different kernels.

#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/cache/key.hpp>

#include <cstdint>
#include <string>

namespace sinter::test {

/// The key content of kernel `number`, for a version of the emitter.
inline std::string content_of(int number, std::uint64_t emitter = 3, std::string_view options = "-O",
                              std::string_view linked = "") {
  std::string signature(reinterpret_cast<const char*>(&emitter), sizeof emitter);
  signature += "signature of kernel " + std::to_string(number);
  return runtime::key_content(
      {.signature = signature, .target = "cuda 90", .options = options, .linked = linked});
}

inline runtime::cache_entry entry_of(int number, std::size_t bytes = 1000, std::uint64_t emitter = 3) {
  runtime::cache_entry made;
  made.key_content = content_of(number, emitter);
  made.kernel = "kernel_" + std::to_string(number);
  made.text = "the text of kernel " + std::to_string(number);
  made.schedule = "rows vector=4";
  made.compiler = "nvrtc 13.0";
  made.log = "nothing to say";
  made.cuda_version = 13000;
  made.registers = 32;
  made.spill_bytes = 0;
  made.shared_bytes = 128;
  made.compile_milliseconds = 12.5;
  std::string image(bytes, '\0');
  std::uint64_t state = static_cast<std::uint64_t>(number) * 2654435761u + 1;
  for (char& byte : image)
    byte = static_cast<char>((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
  made.images.push_back({code_format::cubin, 90, image});
  return made;
}

inline runtime::cache_key key_of(int number) { return runtime::key_of(content_of(number)); }

}  // namespace sinter::test
