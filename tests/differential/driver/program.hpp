// A program of the differential fuzzer, as its text describes it (read_program.hpp has the text's grammar).
#pragma once

#include <sinter/sinter.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "device_memory.hpp"

namespace differential {

/// A view of elements in one of the program's buffers.
struct layout {
  std::size_t buffer = 0;
  sinter::element_type type{};
  std::int64_t byte_offset = 0;
  std::vector<std::int64_t> extents, strides;  // strides in elements
};

struct body;

/// One line that makes a value; `kind` is its first word and says which other fields are set.
struct value_line {
  std::string kind;
  std::string operation;
  sinter::element_type type{};
  std::vector<unsigned> operands;
  std::uint64_t bits = 0;  // of a literal or a parameter
  bool weak = false;
  std::uint32_t axes = 0;  // a set for a reduction, a number for scans, coordinates and extents
  bool keep_axes = false;
  bool ordered = false;  // of a reduction by a body
  std::vector<sinter::view_item> items;
  layout input;
  unsigned rank = 0;         // of an argument
  unsigned states = 0;       // of a loop; the values that reduce_by and scan_by combine
  unsigned component = 0;    // which result
  unsigned second_axis = 0;  // of a diagonal
  bool whole = false;        // of a split
  std::string rule;          // of a scatter; the axis or the subscripts of a product
  int setting = 0;           // of a stencil or a sort
  std::vector<body> bodies;  // one, or both sides of `when`
};

/// What a loop, a side of `when`, reduce_by or scan_by runs. Its values have numbers of their own.
struct body {
  std::vector<value_line> values;
  std::vector<unsigned> results;
};

/// Whether bodies follow a line.
inline bool has_bodies(const value_line& value) {
  return value.kind == "repeat" || value.kind == "repeat_while" || value.kind == "when" ||
         value.kind == "reduce_by" || value.kind == "scan_by";
}

/// Whether a line puts arrays together or takes them apart.
inline bool is_part(const value_line& value) {
  return value.kind == "extended" || value.kind == "concatenate" || value.kind == "window" ||
         value.kind == "diagonal" || value.kind == "merged" || value.kind == "split" ||
         value.kind == "gather";
}

/// Whether a line searches in a sorted array.
inline bool is_search(const value_line& value) {
  return value.kind == "searchsorted" || value.kind == "interp";
}

/// Whether a line writes at positions that are values.
inline bool is_scattering(const value_line& value) {
  return value.kind == "scatter" || value.kind == "bincount" || value.kind == "histogram" ||
         value.kind == "histogram2d" || value.kind == "segment" || value.kind == "nonzero" ||
         value.kind == "compress";
}

/// Whether a line combines neighbours along an axis.
inline bool is_stencil(const value_line& value) { return value.kind == "stencil"; }
/// Whether a line multiplies arrays.
inline bool is_product(const value_line& value) { return value.kind == "product"; }

/// Whether a line sorts along an axis.
inline bool is_order(const value_line& value) { return value.kind == "order"; }

struct output_line {
  unsigned value = 0;
  bool has_target = false;
  layout target;
};

struct program {
  std::string identifier, mode = "standard", variant = "fused";
  std::vector<memory_block> buffers;
  std::vector<value_line> values;
  std::vector<output_line> outputs;
};

}  // namespace differential
