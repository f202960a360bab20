// Rows sorted on a GPU, compared with a stable sort on the host.

#include <doctest/doctest.h>

#include "../support/cuda/replayed_call.hpp"
#include "../support/needs.hpp"
#include "sorted_rows.hpp"

#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/sort/row_sorter.hpp>

#include <utility>
#include <vector>

namespace sinter::test {
namespace {

using namespace runtime;

bool cannot_sort_here() { return lacks_cuda_device() || lacks_nvrtc() || lacks_sort_kernels(); }

struct device_memory {
  device_memory(std::size_t size, CUstream on) : stream(on), data(cuda_allocate(size, on, 0)) {}
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { cuda_free(data, stream, 0); }
  CUstream stream;
  void* data;
};

template <class Key>
struct device_sort {
  device_sort(std::int64_t rows, std::int64_t length, unsigned bits)
      : request{sizeof(Key), bits, rows, length},
        count(static_cast<std::size_t>(rows * length)),
        queue(0),
        keys(count * sizeof(Key), queue.handle()),
        positions(count * sizeof(std::uint32_t), queue.handle()),
        workspace(sort_workspace_bytes(request), queue.handle()),
        sorter(row_sorter::make(sizeof(Key), primary_context(0))) {}

  void send(const std::vector<Key>& from) const {
    copy_to_device(keys.data, from.data(), count * sizeof(Key), queue.handle(), 0);
    const std::vector<std::uint32_t> nonsense(count, 0xdeadbeef);
    copy_to_device(positions.data, nonsense.data(), count * sizeof(std::uint32_t), queue.handle(), 0);
  }
  void sort() const {
    sorter->sort(request, {keys.data, static_cast<std::uint32_t*>(positions.data), workspace.data},
                 queue.handle());
  }
  std::vector<std::uint32_t> received() const {
    std::vector<std::uint32_t> to(count);
    copy_to_host(to.data(), positions.data, count * sizeof(std::uint32_t), queue.handle(), 0);
    synchronize(queue.handle(), 0);
    return to;
  }

  sorted_rows request;
  std::size_t count;
  cuda_stream queue;
  device_memory keys, positions, workspace;
  std::shared_ptr<const row_sorter> sorter;
};

template <class Key>
void check_sorts(std::int64_t rows, std::int64_t length, unsigned bits) {
  CAPTURE(sizeof(Key));
  CAPTURE(rows);
  CAPTURE(length);
  CAPTURE(bits);
  const device_sort<Key> on_device(rows, length, bits);
  const bool is_large = rows * length > 1'000'000;
  for (const key_order order :
       {key_order::equal, key_order::sorted, key_order::reversed, key_order::random, key_order::few_values}) {
    if (is_large && order != key_order::random && order != key_order::few_values) continue;
    CAPTURE(static_cast<int>(order));
    const std::vector<Key> keys = drawn_keys<Key>(on_device.count, bits, order);
    on_device.send(keys);
    on_device.sort();
    CHECK(on_device.received() == sorted_positions(keys, static_cast<std::size_t>(length)));
  }
}

struct shape {
  std::int64_t rows, length;
};

template <class Key>
void check_shapes(std::initializer_list<shape> shapes) {
  for (const shape& each : shapes)
    for (const unsigned bits : {8u, 13u, static_cast<unsigned>(8 * sizeof(Key))})
      check_sorts<Key>(each.rows, each.length, bits);
}

}  // namespace

TEST_SUITE("rows sorted on a GPU") {
  TEST_CASE_TEMPLATE("one row of any length is sorted", key, std::uint32_t, std::uint64_t) {
    if (cannot_sort_here()) return;
    check_shapes<key>({{1, 1}, {1, 2}, {1, 128}, {1, 129}, {1, 1000}, {1, 2304}, {1, 2305}, {1, 100'000}});
  }

  TEST_CASE_TEMPLATE("a row of millions of elements is sorted", key, std::uint32_t, std::uint64_t) {
    if (cannot_sort_here()) return;
    check_shapes<key>({{1, 5'000'000}});
  }

  // CUB sorts at most 2^28 - 1 elements by one launch.
  TEST_CASE("a row that takes several launches for each pass is sorted") {
    if (cannot_sort_here()) return;
    constexpr std::int64_t length = (std::int64_t{1} << 28) + 12'345;
    constexpr unsigned bits = 16;
    const device_sort<std::uint32_t> on_device(1, length, bits);
    const std::vector<std::uint32_t> keys =
        drawn_keys<std::uint32_t>(on_device.count, bits, key_order::random);
    on_device.send(keys);
    on_device.sort();
    const std::vector<std::uint32_t> positions = on_device.received();
    // Ascending by key and position, and so without repetition: the only such order of all positions.
    const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
      return a < keys.size() && b < keys.size() && std::pair(keys[a], a) < std::pair(keys[b], b);
    };
    std::size_t wrong = 0;
    for (std::size_t i = 1; i < positions.size(); ++i) wrong += !comes_before(positions[i - 1], positions[i]);
    CHECK(wrong == 0);
  }

  TEST_CASE_TEMPLATE("many rows are sorted, each by itself", key, std::uint32_t, std::uint64_t) {
    if (cannot_sort_here()) return;
    check_shapes<key>({{1000, 1}, {1000, 7}, {1000, 33}, {1000, 500}, {37, 4864}, {37, 4865}, {1000, 5000}});
  }

  TEST_CASE_TEMPLATE("a few long rows are sorted, each by the whole device", key, std::uint32_t,
                     std::uint64_t) {
    if (cannot_sort_here()) return;
    check_shapes<key>({{3, 70'001}});
  }

  TEST_CASE("no rows and empty rows are nothing to sort") {
    if (cannot_sort_here()) return;
    const std::shared_ptr<const row_sorter> sorter = row_sorter::make(4, primary_context(0));
    const cuda_stream queue(0);
    sorter->sort({4, 32, 0, 1000}, {}, queue.handle());
    sorter->sort({4, 32, 1000, 0}, {}, queue.handle());
    synchronize(queue.handle(), 0);
  }

  TEST_CASE("a sort that was captured into a graph sorts anew at each replay") {
    if (cannot_sort_here()) return;
    const stream queue = stream::create(device::cuda(0));
    const auto native = static_cast<CUstream>(queue.native());
    for (const shape& each : {shape{1, 50'000}, shape{200, 6000}, shape{50, 100}}) {
      const device_sort<std::uint64_t> on_device(each.rows, each.length, 64);
      const sort_arrays arrays{on_device.keys.data, static_cast<std::uint32_t*>(on_device.positions.data),
                               on_device.workspace.data};
      const replayed_call replay(queue, [&] { on_device.sorter->sort(on_device.request, arrays, native); });
      for (const key_order order : {key_order::random, key_order::few_values}) {
        const std::vector<std::uint64_t> keys = drawn_keys<std::uint64_t>(on_device.count, 64, order);
        on_device.send(keys);
        synchronize(on_device.queue.handle(), 0);
        replay.run();
        synchronize(native, 0);
        CHECK(on_device.received() == sorted_positions(keys, static_cast<std::size_t>(each.length)));
      }
    }
  }
}

}  // namespace sinter::test
