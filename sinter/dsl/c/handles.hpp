#pragma once
// What the handles of the C interface (sinter/sinter.h) point to.

#include <sinter/sinter.h>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/any_array.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/stream.hpp>

#include <vector>

struct sinter_builder {
  sinter::graph_builder graph;
  /// A sinter_value is the graph's number in the high half and an index of this list in the low half.
  std::vector<sinter::graph_value> values{};
};

struct sinter_function {
  sinter::runtime::function_handle handle;
};

struct sinter_array {
  sinter::any_array elements;
};

struct sinter_stream {
  sinter::stream queue;
};
