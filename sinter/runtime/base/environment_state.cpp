#include <sinter/runtime/base/environment_state.hpp>

namespace sinter::inline v0 {
namespace runtime {
namespace {
thread_local constinit const environment_state* innermost = nullptr;
}  // namespace

const environment_state* current_environment() noexcept { return innermost; }

}  // namespace runtime

environment::environment(const environment& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->users.fetch_add(1, std::memory_order_relaxed);
}

void environment::let_go() noexcept {
  if (state_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete state_;
}

environment environment::current() noexcept {
  environment found;
  found.state_ = runtime::innermost;
  if (found.state_ != nullptr) found.state_->users.fetch_add(1, std::memory_order_relaxed);
  return found;
}

environment_scope::environment_scope(const environment& inside) noexcept : outer_(runtime::innermost) {
  runtime::innermost = inside.state_;
}

environment_scope::~environment_scope() { runtime::innermost = outer_; }

}  // namespace sinter::inline v0
