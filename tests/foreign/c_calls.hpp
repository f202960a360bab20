#pragma once
// Handles of the C interface that destroy themselves, and short ways to build a graph and to call it in
// tests.

#include <sinter/sinter.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sinter::test::c {

inline constexpr sinter_device cpu{sinter_cpu, 0};

struct destroys {
  void operator()(sinter_builder* handle) const { sinter_builder_destroy(handle); }
  void operator()(sinter_function* handle) const { sinter_function_destroy(handle); }
  void operator()(sinter_array* handle) const { sinter_array_destroy(handle); }
  void operator()(sinter_stream* handle) const { sinter_stream_destroy(handle); }
};
template <class T>
using owned = std::unique_ptr<T, destroys>;

inline owned<sinter_builder> new_builder(sinter_arithmetic_mode mode = sinter_standard) {
  sinter_builder* made = nullptr;
  REQUIRE(sinter_builder_create(mode, &made) == sinter_ok);
  return owned<sinter_builder>(made);
}

inline owned<sinter_function> finished(const owned<sinter_builder>& builder,
                                       const std::vector<sinter_value>& results) {
  for (const sinter_value result : results)
    REQUIRE(sinter_builder_output(builder.get(), result) == sinter_ok);
  sinter_function* made = nullptr;
  REQUIRE(sinter_builder_finish(builder.get(), &made) == sinter_ok);
  return owned<sinter_function>(made);
}

inline sinter_value input(const owned<sinter_builder>& builder, sinter_element_type type, int32_t rank) {
  sinter_value made = 0;
  REQUIRE(sinter_builder_input(builder.get(), type, rank, &made) == sinter_ok);
  return made;
}

inline sinter_value apply(const owned<sinter_builder>& builder, const char* name,
                          const std::vector<sinter_value>& operands) {
  sinter_value made = 0;
  const sinter_status status =
      sinter_builder_apply(builder.get(), name, operands.data(), operands.size(), &made);
  INFO(std::string(sinter_last_message()));
  REQUIRE(status == sinter_ok);
  return made;
}

/// The value that a function of the interface makes, with the pointer for it as last argument.
template <class Function, class... Arguments>
sinter_value made(Function function, const owned<sinter_builder>& builder, Arguments... arguments) {
  sinter_value result = 0;
  const sinter_status status = function(builder.get(), arguments..., &result);
  INFO(std::string(sinter_last_message()));
  REQUIRE(status == sinter_ok);
  return result;
}
inline sinter_value integer(const owned<sinter_builder>& builder, std::int64_t number) {
  return made(sinter_builder_integer, builder, number);
}

inline sinter_dlpack_type type_code(float) { return {2, 32, 1}; }
inline sinter_dlpack_type type_code(double) { return {2, 64, 1}; }
inline sinter_dlpack_type type_code(std::int64_t) { return {0, 64, 1}; }
inline sinter_dlpack_type type_code(std::int32_t) { return {0, 32, 1}; }

/// Elements on the CPU and a tensor of them.
template <class T>
struct elements {
  std::vector<std::int64_t> shape;
  std::vector<T> values;
  sinter_tensor tensor{};
  explicit elements(std::vector<std::int64_t> extents) : shape(std::move(extents)) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    values.resize(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i % 13) - T{4};
    tensor = {values.data(), cpu, static_cast<int32_t>(shape.size()), type_code(T{}), shape.data(),
              nullptr,       0};
  }
  elements(const elements&) = delete;
  sinter_operand operand() const { return {&tensor, nullptr}; }
};

/// Arguments that borrow the lists.
inline sinter_arguments arguments_of(const std::vector<sinter_operand>& operands,
                                     const std::vector<sinter_operand>& into = {}) {
  sinter_arguments made{};
  made.size = sizeof made;
  made.operands = operands.data();
  made.operand_count = operands.size();
  made.into = into.data();
  made.into_count = into.size();
  return made;
}

template <class T>
std::vector<T> read(const sinter_array* array) {
  sinter_tensor tensor{};
  REQUIRE(sinter_array_tensor(array, &tensor) == sinter_ok);
  std::size_t count = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis) count *= static_cast<std::size_t>(tensor.shape[axis]);
  std::vector<T> values(count);
  REQUIRE(sinter_array_read(array, values.data(), count * sizeof(T)) == sinter_ok);
  return values;
}

/// The one new array that a call makes.
inline owned<sinter_array> called(const owned<sinter_function>& function, const sinter_arguments& arguments) {
  sinter_array* made = nullptr;
  const sinter_status status = sinter_call(function.get(), &arguments, &made, 1);
  INFO(std::string(sinter_last_message()));
  REQUIRE(status == sinter_ok);
  return owned<sinter_array>(made);
}

/// The results of a call, all of float32.
inline std::vector<std::vector<float>> float_results(const owned<sinter_function>& function,
                                                     const std::vector<sinter_operand>& operands) {
  const sinter_arguments arguments = arguments_of(operands);
  std::size_t count = 0;
  REQUIRE(sinter_function_counts(function.get(), nullptr, nullptr, &count) == sinter_ok);
  std::vector<sinter_array*> arrays(count);
  const sinter_status status = sinter_call(function.get(), &arguments, arrays.data(), count);
  INFO(std::string(sinter_last_message()));
  REQUIRE(status == sinter_ok);
  std::vector<std::vector<float>> all;
  for (sinter_array* const array : arrays) {
    const owned<sinter_array> each(array);
    all.push_back(read<float>(array));
  }
  return all;
}

}  // namespace sinter::test::c
