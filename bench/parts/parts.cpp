// Arrays put together and taken apart, beside copies that move as many bytes, beside the same by slices, and
// on the CPU beside plain loops.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cuda_limits.hpp"
#include "../random_data.hpp"
#include "../workloads/benchmark_functions.hpp"
#include "part_workload.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

// ---- the workloads ----

/// A matrix that fills the device: 2^25 elements on the CPU, and 2^27 on the GPU.
shape<2> image_extents(device on) {
  const std::int64_t rows = on == device::cpu() ? 4096 : 16384;
  return {std::max<std::int64_t>(8, rows >> current_settings().shrink), 8192};
}
/// The same as heat_stencil of `pointwise` on the GPU.
shape<2> stencil_extents(device on) {
  const shape<2> image = image_extents(on);
  return {image[0], on == device::cpu() ? image[1] : 2 * image[1]};
}
/// As many elements as an image, along one axis.
std::int64_t vector_length(device on) { return image_extents(on)[0] * image_extents(on)[1]; }

array<float, 1> vector_of(std::int64_t length, device on) { return random_array<float, 1>({length}, on); }
array<float, 2> matrix_of(shape<2> extents, device on) { return random_array<float, 2>(extents, on); }

part_workload make_stencil(device on) {
  const auto stencil = fuse("periodic_stencil", [](auto u) {
    return u + 0.1 * (roll(u, 1, axis<0>) + roll(u, -1, axis<0>) + roll(u, 1, axis<1>) +
                      roll(u, -1, axis<1>) - 4 * u);
  });
  const shape<2> extents = stencil_extents(on);
  return workload_of(on, stencil, extents,
                     {best_part_loops().periodic_stencil, extents[0], loop_units::rows, 1e-5},
                     matrix_of(extents, on));
}

const auto concatenated = fuse("concatenate", [](auto... x) { return concatenate<0>(x...); });

/// Two vectors, the second of which begins `apart` elements from the middle of the result.
part_workload make_concatenate_two(device on, std::int64_t apart) {
  const std::int64_t length = vector_length(on), first = length / 2 + apart;
  return workload_of(on, concatenated, shape<1>(length),
                     {best_part_loops().concatenate, length, loop_units::elements}, vector_of(first, on),
                     vector_of(length - first, on));
}

part_workload make_concatenate_four(device on) {
  const std::int64_t length = vector_length(on), quarter = length / 4;
  return workload_of(on, concatenated, shape<1>(length),
                     {best_part_loops().concatenate, length, loop_units::elements}, vector_of(quarter, on),
                     vector_of(quarter, on), vector_of(quarter, on), vector_of(quarter, on));
}

part_workload make_concatenate_rows(device on) {
  const shape<2> extents = image_extents(on), half{extents[0] / 2, extents[1]};
  return workload_of(on, concatenated, extents,
                     {best_part_loops().concatenate, vector_length(on), loop_units::elements},
                     matrix_of(half, on), matrix_of(half, on));
}

part_workload make_concatenate_columns(device on) {
  const auto columns = fuse("concatenate_columns", [](auto x, auto y) { return concatenate<1>(x, y); });
  const shape<2> extents = image_extents(on), half{extents[0], extents[1] / 2};
  return workload_of(on, columns, extents,
                     {best_part_loops().concatenate_columns, extents[0], loop_units::rows},
                     matrix_of(half, on), matrix_of(half, on));
}

part_workload make_sum_of_squares(device on) {
  const auto squares = fuse("sum_of_squares_of_concatenation",
                            [](auto x, auto y) { return sum(square(concatenate<0>(x, y))); });
  const std::int64_t length = vector_length(on);
  return workload_of(on, squares, shape<0>(),
                     {best_part_loops().sum_of_squares, length, loop_units::summed_elements, 1e-3},
                     vector_of(length / 2, on), vector_of(length / 2, on));
}

template <class Boundary>
auto pad_image(auto x, const Boundary& rule) {
  return pad(pad(x, axis<0>, pad_width, pad_width, rule), axis<1>, pad_width, pad_width, rule);
}
const auto pad_constant =
    fuse("pad_constant", [](auto x) { return pad_image(x, boundary::constant(padding)); });
const auto pad_edge = fuse("pad_edge", [](auto x) { return pad_image(x, boundary::edge); });
const auto pad_reflect = fuse("pad_reflect", [](auto x) { return pad_image(x, boundary::reflect); });
const auto pad_wrap = fuse("pad_wrap", [](auto x) { return pad_image(x, boundary::wrap); });

template <class Function>
part_workload make_pad(device on, const Function& padded, part_loop loop) {
  const shape<2> extents = image_extents(on), around{extents[0] + 2 * pad_width, extents[1] + 2 * pad_width};
  return workload_of(on, padded, around, {loop, around[0], loop_units::rows}, matrix_of(extents, on));
}

part_workload make_roll(device on) {
  const auto rolled = fuse("roll_vector", [](auto x) { return roll(x, rolled_by, axis<0>); });
  const std::int64_t length = vector_length(on);
  return workload_of(on, rolled, shape<1>(length), {best_part_loops().roll, length, loop_units::elements},
                     vector_of(length, on));
}

part_workload make_tile(device on) {
  const auto tiled = fuse("tile", [](auto x) { return tile(x, tile_count, tile_count); });
  const shape<2> extents = image_extents(on);
  return workload_of(on, tiled, extents, {best_part_loops().tile, extents[0], loop_units::rows},
                     matrix_of({extents[0] / tile_count, extents[1] / tile_count}, on));
}

part_workload make_repeat(device on) {
  const auto repeated =
      fuse("repeat_elements", [](auto x) { return repeat_elements(x, repeat_count, axis<0>); });
  const std::int64_t length = vector_length(on);
  return workload_of(on, repeated, shape<1>(length),
                     {best_part_loops().repeat_elements, length, loop_units::elements},
                     vector_of(length / repeat_count, on));
}

part_workload make_reshape(device on) {
  const auto reshaped =
      fuse("reshape_transposed", [](auto x) { return reshape(transpose(x), extent<0>(x), extent<1>(x)); });
  const shape<2> extents = image_extents(on);
  return workload_of(on, reshaped, extents,
                     {best_part_loops().reshape_transposed, extents[1], loop_units::rows},
                     matrix_of(extents, on));
}

part_workload make_window_sum(device on) {
  const auto windows =
      fuse("window_sum", [](auto x) { return sum(sliding_window<1>(x, window_length), axis<2>); });
  const shape<2> extents = image_extents(on);
  return workload_of(on, windows, shape<2>(extents[0], extents[1] - window_length + 1),
                     {best_part_loops().window_sum, extents[0], loop_units::rows, 1e-5},
                     matrix_of(extents, on));
}

// ---- what they stand beside ----

enum class limit { sinter_copy, device_copy, slices, plain_loop };

/// Sinter's kernel that copies a vector, and moves about `traffic` bytes.
side sinter_copy(double traffic, device on) {
  const auto count = std::max<std::int64_t>(64, static_cast<std::int64_t>(traffic / 2 / sizeof(float)));
  const auto from = std::make_shared<array<float, 1>>(vector_of(count, on));
  const auto to = std::make_shared<array<float, 1>>(shape<1>(count), on);
  side made;
  made.call = [from, to, copy = fuse("copy", [](auto x) { return x; })] { copy.into (*to)(*from); };
  if (on != device::cpu()) made.wait = [on] { synchronize(on); };
  made.bytes = 2.0 * static_cast<double>(count) * sizeof(float);
  return made;
}

/// The stencil of the inner elements of a matrix, read as five slices. Its bytes are those of all elements,
/// as in the workload heat_stencil.
side stencil_by_slices(device on) {
  const shape<2> extents = stencil_extents(on);
  const auto from = std::make_shared<array<float, 2>>(matrix_of(extents, on));
  const auto to = std::make_shared<array<float, 2>>(shape<2>(extents[0] - 2, extents[1] - 2), on);
  side made;
  made.call = [from, to, heat = fuse("heat_stencil", body::heat)] { heat.into (*to)(*from); };
  if (on != device::cpu()) made.wait = [on] { synchronize(on); };
  made.bytes = 2.0 * static_cast<double>(from->size()) * sizeof(float);
  return made;
}

side side_of(limit which, const part_workload& of, device on) {
  switch (which) {
    case limit::sinter_copy:
      return sinter_copy(of.subject.bytes, on);
    case limit::device_copy:
      return on == device::cpu() ? cpu_copy(of.subject.bytes) : cuda_copy(of.subject.bytes);
    case limit::slices:
      return stencil_by_slices(on);
    case limit::plain_loop:
      return of.plain_loop();
  }
  return {};
}

struct limit_names {
  const char* label;
  const char* suffix;  ///< of figures after a workload's first
};
limit_names names_of(limit which, device on) {
  switch (which) {
    case limit::sinter_copy:
      return {"Sinter's copy of as many bytes", "_beside_sinter_copy"};
    case limit::device_copy:
      return on == device::cpu() ? limit_names{"a copy by hand of as many bytes", "_beside_copy"}
                                 : limit_names{"cuMemcpyDtoDAsync of as many bytes", "_beside_memcpy"};
    case limit::slices:
      return {"the same by slices", "_beside_slices"};
    case limit::plain_loop:
      return {"a plain loop", "_beside_loop"};
  }
  return {};
}

struct judged_limit {
  limit which;
  double goal = 0;
};

/// A figure of a workload for each limit. The first has the workload's name, which peers/parts.py has, too.
template <class Make>
void add_workload(std::string_view name, device on, const std::vector<judged_limit>& limits,
                  const Make& make) {
  bool is_first = true;
  for (const auto& [which, goal] : limits) {
    const limit_names names = names_of(which, on);
    add({.name =
             (on == device::cpu() ? "cpu/" : "cuda/") + std::string(name) + (is_first ? "" : names.suffix),
         .limit_name = names.label,
         .judgement = judged_by::bandwidth,
         .goal = goal,
         .make =
             [=, which = which] {
               const part_workload workload = make(on);
               return sides{workload.subject, side_of(which, workload, on)};
             },
         .scales = true});
    is_first = false;
  }
}

void add_on(device on) {
  const bool is_cpu = on == device::cpu();
  std::vector<judged_limit> stencil{{limit::slices, 0.95}, {limit::device_copy}};
  std::vector<judged_limit> joined{{limit::sinter_copy, 0.97}, {limit::device_copy, is_cpu ? 0 : 0.97}};
  std::vector<judged_limit> moved{{limit::device_copy}};
  if (is_cpu)
    for (auto* each : {&stencil, &joined, &moved}) each->push_back({limit::plain_loop});

  add_workload("periodic_stencil", on, stencil, make_stencil);
  add_workload("concatenate_two", on, joined, [](device where) { return make_concatenate_two(where, 0); });
  add_workload("concatenate_unaligned", on, joined,
               [](device where) { return make_concatenate_two(where, 13); });
  add_workload("concatenate_four", on, joined, make_concatenate_four);
  add_workload("concatenate_rows", on, joined, make_concatenate_rows);
  add_workload("concatenate_columns", on, joined, make_concatenate_columns);
  add_workload("pad_constant", on, moved,
               [](device where) { return make_pad(where, pad_constant, best_part_loops().pad_constant); });
  add_workload("pad_edge", on, moved,
               [](device where) { return make_pad(where, pad_edge, best_part_loops().pad_edge); });
  add_workload("pad_reflect", on, moved,
               [](device where) { return make_pad(where, pad_reflect, best_part_loops().pad_reflect); });
  add_workload("pad_wrap", on, moved,
               [](device where) { return make_pad(where, pad_wrap, best_part_loops().pad_wrap); });
  add_workload("roll_vector", on, moved, make_roll);
  add_workload("tile", on, moved, make_tile);
  add_workload("repeat_elements", on, moved, make_repeat);
  add_workload("reshape_transposed", on, moved, make_reshape);
  add_workload("window_sum", on, moved, make_window_sum);
  add_workload("sum_of_squares_of_concatenation", on, moved, make_sum_of_squares);
}

}  // namespace

void add_parts() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
