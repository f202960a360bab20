#pragma once
// Indices that kernels found out of range: what they are about, and where a stream keeps the first one.

#include <sinter/codegen/kernel/index_fault.hpp>
#include <sinter/runtime/cuda/driver.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// What the reports of a plan's kernels are about: "gather of float32[100] along axis 0 at map.cpp:12".
struct index_sites {
  std::vector<std::vector<std::string>> of_launches;  ///< by launch, then by report
  bool operator==(const index_sites&) const = default;
};

/// What the reports of a launch count from.
constexpr std::uint64_t site_of_launch(std::size_t launch) { return std::uint64_t{launch} << 16; }

/// Throws index_error for a fault of a call.
[[noreturn]] void throw_index_fault(const index_sites& sites, const index_fault& fault);

/// The record of a CUDA stream, in host memory that kernels write. It stays while the process lives, so
/// captured graphs may be replayed for ever. Safe from any thread.
class stream_faults {
 public:
  /// What a launch on the stream is given: the record's address, and what its sites count from. Throws
  /// out_of_memory.
  struct target {
    std::uint64_t record = 0, first_site = 0;
  };
  target target_for(const driver_api& api, int device, const std::shared_ptr<const index_sites>& sites);

  /// Throws index_error for the fault that finished work has reported, if there is one, and begins anew.
  void check();

 private:
  std::mutex guard_;
  index_fault* record_ = nullptr;
  std::vector<std::shared_ptr<const index_sites>> known_;  ///< by number, equal ones of all layouts once
};

}  // namespace sinter::inline v0::runtime
