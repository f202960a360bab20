// The C interface, sinter/sinter.h: every status, messages, null pointers, streams and facts.
#include <sinter/sinter.h>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/version.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check_fails.hpp"

namespace {

constexpr sinter_device cpu{sinter_cpu, 0};

/// The status that an exception becomes.
template <class Thrown>
sinter_status status_of(const Thrown& thrown) {
  return sinter::c::guarded("the_function", [&] { throw thrown; });
}

/// A builder with two inputs, and a function that adds them.
struct sum_of_two {
  sinter_builder* builder = nullptr;
  sinter_function* function = nullptr;
  sinter_value x = 0, y = 0, sum = 0;
  sum_of_two() {
    REQUIRE(sinter_builder_create(sinter_standard, &builder) == sinter_ok);
    REQUIRE(sinter_builder_input(builder, sinter_float32, 2, &x) == sinter_ok);
    REQUIRE(sinter_builder_input(builder, sinter_float32, 2, &y) == sinter_ok);
    const sinter_value both[] = {x, y};
    REQUIRE(sinter_builder_apply(builder, "add", both, 2, &sum) == sinter_ok);
    REQUIRE(sinter_builder_output(builder, sum) == sinter_ok);
    REQUIRE(sinter_builder_finish(builder, &function) == sinter_ok);
  }
  sum_of_two(const sum_of_two&) = delete;
  ~sum_of_two() {
    sinter_function_destroy(function);
    sinter_builder_destroy(builder);
  }
};

/// Six floats as a tensor of 2 x 3, three times.
struct three_tensors {
  float values[6] = {1, 2, 3, 4, 5, 6}, results[6] = {};
  std::int64_t shape[2] = {2, 3};
  sinter_tensor tensor{values, cpu, 2, {2, 32, 1}, shape, nullptr, 0};
  sinter_tensor target{results, cpu, 2, {2, 32, 1}, shape, nullptr, 0};
  sinter_operand operands[2] = {{&tensor, nullptr}, {&tensor, nullptr}};
  sinter_operand into{&target, nullptr};
  sinter_arguments arguments{};
  three_tensors() {
    arguments.size = sizeof arguments;
    arguments.operands = operands;
    arguments.operand_count = 2;
    arguments.into = &into;
    arguments.into_count = 1;
  }
  three_tensors(const three_tensors&) = delete;
};

}  // namespace

TEST_SUITE("errors of the C interface") {
  TEST_CASE("every error has a status, a name, and its message after the function's name") {
    using namespace sinter;
    CHECK(status_of(shape_error("s")) == sinter_shape_error);
    CHECK(sinter_last_message() == std::string("the_function: s"));
    CHECK(status_of(type_error("t")) == sinter_type_error);
    CHECK(status_of(device_error("d")) == sinter_device_error);
    CHECK(status_of(cache_error("c")) == sinter_cache_error);
    CHECK(status_of(out_of_memory("m", 1, 2)) == sinter_out_of_memory);
    CHECK(status_of(std::bad_alloc()) == sinter_out_of_memory);
    CHECK(status_of(compile_error("p", "source", "log")) == sinter_compile_error);
    CHECK(status_of(execution_error("e")) == sinter_execution_error);
    CHECK(status_of(c::invalid_argument("i")) == sinter_invalid_argument);
    CHECK(status_of(error("other")) == sinter_other_error);
    CHECK(status_of(std::runtime_error("other")) == sinter_other_error);
    CHECK(sinter_last_message() == std::string("the_function: other"));
    CHECK(status_of(7) == sinter_other_error);
    CHECK(sinter_last_message() == std::string("the_function: an exception that is no std::exception"));

    std::set<std::string> names;
    for (sinter_status status = sinter_ok; status <= sinter_other_error; ++status)
      names.insert(sinter_status_name(status));
    CHECK(names.size() == 10);
    CHECK(sinter_status_name(sinter_compile_error) == std::string("compile_error"));
    CHECK(sinter_status_name(-1) == std::string("unknown"));
    CHECK(sinter_status_name(10) == std::string("unknown"));
  }

  TEST_CASE("a thread that had no failure has no message, and a success leaves the message as it is") {
    CHECK(sinter_builder_output(nullptr, 0) == sinter_invalid_argument);
    std::string of_other_thread = "none";
    std::thread([&] { of_other_thread = sinter_last_message(); }).join();
    CHECK(of_other_thread.empty());
    sinter_builder* builder = nullptr;
    CHECK(sinter_builder_create(sinter_standard, &builder) == sinter_ok);
    CHECK(sinter_last_message() == std::string("sinter_builder_output: the builder is a null pointer"));
    sinter_builder_destroy(builder);
  }

  TEST_CASE("null handles and null pointers for results are refused by every function") {
    sum_of_two made;
    sinter_builder* const none = nullptr;
    sinter_value value = 0;
    const sinter_value both[] = {made.x, made.y};
    const int32_t axis = 0;
    const sinter_index_item item{sinter_newaxis, 0, 0, 0};
    const sinter_status refused[] = {
        sinter_builder_create(sinter_standard, nullptr),
        sinter_builder_name(none, "name"),
        sinter_builder_name(made.builder, nullptr),
        sinter_builder_input(none, sinter_float32, 1, &value),
        sinter_builder_input(made.builder, sinter_float32, 1, nullptr),
        sinter_builder_parameter(none, sinter_float32, 0, &value),
        sinter_builder_parameter(made.builder, sinter_float32, 0, nullptr),
        sinter_builder_real(none, 1, &value),
        sinter_builder_real(made.builder, 1, nullptr),
        sinter_builder_integer(none, 1, &value),
        sinter_builder_integer(made.builder, 1, nullptr),
        sinter_builder_apply(none, "add", both, 2, &value),
        sinter_builder_apply(made.builder, nullptr, both, 2, &value),
        sinter_builder_apply(made.builder, "add", nullptr, 2, &value),
        sinter_builder_apply(made.builder, "add", both, 2, nullptr),
        sinter_builder_reduce(none, "sum", made.x, &axis, 1, 0, &value),
        sinter_builder_reduce(made.builder, nullptr, made.x, &axis, 1, 0, &value),
        sinter_builder_reduce(made.builder, "sum", made.x, nullptr, 1, 0, &value),
        sinter_builder_reduce(made.builder, "sum", made.x, &axis, 1, 0, nullptr),
        sinter_builder_scan(none, "cumsum", made.x, 0, &value),
        sinter_builder_scan(made.builder, nullptr, made.x, 0, &value),
        sinter_builder_scan(made.builder, "cumsum", made.x, 0, nullptr),
        sinter_builder_cast(none, made.x, sinter_float64, &value),
        sinter_builder_cast(made.builder, made.x, sinter_float64, nullptr),
        sinter_builder_coordinate(none, made.x, 0, &value),
        sinter_builder_coordinate(made.builder, made.x, 0, nullptr),
        sinter_builder_extent(none, made.x, 0, &value),
        sinter_builder_extent(made.builder, made.x, 0, nullptr),
        sinter_builder_permute(none, made.x, &axis, 1, &value),
        sinter_builder_permute(made.builder, made.x, nullptr, 2, &value),
        sinter_builder_permute(made.builder, made.x, &axis, 1, nullptr),
        sinter_builder_view(none, made.x, &item, 1, &value),
        sinter_builder_view(made.builder, made.x, nullptr, 1, &value),
        sinter_builder_view(made.builder, made.x, &item, 1, nullptr),
        sinter_builder_output(none, made.x),
        sinter_builder_finish(none, &made.function),
        sinter_builder_finish(made.builder, nullptr),
    };
    for (std::size_t i = 0; i < std::size(refused); ++i) {
      CAPTURE(i);
      CHECK(refused[i] == sinter_invalid_argument);
    }
    CHECK(value == 0);
    const char* text = nullptr;
    three_tensors tensors;
    sinter_array* array = nullptr;
    const std::int64_t extent = 1;
    REQUIRE(sinter_array_create(sinter_float32, 1, &extent, cpu, &array) == sinter_ok);
    sinter_managed_tensor* managed = nullptr;
    sinter_stream* stream = nullptr;
    void* native = nullptr;
    REQUIRE(sinter_stream_create(cpu, &stream) == sinter_ok);
    const sinter_status also_refused[] = {
        sinter_function_counts(nullptr, nullptr, nullptr, nullptr),
        sinter_function_text(nullptr, &text),
        sinter_function_text(made.function, nullptr),
        sinter_call(nullptr, &tensors.arguments, nullptr, 0),
        sinter_call(made.function, nullptr, nullptr, 0),
        sinter_prepare(nullptr, &tensors.arguments),
        sinter_prepare(made.function, nullptr),
        sinter_explain(nullptr, &tensors.arguments, &text),
        sinter_explain(made.function, nullptr, &text),
        sinter_explain(made.function, &tensors.arguments, nullptr),
        sinter_array_create(sinter_float32, 1, nullptr, cpu, &array),
        sinter_array_create(sinter_float32, 1, &extent, cpu, nullptr),
        sinter_array_tensor(nullptr, &tensors.tensor),
        sinter_array_tensor(array, nullptr),
        sinter_array_read(nullptr, tensors.results, 4),
        sinter_array_read(array, nullptr, 4),
        sinter_array_write(nullptr, tensors.results, 4),
        sinter_array_write(array, nullptr, 4),
        sinter_array_to_dlpack(nullptr, &managed),
        sinter_array_to_dlpack(array, nullptr),
        sinter_stream_create(cpu, nullptr),
        sinter_stream_borrow(cpu, nullptr, nullptr),
        sinter_stream_native(nullptr, &native),
        sinter_stream_native(stream, nullptr),
        sinter_stream_synchronize(nullptr),
        sinter_stream_forget(nullptr),
        sinter_cuda_device_count(nullptr),
        sinter_cuda_absence_reason(nullptr),
    };
    for (std::size_t i = 0; i < std::size(also_refused); ++i) {
      CAPTURE(i);
      CHECK(also_refused[i] == sinter_invalid_argument);
    }
    sinter_stream_destroy(stream);
    sinter_array_destroy(array);
    // as free() does
    sinter_builder_destroy(nullptr);
    sinter_function_destroy(nullptr);
    sinter_array_destroy(nullptr);
    sinter_stream_destroy(nullptr);
  }

  TEST_CASE("an unknown operation is answered with similar names, one of another kind with its function") {
    sum_of_two made;
    sinter_value value = 0;
    const auto apply = [&](const char* name) {
      return sinter::test::message_of(sinter_invalid_argument,
                                      sinter_builder_apply(made.builder, name, &made.x, 1, &value));
    };
    CHECK(apply("multply") ==
          "sinter_builder_apply: there is no operation 'multply': did you mean 'multiply'? "
          "sinter_operation_name lists their names, docs/operations.md their meaning");
    CHECK(apply("divide").find("'true_divide'") != std::string::npos);
    CHECK(apply("no such operation at all") ==
          "sinter_builder_apply: there is no operation 'no such operation at all': "
          "sinter_operation_name lists their names, docs/operations.md their meaning");
    CHECK(apply("").find("there is no operation ''") != std::string::npos);
    CHECK(apply(std::string(5000, 'a').c_str()).size() < 300);
    CHECK(apply("input").find("there is no operation 'input'") != std::string::npos);
    CHECK(apply("sum").find("'sum' is a reduction: use sinter_builder_reduce") != std::string::npos);
    CHECK(apply("cumsum").find("'cumsum' is a scan: use sinter_builder_scan") != std::string::npos);
    CHECK_FAILS(sinter_builder_reduce(made.builder, "exp", made.x, nullptr, 0, 0, &value),
                sinter_invalid_argument, "'exp' works on elements: use sinter_builder_apply");
    CHECK_FAILS(sinter_builder_scan(made.builder, "max", made.x, 0, &value), sinter_invalid_argument,
                "'max' is a reduction");
    CHECK(value == 0);
  }

  TEST_CASE("what a graph cannot have is refused with the operation and its operands") {
    sum_of_two made;
    sinter_builder* const builder = made.builder;
    sinter_value value = 0, flags = 0;
    CHECK_FAILS(sinter_builder_create(3, &made.builder), sinter_invalid_argument, "arithmetic mode 3");
    CHECK_FAILS(sinter_builder_input(builder, 99, 1, &value), sinter_invalid_argument, "element type 99");
    CHECK_FAILS(sinter_builder_input(builder, sinter_int8, -1, &value), sinter_shape_error, "rank -1");
    CHECK_FAILS(sinter_builder_input(builder, sinter_int8, 33, &value), sinter_shape_error, "rank 33");
    CHECK_FAILS(sinter_builder_parameter(builder, sinter_complex64, 0, &value), sinter_type_error,
                "make_complex");
    CHECK_FAILS(sinter_builder_apply(builder, "add", &made.x, 1, &value), sinter_type_error,
                "add(float32[:,:]): takes 2 operands");
    REQUIRE(sinter_builder_input(builder, sinter_boolean, 1, &flags) == sinter_ok);
    CHECK_FAILS(sinter_builder_apply(builder, "negative", &flags, 1, &value), sinter_type_error,
                "negative(bool[:]): not defined for booleans");
    CHECK_FAILS(sinter_builder_cast(builder, made.x, -1, &value), sinter_invalid_argument, "element type -1");
    const int32_t beyond = 2, twice[] = {0, -2};
    CHECK_FAILS(sinter_builder_reduce(builder, "sum", made.x, &beyond, 1, 0, &value), sinter_shape_error,
                "no axis 2: the operand has 2");
    CHECK_FAILS(sinter_builder_reduce(builder, "sum", made.x, twice, 2, 0, &value), sinter_shape_error,
                "axis -2 is listed twice");
    CHECK_FAILS(sinter_builder_scan(builder, "cumsum", made.x, -3, &value), sinter_shape_error, "no axis -3");
    CHECK_FAILS(sinter_builder_coordinate(builder, made.x, 5, &value), sinter_shape_error, "no axis 5");
    CHECK_FAILS(sinter_builder_extent(builder, made.x, 5, &value), sinter_shape_error, "no axis 5");
    CHECK_FAILS(sinter_builder_permute(builder, made.x, twice, 2, &value), sinter_shape_error,
                "a permutation names every axis once");
    CHECK_FAILS(sinter_builder_permute(builder, made.x, twice, 1, &value), sinter_shape_error,
                "lists 1 axes");
    const sinter_index_item still{sinter_slice, SINTER_ABSENT, SINTER_ABSENT, 0}, unknown{9, 0, 0, 0};
    CHECK_FAILS(sinter_builder_view(builder, made.x, &still, 1, &value), sinter_shape_error, "step 0");
    CHECK_FAILS(sinter_builder_view(builder, made.x, &unknown, 1, &value), sinter_invalid_argument,
                "item 0 is of kind 9");
    CHECK(value == 0);
  }

  TEST_CASE("a value of another builder, and no value, are refused") {
    sum_of_two made, other;
    sinter_value value = 0;
    const sinter_value mixed[] = {made.x, other.x}, unset[] = {made.x, 0};
    CHECK_FAILS(sinter_builder_apply(made.builder, "add", mixed, 2, &value), sinter_invalid_argument,
                "which is no value of this builder: another builder made it");
    CHECK_FAILS(sinter_builder_apply(made.builder, "add", unset, 2, &value), sinter_invalid_argument,
                "operand 1 is 0, which is no value");
    CHECK_FAILS(sinter_builder_output(made.builder, other.sum), sinter_invalid_argument, "another builder");
    CHECK_FAILS(sinter_builder_output(made.builder, made.sum + 1000), sinter_invalid_argument, "no value");
    sinter_builder* empty = nullptr;
    sinter_function* function = nullptr;
    REQUIRE(sinter_builder_create(sinter_standard, &empty) == sinter_ok);
    CHECK_FAILS(sinter_builder_finish(empty, &function), sinter_invalid_argument, "the graph has no results");
    sinter_builder_destroy(empty);
  }

  TEST_CASE("operands and targets that do not fit are refused, and nothing is written") {
    sum_of_two made;
    three_tensors of;
    const auto call = [&] { return sinter_call(made.function, &of.arguments, nullptr, 0); };
    of.arguments.operand_count = 1;
    CHECK_FAILS(call(), sinter_type_error, "takes 2 arrays and 0 scalars, and was given 1 and 0");
    of.arguments.operand_count = 2;
    of.operands[1] = {nullptr, nullptr};
    CHECK_FAILS(call(), sinter_invalid_argument, "operand 1 is neither a tensor nor an array");
    sinter_array* array = nullptr;
    REQUIRE(sinter_array_create(sinter_float64, 2, of.shape, cpu, &array) == sinter_ok);
    of.operands[1] = {&of.tensor, array};
    CHECK_FAILS(call(), sinter_invalid_argument, "operand 1 is a tensor and an array");
    of.operands[1] = {nullptr, array};
    CHECK_FAILS(call(), sinter_type_error, "float64");
    of.operands[1] = {&of.tensor, nullptr};
    of.tensor.dtype = {2, 32, 4};
    CHECK_FAILS(call(), sinter_type_error, "operand 0: borrowing a DLPack tensor: its elements are vectors");
    of.tensor.dtype = {2, 32, 1};
    of.tensor.device.device_type = 10;
    CHECK_FAILS(call(), sinter_device_error, "operand 0: borrowing a DLPack tensor: it is on a device");
    of.tensor.device = cpu;
    of.target.data = nullptr;
    CHECK_FAILS(call(), sinter_shape_error, "target 0: borrowing a DLPack tensor");
    of.target.data = of.results;
    std::int64_t wider[] = {2, 4};
    of.tensor.shape = wider;
    CHECK_FAILS(call(), sinter_shape_error, "sinter_call: ");
    of.tensor.shape = of.shape;
    of.arguments.operands = nullptr;
    CHECK_FAILS(call(), sinter_invalid_argument, "the list of operands is a null pointer");
    of.arguments.operands = of.operands;
    for (const float result : of.results) CHECK(result == 0);
    CHECK(call() == sinter_ok);
    CHECK(of.results[5] == 12);
    sinter_array_destroy(array);
  }

  TEST_CASE("results are targets or new arrays, as many as the function has") {
    sum_of_two made;
    three_tensors of;
    sinter_array* results[2] = {};
    CHECK_FAILS(sinter_call(made.function, &of.arguments, results, 1), sinter_invalid_argument,
                "the arguments have targets, and 1 new arrays are wanted as well");
    of.arguments.into_count = 0;
    CHECK_FAILS(sinter_call(made.function, &of.arguments, results, 2), sinter_shape_error, "1 results");
    CHECK_FAILS(sinter_call(made.function, &of.arguments, nullptr, 0), sinter_shape_error, "1 results");
    CHECK_FAILS(sinter_call(made.function, &of.arguments, nullptr, 1), sinter_invalid_argument,
                "the list of results is a null pointer");
    CHECK(results[0] == nullptr);
    const sinter_operand two[] = {of.into, of.into};
    of.arguments.into = two;
    of.arguments.into_count = 2;
    CHECK_FAILS(sinter_call(made.function, &of.arguments, nullptr, 0), sinter_shape_error, "1 results");
  }

  TEST_CASE("arguments of another size are those of another version") {
    sum_of_two made;
    three_tensors of;
    of.arguments.size = 0;
    CHECK_FAILS(sinter_prepare(made.function, &of.arguments), sinter_invalid_argument,
                "set the member size to sizeof(sinter_arguments)");
    struct {
      sinter_arguments known;
      void* member;
    } later{of.arguments, nullptr};
    later.known.size = sizeof later;
    CHECK(sinter_call(made.function, &later.known, nullptr, 0) == sinter_ok);
    later.member = &later;
    CHECK_FAILS(sinter_call(made.function, &later.known, nullptr, 0), sinter_invalid_argument,
                "members that version");
  }
}

TEST_SUITE("streams and facts of the C interface") {
  TEST_CASE("calls run on streams of the CPU; those of a GPU are refused for its arrays") {
    sum_of_two made;
    three_tensors of;
    sinter_stream *created = nullptr, *borrowed = nullptr;
    void* native = &of;
    REQUIRE(sinter_stream_create(cpu, &created) == sinter_ok);
    REQUIRE(sinter_stream_borrow(cpu, nullptr, &borrowed) == sinter_ok);
    of.arguments.assume_ordered = 1;
    for (const sinter_stream* each : {created, borrowed}) {
      of.arguments.stream = each;
      CHECK(sinter_call(made.function, &of.arguments, nullptr, 0) == sinter_ok);
      CHECK(sinter_stream_synchronize(each) == sinter_ok);
    }
    CHECK(of.results[5] == 12);
    CHECK(sinter_stream_native(borrowed, &native) == sinter_ok);
    CHECK(native == nullptr);
    CHECK(sinter_stream_forget(borrowed) == sinter_ok);
    CHECK(sinter_synchronize(cpu) == sinter_ok);
    of.arguments.native_stream = &of;
    CHECK_FAILS(sinter_call(made.function, &of.arguments, nullptr, 0), sinter_invalid_argument,
                "a stream and a native stream");
    of.arguments.stream = nullptr;
    CHECK_FAILS(sinter_call(made.function, &of.arguments, nullptr, 0), sinter_device_error,
                "a native stream of a GPU, and the call runs on the CPU");
    sinter_stream* none = nullptr;
    CHECK_FAILS(sinter_stream_borrow(cpu, &of, &none), sinter_device_error, "the CPU has no native streams");
    CHECK_FAILS(sinter_stream_create({3, 0}, &none), sinter_device_error, "device of type 3");
    CHECK_FAILS(sinter_synchronize({sinter_cuda, 40000}), sinter_device_error, "CUDA device 40000");
    of.arguments.native_stream = nullptr;
    of.arguments.workspace_bytes = 8;
    CHECK_FAILS(sinter_call(made.function, &of.arguments, nullptr, 0), sinter_invalid_argument,
                "the workspace is a null pointer");
    alignas(256) std::byte workspace[256];
    of.arguments.workspace = workspace;
    CHECK(sinter_call(made.function, &of.arguments, nullptr, 0) == sinter_ok);
    sinter_stream_destroy(created);
    sinter_stream_destroy(borrowed);
  }

  TEST_CASE("the version, devices, types and operations are the library's") {
    CHECK(sinter_version() == SINTER_VERSION);
    CHECK(sinter_version_text() == std::string(SINTER_VERSION_TEXT));
    int32_t count = -1;
    const char* reason = nullptr;
    CHECK(sinter_cuda_device_count(&count) == sinter_ok);
    CHECK(count == static_cast<int32_t>(sinter::devices().size()) - 1);
    CHECK(sinter_cuda_absence_reason(&reason) == sinter_ok);
    CHECK(reason == sinter::cuda_absence_reason());
    CHECK((count == 0) == (*reason != '\0'));
    CHECK(sinter_element_type_name(sinter_boolean) == std::string("bool"));
    CHECK(sinter_element_type_name(sinter_bfloat16) == std::string("bfloat16"));
    CHECK(sinter_element_type_name(sinter_complex128) == std::string("complex128"));
    CHECK(sinter_element_type_name(-1) == nullptr);
    CHECK(sinter_element_type_name(15) == nullptr);
    std::set<std::string> names;
    for (std::size_t i = 0; sinter_operation_name(i) != nullptr; ++i) names.insert(sinter_operation_name(i));
    CHECK(names.contains("add"));
    CHECK(names.contains("cumprod"));
    CHECK(!names.contains("input"));
    CHECK(sinter_operation_name(names.size()) == nullptr);
    CHECK(sinter_operation_name(SIZE_MAX) == nullptr);
  }

  TEST_CASE("without a GPU its arrays and streams are a device_error that says why") {
    int32_t count = 0;
    REQUIRE(sinter_cuda_device_count(&count) == sinter_ok);
    if (count != 0) return;
    sinter_array* array = nullptr;
    sinter_stream* stream = nullptr;
    const std::int64_t extent = 4;
    CHECK_FAILS(sinter_array_create(sinter_float32, 1, &extent, {sinter_cuda, 0}, &array),
                sinter_device_error, "sinter_array_create: ");
    CHECK_FAILS(sinter_stream_create({sinter_cuda, 0}, &stream), sinter_device_error,
                "sinter_stream_create: ");
  }
}
