#pragma once
// Devices as values.
//
// Threads: any thread may call these at any time; the default device is the process's.
// Throws: device_error from set_default() and name() for a CUDA device that does not exist.
// After a failure: the default device is the one before.

#include <sinter/codegen/base/export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::inline v0 {

/// A processor with its memory: the CPU or one GPU.
class SINTER_API device {
 public:
  enum class kind : std::uint8_t { cpu, cuda };
  constexpr device() = default;  ///< the CPU

  static constexpr device cpu() { return {}; }
  /// CUDA device `index`. Its first use checks that it exists (device_error).
  static constexpr device cuda(int index = 0) { return device(kind::cuda, index); }
  /// The default device: CUDA device 0 if it is usable, else the CPU, unless set_default changed it.
  static device current_default();
  static void set_default(device chosen);

  constexpr kind type() const { return kind_; }
  constexpr bool is_cpu() const { return kind_ == kind::cpu; }
  constexpr bool is_cuda() const { return kind_ == kind::cuda; }
  constexpr int index() const { return index_; }
  /// "cpu" or "cuda:0".
  std::string to_string() const;
  /// The name of the processor or GPU model; throws device_error if there is no such device.
  std::string name() const;
  constexpr bool operator==(const device&) const = default;

 private:
  constexpr device(kind type, int index)
      : kind_(type), index_(is_index(index) ? static_cast<std::int16_t>(index) : std::int16_t{-1}) {}
  // Rejects numbers outside the range, which would otherwise wrap modulo 2^16.
  static constexpr bool is_index(int index) { return index >= 0 && index <= INT16_MAX; }
  kind kind_ = kind::cpu;
  std::int16_t index_ = 0;
};

/// Every usable device, the CPU first.
SINTER_API std::vector<device> devices();
/// The reason why there is no usable CUDA device ("" if there is one): names what is missing and what to
/// install.
SINTER_API std::string cuda_absence_reason();

}  // namespace sinter::inline v0
