#pragma once
// The types of CCCL (libcu++): memory resources and pools as Sinter's memory, and streams. cuda::std::mdspan
// is an operand without this header.
//
// Needs the headers of CCCL 3.2 or later, and those of the CUDA runtime, which they include. The CUDA Toolkit
// up to 13.0 brings CCCL 3.0, where memory resources are experimental and have other members: put newer
// headers before it on the include path (https://github.com/NVIDIA/cccl, or the Python package cuda-cccl).
//
// Threads: any thread may call these; a resource is called from any thread.
// Throws: device_error from to_cccl() for a stream of the CPU; from_cccl() what copying the resource throws.
// Where the resource fails later, the call that needs memory throws out_of_memory or device_error.
// After a failure: no resource or stream has been made; memory of a resource that failed is not lost.

#if !__has_include(<cuda/version>)
#error "sinter/cccl.hpp needs the headers of CCCL 3.2 or later, and there are none on the include path"
#endif
#include <cuda/version>
#if CCCL_VERSION < 3002000
#error \
    "sinter/cccl.hpp needs CCCL 3.2 or later: memory resources are experimental in the headers that were found"
#endif

#include <sinter/sinter.hpp>

#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace sinter::inline v0 {

/// Memory from a resource of CCCL: cuda::device_memory_pool and other pools, references to them,
/// cuda::mr::resource_ref, any_resource, shared_resource, or a type of your own that models
/// cuda::mr::resource. An lvalue that can be copied is copied, an rvalue is moved, and both are kept as long
/// as memory from them lives. An lvalue that cannot be copied, such as a pool, is borrowed and must outlive
/// that memory. Its property says whose memory it is: without device_accessible it is refused for GPUs,
/// without host_accessible for the CPU. Where it runs out of memory, out_of_memory is thrown, and
/// device_error for any other cuda::cuda_error. For the CPU it is called with a default stream, and has to
/// give memory that the host may use at once.
template <class Resource>
  requires(cuda::mr::resource<std::remove_cvref_t<Resource>>)
memory_resource from_cccl(Resource&& resource) {
  using kind = std::remove_cvref_t<Resource>;
  constexpr bool on_gpu = cuda::mr::resource_with<kind, cuda::mr::device_accessible>;
  constexpr bool on_cpu = cuda::mr::resource_with<kind, cuda::mr::host_accessible>;
  static_assert(
      on_gpu || on_cpu,
      "this resource of CCCL has neither cuda::mr::device_accessible nor host_accessible: nobody could "
      "use its memory");
  constexpr bool is_borrowed = std::is_lvalue_reference_v<Resource> && !std::is_copy_constructible_v<kind>;
  memory_functions made;
  made.allocate = [](void* context, std::size_t bytes, const stream& on) -> void* {
    try {
      return static_cast<kind*>(context)->allocate(cuda::stream_ref(static_cast<cudaStream_t>(on.native())),
                                                   bytes, detail::memory_alignment);
    } catch (const cuda::cuda_error& failure) {
      if (failure.status() == cudaErrorMemoryAllocation) throw std::bad_alloc();
      throw device_error(std::string("a memory resource of CCCL gave no memory: ") + failure.what());
    }
  };
  made.deallocate = [](void* context, void* data, std::size_t bytes, const stream& on) noexcept {
    static_cast<kind*>(context)->deallocate(cuda::stream_ref(static_cast<cudaStream_t>(on.native())), data,
                                            bytes, detail::memory_alignment);
  };
  made.for_cpu = on_cpu;
  made.for_gpu = on_gpu;
  if constexpr (is_borrowed) {
    made.context = &resource;
  } else {
    made.context = new kind(std::forward<Resource>(resource));
    made.release = [](void* context) noexcept { delete static_cast<kind*>(context); };
  }
  return memory_resource(made);
}

/// Borrows a stream, as stream::from_native does: makes no driver call, and the stream must outlive its use
/// or be announced by forget().
inline stream from_cccl(cuda::stream_ref order, device where) {
  return stream::from_native(where, order.get());
}

/// The same stream for CCCL. Throws device_error for a stream of the CPU.
inline cuda::stream_ref to_cccl(const stream& order) {
  if (order.where().is_cpu())
    throw device_error("cuda::stream_ref was asked for a stream of the CPU, which is none of CUDA's");
  return cuda::stream_ref(static_cast<cudaStream_t>(order.native()));
}

}  // namespace sinter::inline v0
