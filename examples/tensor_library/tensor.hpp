// The library's tensor: element type and shape are known at run time, and slices share memory.
#pragma once

#include "queue.hpp"

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tensors {

using sinter::element_type;

class tensor {
 public:
  /// Uninitialised elements, in memory of the queue's pool.
  tensor(element_type type, std::vector<std::int64_t> shape, const queue& on);
  /// Takes over the memory of a result.
  explicit tensor(sinter::runtime::result&& made);
  template <class T, unsigned Rank>
  explicit tensor(sinter::array<T, Rank>&& made);
  template <class T>
  static tensor from(const std::vector<T>& elements, std::vector<std::int64_t> shape, const queue& on);

  element_type type() const { return type_; }
  std::span<const std::int64_t> shape() const { return shape_; }
  std::span<const std::int64_t> strides() const { return strides_; }
  void* data() const { return data_; }
  sinter::device device() const { return memory_->where(); }
  std::int64_t size() const;

  /// Elements first, first + step, … before last along an axis, which share this tensor's memory.
  tensor slice(unsigned axis, std::int64_t first, std::int64_t last, std::int64_t step = 1) const;

  /// The tensor as an operand or a target of a call. Borrows this tensor.
  sinter::runtime::operand operand() const;
  /// What Sinter knows of the memory's use by streams; nullptr on the CPU, whose calls are done when they
  /// return.
  sinter::runtime::allocation_record* record() const { return memory_->record(); }

  /// The elements in row-major order; waits for the work that computes them.
  template <class T>
  std::vector<T> to_vector(const queue& on) const;

 private:
  void set_row_major();
  void copy_in(const void* elements, std::size_t count, element_type type, const queue& on);
  tensor row_major(const queue& on) const;
  void copy_out(void* elements, const queue& on) const;
  void check_type(element_type asked) const;

  std::shared_ptr<sinter::buffer> memory_;
  element_type type_{};
  void* data_ = nullptr;  // in memory_
  std::vector<std::int64_t> shape_, strides_;
};

template <class T, unsigned Rank>
tensor::tensor(sinter::array<T, Rank>&& made)
    : type_(sinter::element_type_of<T>), shape_(made.shape().begin(), made.shape().end()) {
  memory_ = std::make_shared<sinter::buffer>(made.release());
  data_ = memory_->data();
  set_row_major();
}

template <class T>
tensor tensor::from(const std::vector<T>& elements, std::vector<std::int64_t> shape, const queue& on) {
  tensor made(sinter::element_type_of<T>, std::move(shape), on);
  made.copy_in(elements.data(), elements.size(), sinter::element_type_of<T>, on);
  return made;
}

template <class T>
std::vector<T> tensor::to_vector(const queue& on) const {
  check_type(sinter::element_type_of<T>);
  std::vector<T> elements(static_cast<std::size_t>(size()));
  copy_out(elements.data(), on);
  return elements;
}

}  // namespace tensors

/// Makes the tensor an operand of fused functions. The operand's record orders them among streams.
template <>
struct sinter::foreign_tensor<tensors::tensor> {
  static any_view as_any_view(const tensors::tensor& x) { return any_view(x.operand()); }
};
