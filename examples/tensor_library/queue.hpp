// A queue of the library: a stream, and the pool that memory comes from in the stream's order.
#pragma once

#include "pool.hpp"

#include <sinter/sinter.hpp>

#include <memory>
#include <utility>

namespace tensors {

class queue {
 public:
  /// A stream of its own.
  explicit queue(sinter::device where, std::shared_ptr<pool> from)
      : queue(sinter::stream::create(where), std::move(from)) {}
  /// Another library's CUDA stream (a CUstream or cudaStream_t), borrowed. It must outlive the queue.
  static queue borrow(sinter::device where, void* handle, std::shared_ptr<pool> from) {
    return {sinter::stream::from_native(where, handle), std::move(from)};
  }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  ~queue() {
    // From here on the handle may be destroyed, and the driver may give the same one to another stream.
    sinter::forget(order_);
    pool_->trim(order_);
  }

  const sinter::stream& order() const { return order_; }
  const sinter::memory_resource& memory() const { return memory_; }
  sinter::device device() const { return order_.where(); }
  pool_usage usage() const { return pool_->usage(); }
  void synchronize() const { order_.synchronize(); }

 private:
  queue(sinter::stream order, std::shared_ptr<pool> from)
      : pool_(std::move(from)), memory_(pool_), order_(std::move(order)) {}

  std::shared_ptr<pool> pool_;
  sinter::memory_resource memory_;  // keeps the pool as long as memory from it lives
  sinter::stream order_;
};

}  // namespace tensors
