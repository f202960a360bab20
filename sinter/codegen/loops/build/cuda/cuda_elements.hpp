#pragma once
// What pointwise kernels for NVIDIA GPUs have in common: a thread has registers for vectors of elements, in0,
// in1 … of what it reads, out2 … of its results.

#include <sinter/codegen/loops/build/build_kernel.hpp>
#include <sinter/codegen/loops/build/cuda/cuda_lanes.hpp>
#include <sinter/codegen/loops/statements/kernel_statements.hpp>

namespace sinter::inline v0::codegen {

class cuda_elements : public tile_steps, protected kernel_statements {
 public:
  /// The results of a thread's vector; they stay in registers until all of them are there.
  void open_lane(unsigned) final {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i)) out_.variable(vector_type(i, vector()), name("out", i));
    out_.open_count(loop_kind::unrolled, "e", vector()).speculative = true;
  }
  void evaluate_lane(unsigned) final {
    const expression is_first = vector() > 1 ? name("e") == 0 : expression();
    evaluate_element([&](std::uint32_t i) { return element(i); },
                     {{lane_guard(), {}, {}}, lane_guard(), is_first});
  }
  void store_lane(unsigned) final {
    store_element([&](std::uint32_t i) { return lane_of(name("out", i), name("e")); },
                  {lane_guard(), {}, {}});
  }
  void close_lane(unsigned) final {
    out_.close();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i)) store_result(i);
  }

 protected:
  using kernel_statements::kernel_statements;

  /// Whether there is an element at lane e: a vector may lie partly behind the last one.
  virtual expression lane_guard() = 0;
  /// The element of a read at lane e.
  virtual expression element(std::uint32_t i) = 0;
  /// Stores a thread's vector of results.
  virtual void store_result(std::uint32_t i) = 0;

  value_type vector_type(std::uint32_t i, int lanes) const { return vector_of(storage(i), lanes); }

  void open_unrolled(std::string_view variable, int count) {
    out_.open_count(loop_kind::unrolled, variable, count);
  }
  template <typename Statements>
  void each_lane(Statements statements) {
    open_unrolled("e", vector());
    statements();
    out_.close();
  }
  /// The position of step s of a thread.
  void let_x() {
    out_.let(narrow_index_type, name("x"), name("x0") + name("s") * (chosen().threads_along * vector()));
  }
};

}  // namespace sinter::inline v0::codegen
