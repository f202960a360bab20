#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include <sinter/runtime/base/refused_code.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>

namespace sinter::inline v0::runtime {
namespace {

struct advice_row {
  CUresult answer;
  const char* advice;
};

// The remedy for an error: the first sentence after CUDA's own text.
constexpr advice_row advices[] = {
    {CUresult::invalid_device, "ask for a device that cuda_device_count() counts"},
    {CUresult::invalid_context,
     "the stream's or thread's CUDA context is gone; make one current or pass a stream of a live one"},
    {CUresult::context_is_destroyed,
     "the CUDA context was destroyed while Sinter still held memory or kernels in it"},
    {CUresult::invalid_handle,
     "the stream, event or pointer was destroyed, or belongs to another CUDA context"},
    {CUresult::invalid_image,
     "the object code is damaged or not meant for this driver; update the driver, or let it be compiled "
     "again"},
    {CUresult::no_binary_for_gpu, "the object code was compiled for another architecture than this device's"},
    {CUresult::invalid_ptx, "the PTX was written for a newer architecture; compile for this device"},
    {CUresult::unsupported_ptx_version,
     "NVRTC is newer than the driver; update the NVIDIA driver or use an older NVRTC"},
    {CUresult::jit_compiler_not_found,
     "install the driver's PTX compiler library (libnvidia-ptxjitcompiler), or ship cubins"},
    {CUresult::launch_out_of_resources,
     "the kernel needs more registers or threads a block than the device has; choose another schedule"},
    {CUresult::cooperative_launch_too_large,
     "a cooperative launch must fit on the device at once; use fewer blocks"},
    {CUresult::invalid_cluster_size,
     "the cluster is larger than the device, or this kernel's shared memory, allows"},
    {CUresult::not_permitted,
     "this is not allowed here: during stream capture, call prepare() before capturing"},
    {CUresult::stream_capture_unsupported,
     "this cannot be captured into a CUDA graph: call prepare() and supply results and workspace"},
    {CUresult::stream_capture_invalidated,
     "the stream's capture was broken by an earlier call; end it and capture again"},
    {CUresult::stream_capture_implicit,
     "the default stream cannot be used while another stream captures; pass a stream of your own"},
    {CUresult::not_supported, "this device or driver does not support it"},
    {CUresult::deinitialized,
     "the CUDA driver has shut down; do not use Sinter in destructors that run at exit"},
};

constexpr CUresult context_losses[] = {
    CUresult::ecc_uncorrectable,     CUresult::nvlink_uncorrectable, CUresult::contained,
    CUresult::illegal_address,       CUresult::launch_timeout,       CUresult::device_assert,
    CUresult::hardware_stack_error,  CUresult::illegal_instruction,  CUresult::misaligned_address,
    CUresult::invalid_address_space, CUresult::invalid_pc,           CUresult::launch_failed,
    CUresult::external_device,
};

constexpr CUresult refusals_of_code[] = {
    CUresult::invalid_image,
    CUresult::no_binary_for_gpu,
    CUresult::invalid_ptx,
    CUresult::jit_compiler_not_found,
    CUresult::unsupported_ptx_version,
    CUresult::jit_compilation_disabled,
    CUresult::invalid_source,
    CUresult::shared_object_symbol_not_found,
};

bool refuses_code(CUresult answer) {
  return std::find(std::begin(refusals_of_code), std::end(refusals_of_code), answer) !=
         std::end(refusals_of_code);
}

const char* advice_for(CUresult answer) {
  for (const advice_row& row : advices)
    if (row.answer == answer) return row.advice;
  return nullptr;
}

std::atomic<failure_hook> current_hook{nullptr};

}  // namespace

bool loses_context(CUresult answer) noexcept {
  for (const CUresult loss : context_losses)
    if (loss == answer) return true;
  return false;
}

std::string describe(CUresult answer) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (const driver_api* api = driver()) {
    api->cuGetErrorName(answer, &name);
    api->cuGetErrorString(answer, &text);
  }
  if (name == nullptr) return fmt::format("CUDA error {}", static_cast<int>(answer));
  return text != nullptr ? fmt::format("{} ({})", name, text) : name;
}

void throw_driver_error(CUresult answer, std::string_view operation, std::string_view kernel) {
  const std::string what = describe(answer);
  if (loses_context(answer)) {
    const std::string who = kernel.empty() ? "a kernel launched earlier in this context"
                                           : fmt::format("kernel '{}', or one launched before it", kernel);
    throw execution_error(
        fmt::format(
            "{} failed: {}, raised by {}. The CUDA context is lost: every further call on this device "
            "fails until the process ends. Run under compute-sanitizer to find the access, and check that "
            "views handed to Sinter point to memory that is still allocated",
            operation, what, who),
        std::string(kernel));
  }
  const char* advice = advice_for(answer);
  const std::string message = fmt::format("{} failed: {}{}{}", operation, what, advice != nullptr ? "; " : "",
                                          advice != nullptr ? advice : "");
  if (answer == CUresult::out_of_memory)
    throw out_of_memory(message + "; free arrays, or use smaller ones", 0, 0);
  if (!kernel.empty()) throw execution_error(message, std::string(kernel));
  if (refuses_code(answer)) throw refused_code(message);
  throw device_error(message);
}

failure_hook set_failure_hook(failure_hook hook) noexcept { return current_hook.exchange(hook); }

void report_failure(CUresult answer, const char* operation) noexcept {
  if (answer == CUresult::success || answer == CUresult::deinitialized) return;
  const auto tell = [hook = current_hook.load()](const char* message) {
    if (hook != nullptr)
      hook(message);
    else
      report(log_level::error, message);
  };
  try {
    tell(fmt::format("{} failed: {}", operation, describe(answer)).c_str());
  } catch (...) {
    tell(operation);
  }
}

}  // namespace sinter::inline v0::runtime
