#pragma once
// Loop trees for tests, and their CUDA text.

#include <sinter/codegen/loops/statements/loop_writer.hpp>
#include <sinter/codegen/print/cuda/cuda_dialect.hpp>
#include <sinter/codegen/print/loop_printer.hpp>

namespace sinter::test {

/// The statements of a tree; the kernel has the instructions that they evaluate.
inline std::string printed(const codegen::loop_tree& tree, const kernel_description& kernel) {
  codegen::text_writer out;
  codegen::loop_printer(kernel, tree, codegen::cuda_dialect, out).print(tree.first);
  return std::string(out.text());
}

/// Writes the nests of a thread with rows (u) and steps (s) of vectors of four floats (e) at x0, y0.
class nest_of_tests : public codegen::loop_writer {
 public:
  using loop_writer::loop_writer;
  static constexpr codegen::value_type four_floats =
      codegen::vector_of(codegen::storage_of(element_type::float32), 4);

  /// Two rows of two steps, if they are below left0, left1.
  void open_positions() {
    open_count(codegen::loop_kind::unrolled, "u", 2);
    let(codegen::narrow_index_type, name("y"), name("y0") + name("u"));
    open_count(codegen::loop_kind::unrolled, "s", 2);
    let(codegen::narrow_index_type, name("x"), name("x0") + name("s") * 128);
    open_guard(name("x") < name("left0") && name("y") < name("left1")).of_elements = true;
  }
  void close_positions() {
    for (int i = 0; i < 3; ++i) close();
  }
  codegen::expression left() { return name("left0") - name("x"); }
  /// The results: out0, computed from nothing.
  void evaluate() {
    variable(four_floats, name("out0"));
    open_count(codegen::loop_kind::unrolled, "e", 4).speculative = true;
    assign(name("out0.e")[name("e")], integer(1));
    close();
  }
};

}  // namespace sinter::test
