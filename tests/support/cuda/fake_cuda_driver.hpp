#pragma once

#include <cstddef>

// The controls of the fake driver. The fake is a shared library with the driver's own symbols; tests look
// these functions up by name, and link nothing of it.
extern "C" {
using fake_cuda_reset_function = void();           ///< the initial state: version 13.0, one device
using fake_cuda_set_version_function = void(int);  ///< the result of cuDriverGetVersion
using fake_cuda_set_devices_function = void(int);  ///< with 0, cuInit reports that there is none
using fake_cuda_set_pools_function = void(int);    ///< whether devices have memory pools
using fake_cuda_set_free_memory_function = void(std::size_t);  ///< larger allocations fail
using fake_cuda_set_elapsed_function = void(float);            ///< milliseconds between any two events
/// The first eight bytes of the first parameter of the latest cuLaunchKernel.
using fake_cuda_launched_with_function = unsigned long long();
/// The nth call from now of a function returns `result`; nth 0 means every call.
using fake_cuda_fail_function = void(const char* function, int nth, int result);
/// The compute capability of a device (default 90, for 9.0); set it before it is queried.
using fake_cuda_set_architecture_function = void(int device, int architecture);
/// Loaded code is rejected on this device with this result; 0 ends this.
using fake_cuda_refuse_on_function = void(int device, int result);
/// The address of the code loaded last.
using fake_cuda_loaded_from_function = const void*();
/// The arrays of the kernels that are launched from now on: so many leading words of their arguments are
/// addresses that they read, and so many that they write. 0 and 0: launches use no memory that is checked.
using fake_cuda_set_arrays_function = void(int read, int written);
/// Whether a stream that waits for an event of a capture may join that capture; else it is a fault.
using fake_cuda_allow_forks_function = void(int allowed);
/// Whether what is queued on a stream now comes after all that is queued on another. Not for default streams.
using fake_cuda_follows_function = int(void* stream, void* other);
/// The number of unordered accesses between streams, uses of destroyed streams and invalidated captures since
/// the reset; and a description of them.
using fake_cuda_faults_function = int();
using fake_cuda_latest_fault_function = const char*();
/// The graph that was launched last, a line for each node in the order they were added: "after", the nodes
/// that it waits for, "uses", and the addresses of its arrays as hexadecimal numbers.
using fake_cuda_launched_graph_function = const char*();
using fake_cuda_calls_function = int(const char* function);  ///< the number of its calls since the reset
/// All functions called, with counts: "cuCtxGetCurrent 1, cuLaunchKernel 2". The text belongs to the fake.
using fake_cuda_all_calls_function = const char*();
using fake_cuda_forget_calls_function = void();  ///< resets the counts
}
