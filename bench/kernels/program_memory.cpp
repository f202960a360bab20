#include "program_memory.hpp"

#include <algorithm>
#include <istream>
#include <random>

namespace sinter_bench {
namespace {

using namespace sinter;

/// Elements that are drawn; the buffer repeats them, because their values do not change the time. The number
/// is odd, so that rows whose lengths are powers of two differ.
constexpr std::size_t drawn = (1 << 18) - 5;

template <class Element, class Draw>
std::vector<std::byte> repeated(std::size_t count, Draw draw) {
  std::vector<std::byte> bytes(std::min(count, drawn) * sizeof(Element));
  auto* const to = reinterpret_cast<Element*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof(Element); ++i) to[i] = static_cast<Element>(draw());
  return bytes;
}

std::vector<std::byte> random_pattern(element_type type, std::size_t count, std::mt19937_64& random) {
  const auto real = [&] { return 0.5 + static_cast<double>(random() >> 11) * 0x1.8p-53; };
  const auto small = [&] { return 1 + random() % 9; };
  switch (type) {
    case element_type::boolean:
      return repeated<std::uint8_t>(count, [&] { return random() % 2; });
    case element_type::float16:  // bits of numbers between 1/2 and 2
      return repeated<std::uint16_t>(count, [&] { return 0x3800 + random() % 0x800; });
    case element_type::bfloat16:
      return repeated<std::uint16_t>(count, [&] { return 0x3f00 + random() % 0x100; });
    case element_type::float32:
      return repeated<float>(count, real);
    case element_type::float64:
      return repeated<double>(count, real);
    case element_type::complex64:
      return repeated<float>(2 * count, real);
    case element_type::complex128:
      return repeated<double>(2 * count, real);
    default:
      break;
  }
  switch (size_of(type)) {
    case 1:
      return repeated<std::uint8_t>(count, small);
    case 2:
      return repeated<std::uint16_t>(count, small);
    case 4:
      return repeated<std::uint32_t>(count, small);
    default:
      return repeated<std::uint64_t>(count, small);
  }
}

/// Fills a buffer with a pattern, doubling what is there.
void fill(const any_array& buffer, const std::vector<std::byte>& pattern) {
  const device where = buffer.device();
  const stream order = stream::default_of(where);
  auto* const to = static_cast<std::byte*>(buffer.data());
  const auto bytes = static_cast<std::size_t>(buffer.size());
  std::size_t done = std::min(bytes, pattern.size());
  if (done == 0) return;
  copy_bytes(to, where, pattern.data(), device::cpu(), done, order);
  while (done < bytes) {
    const std::size_t more = std::min(done, bytes - done);
    copy_bytes(to + done, where, to, where, more, order);
    done += more;
  }
  synchronize(where);
}

}  // namespace

void program_memory::allocate(const program& of, device where) {
  for (const std::size_t bytes : of.buffer_bytes) {
    const std::int64_t extents[] = {static_cast<std::int64_t>(bytes)};
    buffers_.emplace_back(element_type::uint8, extents, where);
  }
  for (const operand_layout& at : of.inputs)
    operands_.push_back({.data = static_cast<std::byte*>(buffers_.at(at.buffer).data()) + at.offset,
                         .extents = at.extents.data(),
                         .strides = at.strides.data(),
                         .type = at.type,
                         .rank = static_cast<std::uint8_t>(at.extents.size()),
                         .where = where});
}

program_memory::program_memory(const program& of, device where) {
  allocate(of, where);
  std::mt19937_64 random(buffers_.size());
  for (const operand_layout& at : of.inputs) {
    const any_array& buffer = buffers_[at.buffer];
    fill(buffer, random_pattern(at.type, static_cast<std::size_t>(buffer.size()) / size_of(at.type), random));
  }
}

program_memory::program_memory(const program& of, device where, std::istream& bytes) {
  allocate(of, where);
  for (const any_array& buffer : buffers_) {
    std::vector<std::byte> read(static_cast<std::size_t>(buffer.size()));
    bytes.read(reinterpret_cast<char*>(read.data()), static_cast<std::streamsize>(read.size()));
    fill(buffer, read);
  }
}

std::vector<std::byte> bytes_of(const any_array& array) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(array.size()) * size_of(array.type()));
  const stream order = stream::default_of(array.device());
  copy_bytes(bytes.data(), device::cpu(), array.data(), array.device(), bytes.size(), order);
  synchronize(array.device());
  return bytes;
}

}  // namespace sinter_bench
