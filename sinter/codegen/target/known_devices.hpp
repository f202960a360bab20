#pragma once
// Target facts of known GPU models, so that machines without such a GPU can build packs for it.

#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {

/// One model of GPU.
struct known_device {
  std::string_view name;
  int architecture = 0;  ///< 90 for compute capability 9.0
  int multiprocessors = 0;
  std::uint32_t cache_megabytes = 0;    ///< the second-level cache
  std::int64_t gigabytes_a_second = 0;  ///< that memory moves
};

/// Models of each architecture that get different kernels, ascending by architecture.
std::span<const known_device> known_devices();
/// Every known architecture, ascending.
std::vector<int> known_architectures();

/// The limits that all devices of an architecture share; for an unknown one, those of the nearest before it.
struct architecture_limits {
  std::uint32_t threads_per_multiprocessor = 0, shared_bytes_per_block = 0;
};
architecture_limits limits_of(int architecture);
/// The most blocks that a multiprocessor holds at the same time.
std::uint32_t multiprocessor_blocks_of(int architecture);
/// The most blocks of a cluster: sixteen where a kernel may exceed the portable eight; 1 without clusters.
std::uint32_t cluster_blocks_of(int architecture);
/// Whether a kernel can start on such a device before the previous kernel is done (programmatic dependent
/// launch); the driver must support it, too.
bool overlaps_launches_on(int architecture);
/// The first architecture with such launches: kernels for older architectures do not stand in for its
/// kernels.
inline constexpr int first_with_overlap = 90;

/// The target facts of a model.
target_facts facts_of(const known_device& model);
/// The target facts of all models of an architecture; for an unknown one, those of the nearest before it, as
/// its own.
std::vector<target_facts> facts_of_models(int architecture);

}  // namespace sinter::inline v0
