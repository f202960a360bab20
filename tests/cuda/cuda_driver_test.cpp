#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include <sinter/runtime/base/sizes.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/dynamic_library.hpp>
#include <sinter/runtime/posix/stack_thread.hpp>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

template <class Exception, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Exception& thrown) {
    return thrown.what();
  }
  return "nothing of that type was thrown";
}

// Loads the fake after calling a control function with a number, and returns why it is unusable.
std::string refusal(const char* control, int number) {
  dynamic_library library = fake_cuda::open();
  library.function<fake_cuda_reset_function>("fake_cuda_reset")();
  library.function<void(int)>(control)(number);
  driver_api table;
  std::string why;
  const std::string candidates[] = {fake_cuda_path()};
  CHECK_FALSE(load_driver(candidates, table, why));
  library.function<fake_cuda_reset_function>("fake_cuda_reset")();
  return why;
}

}  // namespace

TEST_SUITE("cuda driver") {
  TEST_CASE("a library opens under the first name that opens") {
    std::string why;
    const std::string names[] = {"libno_such_thing.so.1", "libc.so.6"};
    const auto library = dynamic_library::open(names, why);
    REQUIRE(library);
    CHECK(library->name() == "libc.so.6");
    CHECK(contains(library->file(), "/"));
    CHECK(library->symbol("malloc") != nullptr);
    CHECK(library->symbol("no_such_function") == nullptr);
    CHECK(library->function<int(const char*)>("atoi")("42") == 42);
  }

  TEST_CASE("a library that is nowhere says so for each name") {
    std::string why;
    const std::string names[] = {"libno_such_thing.so.1", "/nowhere/libother.so"};
    CHECK_FALSE(dynamic_library::open(names, why));
    CHECK(contains(why, "libno_such_thing.so.1"));
    CHECK(contains(why, "/nowhere/libother.so"));
  }

  TEST_CASE("work on a thread with its own stack may recurse deeply and throw") {
    std::size_t depth = 0;
    run_with_stack(std::size_t{64} << 20, [&] {
      std::vector<char> large;
      volatile char room[16 << 20];
      room[0] = 1;
      room[sizeof room - 1] = 2;
      depth = sizeof room + static_cast<std::size_t>(room[0]);
    });
    CHECK(depth == (16 << 20) + 1);
    CHECK_THROWS_AS(run_with_stack(1 << 20, [] { throw device_error("inside"); }), device_error);
  }

  TEST_CASE("no driver: the reason names the library and what to install") {
    driver_api table;
    std::string why;
    const std::string names[] = {"libno_such_driver.so.1"};
    CHECK_FALSE(load_driver(names, table, why));
    CHECK(contains(why, "no NVIDIA driver: libno_such_driver.so.1 was not found"));
    CHECK(contains(why, "install"));
  }

  TEST_CASE("a library that is no driver is told apart") {
    driver_api table;
    std::string why;
    const std::string names[] = {"libc.so.6"};
    CHECK_FALSE(load_driver(names, table, why));
    CHECK(contains(why, "is no CUDA driver"));
  }

  TEST_CASE("an old driver and a driver without devices say what is wrong") {
    const std::string old = refusal("fake_cuda_set_version", 11080);
    CHECK(contains(old, "too old"));
    CHECK(contains(old, "CUDA 11.8"));
    CHECK(contains(old, "needs 12.0"));
    const std::string none = refusal("fake_cuda_set_devices", 0);
    CHECK(contains(none, "no CUDA device"));
    CHECK(contains(none, "CUDA_VISIBLE_DEVICES"));
  }

  TEST_CASE("an absent driver throws its reason, and counts no devices") {
    const driver_override absent(nullptr, "no NVIDIA driver: it was taken away");
    CHECK(driver() == nullptr);
    CHECK(driver_absence_reason() == "no NVIDIA driver: it was taken away");
    CHECK(cuda_device_count() == 0);
    CHECK(message_of<device_error>([] { require_driver(); }) == "no NVIDIA driver: it was taken away");
    CHECK_THROWS_AS(cuda_device(0), device_error);
  }

  TEST_CASE("this machine's driver is there, or the reason why not") {
    if (driver() == nullptr) CHECK_FALSE(driver_absence_reason().empty());
    if (test::lacks_cuda_device()) return;
    CHECK(driver_absence_reason().empty());
    CHECK(driver()->version >= min_driver_version);
    CHECK(cuda_device_count() > 0);
  }

  TEST_CASE("a newer symbol that is missing is tolerated") {
    fake_cuda fake;
    CHECK_FALSE(static_cast<bool>(fake.api().cuEventElapsedTime_v2));
    CHECK(static_cast<bool>(fake.api().cuLaunchKernel));
    CHECK(fake.api().version == 13000);
  }

  TEST_CASE("facts of a device are read; one that is not there is named") {
    const fake_cuda fake(2);
    CHECK(cuda_device_count() == 2);
    const cuda_device_facts& facts = cuda_device(1);
    CHECK(facts.name == "Fake GPU");
    CHECK(facts.ordinal == 1);
    CHECK(facts.architecture() == 90);
    CHECK(facts.multiprocessors == 132);
    CHECK(facts.shared_bytes_per_block_opt_in == 232448);
    CHECK(facts.memory_pools);
    const std::string why = message_of<device_error>([] { cuda_device(7); });
    CHECK(contains(why, "no CUDA device 7"));
    CHECK(contains(why, "sees 2"));
    CHECK_THROWS_AS(cuda_device(-1), device_error);
  }

  TEST_CASE("errors become exceptions of their kind, with operation and advice") {
    const fake_cuda fake;
    CHECK_NOTHROW(check(CUresult::success, "nothing"));
    const std::string plain = message_of<device_error>([] { check(CUresult::no_binary_for_gpu, "loading"); });
    CHECK(contains(plain, "loading failed: CUDA_ERROR_FAKE_209"));
    CHECK(contains(plain, "another architecture"));
    CHECK_THROWS_AS(check(CUresult::out_of_memory, "allocating"), out_of_memory);
    CHECK_THROWS_AS(check(CUresult::launch_out_of_resources, "launching", "k"), execution_error);
  }

  TEST_CASE("an error that loses the context says so and names the kernel") {
    const fake_cuda fake;
    try {
      check(CUresult::illegal_address, "waiting for a stream", "softmax");
      FAIL("nothing was thrown");
    } catch (const execution_error& thrown) {
      CHECK(thrown.kernel() == "softmax");
      CHECK(contains(thrown.what(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
      CHECK(contains(thrown.what(), "kernel 'softmax'"));
      CHECK(contains(thrown.what(), "context is lost"));
    }
    CHECK(contains(message_of<execution_error>([] { check(CUresult::launch_failed, "waiting"); }),
                   "a kernel launched earlier"));
    CHECK(loses_context(CUresult::device_assert));
    CHECK_FALSE(loses_context(CUresult::out_of_memory));
  }

  TEST_CASE("bytes are written for readers") {
    CHECK(format_bytes(17) == "17 bytes");
    CHECK(format_bytes(std::size_t{3} << 29) == "1.5 GiB (1610612736 bytes)");
  }

  TEST_CASE("many threads may ask for the driver at once") {
    std::vector<const driver_api*> answers(8);
    std::vector<std::thread> threads;
    for (auto& answer : answers) threads.emplace_back([&answer] { answer = driver(); });
    for (std::thread& each : threads) each.join();
    for (const driver_api* answer : answers) CHECK(answer == answers[0]);
  }
}
