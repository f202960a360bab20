// Sinter inside another library, which has its own tensor type and allocator, and functions known only at run
// time.
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/sinter.hpp>

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace their_library {

// A tensor type that Sinter does not know: strided, in its own memory.
struct tensor {
  float* data;
  std::int64_t rows, columns, row_stride;
};

// Found by argument-dependent lookup wherever a fused function is given a tensor.
inline sinter::view<float, 2> as_view(const tensor& t) {
  return {t.data, {t.rows, t.columns}, {t.row_stride, 1}, sinter::device::cpu()};
}

// The library's allocator; this one only counts.
class counting_resource {
 public:
  void* allocate(std::size_t bytes, const sinter::stream&) {
    ++allocations;
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  void deallocate(void* data, std::size_t, const sinter::stream&) noexcept { std::free(data); }
  std::atomic<int> allocations{0};
};

}  // namespace their_library

int main() {
  using namespace sinter;
  const device cpu = device::cpu();

  // Their tensor is an operand; its rows are padded.
  std::vector<float> memory(3 * 8);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  const their_library::tensor theirs{memory.data(), 3, 5, 8};
  auto doubled = fuse([](auto x) { return 2.f * x; });

  their_library::counting_resource counting;
  set_memory_resource(cpu, &counting);
  {
    array<float, 2> result = doubled(theirs);
    check(result.to_vector() == std::vector<float>{0, 2, 4, 6, 8, 16, 18, 20, 22, 24, 32, 34, 36, 38, 40},
          "2 * x");
    check(counting.allocations == 1, "a call allocates its result and nothing else");
    doubled.into(result)(theirs);
    doubled.into(theirs)(theirs);
    check(counting.allocations == 1, "into allocates nothing");
    check(memory[8] == 16 && memory[5] == 5, "written in place, and only there");
  }
  set_memory_resource(cpu, nullptr);

  // A function assembled at run time, as an interpreter or a query engine does: (x + y) * 0.5.
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 1);
  const graph_value y = builder.input(element_type::float32, 1);
  const graph_value half = builder.literal(element_type::float32, std::bit_cast<std::uint32_t>(0.5f));
  builder.output(builder.apply(operation::multiply, {builder.apply(operation::add, {x, y}), half}));
  const runtime::function_handle mean = runtime::intern(builder.recorded());

  float a[4] = {1, 2, 3, 4}, b[4] = {3, 4, 5, 6}, out[4];
  const std::int64_t extents[] = {4}, strides[] = {1};
  const auto operand = [&](float* data) {
    return runtime::operand{data, extents, strides, element_type::float32, 1, device::cpu()};
  };
  const runtime::operand operands[] = {operand(a), operand(b)}, into[] = {operand(out)};
  runtime::call(mean, operands, {}, into, {});
  check(out[0] == 2 && out[3] == 5, "the mean of two arrays");
  std::puts("library author: ok");
}
