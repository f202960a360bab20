#include "tensor.hpp"

#include "errors.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>

#include <string>
#include <utility>

namespace tensors {
namespace {

/// The number of elements of a shape.
std::int64_t count_of(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw error("a tensor has an axis of " + std::to_string(extent) + " elements");
    count *= extent;
  }
  return count;
}

std::size_t bytes_of(element_type type, std::span<const std::int64_t> shape) {
  return static_cast<std::size_t>(count_of(shape)) * sinter::size_of(type);
}

}  // namespace

tensor::tensor(element_type type, std::vector<std::int64_t> shape, const queue& on)
    : type_(type), shape_(std::move(shape)) {
  try {
    memory_ = std::make_shared<sinter::buffer>(on.device(), bytes_of(type, shape_), on.order(), on.memory());
  } catch (const sinter::error&) {
    rethrow();
  }
  data_ = memory_->data();
  set_row_major();
}

tensor::tensor(sinter::runtime::result&& made)
    : type_(made.type), shape_(made.extents, made.extents + made.rank) {
  memory_ = std::make_shared<sinter::buffer>(std::move(made.storage));
  data_ = memory_->data();
  set_row_major();
}

void tensor::set_row_major() {
  strides_.resize(shape_.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    strides_[axis] = stride;
    stride *= shape_[axis];
  }
}

std::int64_t tensor::size() const { return count_of(shape_); }

tensor tensor::slice(unsigned axis, std::int64_t first, std::int64_t last, std::int64_t step) const {
  if (axis >= shape_.size() || first < 0 || last < first || last > shape_[axis] || step < 1)
    throw error("slice " + std::to_string(first) + ":" + std::to_string(last) + ":" + std::to_string(step) +
                " of axis " + std::to_string(axis) + " of a tensor of " + std::to_string(shape_.size()) +
                " axes: bounds are in the axis and ascend, and the step is 1 or more");
  tensor part = *this;
  part.data_ = static_cast<std::byte*>(data_) +
               first * strides_[axis] * static_cast<std::int64_t>(sinter::size_of(type_));
  part.shape_[axis] = (last - first + step - 1) / step;
  part.strides_[axis] = strides_[axis] * step;
  return part;
}

sinter::runtime::operand tensor::operand() const {
  return {data_,    shape_.data(), strides_.data(), type_, static_cast<std::uint8_t>(shape_.size()),
          device(), record()};
}

void tensor::check_type(element_type asked) const {
  if (asked != type_)
    throw error("the tensor's elements are " + std::string(sinter::facts_of(type_).name) + ", not " +
                std::string(sinter::facts_of(asked).name));
}

void tensor::copy_in(const void* elements, std::size_t count, element_type type, const queue& on) {
  if (static_cast<std::int64_t>(count) != size())
    throw error(std::to_string(count) + " elements for a tensor of " + std::to_string(size()));
  const std::size_t bytes = count * sinter::size_of(type);
  sinter::copy_bytes({data_, device(), record()}, {elements, sinter::device::cpu()}, bytes, on.order());
}

/// This tensor, or a copy of a slice: the identity, as a function of one operand.
tensor tensor::row_major(const queue& on) const {
  std::int64_t stride = 1;
  bool contiguous = true;
  for (std::size_t axis = shape_.size(); axis-- > 0; stride *= shape_[axis])
    contiguous = contiguous && (shape_[axis] == 1 || strides_[axis] == stride);
  if (contiguous) return *this;
  sinter::graph_builder builder;
  builder.output(builder.apply(sinter::operation::positive,
                               {builder.input(type_, static_cast<unsigned>(shape_.size()))}));
  const sinter::runtime::operand source = operand();
  sinter::runtime::result copy;
  sinter::runtime::call_options how;
  how.on = &on.order();
  how.memory = &on.memory();
  sinter::runtime::call(sinter::runtime::intern(builder.recorded()), {&source, 1}, {}, {}, {&copy, 1}, how);
  return tensor(std::move(copy));
}

void tensor::copy_out(void* elements, const queue& on) const {
  const tensor from = row_major(on);
  sinter::copy_bytes({elements, sinter::device::cpu()}, {from.data_, device(), from.record()},
                     bytes_of(type_, shape_), on.order());
  on.synchronize();
}

}  // namespace tensors
