// A small tensor library on Sinter, and a program that uses it; docs/library_author.md tells how it is built.
// Its argument is the device: cpu or cuda.
#include "../check.hpp"
#include "errors.hpp"
#include "evaluator.hpp"
#include "functions.hpp"

#include <cstdio>
#include <string>
#include <vector>

int main(int count, char** values) {
  const bool on_gpu = count == 2 && std::string(values[1]) == "cuda";
  if (on_gpu && !sinter::cuda_absence_reason().empty()) {
    std::printf("skipped, without cuda_device: %s\n", sinter::cuda_absence_reason().c_str());
    return 0;
  }
  const sinter::device where = on_gpu ? sinter::device::cuda() : sinter::device::cpu();
  const auto memory = std::make_shared<tensors::pool>(where);
  {
    const tensors::queue first(where, memory), second(where, memory);
    const auto x = tensors::tensor::from<float>({-1, 4, 9, 16}, {4}, first);
    const auto y = tensors::tensor::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}, first);

    tensors::evaluator evaluate;
    const char* const formula = "where(x > 0, sqrt(x) * scale, 0) + sum(y, 1)";
    const auto made = evaluate(formula, {{"x", x}, {"y", y}, {"scale", 10}}, first);
    check(made.to_vector<float>(first) == std::vector<float>{3, 27, 41, 55}, formula);
    const auto again = evaluate(formula, {{"x", x}, {"y", y}, {"scale", 100}}, second);
    check(again.to_vector<float>(second) == std::vector<float>{3, 207, 311, 415}, "another scale");
    check(evaluate.function_count() == 1, "one function for both");

    const auto odd = y.slice(1, 1, 2);
    evaluate.into(odd, "-odd", {{"odd", odd}}, second);
    check(y.to_vector<float>(first) == std::vector<float>{1, -2, 3, -4, 5, -6, 7, -8}, "a slice in place");

    const auto rows = tensors::softmax(tensors::tensor::from<double>({0, 0, 5, 5}, {2, 2}, first), first);
    check(rows.to_vector<double>(first) == std::vector<double>(4, 0.5), "softmax");

    try {
      evaluate("x + sum(y, 0)", {{"x", x}, {"y", y}}, first);
      check(false, "shapes that do not broadcast throw");
    } catch (const tensors::formula_error& caught) {
      check(caught.position() == 2, "the error stands at the sum");
      std::puts(caught.what());
    }
    check(memory->usage().live_blocks == 5, "x, y, made, again and rows come from the pool");
  }
  check(memory->usage().live_blocks == 0, "all of it went back");
  std::puts("tensor library: ok");
}
