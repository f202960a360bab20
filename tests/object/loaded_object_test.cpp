// Compiled code for the CPU, opened by the system's loader from memory.
#include <doctest/doctest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/dynamic_library.hpp>
#include <sinter/runtime/posix/loaded_object.hpp>

using namespace sinter;
using namespace sinter::runtime;

namespace {

std::string object_that_answers(int number) {
  return compile_cpu("extern \"C\" int answer() { return " + std::to_string(number) + "; }", "answer.cpp")
      .object;
}

// Beside the test's executable.
std::string second_copy_path() {
  char self[4096] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  const std::string path = self;
  return path.substr(0, path.rfind('/') + 1) + "libsinter_second_copy.so";
}

int ask(void* symbol) {
  REQUIRE(symbol != nullptr);
  return reinterpret_cast<int (*)()>(symbol)();
}

}  // namespace

TEST_CASE("objects that are open at once, and after others were closed, are each their own") {
  std::vector<std::unique_ptr<loaded_object>> open;
  for (int number = 0; number < 12; ++number) {
    open.push_back(std::make_unique<loaded_object>(object_that_answers(number)));
    if (number % 3 == 2) open[static_cast<std::size_t>(number - 1)].reset();
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    if (open[i]) CHECK(ask(open[i]->symbol("answer")) == static_cast<int>(i));
  CHECK(open[0]->symbol("question") == nullptr);
  CHECK_THROWS_AS(loaded_object("no object"), device_error);
}

TEST_CASE("two copies of the library in one process load each its own code") {
  std::string why;
  const std::string candidates[] = {second_copy_path()};
  auto copy = dynamic_library::open(candidates, why);
  REQUIRE_MESSAGE(copy, why);
  const auto open_there = copy->function<void*(const char*, std::size_t)>("second_copy_open");
  const auto symbol_there = copy->function<void*(const void*, const char*)>("second_copy_symbol");
  const auto close_there = copy->function<void(void*)>("second_copy_close");
  constexpr int count = 12;
  // All objects of one copy first, then all of the other: each counts separately.
  std::vector<std::unique_ptr<loaded_object>> here;
  std::vector<void*> there;
  for (int i = 0; i < count; ++i) here.push_back(std::make_unique<loaded_object>(object_that_answers(i)));
  for (int i = 0; i < count; ++i) {
    const std::string object = object_that_answers(100 + i);
    there.push_back(open_there(object.data(), object.size()));
  }
  for (int i = 0; i < count; ++i) {
    CHECK(ask(here[static_cast<std::size_t>(i)]->symbol("answer")) == i);
    CHECK(ask(symbol_there(there[static_cast<std::size_t>(i)], "answer")) == 100 + i);
  }
  for (void* const each : there) close_there(each);
}
