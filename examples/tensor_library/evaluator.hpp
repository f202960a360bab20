// Evaluates formulas on tensors: each text is parsed once, and compiled once for the types of its operands.
#pragma once

#include "formula_graph.hpp"
#include "syntax.hpp"
#include "tensor.hpp"

#include <sinter/sinter.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tensors {

/// What a name in a formula stands for in one call. A number is a run-time scalar: another one compiles
/// nothing.
class argument {
 public:
  argument(tensor elements) : what_(std::move(elements)) {}
  argument(std::integral auto value) : what_(number(static_cast<std::int64_t>(value))) {}
  argument(std::floating_point auto value) : what_(number(static_cast<double>(value))) {}

  const tensor* elements() const { return std::get_if<tensor>(&what_); }
  const number& scalar() const { return std::get<number>(what_); }

 private:
  std::variant<tensor, number> what_;
};
using arguments = std::map<std::string, argument, std::less<>>;

/// Safe from any thread.
class evaluator {
 public:
  explicit evaluator(numbers how = numbers::literals) : how_(how) {}

  /// Computes a formula in one kernel, into a new tensor in memory of the queue's pool.
  tensor operator()(std::string_view formula, const arguments& named, const queue& on);
  /// The same into elements that exist.
  void into(const tensor& result, std::string_view formula, const arguments& named, const queue& on);

  /// Compiles and loads what such a call needs, and makes the queue wait for other queues that use the
  /// tensors: what a call that is captured into a CUDA graph cannot do. `result` is the target of into().
  void prepare(std::string_view formula, const arguments& named, const queue& on,
               const tensor* result = nullptr);
  /// Compiles and loads in the background.
  sinter::preparation prepare_async(std::string_view formula, const arguments& named, const queue& on);

  /// How many functions there are: one for each text and types.
  std::size_t function_count() const;

 private:
  struct parsed_formula {
    expression root;
    std::map<std::string, std::shared_ptr<const compiled_formula>, std::less<>> by_types;
  };

  std::shared_ptr<const compiled_formula> find(std::string_view formula, const arguments& named);
  template <class Call>
  auto run(std::string_view formula, const arguments& named, const queue& on, const Call& call);

  numbers how_;
  mutable std::shared_mutex guard_;
  std::map<std::string, parsed_formula, std::less<>> formulas_;
};

}  // namespace tensors
