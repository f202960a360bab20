// Functions: from a builder's graph, and what they say about themselves.
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>

using namespace sinter;
using c::checked;
using c::guarded;

sinter_status sinter_builder_finish(sinter_builder* builder, sinter_function** function) {
  return guarded("sinter_builder_finish", [&] {
    const graph& recorded = checked(builder, "the builder").graph.recorded();
    sinter_function*& result = checked(function, "the pointer for the function");
    if (recorded.outputs.empty())
      throw c::invalid_argument("the graph has no results: name them with sinter_builder_output");
    result = new sinter_function{runtime::intern(recorded)};
  });
}

void sinter_function_destroy(sinter_function* function) { delete function; }

sinter_status sinter_function_counts(const sinter_function* function, size_t* operands, size_t* scalars,
                                     size_t* results) {
  return guarded("sinter_function_counts", [&] {
    const graph& recorded = runtime::recorded_graph(checked(function, "the function").handle);
    if (operands != nullptr) *operands = recorded.inputs.size();
    if (scalars != nullptr) *scalars = recorded.parameters.size();
    if (results != nullptr) *results = recorded.outputs.size();
  });
}

sinter_status sinter_function_text(const sinter_function* function, const char** text) {
  return guarded("sinter_function_text", [&] {
    const graph& recorded = runtime::recorded_graph(checked(function, "the function").handle);
    checked(text, "the pointer for the text") = c::keep_text(to_string(recorded));
  });
}
