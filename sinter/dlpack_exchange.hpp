#pragma once
// DLPack's C exchange table: tensors of a Python library that enter and leave without a call into Python's
// interpreter and without synchronisation. A producer has one from DLPack 1.3 on (PyTorch from 2.10).
//
//     // of the tensor's Python type, once: PyCapsule_GetPointer(capsule, "dlpack_exchange_api")
//     const dlpack_exchange exchange(table);
//     // for each call of an extension's function
//     const any_view x = exchange.borrow(py_object);
//     const stream on = exchange.current_stream(x.device());
//     scale.on(on).into(as_view<float, 2>(x))(as_view<float, 2>(x));
//
// The table may be a struct of any header that has DLPack's members. A pointer without a type, which is what
// a capsule holds, is read with the structs of sinter/dsl/foreign/dlpack_abi.hpp.
//
// Functions of the producer may use Python objects: call these with the interpreter's lock (GIL) held. Where
// one fails, the producer has set a Python exception, and an exception derived from sinter::error is thrown.
//
// Threads: any thread that holds the interpreter's lock may call these.
// Throws: type_error, shape_error or device_error for a table or a tensor that Sinter cannot take;
// out_of_memory, error or device_error where the producer fails.
// After a failure: nothing has been made, and what take() and allocate() were given goes back to the
// producer. give() leaves the array unless the producer refused the tensor: then the elements are gone.

#include <sinter/dlpack.hpp>
#include <sinter/dsl/foreign/dlpack_abi.hpp>
#include <sinter/dsl/foreign/dlpack_exchange_errors.hpp>

namespace sinter::inline v0 {

namespace detail {

template <class First, class Second>
Second second_parameter(int (*)(First, Second));
template <class First, class... Rest>
First first_parameter(int (*)(First, Rest...));

template <class Table>
concept dlpack_exchange_table = std::is_class_v<Table> && requires(const Table& table) {
  static_cast<std::uint32_t>(table.header.version.major);
  static_cast<std::uint32_t>(table.header.version.minor);
  static_cast<const void*>(table.header.prev_api);
  first_parameter(table.managed_tensor_allocator);
  second_parameter(table.managed_tensor_from_py_object_no_sync);
  second_parameter(table.managed_tensor_to_py_object_no_sync);
  second_parameter(table.dltensor_from_py_object_no_sync);
  first_parameter(table.current_work_stream);
  requires versioned_dl_tensor<
      std::remove_pointer_t<decltype(first_parameter(table.managed_tensor_to_py_object_no_sync))>>;
  requires dl_tensor<
      std::remove_pointer_t<decltype(second_parameter(table.dltensor_from_py_object_no_sync))>>;
};

}  // namespace detail

/// A producer's exchange table. Borrows it: DLPack has tables live as long as the process.
template <detail::dlpack_exchange_table Table = dlpack_abi::exchange_table>
class dlpack_exchange {
  using managed = std::remove_pointer_t<decltype(detail::first_parameter(
      std::declval<const Table&>().managed_tensor_to_py_object_no_sync))>;
  using tensor = std::remove_pointer_t<decltype(detail::second_parameter(
      std::declval<const Table&>().dltensor_from_py_object_no_sync))>;
  using device_type = decltype(detail::first_parameter(std::declval<const Table&>().current_work_stream));

 public:
  /// Throws type_error if the pointer is null, if neither the table nor an older one behind it is of major
  /// version 1, or if a function is missing that a table must have.
  explicit dlpack_exchange(const Table* table) : table_(spoken(table)) {
    const auto require = [](auto* function, const char* name) {
      if (function == nullptr) detail::throw_missing_function(name);
    };
    require(table_->managed_tensor_allocator, "managed_tensor_allocator");
    require(table_->managed_tensor_from_py_object_no_sync, "managed_tensor_from_py_object_no_sync");
    require(table_->managed_tensor_to_py_object_no_sync, "managed_tensor_to_py_object_no_sync");
    require(table_->current_work_stream, "current_work_stream");
  }
  /// What a capsule holds.
  explicit dlpack_exchange(const void* table) : dlpack_exchange(static_cast<const Table*>(table)) {}

  /// The elements of a Python object of the producer's type, which must live as long as work uses them.
  /// Throws type_error if the producer lends no tensors, and what borrowing a DLPack tensor throws. The
  /// producer does not say whether elements are read only: take() tells.
  any_view borrow(void* py_object) const {
    constexpr const char* function = "dltensor_from_py_object_no_sync";
    if (table_->dltensor_from_py_object_no_sync == nullptr) detail::throw_lends_nothing();
    if (py_object == nullptr) detail::throw_null_object(function);
    tensor lent{};
    if (const int code = table_->dltensor_from_py_object_no_sync(py_object, &lent); code != 0)
      detail::throw_exchange_failure(function, code);
    return any_view(lent);
  }

  /// The same elements, owned: they live as long as the array and the work that uses it. Throws what
  /// from_dlpack throws.
  any_array take(void* py_object) const {
    constexpr const char* function = "managed_tensor_from_py_object_no_sync";
    if (py_object == nullptr) detail::throw_null_object(function);
    managed* taken = nullptr;
    const int code = table_->managed_tensor_from_py_object_no_sync(py_object, &taken);
    if (code != 0 || taken == nullptr) detail::throw_exchange_failure(function, code);
    return from_dlpack(taken);
  }

  /// A new Python object of the producer's type, which owns the elements; the caller owns the reference to
  /// it. The producer's current stream waits for the work that uses them. Throws what to_dlpack and
  /// current_stream throw, and then leaves the array as it was. Where the producer refuses the tensor, it has
  /// taken the elements all the same.
  void* give(any_array&& elements) const { return object_of(handed_out(elements)); }
  template <class T, unsigned Rank>
  void* give(array<T, Rank>&& elements) const {
    return object_of(handed_out(elements));
  }

  /// An array in memory of the producer's allocator, with uninitialised elements. Throws out_of_memory where
  /// the producer says MemoryError, and error with its text for another failure.
  any_array allocate(element_type type, std::span<const std::int64_t> extents,
                     device where = device::current_default()) const {
    detail::dlpack_fields fields = detail::describe_for_dlpack(any_view(nullptr, type, {}, {}, where));
    fields.rank = static_cast<int>(extents.size());
    fields.shape = extents.data();
    fields.strides = nullptr;
    tensor prototype{};
    detail::write_dlpack_fields(prototype, fields);
    managed* allocated = nullptr;
    detail::allocation_failure failure;
    const int code =
        table_->managed_tensor_allocator(&prototype, &allocated, &failure, &detail::allocation_failure::set);
    if (code != 0) {
      std::size_t bytes = size_of(type);
      for (const std::int64_t extent : extents) bytes *= static_cast<std::size_t>(extent);
      failure.raise(code, bytes);
    }
    if (allocated == nullptr) detail::throw_exchange_failure("managed_tensor_allocator", code);
    any_array taken = from_dlpack(allocated);
    // The memory may be used on the producer's stream at once, and elsewhere after what that was given
    // before.
    if (taken.device().is_cuda())
      runtime::note_use(taken.view().record().get(), true, current_stream(taken.device()));
    return taken;
  }

  /// The stream on which the producer works now: what is queued on it follows the producer's work. Borrowed,
  /// as stream::from_native says. A null pointer is the device's default stream; unlike the numbers that
  /// Python's __dlpack__(stream=...) takes, it is a handle. The CPU's stream without a call on the CPU.
  stream current_stream(device where) const {
    if (where.is_cpu()) return stream::default_of(where);
    void* native = nullptr;
    constexpr int cuda = 2;
    const int code = table_->current_work_stream(static_cast<device_type>(cuda), where.index(), &native);
    if (code != 0) detail::throw_stream_failure(code, where);
    return stream::from_native(where, native);
  }

 private:
  /// Leaves the array as it was if it throws.
  template <class Array>
  managed* handed_out(Array& elements) const {
    if (elements.device().is_cpu()) return to_dlpack<managed>(std::move(elements));
    const stream consumer = current_stream(elements.device());
    return to_dlpack<managed>(std::move(elements), &consumer);
  }
  void* object_of(managed* given) const {
    void* py_object = nullptr;
    const int code = table_->managed_tensor_to_py_object_no_sync(given, &py_object);
    if (code != 0 || py_object == nullptr)
      detail::throw_exchange_failure("managed_tensor_to_py_object_no_sync", code);
    return py_object;
  }

  /// The newest table of major version 1. Each table behind another is older, which also ends a chain that
  /// leads back to itself.
  static const Table* spoken(const Table* newest) {
    if (newest == nullptr) detail::throw_null_exchange();
    const auto* header = &newest->header;
    while (header->version.major != 1) {
      const auto* const older = header->prev_api;
      if (older == nullptr || older->version.major > header->version.major ||
          (older->version.major == header->version.major && older->version.minor >= header->version.minor))
        detail::throw_exchange_version(newest->header.version.major, newest->header.version.minor);
      header = older;
    }
    // A table begins with its header.
    return reinterpret_cast<const Table*>(header);
  }

  const Table* table_;
};

template <class Table>
  requires detail::dlpack_exchange_table<std::remove_const_t<Table>>
dlpack_exchange(Table*) -> dlpack_exchange<std::remove_const_t<Table>>;
dlpack_exchange(const void*) -> dlpack_exchange<>;
dlpack_exchange(void*) -> dlpack_exchange<>;

}  // namespace sinter::inline v0
