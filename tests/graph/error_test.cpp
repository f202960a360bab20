#include <doctest/doctest.h>

#include <type_traits>

#include <sinter/runtime/error.hpp>

using namespace sinter;

TEST_SUITE("error") {
  TEST_CASE("every error is a sinter::error and a std::runtime_error") {
    const auto caught = [](const auto& thrown) {
      try {
        throw thrown;
      } catch (const sinter::error& as_base) {
        return std::string(as_base.what());
      }
    };
    CHECK(caught(shape_error("s")) == "s");
    CHECK(caught(type_error("t")) == "t");
    CHECK(caught(device_error("d")) == "d");
    CHECK(caught(out_of_memory("o", 8, 4)) == "o");
    CHECK(caught(compile_error("c", "source", "log")) == "c");
    CHECK(caught(execution_error("e")) == "e");
    static_assert(std::is_base_of_v<std::runtime_error, error>);
  }

  TEST_CASE("errors carry what they are about") {
    const compile_error compile("message", "the source", "the log");
    CHECK(compile.source() == "the source");
    CHECK(compile.log() == "the log");
    CHECK(execution_error("message", "softmax").kernel() == "softmax");
    CHECK(execution_error("message").kernel().empty());
    const out_of_memory memory("message", 1024, 512);
    CHECK(memory.requested_bytes() == 1024);
    CHECK(memory.free_bytes() == 512);
  }

  TEST_CASE("copying an error cannot throw") {
    static_assert(std::is_nothrow_copy_constructible_v<compile_error>);
    static_assert(std::is_nothrow_copy_constructible_v<execution_error>);
    static_assert(std::is_nothrow_copy_constructible_v<out_of_memory>);
    const compile_error first("message", "source", "log");
    const compile_error second = first;
    CHECK(&second.source() == &first.source());
  }
}
