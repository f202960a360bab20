#pragma once
// What the builders of pointwise kernels for NVIDIA GPUs share.

#include <sinter/codegen/loops/kernel_builder.hpp>

namespace sinter::inline v0::codegen {

/// A thread has registers for vectors of elements: in0, in1 … of what it reads, out2 … of its results.
class cuda_elements_builder : protected kernel_builder {
 protected:
  using kernel_builder::kernel_builder;

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

  /// The results of a thread's vector; they stay in registers.
  template <typename Element>
  void evaluate_lanes(Element element) {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i)) out_.variable(vector_type(i, vector()), name("out", i));
    out_.open_count(loop_kind::unrolled, "e", vector()).speculative = true;
    evaluate_element(element, [&](std::uint32_t i) { return lane_of(name("out", i), name("e")); });
    out_.close();
  }
};

}  // namespace sinter::inline v0::codegen
