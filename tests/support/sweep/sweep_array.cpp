#include "sweep_array.hpp"

#include <algorithm>

namespace sinter::test {
namespace {

constexpr std::byte gap{0xa5};

std::size_t count_of(const shape& extents) {
  std::size_t count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  return count;
}

}  // namespace

std::string_view to_string(placement where) {
  constexpr std::string_view names[] = {"contiguous", "unaligned", "strided", "padded", "backwards",
                                        "transposed", "row",       "column",  "single"};
  return names[static_cast<std::size_t>(where)];
}

bits spread(const bits& values, const shape& extents, placement where) {
  bits made = values;
  const auto columns = static_cast<std::size_t>(extents.back());
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (where == placement::row) made[i] = values[i % columns];
    if (where == placement::column) made[i] = values[i / columns * columns];
    if (where == placement::single) made[i] = values[0];
  }
  return made;
}

placed_array::placed_array(element_type type, const bits& values, const shape& extents, placement where,
                           device on)
    : type_(type), extents_(extents), on_(on) {
  bits held = values;
  const std::size_t rank = extents.size(), parts = parts_of(type), count = held.size() / parts;
  if (where == placement::row || where == placement::single)
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) extents_[axis] = 1;
  if (where == placement::column || where == placement::single) {
    for (std::size_t i = 0; i < held.size(); ++i)
      held[i] = values[i / parts * static_cast<std::size_t>(extents.back()) % count * parts + i % parts];
    extents_.back() = 1;
  }
  held.resize(count_of(extents_) * parts);

  shape memory = extents_;
  if (where == placement::transposed) std::swap(memory[rank - 1], memory[rank - 2]);
  strides_ = contiguous_strides(memory);
  if (where == placement::transposed) std::swap(strides_[rank - 1], strides_[rank - 2]);
  elements_ = count_of(extents_);
  if (where == placement::unaligned) {
    first_ = 1;
    ++elements_;
  }
  if ((where == placement::padded || where == placement::strided) && rank > 0) {
    const std::int64_t step = where == placement::strided ? 2 : 1;
    std::int64_t stride = step;
    for (std::size_t axis = rank; axis-- > 0;) {
      strides_[axis] = stride;
      stride *= extents_[axis];
      if (axis + 1 == rank) stride += 3 * step;
    }
    elements_ = static_cast<std::size_t>(stride);
  }
  if (where == placement::backwards)
    for (std::size_t axis = 0; axis < rank; ++axis) {
      first_ += strides_[axis] * std::max<std::int64_t>(0, extents_[axis] - 1);
      strides_[axis] = -strides_[axis];
    }

  std::vector<std::byte> bytes(elements_ * size_of(type), gap);
  const std::vector<std::byte> packed = pack(type, held);
  for (std::size_t i = 0; i < held.size() / parts; ++i)
    std::copy_n(&packed[i * size_of(type)], size_of(type),
                &bytes[static_cast<std::size_t>(position_of(i)) * size_of(type)]);
  const stream order = stream::default_of(on);
  storage_ = buffer(on, bytes.size(), order);
  copy_bytes(storage_.data(), on, bytes.data(), device::cpu(), bytes.size(), order);
}

runtime::operand placed_array::operand() const {
  return {
      .data = static_cast<std::byte*>(storage_.data()) + first_ * static_cast<std::int64_t>(size_of(type_)),
      .extents = extents_.data(),
      .strides = strides_.data(),
      .type = type_,
      .rank = static_cast<std::uint8_t>(extents_.size()),
      .where = on_};
}

/// The position of element `index` in row-major order, in elements of memory.
std::int64_t placed_array::position_of(std::size_t index) const {
  auto left = static_cast<std::int64_t>(index);
  std::int64_t position = first_;
  for (std::size_t axis = extents_.size(); axis-- > 0;) {
    position += left % extents_[axis] * strides_[axis];
    left /= extents_[axis];
  }
  return position;
}

std::vector<std::byte> placed_array::download() const {
  std::vector<std::byte> bytes(storage_.size());
  const stream order = stream::default_of(on_);
  copy_bytes(bytes.data(), device::cpu(), storage_.data(), on_, bytes.size(), order);
  order.synchronize();
  return bytes;
}

bits placed_array::read() const {
  const std::vector<std::byte> bytes = download();
  const bits memory = unpack(type_, bytes.data(), elements_);
  const std::size_t parts = parts_of(type_);
  bits made(count_of(extents_) * parts);
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = memory[static_cast<std::size_t>(position_of(i / parts)) * parts + i % parts];
  return made;
}

bool placed_array::gaps_untouched() const {
  std::vector<std::byte> bytes = download();
  for (std::size_t i = 0; i < count_of(extents_); ++i)
    std::fill_n(&bytes[static_cast<std::size_t>(position_of(i)) * size_of(type_)], size_of(type_), gap);
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte at) { return at == gap; });
}

std::vector<bits> run(runtime::function_handle called, const std::vector<placed_array>& arrays,
                      const std::vector<runtime::scalar>& scalars, device on, lowering_variant variant) {
  std::vector<runtime::operand> operands;
  for (const placed_array& array : arrays) operands.push_back(array.operand());
  std::vector<runtime::result> results(runtime::recorded_graph(called).outputs.size());
  const stream order = stream::default_of(on);
  runtime::call(called, operands, scalars, {}, results, {.on = &order, .variant = variant});
  std::vector<bits> made;
  for (const runtime::result& at : results) {
    const std::size_t count = count_of({at.extents, at.extents + at.rank});
    std::vector<std::byte> bytes(count * size_of(at.type));
    copy_bytes(bytes.data(), device::cpu(), at.storage.data(), on, bytes.size(), order);
    order.synchronize();
    made.push_back(unpack(at.type, bytes.data(), count));
  }
  return made;
}

// NOLINTNEXTLINE(readability-function-size): a whole call with results in memory of the caller
std::vector<bits> run_into(runtime::function_handle called, const std::vector<placed_array>& arrays,
                           const std::vector<runtime::scalar>& scalars, device on, const shape& extents,
                           placement where, bool& gaps_untouched, lowering_variant variant) {
  std::vector<runtime::operand> operands, into;
  for (const placed_array& array : arrays) operands.push_back(array.operand());
  const graph& recorded = runtime::recorded_graph(called);
  std::vector<placed_array> results;
  for (const node_id output : recorded.outputs) {
    const element_type type = recorded.nodes[output].type;
    results.emplace_back(type, bits(count_of(extents) * parts_of(type), 0), extents, where, on);
  }
  for (const placed_array& array : results) into.push_back(array.operand());
  const stream order = stream::default_of(on);
  runtime::call(called, operands, scalars, into, {}, {.on = &order, .variant = variant});
  std::vector<bits> made;
  gaps_untouched = true;
  for (const placed_array& array : results) {
    made.push_back(array.read());
    gaps_untouched = gaps_untouched && array.gaps_untouched();
  }
  return made;
}

}  // namespace sinter::test
