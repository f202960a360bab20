#pragma once
// DLPack tensors as foreign tensors: any struct with the members of DLTensor, DLManagedTensor or
// DLManagedTensorVersioned, or a pointer to one, whichever header declared it. This header includes none of
// them. Include it before the first use of such a struct with Sinter.
//
//     void normalise(DLManagedTensor* tensor) {
//       dispatch<float, double>(tensor, [&]<class T>() { scale(as_view<T, 2>(tensor)); });
//     }
//
// A struct or a pointer to one is borrowed: nothing is copied, allocated or waited for, and the deleter is
// never called. The tensor must outlive the work that uses its elements. Work that its producer queued on
// another stream must be ordered before that (event::wait_on).
//
// from_dlpack(managed) takes a tensor over, and to_dlpack<Managed>(array) gives one away.
//
// - Pinned host memory (kDLCUDAHost) is memory of the CPU: Sinter does not wait for what a GPU writes there.
// - Managed memory (kDLCUDAManaged) is memory of CUDA device `device_id`, which runs the calls on it.
// - Of a versioned tensor any minor version is read, as those only add flags and codes; another major version
//   is refused before any other field is read.
//
// Threads: any thread may borrow, take over and give away; an array is given away by the thread that has it.
// Throws: type_error, shape_error or device_error for a tensor that Sinter cannot view; to_dlpack also
// device_error where a stream cannot wait.
// After a failure: a borrowed tensor is as it was; from_dlpack has called the deleter; to_dlpack leaves the
// array to its owner.

#include <sinter/dsl/foreign/dlpack_ownership.hpp>
#include <sinter/dsl/foreign/dlpack_structs.hpp>
#include <sinter/sinter.hpp>
