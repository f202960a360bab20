#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/codegen/target/known_devices.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

// Multiprocessors, second-level cache and memory. Sources: NVIDIA's architecture white papers (Turing, A100,
// GA102, Ada, H100, RTX Blackwell), the products' data sheets (CUDA cores divided by 128 per multiprocessor,
// by 64 for 7.5 and 8.0) and the Blackwell Tuning Guide; for the H200, the driver. For Blackwell Ultra,
// NVIDIA states 160 for the whole chip; the products' numbers are derived from their throughput relative to
// the B200. They and the caches of L40S and B300 are not confirmed by a driver. Kernels are chosen by classes
// of these numbers, so a model between two rows gets the kernels of one of them.
constexpr known_device devices[] = {
    {"T4", 75, 40, 4, 320},
    {"RTX 2080 Ti", 75, 68, 5, 616},
    {"A30", 80, 56, 24, 933},
    {"A100", 80, 108, 40, 1555},
    {"RTX 3060", 86, 28, 3, 360},
    {"RTX 3080", 86, 68, 5, 760},
    {"A10", 86, 72, 6, 600},
    {"RTX 3080 Ti, RTX A5500", 86, 80, 6, 912},
    {"RTX 3090", 86, 82, 6, 936},
    {"A40, RTX A6000", 86, 84, 6, 696},
    {"RTX 4060", 89, 24, 24, 272},
    {"L4", 89, 58, 48, 300},
    {"RTX 4080", 89, 76, 64, 717},
    {"RTX 4090", 89, 128, 72, 1008},
    {"L40, L40S", 89, 142, 96, 864},
    {"H100 PCIe", 90, 114, 50, 2000},
    {"H100 SXM", 90, 132, 50, 3350},
    {"H200", 90, 132, 60, 4800},
    {"B200", 100, 148, 126, 8000},
    {"B300", 103, 148, 126, 8000},
    {"GB300", 103, 152, 126, 8000},
    {"Blackwell Ultra, the whole chip", 103, 160, 126, 8000},
    {"RTX 5060 Ti", 120, 36, 32, 448},
    {"RTX 5070", 120, 48, 48, 672},
    {"RTX 5080", 120, 84, 64, 960},
    {"RTX 5090", 120, 170, 96, 1792},
    {"RTX PRO 6000", 120, 188, 128, 1792},
};

struct limits_row {
  int architecture;
  std::uint32_t threads, shared_kilobytes;
};
// Resident threads of a multiprocessor, and shared memory that a block may request. Source: CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability"; CCCL's cuda::arch_traits agree
// from 8.0 on.
constexpr limits_row limits[] = {
    {75, 1024, 64},  {80, 2048, 163},  {86, 1536, 99},   {87, 1536, 163},  {88, 1536, 99},  {89, 1536, 99},
    {90, 2048, 227}, {100, 2048, 227}, {103, 2048, 227}, {110, 1536, 227}, {120, 1536, 99}, {121, 1536, 99},
};

struct blocks_row {
  int architecture;
  std::uint32_t blocks;
};
// Resident blocks of a multiprocessor, from an architecture on. Sources: the same table of the guide, and
// cuda_occupancy.h of the CUDA toolkit 13.0.
constexpr blocks_row resident_blocks[] = {
    {70, 32}, {75, 16}, {80, 32}, {86, 16}, {89, 24}, {90, 32}, {101, 24}, {103, 32}, {110, 24},
};

}  // namespace

std::span<const known_device> known_devices() { return devices; }

std::vector<int> known_architectures() {
  std::vector<int> all;
  for (const known_device& each : devices)
    if (all.empty() || all.back() != each.architecture) all.push_back(each.architecture);
  return all;
}

architecture_limits limits_of(int architecture) {
  const limits_row* best = limits;
  for (const limits_row& each : limits)
    if (each.architecture <= architecture) best = &each;
  return {best->threads, best->shared_kilobytes << 10};
}

std::uint32_t multiprocessor_blocks_of(int architecture) {
  std::uint32_t blocks = resident_blocks[0].blocks;
  for (const blocks_row& each : resident_blocks)
    if (each.architecture <= architecture) blocks = each.blocks;
  return blocks;
}

// Sources: CUDA C++ Programming Guide, "Thread Block Clusters" (H100); Blackwell Tuning Guide (B200).
std::uint32_t cluster_blocks_of(int architecture) {
  constexpr int first_with_clusters = 90;
  if (architecture < first_with_clusters) return 1;
  return architecture == 90 || architecture == 100 || architecture == 103 ? 16 : 8;
}

bool overlaps_launches_on(int architecture) { return architecture >= first_with_overlap; }

target_facts facts_of(const known_device& model) {
  const architecture_limits common = limits_of(model.architecture);
  target_facts facts;
  facts.kind = target_kind::cuda;
  facts.architecture = model.architecture;
  facts.multiprocessors = model.multiprocessors;
  facts.threads_per_multiprocessor = common.threads_per_multiprocessor;
  facts.shared_bytes_per_block = common.shared_bytes_per_block;
  facts.cluster_blocks = cluster_blocks_of(model.architecture);
  facts.cache_bytes = std::uint64_t{model.cache_megabytes} << 20;
  facts.vector_bytes = access_bytes;
  facts.overlaps_launches = overlaps_launches_on(model.architecture);
  return facts;
}

std::vector<target_facts> facts_of_models(int architecture) {
  int nearest = devices[0].architecture;
  for (const known_device& each : devices)
    if (each.architecture <= architecture) nearest = each.architecture;
  std::vector<target_facts> all;
  for (known_device each : devices) {
    if (each.architecture != nearest) continue;
    each.architecture = architecture;
    all.push_back(facts_of(each));
  }
  return all;
}

}  // namespace sinter::inline v0
