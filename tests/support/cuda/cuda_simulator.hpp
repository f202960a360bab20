#pragma once
// Runs the text of GPU kernels on the CPU. The text is compiled as C++; each thread of a block is a fiber, a
// cluster's blocks run side by side, and shared memory is a section with one image per block. Errors that a
// device would report, or that would make its results unreliable, are faults: memory beyond an array,
// unaligned wide accesses, barriers that not all threads reach, memory of a block that has exited, copies
// that were not waited for. Text with approximate instructions is rejected, except if their result is
// corrected.

#include "../sweep/sweep_array.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/lowering.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::test {

/// An error of a kernel that a device would not accept.
class simulated_fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The order in which threads and blocks run between barriers: results must not depend on it.
enum class thread_order : std::uint8_t { upward, downward };

/// Memory with an inaccessible page directly after it, or before it. Bytes are 0xa5 until written.
class guarded_memory {
 public:
  guarded_memory(std::size_t bytes, bool at_the_end);
  guarded_memory(guarded_memory&& other) noexcept;
  guarded_memory& operator=(guarded_memory&&) = delete;
  ~guarded_memory();
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* pages_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t mapped_ = 0, size_ = 0;
};

/// Runs one stage's kernel. `block` is the argument block, with addresses of this process. Throws
/// simulated_fault, or std::runtime_error if the text does not compile.
void simulate_kernel(const stage& launched, const kernel_text& text, const std::vector<std::uint64_t>& block,
                     thread_order order);

struct simulation_options {
  target_facts target = cuda_facts();
  thread_order order = thread_order::upward;
  lowering_variant variant = lowering_variant::specialised;
  bool at_the_end = true;  ///< arrays end at an inaccessible page; else they start after one
  const schedule* forced = nullptr;
};

/// Runs a call as a GPU would, with new results or with the memory of `outputs`.
std::vector<bits> simulate(const graph& recorded, const std::vector<runtime::operand>& inputs,
                           const std::vector<runtime::scalar>& scalars,
                           const simulation_options& options = {},
                           const std::vector<runtime::operand>& outputs = {});

}  // namespace sinter::test
