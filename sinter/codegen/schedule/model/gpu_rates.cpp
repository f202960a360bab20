#include <sinter/codegen/schedule/model/gpu_rates.hpp>

#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/codegen/target/known_devices.hpp>

#include <cstdlib>

namespace sinter::inline v0 {
namespace {

// Issue rates are those of the CUDA C++ Programming Guide, "Arithmetic Instructions"; what drawn kernels
// reach agrees with them (bench/results/2026-11-23-nvidia-h200-drawn-kernels.md). Memory, lookups, blocks and
// launches are measured (the same file, and -random-reductions.md). The numbers fitted to
// rows that several loops read are of bench/results/2026-11-26-nvidia-h100-long-row-candidates.md, the others
// of bench/results/2026-11-23-nvidia-h200-cost-model.md. What a cluster costs was not fitted there, and
// counts as nothing.
constexpr gpu_rates h200{
    .model = "H200",
    .multiprocessors = 132,
    .megahertz = 1800,
    .instruction = 4,
    .integer = 4,
    .float64 = 4,
    .special = 32,
    .lookup = 16,
    .memory_sector = 28,
    .launch = 5500,
    .block = 145,
    .rows_again = {.sector = 16,
                   .latency = 303,
                   .dependence = 162,
                   .wait = 15,
                   .cluster_wait = 584,
                   .shared_step = 123,
                   .spill = 23,
                   .memory_page = 25},
    .others = {.sector = 17,
               .latency = 168,
               .dependence = 285,
               .wait = 197,
               .cluster_wait = 0,
               .shared_step = 0,
               .spill = 435,
               .memory_page = 46},
};

struct measured_model {
  int architecture, multiprocessors;
  const gpu_rates* rates;
};
constexpr measured_model measured[] = {{90, 132, &h200}};

/// Cycles that the float64 units of a multiprocessor take for one instruction of a warp, in sixteenths (the
/// same table of the guide).
struct float64_row {
  int architecture;
  std::int64_t cycles;
};
constexpr float64_row float64_rows[] = {{75, 256}, {80, 16}, {86, 256}, {90, 8}, {103, 256}, {110, 256}};

}  // namespace

rates_of_gpu gpu_rates_of(const target_facts& target) {
  for (const measured_model& each : measured)
    if (each.architecture == target.architecture && each.multiprocessors == target.multiprocessors)
      return {*each.rates, false};
  gpu_rates derived = h200;
  for (const float64_row& each : float64_rows)
    if (each.architecture <= target.architecture) derived.float64 = each.cycles - derived.instruction;
  const known_device* nearest = nullptr;
  const auto apart = [&](const known_device& model) {
    return 1000 * std::abs(model.architecture - target.architecture) +
           std::abs(model.multiprocessors - target.multiprocessors);
  };
  for (const known_device& each : known_devices())
    if (nearest == nullptr || apart(each) < apart(*nearest)) nearest = &each;
  derived.model = nearest->name;
  derived.multiprocessors = nearest->multiprocessors;
  derived.memory_sector = rates_in_cycle * sector_bytes * nearest->multiprocessors * derived.megahertz /
                          (1000 * nearest->gigabytes_a_second);
  return {derived, true};
}

}  // namespace sinter::inline v0
