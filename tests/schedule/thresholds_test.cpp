// The tables from which schedules are chosen: every target has one, and its values can be launched there.

#include <doctest/doctest.h>

#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/cpu_levels.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/codegen/target/known_devices.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

/// Register bytes of a multiprocessor, from compute capability 5.0 on.
constexpr std::int64_t register_bytes = 64 * 1024 * 4;

/// The numbers of a table, which contains nothing else.
template <class Table>
auto numbers_of(const Table& table) {
  static_assert(sizeof(Table) % sizeof(std::int64_t) == 0);
  return std::bit_cast<std::array<std::int64_t, sizeof(Table) / sizeof(std::int64_t)>>(table);
}

template <class Table>
bool is_complete(const Table& table) {
  const auto numbers = numbers_of(table);
  return std::ranges::all_of(numbers, [](std::int64_t value) { return value > 0; });
}

bool is_block(std::int64_t threads) {
  return threads % warp_threads(target_kind::cuda) == 0 && threads <= max_block_threads;
}

bool begins_a_class(std::int64_t extent) {
  return std::ranges::find(extent_thresholds(), extent) != extent_thresholds().end();
}

void for_each_known_device(const std::function<void(const target_facts&, const gpu_thresholds&)>& use) {
  for (const known_device& model : known_devices()) {
    INFO(std::string(model.name));
    const target_facts facts = facts_of(model);
    use(facts, gpu_thresholds_of(facts));
  }
}

std::vector<target_facts> cpus() {
  std::vector<target_facts> all;
  for (const cpu_level& level : cpu_levels()) {
    const std::vector<target_facts> of_level = facts_of_level(level, {});
    all.insert(all.end(), of_level.begin(), of_level.end());
  }
  return all;
}

}  // namespace

TEST_CASE("every known device and every level of CPU has a table, and no number in it is left out") {
  for_each_known_device([](const target_facts&, const gpu_thresholds& table) { CHECK(is_complete(table)); });
  CHECK(cpus().size() >= cpu_levels().size());
  for (const target_facts& facts : cpus()) CHECK(is_complete(cpu_thresholds_of(facts)));
}

TEST_CASE("an architecture that is not known has the table of the nearest before it") {
  target_facts facts = facts_of(known_devices().back());
  const gpu_thresholds* const newest = &gpu_thresholds_of(facts);
  facts.architecture += 1000;
  CHECK(&gpu_thresholds_of(facts) == newest);
}

TEST_CASE("the blocks of every table are whole warps that every device of it can launch") {
  for_each_known_device([](const target_facts& facts, const gpu_thresholds& table) {
    const gpu_pointwise_thresholds& pointwise = table.pointwise;
    for (const block_shape& shape :
         {pointwise.one_axis_of_elements, pointwise.one_axis_of_vectors, pointwise.rows_of_elements,
          pointwise.rows_of_vectors, pointwise.rows_of_windows})
      CHECK(is_block(shape.threads_along * shape.threads_across));
    for (const std::int64_t threads :
         {pointwise.flat_threads, pointwise.flat_threads_of_reused, table.tiles.threads,
          table.reductions.min_block_threads, table.resident_rows.max_threads, table.columns.block,
          table.columns.max_resident_threads, table.scans.block, table.shape_generic.one_axis_threads,
          table.shape_generic.row_threads,
          table.shape_generic.threads_along * table.shape_generic.threads_across})
      CHECK(is_block(threads));
    for (const long_row_block& block : table.resident_rows.long_row_blocks) {
      CHECK(is_block(block.threads));
      CHECK(block.threads * block.blocks <= facts.threads_per_multiprocessor);
      CHECK(std::has_single_bit(static_cast<std::uint64_t>(block.max_cluster)));
      CHECK(block.blocks * table.reductions.exchange_bytes < facts.shared_bytes_per_block);
    }
  });
}

TEST_CASE("rows of any length have threads, and longer rows no fewer than shorter ones") {
  for_each_known_device([](const target_facts&, const gpu_thresholds& table) {
    for (const auto& rows : {table.rows.many_rows, table.rows.few_rows, table.rows.positions,
                             table.rows.bodies, table.rows.pieces_of_bodies}) {
      CHECK(rows.back().longest == std::numeric_limits<std::int64_t>::max());
      CHECK(std::ranges::is_sorted(rows, {}, &row_threads::longest));
      CHECK(std::ranges::is_sorted(rows, {}, &row_threads::threads));
      for (const row_threads& of_length : rows) CHECK(is_block(of_length.threads));
    }
  });
}

TEST_CASE("what kernels keep fits the registers and the shared memory that a block has without asking") {
  for_each_known_device([](const target_facts&, const gpu_thresholds& table) {
    CHECK(2 * table.rows.max_register_bytes * max_block_threads <= register_bytes);
    CHECK(table.reductions.max_static_bytes + table.reductions.exchange_bytes <= default_shared_bytes);
    CHECK(table.scans.max_shared_bytes + table.reductions.exchange_bytes <= default_shared_bytes);
    const std::int64_t side = table.tiles.side_bytes / static_cast<std::int64_t>(sizeof(float));
    CHECK(side * (side + 1) * static_cast<std::int64_t>(sizeof(float)) <= default_shared_bytes);
  });
}

TEST_CASE("classes of extents begin at every extent that a table decides by") {
  CHECK(std::ranges::is_sorted(extent_thresholds()));
  CHECK(begins_a_class(min_wide_extent));
  for_each_known_device([](const target_facts&, const gpu_thresholds& table) {
    CHECK(begins_a_class(table.pointwise.short_row));
    CHECK(begins_a_class(table.tiles.min_axis_extent));
  });
  for (const target_facts& facts : cpus()) {
    CHECK(begins_a_class(cpu_thresholds_of(facts).short_row));
    CHECK(begins_a_class(cpu_thresholds_of(facts).min_tiled_axis_extent));
  }
}

}  // namespace sinter::test
