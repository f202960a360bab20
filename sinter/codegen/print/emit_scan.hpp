#pragma once
// Scans inside kernels that walk rows: the elements of a turn lie in the scan's own array and become what is
// combined up to each of them; `carryI` goes on from one turn to the next. Orders depend on the schedule
// alone: lanes of a thread, threads of a warp, warps, steps.

#include <sinter/codegen/print/emit_body.hpp>

namespace sinter::codegen {

/// Writes the statements of the scans of one kernel. Instruction i's elements are in `vI`: [e] on the host,
/// [s][e] on CUDA.
class scan_writer {
 public:
  scan_writer(emission& kernel, text_writer& out) : kernel_(kernel), out_(out) {}

  /// What a row's first element is combined with. `first` is that value where the scan goes on from one.
  void begin(std::uint32_t scan, const std::string& first);
  /// Makes a turn's elements on CUDA such that they change nothing: for those past the end of a row.
  void clear(std::uint32_t scan);
  /// Scans the turn's elements on CUDA: threads lie along the scanned axis, or across it.
  void turn_of_rows(std::uint32_t scan);
  void turn_of_columns(std::uint32_t scan);
  /// Scans a group of lanes on the host, of which `lanes` are in the row.
  void group_of_lanes(std::uint32_t scan, std::string_view lanes);
  /// One lane of the host's column walk: its next element is `element`.
  void next_in_column(std::uint32_t scan, const std::string& element);

 private:
  const instruction& code(std::uint32_t scan) const { return kernel_.body.body[scan]; }
  bool columns() const { return kernel_.chosen.order == walk::column_reduction; }
  std::string_view type(std::uint32_t scan) const;
  std::string joined(std::uint32_t scan, const std::string& a, const std::string& b);
  void unroll(std::string_view name, int count);
  void scan_lanes_of_threads(std::uint32_t scan);
  void scan_threads_of_warps(std::uint32_t scan);
  void scan_steps(std::uint32_t scan);
  void scan_warps(std::uint32_t scan);
  void join_from_below(std::uint32_t scan, const std::string& to);
  void add_to_elements(std::uint32_t scan, const std::string& before);

  emission& kernel_;
  text_writer& out_;
};

/// What the text of a kernel with scans begins with.
std::string_view cuda_scan_helpers();
/// Empty unless the kernel has scans whose lanes are scanned as vectors.
std::string host_scan_helpers(const emission& kernel);

}  // namespace sinter::codegen
