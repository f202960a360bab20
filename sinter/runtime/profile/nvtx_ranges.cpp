#include <cstdlib>
#include <string>

#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/profile/nvtx_ranges.hpp>

namespace sinter::inline v0::runtime {
namespace {

/// The library of the profiler; nullptr without one, and in a privileged process.
const char* profiler_library(const char* variable) {
  static const auto& path = *new std::string(environment_value(variable));
  return path.empty() ? nullptr : path.c_str();
}

}  // namespace
}  // namespace sinter::inline v0::runtime

// NVTX is a header that opens the library which the environment names. It must not do so in a program that
// runs with another user's rights, so it reads the environment as all of Sinter does.
#define getenv(variable) ::sinter::runtime::profiler_library(variable)
#include <nvtx3/nvToolsExt.h>
#undef getenv

namespace sinter::inline v0::runtime {
namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t own = nvtxDomainCreateA("sinter");
  return own;
}

}  // namespace

bool nvtx_is_heard() { return profiler_library("NVTX_INJECTION64_PATH") != nullptr; }

void begin_nvtx_range(const char* name) {
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &range);
}

void end_nvtx_range() { nvtxDomainRangePop(domain()); }

}  // namespace sinter::inline v0::runtime
