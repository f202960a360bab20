#pragma once
// What a device can do at best: bare kernels that move memory, launch nothing or only compute, and a clock
// for calls that begin with cold caches.

#include <sinter/runtime/device.hpp>
#include <sinter/sinter.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace sinter_bench {

/// What an instruction works on; `special` are a GPU's approximations of functions.
enum class instruction { f32, f64, i32, i64, special };
inline constexpr const char* instruction_names[] = {"f32", "f64", "i32", "i64", "special"};

class machine {
 public:
  virtual ~machine() = default;
  virtual sinter::device where() const = 0;
  /// What there is to know besides its name: threads, or versions.
  virtual std::string details() const = 0;
  /// Memory in parallel: reads so many bytes and writes so many others, in one launch.
  virtual void move(double read_bytes, double written_bytes) = 0;
  /// A launch without work.
  virtual void launch_nothing() = 0;
  /// Removes these arrays from the caches, and what move() moved last.
  virtual void make_cold(std::span<const sinter::any_array* const> arrays) = 0;
  /// Seconds that a call takes on the device, or on the CPU; waits until it is done.
  virtual double seconds_of(const std::function<void()>& call) = 0;
  virtual double instructions_a_second(instruction of) = 0;
};

std::unique_ptr<machine> cpu_machine();
std::unique_ptr<machine> cuda_machine();

}  // namespace sinter_bench
