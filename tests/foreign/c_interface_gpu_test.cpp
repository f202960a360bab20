// The C interface on GPUs: with the fake driver where work is queued and what fails, with a GPU what it
// computes.
#include <doctest/doctest.h>

#include <sinter/sinter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"

using namespace sinter::test;

namespace {

constexpr sinter_device gpu{sinter_cuda, 0};
constexpr std::int64_t count = 1024;
constexpr std::size_t bytes = count * sizeof(float);

sinter_array* gpu_array() {
  sinter_array* made = nullptr;
  const sinter_status status = sinter_array_create(sinter_float32, 1, &count, gpu, &made);
  INFO(std::string(sinter_last_message()));
  REQUIRE(status == sinter_ok);
  return made;
}

/// x + y of two arrays on a GPU, into a third.
struct gpu_sum {
  sinter_function* function = nullptr;
  sinter_array *x = gpu_array(), *y = gpu_array(), *out = gpu_array();
  sinter_operand operands[2] = {{nullptr, x}, {nullptr, y}}, into{nullptr, out};
  sinter_arguments arguments{};

  explicit gpu_sum(const char* name) {
    sinter_builder* builder = nullptr;
    sinter_value values[2] = {}, sum = 0;
    REQUIRE(sinter_builder_create(sinter_standard, &builder) == sinter_ok);
    REQUIRE(sinter_builder_name(builder, name) == sinter_ok);
    for (sinter_value& each : values)
      REQUIRE(sinter_builder_input(builder, sinter_float32, 1, &each) == sinter_ok);
    REQUIRE(sinter_builder_apply(builder, "add", values, 2, &sum) == sinter_ok);
    REQUIRE(sinter_builder_output(builder, sum) == sinter_ok);
    REQUIRE(sinter_builder_finish(builder, &function) == sinter_ok);
    sinter_builder_destroy(builder);
    arguments.size = sizeof arguments;
    arguments.operands = operands;
    arguments.operand_count = 2;
    arguments.into = &into;
    arguments.into_count = 1;
  }
  gpu_sum(const gpu_sum&) = delete;
  ~gpu_sum() {
    for (sinter_array* each : {x, y, out}) sinter_array_destroy(each);
    sinter_function_destroy(function);
  }
  sinter_status operator()() { return sinter_call(function, &arguments, nullptr, 0); }
};

}  // namespace

TEST_SUITE("the C interface on GPUs") {
  TEST_CASE("a call is queued on a stream of the interface's own, on a CUstream, or on the default stream") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    gpu_sum sum("c_interface_streams");
    fake.set_arrays(2, 1);
    sinter_stream *created = nullptr, *borrowed = nullptr;
    REQUIRE(sinter_stream_create(gpu, &created) == sinter_ok);
    void* native = nullptr;
    REQUIRE(sinter_stream_native(created, &native) == sinter_ok);
    REQUIRE(native != nullptr);
    const foreign_stream foreign(fake);
    REQUIRE(sinter_stream_borrow(gpu, foreign.handle, &borrowed) == sinter_ok);
    CHECK(sum() == sinter_ok);
    sum.arguments.stream = created;
    CHECK(sum() == sinter_ok);
    sum.arguments.stream = nullptr;
    sum.arguments.native_stream = foreign.handle;
    CHECK(sum() == sinter_ok);
    CHECK(fake.calls("cuLaunchKernel") == 3);
    // the three calls write one array, which the library has allocated
    const auto first = sinter::stream::from_native(sinter::device::cuda(), native);
    CHECK(fake.follows(foreign.borrowed(), first));
    CHECK(sinter_stream_synchronize(created) == sinter_ok);
    CHECK(sinter_stream_forget(borrowed) == sinter_ok);
    CHECK(sinter_synchronize(gpu) == sinter_ok);
    sinter_stream_destroy(borrowed);
    sinter_stream_destroy(created);
    CHECK(fake.faults() == 0);
  }

  TEST_CASE("tensors of a GPU are borrowed, and a tensor for DLPack says where its elements are") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    gpu_sum sum("c_interface_tensors");
    sinter_tensor lent{};
    REQUIRE(sinter_array_tensor(sum.x, &lent) == sinter_ok);
    CHECK((lent.device.device_type == sinter_cuda && lent.device.device_id == 0));
    sum.operands[0] = {&lent, nullptr};
    sum.arguments.into_count = 0;
    sinter_array* made = nullptr;
    REQUIRE(sinter_call(sum.function, &sum.arguments, &made, 1) == sinter_ok);
    sinter_managed_tensor* tensor = nullptr;
    REQUIRE(sinter_array_to_dlpack(made, &tensor) == sinter_ok);
    CHECK(tensor->dl_tensor.device.device_type == sinter_cuda);
    tensor->deleter(tensor);
  }

  TEST_CASE("the consumer of a versioned tensor waits for the work that writes it, on the device") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    gpu_sum sum("c_interface_consumer");
    fake.set_arrays(2, 1);
    sinter_stream *writer = nullptr, *consumer = nullptr;
    void* native = nullptr;
    REQUIRE(sinter_stream_create(gpu, &writer) == sinter_ok);
    REQUIRE(sinter_stream_native(writer, &native) == sinter_ok);
    const foreign_stream foreign(fake);
    REQUIRE(sinter_stream_borrow(gpu, foreign.handle, &consumer) == sinter_ok);
    sum.arguments.stream = writer;
    sum.arguments.into_count = 0;
    sinter_array* result = nullptr;
    REQUIRE(sinter_call(sum.function, &sum.arguments, &result, 1) == sinter_ok);
    sinter_versioned_tensor* given = nullptr;
    REQUIRE(sinter_array_to_dlpack_versioned(result, consumer, &given) == sinter_ok);
    CHECK(given->dl_tensor.device.device_type == sinter_cuda);
    CHECK(fake.follows(foreign.borrowed(), sinter::stream::from_native(sinter::device::cuda(0), native)));
    CHECK(fake.calls("cuStreamSynchronize") == 0);
    given->deleter(given);
    sinter_stream_destroy(consumer);
    sinter_stream_destroy(writer);
    CHECK(fake.faults() == 0);
  }

  TEST_CASE("what the driver refuses is a status, and the next call runs") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    gpu_sum sum("c_interface_refusals");
    REQUIRE(sinter_prepare(sum.function, &sum.arguments) == sinter_ok);
    fake.fail("cuLaunchKernel", 1, sinter::runtime::CUresult(700));
    CHECK(sum() == sinter_execution_error);
    CHECK(std::string(sinter_last_message()).starts_with("sinter_call: "));
    CHECK(sum() == sinter_ok);
    // arrays of the CPU and of a GPU in one call
    const std::int64_t extent = count;
    sinter_array* on_cpu = nullptr;
    REQUIRE(sinter_array_create(sinter_float32, 1, &extent, {sinter_cpu, 0}, &on_cpu) == sinter_ok);
    sum.operands[1] = {nullptr, on_cpu};
    CHECK(sum() == sinter_device_error);
    sinter_array_destroy(on_cpu);
    int32_t devices = 0;
    CHECK(sinter_cuda_device_count(&devices) == sinter_ok);
    CHECK(devices == 1);
    const char* reason = nullptr;
    CHECK(sinter_cuda_absence_reason(&reason) == sinter_ok);
    CHECK(*reason == '\0');
  }

  TEST_CASE("arrays on a GPU are written, added and read") {
    if (lacks_cuda_device() || nvrtc_is_missing()) return;
    gpu_sum sum("c_interface_sum");
    std::vector<float> x(count), y(count), out(count), expected(count);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i);
      y[i] = static_cast<float>(i % 7);
      expected[i] = x[i] + y[i];
    }
    REQUIRE(sinter_array_write(sum.x, x.data(), bytes) == sinter_ok);
    REQUIRE(sinter_array_write(sum.y, y.data(), bytes) == sinter_ok);
    sinter_stream* stream = nullptr;
    REQUIRE(sinter_stream_create(gpu, &stream) == sinter_ok);
    sum.arguments.stream = stream;
    REQUIRE(sum() == sinter_ok);
    REQUIRE(sinter_array_read(sum.out, out.data(), bytes) == sinter_ok);
    CHECK(out == expected);
    sinter_stream_destroy(stream);
  }
}
