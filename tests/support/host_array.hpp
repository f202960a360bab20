#pragma once

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <type_traits>
#include <vector>

/// Host memory with a layout, for tests that call the core without the DSL.
template <class T>
struct host_array {
  std::vector<T> values;
  std::vector<std::int64_t> extents, strides;
  std::size_t first = 0;  ///< element where the layout begins

  /// Contiguous, filled with 0, 1, 2 …
  explicit host_array(std::vector<std::int64_t> shape) : extents(std::move(shape)), strides(extents.size()) {
    std::int64_t count = 1;
    for (std::size_t axis = extents.size(); axis-- > 0; count *= extents[axis]) strides[axis] = count;
    values.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i);
  }

  sinter::runtime::operand operand() {
    sinter::runtime::operand made;
    made.data = values.data() + first;
    made.extents = extents.data();
    made.strides = strides.data();
    made.type = type();
    made.rank = static_cast<std::uint8_t>(extents.size());
    return made;
  }

  static constexpr sinter::element_type type() {
    using sinter::element_type;
    if constexpr (std::is_same_v<T, float>) return element_type::float32;
    if constexpr (std::is_same_v<T, double>) return element_type::float64;
    if constexpr (std::is_same_v<T, std::int32_t>) return element_type::int32;
    if constexpr (std::is_same_v<T, std::int64_t>) return element_type::int64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return element_type::uint8;
    return element_type::boolean;
  }
};

/// A scalar argument's bits.
template <class T>
sinter::runtime::scalar bits_of(T value) {
  sinter::runtime::scalar bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// The values of a result on the CPU.
template <class T>
std::vector<T> values_of(const sinter::runtime::result& made) {
  std::vector<T> values(made.storage.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), made.storage.data(), values.size() * sizeof(T));
  return values;
}

/// a * x + y on float32 arrays of a rank, a a scalar. The name makes its kernel one that no other test
/// compiled.
inline sinter::runtime::function_handle axpy_function(const char* name, unsigned rank = 1) {
  using namespace sinter;
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::float32, rank), y = builder.input(element_type::float32, rank);
  const auto a = builder.parameter(element_type::float32);
  builder.output(builder.apply(operation::add, {builder.apply(operation::multiply, {a, x}), y}));
  builder.recorded().name = name;
  return runtime::intern(builder.recorded());
}
