#pragma once
// The C interface's arguments as runtime::call takes them.

#include <sinter/sinter.h>
#include <sinter/dsl/any_array.hpp>
#include <sinter/runtime/call.hpp>

#include <vector>

namespace sinter::inline v0::c {

/// A call as the runtime takes it. Borrows from the arguments, and from itself: it stays where it is.
class prepared_call {
 public:
  prepared_call(const sinter_function* function, const sinter_arguments* arguments);
  prepared_call(const prepared_call&) = delete;
  prepared_call& operator=(const prepared_call&) = delete;

  const runtime::function_handle& called;

 private:
  prepared_call(const sinter_function& function, const sinter_arguments& given);
  void take_scalars(const sinter_arguments& given);
  void take_stream(const sinter_arguments& given);

  std::vector<any_view> operand_views_, target_views_;
  stream native_;

 public:
  std::vector<runtime::operand> operands, into;
  std::vector<runtime::scalar> scalars;
  runtime::call_options how;
};

}  // namespace sinter::inline v0::c
