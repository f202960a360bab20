#pragma once
// What all pointwise kernels for NVIDIA GPUs have in common. Every load of a thread is issued before its
// first store, so that bytes are in flight and an output may be one of the inputs.

#include <sinter/codegen/print/emit_body.hpp>

namespace sinter::codegen {

class cuda_walk {
 public:
  virtual ~cuda_walk() = default;
  cuda_walk(const cuda_walk&) = delete;
  cuda_walk& operator=(const cuda_walk&) = delete;

  std::string run();

 protected:
  explicit cuda_walk(emission& kernel) : kernel_(kernel) {}

  /// Device functions that indices of this walk need.
  virtual std::string index_functions() const = 0;
  /// Everything inside the kernel.
  virtual void walk_elements() = 0;

  const access& at(std::uint32_t i) const { return kernel_.body.accesses[i]; }
  std::string_view storage(std::uint32_t i) const { return facts(at(i).type).storage; }
  bool is_memory(std::uint32_t i) const { return at(i).what != access::kind::position; }
  bool is_read(std::uint32_t i) const { return at(i).what == access::kind::read; }
  bool is_write(std::uint32_t i) const { return at(i).what == access::kind::write; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel_.body.accesses.size()); }
  int vector() const { return kernel_.chosen.vector; }

  void unroll(std::string_view loop);
  void each_lane(std::string_view statement);
  void declare_results();
  /// The body for every element of a thread's vector. Where functions have a form without branches for most
  /// arguments, it is taken first; a thread that holds any other argument computes its elements again.
  void compute_lanes(const body_hooks& hooks);

  emission& kernel_;
  text_writer out_;

 private:
  void lanes(argument_range range, const body_hooks& hooks);
};

/// Tiles of axis 0 by axis 1, in rows or with transposed operands staged in shared memory.
std::string emit_cuda_tiles(emission& kernel);
/// Consecutive elements of the whole space.
std::string emit_cuda_flat(emission& kernel);

}  // namespace sinter::codegen
