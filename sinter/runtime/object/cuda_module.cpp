#include <fmt/format.h>

#include <sinter/runtime/base/refused_code.hpp>
#include <sinter/runtime/base/sizes.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/cuda_module.hpp>

namespace sinter::inline v0::runtime {
namespace {

// A CUkernel is accepted where a launch or an occupancy query takes a CUfunction.
CUfunction as_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

}  // namespace

// CUDA's manual does not specify unloading of code that is queued or running. The driver's observed behaviour
// (580 on an H200; a test checks it): cuLibraryUnload returns once the queued and running kernels of the
// library are done. Waiting for the contexts first is no safer: cuCtxSynchronize invalidates captures in the
// context, including other libraries', and returns an error, in relaxed mode too. cuLibraryUnload in relaxed
// mode leaves a capture intact, except under compute-sanitizer: so do not destroy modules during a capture
// that you know of. keep_loaded() protects the code in a graph.
cuda_module::~cuda_module() {
  if (library_ == nullptr) return;  // first of all, because calling driver() would initialise it
  const driver_api* api = driver();
  // libraries of another driver must not be unloaded through this one
  if (api != loaded_by_ || kept_.load(std::memory_order_relaxed)) return;
  const relaxed_capture relaxed;
  const CUresult answer = api->cuLibraryUnload(library_);
  // After an error that loses the context, every call in it returns the error again; it was reported at its
  // origin.
  if (!loses_context(answer)) report_failure(answer, "unloading a kernel");
}

void cuda_module::load() {
  const std::lock_guard lock(guard_);
  load_locked();
}

void cuda_module::load_locked() {
  if (library_ != nullptr) return;
  const driver_api& api = require_driver();
  const relaxed_capture relaxed;
  const CUresult answer =
      api.cuLibraryLoadData(&library_, code_.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (answer != CUresult::success) {
    library_ = nullptr;
    throw_driver_error(answer, fmt::format("loading compiled code of {} bytes into driver {}.{}",
                                           code_.size(), api.version / 1000, api.version % 1000 / 10));
  }
  loaded_by_ = &api;
  loaded_.store(true, std::memory_order_release);
}

CUkernel cuda_module::find_locked(const std::string& name) {
  load_locked();
  for (const auto& [known, kernel] : kernels_)
    if (known == name) return kernel;
  CUkernel kernel = nullptr;
  const CUresult answer = require_driver().cuLibraryGetKernel(&kernel, library_, name.c_str());
  if (answer == CUresult::not_found)
    throw refused_code(
        fmt::format("the compiled code has no kernel '{}'; is it declared extern \"C\"?", name));
  if (answer != CUresult::success) throw_driver_error(answer, fmt::format("finding kernel '{}'", name));
  kernels_.emplace_back(name, kernel);
  return kernel;
}

CUkernel cuda_module::find(const std::string& name) {
  const std::lock_guard lock(guard_);
  return find_locked(name);
}

CUkernel cuda_module::kernel(const std::string& name, CUcontext context) {
  const driver_api& api = require_driver();
  const std::lock_guard lock(guard_);
  const CUkernel kernel = find_locked(name);
  const relaxed_capture relaxed;
  const context_guard current(context);
  // Code is loaded into a context lazily; querying the context's function loads it now.
  CUfunction function = nullptr;
  const CUresult answer = api.cuKernelGetFunction(&function, kernel);
  if (answer != CUresult::success)
    throw_driver_error(answer, fmt::format("loading kernel '{}' into a CUDA context", name));
  return kernel;
}

kernel_attributes cuda_module::attributes(const std::string& name, int device) {
  const driver_api& api = require_driver();
  const CUkernel kernel = find(name);
  const context_guard current(primary_context(device));
  CUdevice handle = 0;
  check(api.cuCtxGetDevice(&handle), "asking for a context's device");
  const auto read = [&](CUfunction_attribute attribute) {
    int value = 0;
    check(api.cuKernelGetAttribute(&value, attribute, kernel, handle), "reading a kernel's attributes",
          name.c_str());
    return value;
  };
  return {.registers = read(CUfunction_attribute::num_regs),
          .static_shared_bytes = read(CUfunction_attribute::shared_size_bytes),
          .local_bytes = read(CUfunction_attribute::local_size_bytes),
          .constant_bytes = read(CUfunction_attribute::const_size_bytes),
          .max_threads_per_block = read(CUfunction_attribute::max_threads_per_block),
          .architecture = read(CUfunction_attribute::binary_version)};
}

void cuda_module::allow_shared_memory(const std::string& name, std::size_t bytes, int device) {
  const driver_api& api = require_driver();
  const std::size_t most = cuda_device(device).shared_bytes_per_block_opt_in;
  if (bytes > most)
    throw device_error(
        fmt::format("kernel '{}' needs {} of shared memory a block, but {} has {}; choose a schedule "
                    "that keeps less",
                    name, format_bytes(bytes), cuda_device(device).name, format_bytes(most)));
  const CUkernel kernel = find(name);
  const context_guard current(primary_context(device));
  CUdevice handle = 0;
  check(api.cuCtxGetDevice(&handle), "asking for a context's device");
  check(api.cuKernelSetAttribute(CUfunction_attribute::max_dynamic_shared_size_bytes, static_cast<int>(bytes),
                                 kernel, handle),
        "allowing a kernel more shared memory", name.c_str());
}

void cuda_module::allow_large_clusters(const std::string& name, int device) {
  const driver_api& api = require_driver();
  const CUkernel kernel = find(name);
  const context_guard current(primary_context(device));
  CUdevice handle = 0;
  check(api.cuCtxGetDevice(&handle), "asking for a context's device");
  check(api.cuKernelSetAttribute(CUfunction_attribute::non_portable_cluster_size_allowed, 1, kernel, handle),
        "allowing a kernel clusters of more than eight blocks", name.c_str());
}

int cuda_module::blocks_per_multiprocessor(const std::string& name, int threads,
                                           std::size_t dynamic_shared_bytes, int device) {
  const CUkernel ready = kernel(name, primary_context(device));
  const context_guard current(primary_context(device));
  int blocks = 0;
  check(require_driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, as_function(ready), threads,
                                                                     dynamic_shared_bytes),
        "asking how many blocks fit on a multiprocessor", name.c_str());
  return blocks;
}

}  // namespace sinter::inline v0::runtime
