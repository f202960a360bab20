#include <fmt/format.h>

#include <algorithm>
#include <string>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {

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

void check_alignment(const call_request& request) {
  if (!request.where.is_cuda()) return;
  const auto check = [&](std::string_view what, std::span<const operand> arrays) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const std::size_t size = size_of(arrays[i].type);
      if (reinterpret_cast<std::uintptr_t>(arrays[i].data) % size != 0)
        throw device_error(fmt::format(
            "{}: {} {} is at {}, which is no multiple of the {} bytes of a {}, as GPUs need: copy it to an "
            "array",
            describe(*request.called), what, i, arrays[i].data, size, facts_of(arrays[i].type).name));
    }
  };
  check("operand", request.operands);
  check("result", request.into);
}

void check_memory(const call_request& request) {
  const auto check = [&](std::string_view what, std::span<const operand> arrays) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const operand& at = arrays[i];
      const bool is_empty = std::find(at.extents, at.extents + at.rank, 0) != at.extents + at.rank;
      if (at.data == nullptr && !is_empty)
        throw shape_error(fmt::format(
            "{}: {} {} has elements and no memory: its address is null, as that of an array or view "
            "that was default-constructed or moved from",
            describe(*request.called), what, i));
    }
  };
  check("operand", request.operands);
  check("result", request.into);
}

void throw_no_function() {
  throw error("no function was given: its handle is null; intern() makes one of a graph");
}

void throw_result_count(const function& called, std::size_t results) {
  throw shape_error(fmt::format("{} has {} results, and {} were asked for", describe(called),
                                called.recorded.outputs.size(), results));
}

}  // namespace sinter::inline v0::runtime
