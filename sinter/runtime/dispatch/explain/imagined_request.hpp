#pragma once
// Calls on a GPU that need not be here.

#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/runtime/dispatch/plan.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace sinter::inline v0::runtime {

/// A request whose operands lie on no device in particular.
class imagined_request {
 public:
  imagined_request(const function& called, std::span<const operand> operands, std::span<const scalar> scalars,
                   const call_options& options);
  imagined_request(const imagined_request&) = delete;
  imagined_request& operator=(const imagined_request&) = delete;
  call_request made;

 private:
  std::vector<operand> operands_;
};

/// The model of this name. Throws device_error that lists those that are known.
const known_device& model_named(std::string_view name);

}  // namespace sinter::inline v0::runtime
