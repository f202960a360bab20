// Calls of the C interface.
#include <sinter/dsl/c/calls/prepared_call.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace sinter;
using c::checked;
using c::guarded;
using c::prepared_call;

sinter_status sinter_call(const sinter_function* function, const sinter_arguments* arguments,
                          sinter_array** results, size_t result_count) {
  return guarded("sinter_call", [&] {
    const prepared_call call(function, arguments);
    if (!call.into.empty() && result_count != 0)
      throw c::invalid_argument("the arguments have targets, and " + std::to_string(result_count) +
                                " new arrays are wanted as well: one of them must be 0");
    if (result_count != 0) (void)checked(results, "the list of results");
    std::vector<runtime::result> made(result_count);
    std::vector<std::unique_ptr<sinter_array>> arrays(result_count);
    for (auto& each : arrays) each = std::make_unique<sinter_array>();
    runtime::call(call.called, call.operands, call.scalars, call.into, made, call.how);
    for (size_t i = 0; i < result_count; ++i) arrays[i]->elements = any_array(std::move(made[i]));
    for (size_t i = 0; i < result_count; ++i) results[i] = arrays[i].release();
  });
}

sinter_status sinter_prepare(const sinter_function* function, const sinter_arguments* arguments) {
  return guarded("sinter_prepare", [&] {
    const prepared_call call(function, arguments);
    runtime::prepare(call.called, call.operands, call.scalars, call.how, call.into);
  });
}

sinter_status sinter_explain(const sinter_function* function, const sinter_arguments* arguments,
                             const char** text) {
  return guarded("sinter_explain", [&] {
    const prepared_call call(function, arguments);
    const char*& result = checked(text, "the pointer for the text");
    result = c::keep_text(runtime::explain(call.called, call.operands, call.scalars, call.how, call.into));
  });
}
