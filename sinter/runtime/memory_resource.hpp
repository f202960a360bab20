#pragma once
// Where the memory of arrays, results and workspaces comes from: Sinter's own pools, or a program's
// allocator.
//
// Threads: any thread may call these at any time, and the resource's own functions are called from any
// thread.
// Throws: device_error for a number that no device can have and for memory that the device cannot use, error
// for a missing function; allocate() also out_of_memory, and what the resource throws.
// After a failure: the resource that was set before stays; a context that was handed over has been released;
// no memory is lost.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>

#include <cstddef>
#include <type_traits>

namespace sinter::inline v0 {

class stream;

namespace runtime {
struct resource_node;
}

/// An allocator with its type erased.
struct memory_functions {
  /// Returns at least `bytes` bytes aligned to 256, usable by work queued on `on` from now on. Throws
  /// out_of_memory or std::bad_alloc. May call Sinter itself.
  void* (*allocate)(void* context, std::size_t bytes, const stream& on) = nullptr;
  /// Frees memory. Work queued on `on` before this call may still use it; `on` already waits for the work of
  /// other streams that uses it, as far as the library knows of it (record_use). `on` is the stream that the
  /// memory was allocated on, unless that stream is gone. If a stream that uses the memory is being captured,
  /// this call is postponed.
  void (*deallocate)(void* context, void* data, std::size_t bytes, const stream& on) noexcept = nullptr;
  void* context = nullptr;
  /// Called once, when no memory_resource and no memory needs the context any more; nullptr if the context is
  /// borrowed.
  void (*release)(void* context) noexcept = nullptr;
  bool for_cpu = true, for_gpu = true;  ///< which devices can use the memory; refused for others
};

namespace detail {

template <class Resource>
concept stream_ordered_allocator = requires(Resource& r, void* data, std::size_t bytes, const stream& on) {
  static_cast<void*>(r.allocate(bytes, on));
  r.deallocate(data, bytes, on);
};
/// As std::pmr::memory_resource is; duck-typed, because including <memory_resource> is expensive.
template <class Resource>
concept host_allocator =
    !stream_ordered_allocator<Resource> && requires(Resource& r, void* data, std::size_t bytes) {
      static_cast<void*>(r.allocate(bytes, bytes));
      r.deallocate(data, bytes, bytes);
    };
template <class Resource>
concept allocator = stream_ordered_allocator<Resource> || host_allocator<Resource>;

inline constexpr std::size_t memory_alignment = 256;

template <class Resource>
void* allocate_from(Resource& from, std::size_t bytes, const stream& on) {
  if constexpr (stream_ordered_allocator<Resource>)
    return from.allocate(bytes, on);
  else
    return from.allocate(bytes, memory_alignment);
}
template <class Resource>
void give_back_to(Resource& to, void* data, std::size_t bytes, const stream& on) noexcept {
  if constexpr (stream_ordered_allocator<Resource>) {
    static_assert(noexcept(to.deallocate(data, bytes, on)),
                  "deallocate() of a memory resource must be noexcept: memory is freed in destructors");
    to.deallocate(data, bytes, on);
  } else {
    to.deallocate(data, bytes, memory_alignment);
  }
}

template <class Resource>
memory_functions functions_of(Resource* borrowed) {
  memory_functions made;
  made.allocate = [](void* context, std::size_t bytes, const stream& on) {
    return allocate_from(*static_cast<Resource*>(context), bytes, on);
  };
  made.deallocate = [](void* context, void* data, std::size_t bytes, const stream& on) noexcept {
    give_back_to(*static_cast<Resource*>(context), data, bytes, on);
  };
  made.context = borrowed;
  made.for_gpu = !host_allocator<Resource>;
  return made;
}

template <class Pointer>
memory_functions functions_of_owner(Pointer* owner) {
  using resource = decltype(**owner);
  memory_functions made;
  made.allocate = [](void* context, std::size_t bytes, const stream& on) {
    return allocate_from(**static_cast<Pointer*>(context), bytes, on);
  };
  made.deallocate = [](void* context, void* data, std::size_t bytes, const stream& on) noexcept {
    give_back_to(**static_cast<Pointer*>(context), data, bytes, on);
  };
  made.context = owner;
  made.release = [](void* context) noexcept { delete static_cast<Pointer*>(context); };
  made.for_gpu = !host_allocator<std::remove_reference_t<resource>>;
  return made;
}

}  // namespace detail

/// A counted handle to an allocator, or to Sinter's own memory if it is empty. Copies are safe from any
/// thread. Memory keeps what frees it, also after another resource was set.
class SINTER_API memory_resource {
 public:
  /// Sinter's own memory: a pool on each GPU, retained blocks on the CPU.
  constexpr memory_resource() = default;
  constexpr memory_resource(std::nullptr_t) {}
  /// Takes over the context, also where it throws. Throws error if a function is missing.
  explicit memory_resource(const memory_functions& functions);
  /// Borrows an object with `allocate(std::size_t, const stream&)` and `deallocate(void*, std::size_t,
  /// const stream&) noexcept`, as memory_functions has them, or, for the CPU, a std::pmr::memory_resource.
  /// The object must outlive the handle and all memory from it.
  template <class Resource>
    requires(detail::allocator<Resource> && !std::is_same_v<Resource, memory_resource>)
  memory_resource(Resource& borrowed) : memory_resource(detail::functions_of(&borrowed)) {}
  template <class Resource>
    requires(detail::allocator<Resource>)
  memory_resource(Resource* borrowed) {
    if (borrowed != nullptr) *this = memory_resource(detail::functions_of(borrowed));
  }
  /// Shares an object of that kind by a smart pointer (std::shared_ptr, std::unique_ptr), as long as the
  /// handle or memory from it lives.
  template <class Pointer>
    requires(std::is_class_v<Pointer> &&
             requires(Pointer& p) {
               requires detail::allocator<std::remove_reference_t<decltype(*p)>>;
               p == nullptr;
             })
  memory_resource(Pointer owner) {
    if (owner != nullptr)
      *this = memory_resource(detail::functions_of_owner(new Pointer(static_cast<Pointer&&>(owner))));
  }
  memory_resource(const memory_resource& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) keep();
  }
  memory_resource(memory_resource&& other) noexcept : node_(other.node_) { other.node_ = nullptr; }
  memory_resource& operator=(memory_resource other) noexcept {
    runtime::resource_node* const mine = node_;
    node_ = other.node_;
    other.node_ = mine;
    return *this;
  }
  ~memory_resource() {
    if (node_ != nullptr) let_go();
  }

  /// Whether it stands for Sinter's own memory.
  bool is_built_in() const { return node_ == nullptr; }
  /// Whether a device of this kind can use its memory.
  bool serves(device::kind which) const noexcept;
  /// Memory of the stream's device. Throws out_of_memory, also in place of std::bad_alloc and of nullptr, and
  /// device_error if the stream's device cannot use the resource's memory.
  void* allocate(std::size_t bytes, const stream& on) const;
  /// Frees memory of allocate() with the same size.
  void deallocate(void* data, std::size_t bytes, const stream& on) const noexcept;
  bool operator==(const memory_resource& other) const { return node_ == other.node_; }

 private:
  friend SINTER_API memory_resource current_memory_resource(device where);
  friend SINTER_API void set_memory_resource(device where, memory_resource resource);
  void keep() const noexcept;
  void let_go() noexcept;

  runtime::resource_node* node_ = nullptr;
};

/// Replaces the memory resource of a device for arrays, results and workspaces made from now on; an empty one
/// restores Sinter's own. Safe while other threads call. Throws device_error for a device that does not
/// exist, and for a resource whose memory the device cannot use.
SINTER_API void set_memory_resource(device where, memory_resource resource);
/// The one that is set; empty if none is.
SINTER_API memory_resource current_memory_resource(device where);

}  // namespace sinter::inline v0
