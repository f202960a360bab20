#pragma once
// Programs as text: a graph node by node, with the layouts of its operands. The format is the differential
// fuzzer's, so that what is timed here can be checked there.
//
//   program ID MODE HOW            MODE standard|strict|fast; HOW is the fuzzer's and not read here
//   buffer BYTES                   numbered from 0
//   input BUFFER TYPE BYTE_OFFSET RANK extents... strides...   strides in elements; makes a value
//   literal TYPE HEX WEAK          makes a value, as all lines below
//   apply OP a [b [c]] | cast a TYPE | reduce OP a AXES KEEP | scan OP a AXIS
//   view a N items...              s:START:STOP:STEP ('_' absent)  i:POSITION  n  p:AXIS
//   output a
//   end
//
// A line "roofline READ WRITTEN" before a program says how many bytes of memory it must move at least.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace sinter_bench {

/// An operand: elements of a buffer.
struct operand_layout {
  std::size_t buffer = 0;
  sinter::element_type type{};
  std::int64_t offset = 0;  ///< of the first element, in bytes
  std::vector<std::int64_t> extents, strides;
};

/// One line that makes a value.
struct value_line {
  enum class kind { input, literal, apply, cast, view, reduce, scan };
  kind what = kind::input;
  sinter::operation op{};
  sinter::element_type type{};
  std::vector<unsigned> operands;
  std::uint64_t bits = 0;
  bool flag = false;         ///< a literal is weak, a reduction keeps its axes
  std::uint32_t number = 0;  ///< a reduction's axes, a scan's axis
  std::vector<sinter::view_item> items;
};

struct program {
  std::string id;
  sinter::arithmetic_mode mode{};
  std::vector<std::size_t> buffer_bytes;
  std::vector<operand_layout> inputs;  ///< in the order of their lines
  std::vector<value_line> values;
  std::vector<unsigned> outputs;
  double read_bytes = 0, written_bytes = 0;
};

/// Reads the next program, as far as its line "end"; false where the stream ends. Throws std::runtime_error
/// for a line that is none.
bool read_program(std::istream& from, program& to);
/// The graph that the program describes, made with the run-time builder.
sinter::graph record(const program& of);

}  // namespace sinter_bench
