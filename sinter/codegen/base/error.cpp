#include <sinter/codegen/base/error.hpp>

#include <atomic>
#include <utility>

namespace sinter::inline v0 {

namespace detail {

struct shared_text::block {
  std::string text;
  std::atomic<int> users{1};
};

shared_text::shared_text(std::string text) : block_(new block{std::move(text)}) {}
shared_text::shared_text(const shared_text& other) noexcept : block_(other.block_) {
  block_->users.fetch_add(1, std::memory_order_relaxed);
}
shared_text& shared_text::operator=(const shared_text& other) noexcept {
  shared_text copy(other);
  std::swap(block_, copy.block_);
  return *this;
}
shared_text::~shared_text() {
  if (block_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete block_;
}
const std::string& shared_text::get() const noexcept { return block_->text; }

}  // namespace detail

// The destructors are here so that each class' type information exists once, in the library.
error::error(const std::string& message) : std::runtime_error(message) {}
error::~error() = default;
shape_error::~shape_error() = default;
index_error::~index_error() = default;
type_error::~type_error() = default;
device_error::~device_error() = default;
cache_error::~cache_error() = default;

out_of_memory::out_of_memory(const std::string& message, std::size_t requested_bytes, std::size_t free_bytes)
    : error(message), requested_bytes_(requested_bytes), free_bytes_(free_bytes) {}
out_of_memory::~out_of_memory() = default;

compile_error::compile_error(const std::string& message, std::string source, std::string log)
    : error(message), source_(std::move(source)), log_(std::move(log)) {}
compile_error::~compile_error() = default;

execution_error::execution_error(const std::string& message, std::string kernel)
    : error(message), kernel_(std::move(kernel)) {}
execution_error::~execution_error() = default;

}  // namespace sinter::inline v0
