#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/dispatch/aliasing/copied_call.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/prepare_async.hpp>
#include <sinter/runtime/error.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace sinter::inline v0 {
namespace runtime {

class preparation_state {
 public:
  explicit preparation_state(std::function<void()> work)
      : job(process_compile_pool().submit(std::move(work))) {}
  static preparation of(std::function<void()> work) {
    return preparation(new preparation_state(std::move(work)));
  }
  void add_user() { users_.fetch_add(1, std::memory_order_relaxed); }
  void remove_user() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  const compile_pool::job_handle job;

 private:
  std::atomic<int> users_{1};
};

preparation prepare_async(const function_handle& called, std::span<const operand> operands,
                          std::span<const scalar> scalars, const call_options& options,
                          std::span<const operand> into) {
  const call_request asked = make_request(held(called), operands, scalars, into, options);
  {
    const state_guard state;
    state->lower(asked);  // invalid arguments throw here, in the caller
  }
  return preparation_state::of(
      [copy = std::make_shared<const copied_call>(asked)] { prepare(copy->request()); });
}

preparation prepare_ranges_async(const function_handle& called, std::span<const operand> operands,
                                 std::span<const scalar> scalars,
                                 std::span<const std::span<const axis_range>> ranges,
                                 const call_options& options) {
  const auto copy =
      std::make_shared<const copied_call>(make_request(held(called), operands, scalars, {}, options));
  std::vector<std::vector<axis_range>> kept;
  for (const std::span<const axis_range> axes : ranges) kept.emplace_back(axes.begin(), axes.end());
  return preparation_state::of([copy, kept = std::move(kept)] {
    const call_request request = copy->request();
    const std::vector<std::span<const axis_range>> axes(kept.begin(), kept.end());
    call_options again;
    again.forced = request.forced;
    again.variant = request.variant;
    prepare_ranges(copy->called(), request.operands, request.scalars, axes, again);
  });
}

}  // namespace runtime

preparation::preparation(const preparation& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->add_user();
}
preparation& preparation::operator=(preparation other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
preparation::~preparation() {
  if (state_ != nullptr) state_->remove_user();
}

bool preparation::ready() const {
  return state_ == nullptr || runtime::process_compile_pool().finished(state_->job);
}

void preparation::wait() const {
  if (state_ != nullptr) runtime::process_compile_pool().wait(state_->job);
}

void preparation::get() const {
  if (state_ == nullptr) return;
  wait();
  std::exception_ptr failure;
  switch (runtime::process_compile_pool().result_of(state_->job, failure)) {
    case runtime::compile_pool::outcome::done:
      return;
    case runtime::compile_pool::outcome::failed:
      std::rethrow_exception(failure);
    case runtime::compile_pool::outcome::cancelled:
      throw error(
          "a preparation was asked for its result and had been cancelled: call prepare_async() again");
  }
}

bool preparation::cancel() const {
  return state_ != nullptr && runtime::process_compile_pool().cancel(state_->job);
}

}  // namespace sinter::inline v0
