// Arbitrary bytes as a recorded graph, and as a call of one: rejected, or valid, and written again without
// loss.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/kernel/recorded_call.hpp>

#include "expect.hpp"

namespace {

using namespace sinter;

// a * x + y: two arrays and a parameter.
const graph& some_function() {
  static const graph made = [] {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 2),
                      y = builder.input(element_type::float32, 2);
    const graph_value a = builder.parameter(element_type::float32);
    builder.output(builder.apply(operation::add, {builder.apply(operation::multiply, {a, x}), y}));
    return builder.recorded();
  }();
  return made;
}

bool is_sound(const graph& read) {
  try {
    verify(read);
    return true;
  } catch (const error&) {
    return false;
  }
}

void check_call(std::string_view bytes, const graph& of) {
  recorded_call call;
  std::string fault;
  if (!read_call(bytes, of, call, fault)) {
    SINTER_FUZZ_EXPECT(!fault.empty());
    return;
  }
  recorded_call again;
  const std::string written = to_bytes(call);
  SINTER_FUZZ_EXPECT(read_call(written, of, again, fault));
  SINTER_FUZZ_EXPECT(again == call);
  SINTER_FUZZ_EXPECT(to_bytes(again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string fault;
  graph read;
  if (read_graph(bytes, read, fault)) {
    SINTER_FUZZ_EXPECT(is_sound(read));
    const std::string written = to_bytes(read);
    graph again;
    SINTER_FUZZ_EXPECT(read_graph(written, again, fault));
    SINTER_FUZZ_EXPECT(again.same_content(read));
    SINTER_FUZZ_EXPECT(to_bytes(again) == written);
    check_call(to_bytes(recorded_call{}), read);
  } else {
    SINTER_FUZZ_EXPECT(!fault.empty());
  }
  check_call(bytes, some_function());
  return 0;
}
