// DLPack's C exchange table, with a producer of the test's own: a Python object is here an `object`.
#include <sinter/dlpack_exchange.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "dlpack_header.hpp"
#include "message_of.hpp"

using namespace sinter;
using sinter::test::throws_with;

namespace {

/// What a producer knows: its objects, its current stream, and what it is to fail with.
struct object {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t extents[2] = {2, 3}, strides[2] = {3, 1};
  int references = 1;
  std::uint64_t flags = 0;
};
struct producer_state {
  int fail_with = 0;
  bool says_why = true, gives_nothing = false;
  void* stream = nullptr;
  int asked_device = -1, stream_queries = 0;
  const void* imported = nullptr;  ///< the managed tensor that an imported object owns
};
producer_state state;

/// The functions of a table, and a table of them.
template <class Table>
struct producer {
  using managed = std::remove_pointer_t<decltype(sinter::detail::first_parameter(
      std::declval<Table>().managed_tensor_to_py_object_no_sync))>;
  using tensor = std::remove_pointer_t<decltype(sinter::detail::first_parameter(
      std::declval<Table>().managed_tensor_allocator))>;
  using device_type = decltype(sinter::detail::first_parameter(std::declval<Table>().current_work_stream));
  using header_type = std::remove_cvref_t<decltype(std::declval<Table>().header)>;

  static void describe(object& from, tensor& to) {
    to = {};
    to.data = from.elements;
    to.device = {static_cast<device_type>(1), 0};
    to.ndim = 2;
    to.dtype = {2, 32, 1};
    to.shape = from.extents;
    to.strides = from.strides;
  }
  static int lend(void* py_object, tensor* out) {
    if (state.fail_with != 0) return state.fail_with;
    describe(*static_cast<object*>(py_object), *out);
    return 0;
  }
  static int hand_out(void* py_object, managed** out) {
    if (state.fail_with != 0) return state.fail_with;
    if (state.gives_nothing) return 0;
    auto& from = *static_cast<object*>(py_object);
    ++from.references;
    auto* const made = new managed{};
    made->version = {1, 3};
    made->flags = from.flags;
    made->manager_ctx = &from;
    made->deleter = [](managed* self) {
      --static_cast<object*>(self->manager_ctx)->references;
      delete self;
    };
    describe(from, made->dl_tensor);
    *out = made;
    return 0;
  }
  /// The object of an imported tensor is here the tensor itself.
  static int import(managed* given, void** out) {
    if (state.fail_with != 0) {  // takes the tensor, and fails
      given->deleter(given);
      return state.fail_with;
    }
    state.imported = given;
    if (!state.gives_nothing) *out = given;
    return 0;
  }
  static int allocate(tensor* prototype, managed** out, void* context,
                      void (*set_error)(void*, const char*, const char*)) {
    if (state.fail_with != 0) {
      if (state.says_why)
        set_error(context, "MemoryError", "the pool is empty");
      else
        set_error(context, "ValueError", nullptr);
      return state.fail_with;
    }
    if (prototype->ndim != 2 || prototype->dtype.code != 2 || prototype->dtype.bits != 32 ||
        prototype->shape[0] != 2 || prototype->shape[1] != 3 || prototype->device.device_type != 1) {
      set_error(context, "ValueError", "an object here has 2 x 3 floats");
      return -1;
    }
    static object fresh;
    return hand_out(&fresh, out);
  }
  static int ask_stream(device_type, std::int32_t id, void** out) {
    ++state.stream_queries;
    state.asked_device = id;
    if (state.fail_with != 0) return state.fail_with;
    *out = state.stream;
    return 0;
  }
  static Table table(std::uint32_t major = 1, std::uint32_t minor = 3, header_type* older = nullptr) {
    state = {};
    Table made{};
    made.header.version = {major, minor};
    made.header.prev_api = older;
    made.managed_tensor_allocator = &allocate;
    made.managed_tensor_from_py_object_no_sync = &hand_out;
    made.managed_tensor_to_py_object_no_sync = &import;
    made.dltensor_from_py_object_no_sync = &lend;
    made.current_work_stream = &ask_stream;
    return made;
  }
};

const auto doubled = fuse("dlpack_exchange_doubled", [](auto x) { return x + x; });
const std::vector<float> twice{2, 4, 6, 8, 10, 12};

}  // namespace

#if defined(SINTER_TEST_DLPACK_1) && DLPACK_MINOR_VERSION >= 3
#define TABLES dlpack_abi::exchange_table, dlpack_1::DLPackExchangeAPI
#else
#define TABLES dlpack_abi::exchange_table
#endif

TEST_SUITE("dlpack's exchange table") {
  TEST_CASE_TEMPLATE("an object is borrowed: its elements are viewed, and nothing is owned", Table, TABLES) {
    const Table table = producer<Table>::table();
    const dlpack_exchange exchange(&table);
    object x;
    const any_view lent = exchange.borrow(&x);
    CHECK(lent.data() == x.elements);
    CHECK(doubled(as_view<float, 2>(lent)).to_vector() == twice);
    doubled.into(as_view<float, 2>(lent))(as_view<float, 2>(lent));
    CHECK(x.elements[5] == 12);
    CHECK(x.references == 1);
    CHECK(state.stream_queries == 0);
  }

  TEST_CASE_TEMPLATE("an object is taken: the array keeps it until it goes", Table, TABLES) {
    const Table table = producer<Table>::table();
    const dlpack_exchange exchange(&table);
    object x;
    {
      const any_array taken = exchange.take(&x);
      CHECK(x.references == 2);
      CHECK(doubled(taken.view().template to<float, 2>()).to_vector() == twice);
    }
    CHECK(x.references == 1);
    x.flags = 1;
    CHECK(exchange.take(&x).view().read_only());
    CHECK(x.references == 1);
  }

  TEST_CASE_TEMPLATE("an array is given: the object owns it", Table, TABLES) {
    const Table table = producer<Table>::table();
    const dlpack_exchange exchange(&table);
    array<float, 1> x = array<float, 1>::from({1, 2, 3}, {3}, device::cpu());
    const float* const data = x.data();
    auto* const theirs = static_cast<typename producer<Table>::managed*>(exchange.give(std::move(x)));
    CHECK(theirs == state.imported);
    CHECK(theirs->dl_tensor.data == data);
    CHECK(theirs->version.major == 1);
    CHECK(state.stream_queries == 0);
    theirs->deleter(theirs);
  }

  TEST_CASE_TEMPLATE("an array is allocated by the producer", Table, TABLES) {
    const Table table = producer<Table>::table();
    const dlpack_exchange exchange(&table);
    const std::vector<std::int64_t> extents{2, 3}, others{3, 2};
    any_array made = exchange.allocate(element_type::float32, extents, device::cpu());
    object x;
    doubled.into(made.view().template to<float, 2>())(as_view<float, 2>(exchange.borrow(&x)));
    CHECK(std::move(made).template to<float, 2>().to_vector() == twice);
    CHECK(throws_with<error>(
        "managed_tensor_allocator returned -1, ValueError: an object here has 2 x 3 floats",
        [&] { exchange.allocate(element_type::float32, others, device::cpu()); }));
  }

  TEST_CASE_TEMPLATE("a pointer without a type, as a capsule has it, is a table of DLPack's layout", Table,
                     TABLES) {
    Table table = producer<Table>::table();
    void* const capsule = &table;
    object x;
    CHECK(dlpack_exchange(capsule).borrow(&x).data() == x.elements);
    CHECK(dlpack_exchange(const_cast<const void*>(capsule)).take(&x).data() == x.elements);
  }

  TEST_CASE("the current stream is the producer's handle; the CPU has none to ask for") {
    using table_type = dlpack_abi::exchange_table;
    const table_type table = producer<table_type>::table();
    const dlpack_exchange exchange(&table);
    CHECK(exchange.current_stream(device::cpu()).where() == device::cpu());
    CHECK(state.stream_queries == 0);
    CHECK(exchange.current_stream(device::cuda(3)).native() == nullptr);  // the default stream
    CHECK(state.asked_device == 3);
    int handle = 0;
    state.stream = &handle;
    const stream on = exchange.current_stream(device::cuda(0));
    CHECK(on.native() == &handle);
    CHECK(on.where() == device::cuda(0));
    state.fail_with = -1;
    CHECK(throws_with<device_error>("current_work_stream returned -1 for CUDA device 2",
                                    [&] { (void)exchange.current_stream(device::cuda(2)); }));
  }

  TEST_CASE("the producer's current stream waits for what writes an array that is given") {
    if (test::nvrtc_is_missing()) return;
    fake_cuda fake;
    test::ordered_call axpy(fake, "dlpack_exchange_axpy");
    const stream writer = stream::create(test::cuda);
    const test::foreign_stream current(fake);
    using table_type = dlpack_abi::exchange_table;
    const table_type table = producer<table_type>::table();
    state.stream = current.handle;
    const dlpack_exchange exchange(&table);
    auto* const theirs =
        static_cast<dlpack_abi::versioned_tensor*>(exchange.give(any_array(axpy.fresh(writer))));
    CHECK(fake.follows(current.borrowed(), writer));
    CHECK(fake.calls("cuStreamSynchronize") == 0);
    theirs->deleter(theirs);
    CHECK(fake.faults() == 0);
  }

  TEST_CASE("an array is whole after the producer could not say its stream") {
    fake_cuda fake;
    using table_type = dlpack_abi::exchange_table;
    const table_type table = producer<table_type>::table();
    const dlpack_exchange exchange(&table);
    array<float, 1> x({3}, device::cuda(0));
    const float* const data = x.data();
    state.fail_with = -1;
    CHECK(throws_with<device_error>("current_work_stream returned -1", [&] { exchange.give(std::move(x)); }));
    state = {};
    CHECK(x.data() == data);
  }

  TEST_CASE("a failure of the producer is an exception that names the function and its code") {
    using table_type = dlpack_abi::exchange_table;
    const table_type table = producer<table_type>::table();
    const dlpack_exchange exchange(&table);
    object x;
    const std::vector<std::int64_t> extents{2, 3};
    state.fail_with = -1;
    CHECK(throws_with<error>("dltensor_from_py_object_no_sync returned -1", [&] { exchange.borrow(&x); }));
    CHECK(
        throws_with<error>("managed_tensor_from_py_object_no_sync returned -1", [&] { exchange.take(&x); }));
    CHECK(throws_with<error>("managed_tensor_to_py_object_no_sync returned -1",
                             [&] { exchange.give(array<float, 1>::from({1, 2, 3}, {3}, device::cpu())); }));
    CHECK(throws_with<out_of_memory>("MemoryError: the pool is empty",
                                     [&] { exchange.allocate(element_type::float32, extents); }));
    state.says_why = false;
    state.fail_with = 7;
    CHECK(throws_with<error>("returned 7, ValueError, and does not say why",
                             [&] { exchange.allocate(element_type::float32, extents); }));
    state = {};
    state.gives_nothing = true;
    CHECK(throws_with<error>("returned 0 without a result", [&] { exchange.take(&x); }));
    CHECK(throws_with<error>("needs a Python object", [&] { exchange.take(nullptr); }));
    CHECK(throws_with<error>("needs a Python object", [&] { exchange.borrow(nullptr); }));
    CHECK(x.references == 1);
  }

  TEST_CASE("functions that a table lacks are refused when it is made, and lending when it is asked for") {
    using table_type = dlpack_abi::exchange_table;
    const auto refused = [](const char* words, auto lack) {
      table_type table = producer<table_type>::table();
      lack(table);
      return throws_with<type_error>(words, [&] { const dlpack_exchange made(&table); });
    };
    CHECK(
        refused("managed_tensor_allocator is a null", [](auto& t) { t.managed_tensor_allocator = nullptr; }));
    CHECK(refused("managed_tensor_from_py_object_no_sync is a null",
                  [](auto& t) { t.managed_tensor_from_py_object_no_sync = nullptr; }));
    CHECK(refused("managed_tensor_to_py_object_no_sync is a null",
                  [](auto& t) { t.managed_tensor_to_py_object_no_sync = nullptr; }));
    CHECK(refused("current_work_stream is a null", [](auto& t) { t.current_work_stream = nullptr; }));
    const table_type* const none = nullptr;
    CHECK(throws_with<type_error>("the pointer to it is null", [&] { const dlpack_exchange made(none); }));
    table_type table = producer<table_type>::table();
    table.dltensor_from_py_object_no_sync = nullptr;  // DLPack allows that
    const dlpack_exchange exchange(&table);
    object x;
    CHECK(throws_with<type_error>("say take() instead", [&] { exchange.borrow(&x); }));
    CHECK(exchange.take(&x).data() == x.elements);
  }

  TEST_CASE("of a chain of versions the newest 1.x is used, and without one the table is refused unread") {
    using table_type = dlpack_abi::exchange_table;
    table_type first = producer<table_type>::table(1, 3), second{}, third{};
    second.header = {{2, 0}, &first.header};
    third.header = {{3, 1}, &second.header};
    object x;
    CHECK(dlpack_exchange(&third).borrow(&x).data() == x.elements);
    const table_type later = producer<table_type>::table(1, 99);
    CHECK(dlpack_exchange(&later).borrow(&x).data() == x.elements);
    second.header.prev_api = nullptr;
    CHECK(throws_with<type_error>("version 3.1", [&] { const dlpack_exchange made(&third); }));
    second.header.prev_api = &third.header;  // leads back
    CHECK(throws_with<type_error>("version 3.1", [&] { const dlpack_exchange made(&third); }));
    first.header.version = {0, 8};
    second.header.prev_api = &first.header;
    CHECK(throws_with<type_error>("none of the older tables", [&] { const dlpack_exchange made(&third); }));
  }
}
