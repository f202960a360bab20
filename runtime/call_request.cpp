#include <fmt/format.h>

#include <string>

#include <sinter/runtime/call_request.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::runtime {

void throw_devices(const function& called, std::span<const operand> operands, std::span<const operand> into,
                   const call_options& options) {
  std::string list;
  const auto add = [&](const char* what, std::size_t index, device where) {
    list += fmt::format("{}{} {} on {}", list.empty() ? "" : ", ", what, index, where.to_string());
  };
  for (std::size_t i = 0; i < operands.size(); ++i) add("operand", i, operands[i].where);
  for (std::size_t i = 0; i < into.size(); ++i) add("result", i, into[i].where);
  if (options.on != nullptr)
    list += fmt::format("{}the stream on {}", list.empty() ? "" : ", ", options.on->where().to_string());
  throw device_error(
      fmt::format("{} needs all its arrays and its stream on one device: {}; move arrays with .to(device)",
                  describe(called), list));
}

void throw_counts(const function& called, std::size_t arrays, std::size_t scalars, std::size_t into) {
  const graph& recorded = called.recorded;
  if (arrays != recorded.inputs.size() || scalars != recorded.parameters.size())
    throw type_error(fmt::format("{} takes {} arrays and {} scalars, and was given {} and {}",
                                 describe(called), recorded.inputs.size(), recorded.parameters.size(), arrays,
                                 scalars));
  throw shape_error(fmt::format("{} has {} results, and into() was given {} arrays", describe(called),
                                recorded.outputs.size(), into));
}

void throw_result_count(const function& called, std::size_t results) {
  throw shape_error(fmt::format("{} has {} results, and {} were asked for", describe(called),
                                called.recorded.outputs.size(), results));
}

}  // namespace sinter::runtime
