// Opens the CPU compiler's library, compiles with it and loads the result, for its tests.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/runtime/clang/cpu_compiler.h>
#include <sinter/runtime/posix/loaded_object.hpp>

#include "../support/beside.hpp"

namespace cpu_compiler_test {

struct compiler {
  decltype(&sinter_cpu_compiler_compile) compile;
  decltype(&sinter_cpu_compiler_free) release;
  decltype(&sinter_cpu_compiler_version) version;
  decltype(&sinter_cpu_compiler_host_cpu) host_cpu;
  decltype(&sinter_cpu_compiler_host_features) host_features;
};

// SINTER_CPU_COMPILER_LIBRARY, the library's path there, comes from the build.
inline std::string library_path() {
  return sinter::test::path_beside_or("libsinter_cpu_compiler.so", SINTER_CPU_COMPILER_LIBRARY);
}

inline const compiler& get_compiler() {
  static const compiler opened = [] {
    void* library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    auto find = [&]<typename function>(function& target, const char* name) {
      target = reinterpret_cast<function>(dlsym(library, name));
      if (target == nullptr) throw std::runtime_error(name);
    };
    compiler result{};
    find(result.compile, "sinter_cpu_compiler_compile");
    find(result.release, "sinter_cpu_compiler_free");
    find(result.version, "sinter_cpu_compiler_version");
    find(result.host_cpu, "sinter_cpu_compiler_host_cpu");
    find(result.host_features, "sinter_cpu_compiler_host_features");
    return result;
  }();
  return opened;
}

struct compiled {
  int status = -1;
  std::string log;
  std::string object;
};

struct settings {
  std::vector<const char*> options = {};
  const char* cpu = nullptr;
  const char* features = nullptr;
};

inline compiled compile(const std::string& source, const settings& how = {}) {
  sinter_cpu_compile_request request{};
  request.abi_version = SINTER_CPU_COMPILER_ABI;
  request.source = source.data();
  request.source_size = source.size();
  request.source_name = "kernel_under_test.cpp";
  request.target_cpu = how.cpu;
  request.target_features = how.features;
  request.options = how.options.data();
  request.option_count = how.options.size();
  sinter_cpu_compile_result result{};
  compiled answer;
  answer.status = get_compiler().compile(&request, &result);
  if (result.log != nullptr) answer.log = result.log;
  if (result.object != nullptr)
    answer.object.assign(static_cast<const char*>(result.object), result.object_size);
  get_compiler().release(&result);
  return answer;
}

// An object that the system's loader opens from memory.
class loaded {
 public:
  explicit loaded(const std::string& object)
      : object_(std::make_unique<sinter::runtime::loaded_object>(object)) {}

  template <typename function>
  function* get(const char* name) const {
    void* address = object_->symbol(name);
    if (address == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<function*>(address);
  }

 private:
  std::unique_ptr<sinter::runtime::loaded_object> object_;
};

inline const char* const axpy_source = R"(
extern "C" void axpy(float* out, const float* x, const float* y, float a, long n) {
  for (long i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
})";

// Compiles the text above, runs it, and returns whether the results are correct.
inline bool axpy_works() {
  const compiled result = compile(axpy_source);
  if (result.status != SINTER_CPU_COMPILER_OK) throw std::runtime_error(result.log);
  const loaded kernel(result.object);
  std::vector<float> x(1003), y(1003), out(1003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i), y[i] = 0.5f;
  kernel.get<void(float*, const float*, const float*, float, long)>("axpy")(
      out.data(), x.data(), y.data(), 2.0f, static_cast<long>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (out[i] != 2.0f * x[i] + y[i]) return false;
  }
  return true;
}

}  // namespace cpu_compiler_test
