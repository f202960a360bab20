#pragma once
// What the lowering pass is told of GPUs that are not there: kernels are packed for them on machines without.

#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sinter {

/// One model of GPU.
struct known_device {
  std::string_view name;
  int architecture = 0;  ///< 90 for compute capability 9.0
  int multiprocessors = 0;
  std::uint32_t cache_megabytes = 0;  ///< second level
};

/// Models of each architecture that differ in what kernels are chosen for them, ascending by architecture.
std::span<const known_device> known_devices();
/// Every architecture that is known, ascending.
std::vector<int> known_architectures();

/// What all devices of an architecture have in common; of one that is not known, what the nearest before it
/// has.
struct architecture_limits {
  std::uint32_t threads_per_multiprocessor = 0, shared_bytes_per_block = 0;
};
architecture_limits limits_of(int architecture);
/// Most blocks of a cluster: sixteen where a kernel may ask for more than the eight that are portable; 1
/// where there are no clusters.
std::uint32_t cluster_blocks_of(int architecture);
/// Whether a kernel can be put on such a device before the one that it follows is done; its driver must be
/// able to, too.
bool overlaps_launches_on(int architecture);
/// The first architecture that does: kernels for older ones do not stand in for its own.
inline constexpr int first_with_overlap = 90;

/// What the pass is told of a model.
target_facts facts_of(const known_device& model);
/// Of the models of one architecture; of one that is not known, as its own, those of the nearest before it.
std::vector<target_facts> facts_of_models(int architecture);

}  // namespace sinter
