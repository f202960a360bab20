#pragma once
// What both targets' kernels share: the argument block, index expressions and the instructions of the body.

#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/math/device_functions.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/print/text_writer.hpp>
#include <sinter/codegen/schedule/choose_schedule.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <functional>
#include <string>

namespace sinter::codegen {

/// Which form of functions with a cheaper one near zero is called (device_function::near_name).
enum class argument_range : std::uint8_t {
  any,     ///< the form for all arguments
  tested,  ///< the cheaper form; the caller runs `any` instead where one of emission::tests fails
};

/// One kernel being emitted, from its description.
struct emission {
  explicit emission(const kernel_description& from);

  const kernel_description& described;

  const nest& body;
  const schedule& chosen;
  target_kind target;
  arithmetic_mode mode;
  std::string entry;
  bool argument_block;
  launch_overlap overlap;
  tiling cut;
  axis_digits kept, reduced;
  std::vector<std::string_view> functions{};  ///< device functions the text calls
  argument_range range = argument_range::any;
  std::vector<std::string> tests{};  ///< conditions under which `tested` gives the same bits as `any`
  const std::vector<external_function>& externals;  ///< by the numbers that instructions call them by

  bool is_cuda() const { return target == target_kind::cuda; }
  unsigned rank() const { return body.rank; }
  unsigned groups() const;
  const access& first_of_group(unsigned group) const;
  /// The pointer that a window's first access, or one on its own, reads or writes through: "a.p0". CUDA's of
  /// reads carries the access property of all loads that are made through it.
  std::string base_pointer(std::uint32_t access) const;
  /// The argument that is a read's access property, CUDA.
  std::string_view property(std::uint32_t access) const;
  /// " + 1 + 2 * a.s0_1": from the corner of an access' window to the access; empty for none.
  std::string window_distance(std::uint32_t access) const;
};

/// A valid identifier for the kernel: the given name, or one of ours.
std::string entry_name(std::string_view name);

/// "struct arguments { … };", eight bytes a field.
void emit_arguments(const emission& kernel, text_writer& out);

/// "extern "C" __global__ … {", the arguments by the name a, and how the launch overlaps its neighbours.
void open_cuda_kernel(const emission& kernel, int threads, text_writer& out);

/// Sum of the terms of `group` over the axes given by name: "x + y * a.s0_1"; empty names are left out; "0"
/// for none. Position names are C++ expressions of type long long. Of axes that share a digit the first is
/// given, and stands for the offset that declare_shared_offsets() makes of it: "far0".
std::string index_expression(const emission& kernel, unsigned group, std::span<const std::string> positions);

/// What kernels call that have axes which share a digit; CUDA's calls divide_wide().
std::string_view shared_digit_helper(const emission& kernel);
std::string shared_offset_name(unsigned group, bool reduced);
/// "const long long far0 = …;": of each group that moves along the kept axes that share a digit, or the
/// reduced ones, the offset of a position along them.
void declare_shared_offsets(const emission& kernel, bool reduced, std::string_view position,
                            text_writer& out);

/// Expressions of single instructions, for emitters that lay out statements of their own.
struct instruction_names {
  std::function<std::string(std::uint32_t instruction)> value;  ///< the name of an instruction's value
  /// The element of an access in memory (of a read, as it lies there), or its position.
  std::function<std::string(std::uint32_t access)> element;
};
std::string instruction_text(emission& kernel, std::uint32_t instruction, const instruction_names& names);
/// A reduction's value with another one joined to it: "maximum_f32(a, b)".
std::string combined_text(emission& kernel, const instruction& reduction, const std::string& a,
                          const std::string& b);
/// The value that a reduction begins with.
std::string start_text(const emission& kernel, const instruction& reduction);
/// Whether argmax or argmin prefers a value at a position to another: "argmax_f32(v, p, a, q)".
std::string prefers_text(emission& kernel, const instruction& reduction, const std::string& value,
                         const std::string& position, const std::string& than,
                         const std::string& than_position);
/// The same of a value at a later position.
std::string prefers_later_text(emission& kernel, const instruction& reduction, const std::string& value,
                               const std::string& than);
/// A value as it is stored in memory.
std::string stored_text(emission& kernel, element_type type, const std::string& value);

/// Numbers of the external functions whose code is linked to the kernel: those that the text declares.
std::vector<std::uint64_t> linked_externals(const emission& kernel);

/// The device functions that the emitted text calls, with all they call; declarations of external ones.
std::string device_function_text(const emission& kernel);

std::string emit_cuda(emission& kernel);
std::string emit_host(emission& kernel);
std::string emit_cuda_reduction(emission& kernel);

}  // namespace sinter::codegen
