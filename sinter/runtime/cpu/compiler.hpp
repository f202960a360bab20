#pragma once
// The CPU target's compiler: a separate library, opened when the first kernel is compiled.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// Measured over the golden texts (bench/compile_time/quick_compiles.py): a quick compile takes a fifth of
/// the time; -O1 would take nine tenths.
enum class cpu_effort : std::uint8_t { optimised, quick };

/// The result of a compile.
struct cpu_compile_result {
  std::string object;  ///< a shared object without undefined symbols
  std::string log;     ///< diagnostics, mostly none
};

/// Code that a kernel calls, linked with it before optimisation.
struct cpu_linked_code {
  std::string_view bytes;  ///< C++ text, or LLVM bitcode for x86-64
  std::string name;        ///< for messages
  bool is_text = false;
};

/// Compiles C++ for the processor of this process, or for the one named, such as "x86-64-v3"
/// (codegen/target/cpu_levels.hpp). Safe from several threads at once. Throws compile_error with source and
/// log; device_error if the compiler's library is missing. The next compile tries to open the library again.
cpu_compile_result compile_cpu(std::string_view source, const char* name,
                               std::span<const cpu_linked_code> linked = {},
                               cpu_effort effort = cpu_effort::optimised, std::string_view processor = {});

/// The assembly of what compile_cpu() makes of the same text. Throws what compile_cpu() throws.
std::string cpu_assembly(std::string_view source, const char* name,
                         std::span<const cpu_linked_code> linked = {}, std::string_view processor = {});

/// Replaces the include directives of a user's text by the headers' contents. Conditions and macros remain;
/// paths do not. `macros` are those of the text's compiler ("NAME=VALUE"). Reads files below the folders.
/// Throws compile_error with the chain of includes that leads to a missing header; device_error if the
/// compiler's library is missing.
std::string expand_user_headers(const std::string& source, const std::string& name,
                                std::span<const std::string> folders, std::span<const char* const> macros);

/// How compile_cpu() compiles, as text for a cache's key: it changes whenever the same text compiles to
/// other code. Opens nothing.
std::string_view cpu_compile_options();

/// "clang 19.1.7"; opens the library. Throws device_error if it is missing.
std::string cpu_compiler_version();

}  // namespace sinter::inline v0::runtime
