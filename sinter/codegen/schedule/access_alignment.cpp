#include <sinter/codegen/schedule/access_alignment.hpp>

#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Largest power of two up to max_alignment that divides the address of the element at `offset`.
std::uint32_t alignment_at(const access& at, std::int64_t offset, std::span<const array_layout> inputs,
                           std::span<const array_layout> outputs) {
  std::uint32_t base = max_alignment;
  const bool argument = at.place == access::where::argument;
  if (argument && at.what == access::kind::read) base = inputs[at.array].alignment;
  if (argument && at.what == access::kind::write && !outputs.empty()) base = outputs[at.array].alignment;
  const std::int64_t shifted = offset * static_cast<std::int64_t>(size_of(at.type));
  while (base > 1 && shifted % base != 0) base /= 2;
  return base;
}

/// Whether `vector` consecutive elements at any position that is a multiple of it are one aligned load.
bool is_vectorisable(const access& at, unsigned unit_axis, const nest& loop_nest, std::uint32_t vector,
                     std::uint32_t alignment) {
  const auto bytes = static_cast<std::uint32_t>(size_of(at.type)) * vector;
  if (alignment < std::min(bytes, access_bytes)) return false;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    if (axis != unit_axis && at.strides[axis] % vector != 0) return false;
  for (const access_term& term : terms_of(loop_nest, at))
    if (term.stride % vector != 0) return false;
  return true;
}

}  // namespace

bool is_linear(const access& at, const nest& loop_nest) {
  if (at.strided != 0) return false;
  std::int64_t expected = 1;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis) {
    if (at.strides[axis] != expected) return false;
    expected *= loop_nest.extents[axis];
  }
  return true;
}

std::uint32_t alignment_of(const access& at, std::span<const array_layout> inputs,
                           std::span<const array_layout> outputs) {
  return alignment_at(at, at.offset, inputs, outputs);
}

bool all_vectorisable(const nest& loop_nest, loop_order order, std::uint32_t vector,
                      std::span<const array_layout> inputs, std::span<const array_layout> outputs) {
  return std::all_of(loop_nest.accesses.begin(), loop_nest.accesses.end(), [&](const access& at) {
    if (at.what == access::kind::position) return true;
    // the rows order loads windows from their corners
    const std::uint32_t alignment = order == loop_order::rows
                                        ? alignment_at(at, corner_offset(at), inputs, outputs)
                                        : alignment_of(at, inputs, outputs);
    if (order == loop_order::flat)  // only linear accesses are vectors there, at positions that are multiples
                                    // of the vector
      return !is_linear(at, loop_nest) ||
             alignment >= std::min(static_cast<std::uint32_t>(size_of(at.type)) * vector, access_bytes);
    if (order == loop_order::tiled && is_transposed_access(at))
      return is_vectorisable(at, 1, loop_nest, vector, alignment);
    return at.pattern(0) != step_pattern::unit || is_vectorisable(at, 0, loop_nest, vector, alignment);
  });
}

bool keeps_rows_whole(const nest& loop_nest, std::uint32_t vector, std::span<const array_layout> inputs,
                      std::span<const array_layout> outputs) {
  return vector > 1 && loop_nest.rank > 0 && loop_nest.extents[0] % vector == 0 &&
         std::all_of(loop_nest.accesses.begin(), loop_nest.accesses.end(), [&](const access& at) {
           return at.what == access::kind::position || at.pattern(0) != step_pattern::unit ||
                  is_vectorisable(at, 0, loop_nest, vector, alignment_of(at, inputs, outputs));
         });
}

std::int64_t staged_bytes(const nest& loop_nest, std::int64_t tile) {
  std::int64_t bytes = 0;
  for (const access& at : loop_nest.accesses)
    if (is_transposed_access(at)) bytes += tile * (tile + 1) * static_cast<std::int64_t>(size_of(at.type));
  return bytes;
}

}  // namespace sinter::inline v0
