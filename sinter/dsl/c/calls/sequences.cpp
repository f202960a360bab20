#include <sinter/sequences.h>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/dsl/c/calls/prepared_call.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>
#include <sinter/dsl/c/tensors.hpp>
#include <sinter/runtime/sequence.hpp>

#include <memory>
#include <string>

using namespace sinter;
using c::checked;
using c::guarded;
using c::prepared_call;

struct sinter_sequence {
  runtime::call_sequence calls;
};

sinter_status sinter_sequence_create(sinter_device where, sinter_sequence** sequence) {
  return guarded("sinter_sequence_create", [&] {
    sinter_sequence*& result = checked(sequence, "the pointer for the sequence");
    result = new sinter_sequence{runtime::call_sequence(c::device_of(where))};
  });
}

void sinter_sequence_destroy(sinter_sequence* sequence) { delete sequence; }

sinter_status sinter_sequence_add(sinter_sequence* sequence, const sinter_function* function,
                                  const sinter_arguments* arguments, size_t* step) {
  return guarded("sinter_sequence_add", [&] {
    runtime::call_sequence& calls = checked(sequence, "the sequence").calls;
    const prepared_call call(function, arguments);
    const std::size_t number = calls.add(call.called, call.operands, call.scalars, call.into, call.how);
    if (step != nullptr) *step = number;
  });
}

sinter_status sinter_sequence_change(sinter_sequence* sequence, size_t step, const sinter_function* function,
                                     const sinter_arguments* arguments) {
  return guarded("sinter_sequence_change", [&] {
    runtime::call_sequence& calls = checked(sequence, "the sequence").calls;
    const prepared_call call(function, arguments);
    if (!call.into.empty())
      throw c::invalid_argument("a change names targets: a step keeps those that it was added with");
    if (call.how.on != nullptr || call.how.assume_ordered || !call.how.workspace.empty())
      throw c::invalid_argument(
          "a change names a stream, a workspace or assume_ordered: sinter_sequence_run gives all steps the "
          "stream, and each has a workspace of its own");
    if (step >= calls.size() || !(calls.function_of(step) == call.called))
      throw c::invalid_argument("the sequence has no step of this function with this number");
    const std::size_t inputs = runtime::recorded_graph(call.called).inputs.size();
    if (call.operands.size() != inputs)
      throw type_error("the function takes " + std::to_string(inputs) + " operands, and the change has " +
                       std::to_string(call.operands.size()) + ": a change gives all of them");
    calls.change(step, call.operands, call.scalars);
  });
}

sinter_status sinter_sequence_run(sinter_sequence* sequence, const sinter_stream* stream) {
  return guarded("sinter_sequence_run", [&] {
    runtime::call_sequence& calls = checked(sequence, "the sequence").calls;
    if (stream != nullptr)
      calls.run(stream->queue);
    else
      calls.run(sinter::stream::default_of(calls.where()));
  });
}

sinter_status sinter_sequence_explain(const sinter_sequence* sequence, const char** text) {
  return guarded("sinter_sequence_explain", [&] {
    const runtime::call_sequence& calls = checked(sequence, "the sequence").calls;
    checked(text, "the pointer for the text") = c::keep_text(calls.explain());
  });
}
