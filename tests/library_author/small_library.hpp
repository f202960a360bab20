// The library of the guide on the CPU: a pool, a queue, and tensors on it.
#pragma once

#include <evaluator.hpp>
#include <tensor.hpp>

#include <memory>
#include <vector>

namespace sinter::test {

struct small_library {
  std::shared_ptr<tensors::pool> memory = std::make_shared<tensors::pool>(device::cpu());
  tensors::queue on{device::cpu(), memory};
  tensors::evaluator evaluate;

  explicit small_library(tensors::numbers how = tensors::numbers::literals) : evaluate(how) {}

  template <class T>
  tensors::tensor make(const std::vector<T>& elements) {
    return make(elements, {static_cast<std::int64_t>(elements.size())});
  }
  template <class T>
  tensors::tensor make(const std::vector<T>& elements, std::vector<std::int64_t> shape) {
    return tensors::tensor::from<T>(elements, std::move(shape), on);
  }
  tensors::tensor operator()(std::string_view formula, const tensors::arguments& named = {}) {
    return evaluate(formula, named, on);
  }
  /// The value of a formula of scalars alone.
  double number(std::string_view formula, const tensors::arguments& named = {}) {
    return (*this)("float64(" + std::string(formula) + ")", named).to_vector<double>(on).at(0);
  }
};

}  // namespace sinter::test
