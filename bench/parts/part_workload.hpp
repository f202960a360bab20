#pragma once
// A function of operands, and the plain loop that computes the same: results are compared once, before
// anything is timed.

#include "../comparison.hpp"
#include "../random_data.hpp"
#include "part_loops.hpp"

#include <sinter/sinter.hpp>

#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter_bench {

struct part_workload {
  side subject;  ///< Sinter's call; bytes: each operand read once, the result written once
  std::function<side()> plain_loop;  ///< the loop on the same operands; empty on a GPU
};

/// The loop of a workload. Its `count` units are those of its result, or those that it sums.
struct counterpart {
  part_loop loop;
  std::int64_t count;
  loop_units units;
  double tolerance = 0;  ///< relative difference from Sinter's result
};

/// Throws std::runtime_error that names the first element at which the results differ.
void check_agreement(std::span<const float> ours, std::span<const float> by_loop, double tolerance);

/// Where a loop reads an operand: in the memory of an array on the CPU, else in a copy there.
class host_operands {
 public:
  template <unsigned Rank>
  void add(const sinter::array<float, Rank>& operand) {
    static_assert(Rank == 1 || Rank == 2);
    arrays_.rows[count_] = Rank == 2 ? operand.shape()[0] : 1;
    arrays_.columns[count_] = operand.shape()[Rank - 1];
    if (operand.device() != sinter::device::cpu()) copies_.push_back(operand.to_vector());
    arrays_.from[count_++] =
        operand.device() == sinter::device::cpu() ? operand.data() : copies_.back().data();
  }
  loop_arrays into(float* result) const {
    loop_arrays made = arrays_;
    made.to = result;
    return made;
  }

 private:
  loop_arrays arrays_;
  std::size_t count_ = 0;
  std::vector<std::vector<float>> copies_;
};

/// Binds a function to its operands and a result of `extents`, and compares the result with the loop's.
template <class Function, unsigned Rank, class... Operands>
part_workload workload_of(sinter::device on, const Function& function, sinter::shape<Rank> extents,
                          const counterpart& beside, Operands... operands) {
  struct data {
    sinter::array<float, Rank> result;
    std::tuple<Operands...> operands;
  };
  const auto held =
      std::make_shared<data>(data{sinter::array<float, Rank>(extents, on), {std::move(operands)...}});
  const std::size_t bytes = static_cast<std::size_t>(held->result.size()) * sizeof(float);
  part_workload made;
  made.subject.call = [held, function] {
    std::apply([&](const auto&... each) { function.into(held->result)(each...); }, held->operands);
  };
  if (on != sinter::device::cpu()) made.subject.wait = [on] { sinter::synchronize(on); };
  made.subject.bytes = std::apply(
      [&](const auto&... each) {
        return static_cast<double>(bytes) + (0.0 + ... + static_cast<double>(each.size())) * sizeof(float);
      },
      held->operands);

  host_operands from;
  std::apply([&](const auto&... each) { (from.add(each), ...); }, held->operands);
  std::vector<float> expected(static_cast<std::size_t>(held->result.size()));
  run_part_loop(beside.loop, from.into(expected.data()), beside.count, beside.units);
  poison(held->result.data(), bytes, on);
  made.subject.call();
  check_agreement(held->result.to_vector(), expected, beside.tolerance);

  if (on == sinter::device::cpu())
    made.plain_loop = [held, from, beside, bytes = made.subject.bytes] {
      const auto result =
          std::make_shared<sinter::array<float, Rank>>(held->result.shape(), held->result.device());
      side loop;
      loop.call = [held, result, arrays = from.into(result->data()), beside] {
        run_part_loop(beside.loop, arrays, beside.count, beside.units);
      };
      loop.bytes = bytes;
      return loop;
    };
  return made;
}

}  // namespace sinter_bench
