#pragma once

#include <cstddef>

// How a test steers the fake driver. The fake is a shared library with the driver's own symbols; these
// functions are found in it by name, so that a test links nothing of it.
extern "C" {
using fake_cuda_reset_function = void();           ///< as freshly loaded: version 13.0, one device
using fake_cuda_set_version_function = void(int);  ///< what cuDriverGetVersion answers
using fake_cuda_set_devices_function = void(int);  ///< with 0, cuInit answers that there is none
using fake_cuda_set_pools_function = void(int);    ///< whether devices have memory pools
using fake_cuda_set_free_memory_function = void(std::size_t);  ///< allocations beyond it fail
/// The first eight bytes of the first parameter of the latest cuLaunchKernel.
using fake_cuda_launched_with_function = unsigned long long();
/// The nth call from now of a function answers `result`; nth 0 means every call.
using fake_cuda_fail_function = void(const char* function, int nth, int result);
/// The compute capability of a device, 90 for 9.0, which each has at first; before anything asks for it.
using fake_cuda_set_architecture_function = void(int device, int architecture);
/// Code is refused on this device with this result, though it was loaded; with 0 no longer.
using fake_cuda_refuse_on_function = void(int device, int result);
/// The address of the code that was loaded last.
using fake_cuda_loaded_from_function = const void*();
/// How often work was queued that another stream's may run beside, a destroyed stream was touched or a
/// capture broken, since the reset; and what that was.
using fake_cuda_faults_function = int();
using fake_cuda_latest_fault_function = const char*();
using fake_cuda_calls_function = int(const char* function);  ///< how often it was called since the reset
/// All functions that were called and how often: "cuCtxGetCurrent 1, cuLaunchKernel 2". Of the fake's memory.
using fake_cuda_all_calls_function = const char*();
using fake_cuda_forget_calls_function = void();  ///< counts from 0 again
}
