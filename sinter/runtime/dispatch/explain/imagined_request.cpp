#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/explain/imagined_request.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {

imagined_request::imagined_request(const function& called, std::span<const operand> operands,
                                   std::span<const scalar> scalars, const call_options& options)
    : operands_(operands.begin(), operands.end()) {
  for (operand& each : operands_) each.where = device::cpu();
  call_options without_stream = options;
  without_stream.on = nullptr;
  made = make_request(called, operands_, scalars, {}, without_stream);
}

const known_device& model_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const known_device& each : known_devices()) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  throw device_error(fmt::format("gpu_model(\"{}\"): it is none of the models that are known: {}", name,
                                 fmt::join(names, "; ")));
}

}  // namespace sinter::inline v0::runtime
