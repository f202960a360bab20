#pragma once
// The CPU target's compiler: a library of its own, opened when the first kernel is compiled.

#include <string>
#include <string_view>

namespace sinter::runtime {

/// What a compile gave.
struct host_compile_result {
  std::string object;  ///< a shared object without undefined symbols
  std::string log;     ///< diagnostics, mostly none
};

/// Compiles C++ for the processor that this process runs on. Safe from several threads at once. Throws
/// compile_error with source and log; device_error where the compiler's library is missing, which the next
/// compile tries to open again.
host_compile_result compile_host(std::string_view source, const char* name);

/// How compile_host() compiles, as text for a cache's key: it changes whenever other code is made of the same
/// text. Opens nothing.
std::string_view host_compile_options();

/// "clang 19.1.7"; opens the library. Throws device_error where it is missing.
std::string host_compiler_version();

}  // namespace sinter::runtime
