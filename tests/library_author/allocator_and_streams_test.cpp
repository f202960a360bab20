// Where the library's memory comes from and goes, and the order of its queues. The streams are a fake
// driver's, which sees what shares memory and is in no order.
#include <doctest/doctest.h>

#include <errors.hpp>
#include <functions.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "small_library.hpp"

using namespace sinter;
using namespace sinter::test;

TEST_CASE("tensors and results come from the pool, and go back") {
  small_library library;
  const auto live = [&] { return library.memory->usage().live_blocks; };
  {
    const auto x = library.make<float>({1, 2, 3});
    CHECK(live() == 1);
    const auto made = library("x + 1", {{"x", x}});
    CHECK(live() == 2);
    library.evaluate.into(made, "x + 2", {{"x", x}}, library.on);
    CHECK(live() == 2);
    const auto part = made.slice(0, 1, 3);
    CHECK(live() == 2);
    CHECK(part.to_vector<float>(library.on) == std::vector<float>{4, 5});
    const auto rows = library.make<float>({0, 0}, {1, 2});
    const auto soft = tensors::softmax(rows, library.on);
    CHECK(live() == 4);
  }
  CHECK(live() == 0);
  CHECK(library.memory->usage().live_bytes == 0);
  CHECK(library.memory->usage().retained_bytes > 0);
}

TEST_CASE("what a queue freed serves the same queue again, and goes back with it") {
  const auto memory = std::make_shared<tensors::pool>(device::cpu());
  std::optional<tensors::queue> on(std::in_place, device::cpu(), memory);
  const void* first = nullptr;
  {
    const tensors::tensor x(element_type::float32, {1000}, *on);
    first = x.data();
  }
  const std::size_t retained = memory->usage().retained_bytes;
  CHECK(retained >= 4000);
  {
    const tensors::tensor again(element_type::float64, {500}, *on);
    CHECK(again.data() == first);
    CHECK(memory->usage().retained_bytes == 0);
  }
  on.reset();
  CHECK(memory->usage().retained_bytes == 0);
}

TEST_CASE("tensors may outlive the queue and the pool's other owners") {
  std::optional<tensors::tensor> x;
  std::weak_ptr<tensors::pool> watched;
  {
    const auto memory = std::make_shared<tensors::pool>(device::cpu());
    watched = memory;
    const tensors::queue on(device::cpu(), memory);
    x = tensors::tensor::from<float>({1, 2}, {2}, on);
  }
  CHECK_FALSE(watched.expired());
  x.reset();
  CHECK(watched.expired());
}

namespace {

/// Two queues of a GPU of the fake driver.
struct two_queues {
  fake_cuda fake;
  std::shared_ptr<tensors::pool> memory = std::make_shared<tensors::pool>(cuda);
  tensors::queue first{cuda, memory}, second{cuda, memory};
  tensors::evaluator evaluate;

  explicit two_queues(int read = 1, int written = 1) { fake.set_arrays(read, written); }
  tensors::tensor empty(const tensors::queue& on) {
    return tensors::tensor(element_type::float32, {1024}, on);
  }
};

}  // namespace

TEST_CASE("queues wait for each other where they share a tensor, and nowhere else") {
  if (nvrtc_is_missing()) return;
  two_queues gpu;
  const auto x = gpu.empty(gpu.first), y = gpu.empty(gpu.second);
  gpu.evaluate.into(x, "2 * x", {{"x", x}}, gpu.first);
  gpu.evaluate.into(y, "2 * x", {{"x", y}}, gpu.second);
  CHECK_FALSE(gpu.fake.follows(gpu.second.order(), gpu.first.order()));
  gpu.evaluate.into(y, "2 * x", {{"x", x}}, gpu.second);  // reads what the first queue writes
  CHECK(gpu.fake.follows(gpu.second.order(), gpu.first.order()));
  CHECK_FALSE(gpu.fake.follows(gpu.first.order(), gpu.second.order()));
  gpu.evaluate.into(x.slice(0, 0, 512), "2 * x", {{"x", x.slice(0, 0, 512)}}, gpu.first);  // a slice counts
  CHECK(gpu.fake.follows(gpu.first.order(), gpu.second.order()));
  CHECK_IN_ORDER(gpu.fake);
  CHECK(gpu.fake.calls("cuStreamSynchronize") + gpu.fake.calls("cuCtxSynchronize") == 0);
}

TEST_CASE("a function that takes typed views tells its use, and is ordered like the others") {
  if (nvrtc_is_missing()) return;
  two_queues gpu;
  const tensors::tensor rows(element_type::float32, {32, 32}, gpu.first);
  gpu.evaluate.into(rows, "2 * x", {{"x", rows}}, gpu.first);
  const auto made = tensors::softmax(rows, gpu.second);
  CHECK(gpu.fake.follows(gpu.second.order(), gpu.first.order()));
  gpu.evaluate.into(rows, "2 * x", {{"x", rows}}, gpu.first);  // must not overwrite what softmax reads
  CHECK(gpu.fake.follows(gpu.first.order(), gpu.second.order()));
  CHECK_IN_ORDER(gpu.fake);
}

TEST_CASE("memory that a queue freed is not handed to another queue that does not wait") {
  if (nvrtc_is_missing()) return;
  two_queues gpu;
  const void* freed = nullptr;
  {
    const auto x = gpu.empty(gpu.first);
    freed = x.data();
    gpu.evaluate.into(x, "2 * x", {{"x", x}}, gpu.first);
  }
  const auto other = gpu.empty(gpu.second);
  CHECK(other.data() != freed);
  CHECK(gpu.empty(gpu.first).data() == freed);
  CHECK_IN_ORDER(gpu.fake);
}

TEST_CASE(
    "memory that another queue used goes back at once, and its own queue waits before it uses it again") {
  if (nvrtc_is_missing()) return;
  two_queues gpu;
  const auto y = gpu.empty(gpu.second);
  const void* freed = nullptr;
  {
    const auto x = gpu.empty(gpu.first);
    freed = x.data();
    gpu.evaluate.into(x, "2 * x", {{"x", x}}, gpu.first);
    gpu.evaluate.into(y, "2 * x", {{"x", x}}, gpu.second);
    CHECK_FALSE(gpu.fake.follows(gpu.first.order(), gpu.second.order()));
  }
  CHECK(gpu.memory->usage().live_blocks == 1);
  CHECK(gpu.fake.follows(gpu.first.order(), gpu.second.order()));
  const auto again = gpu.empty(gpu.first);
  CHECK(again.data() == freed);
  gpu.evaluate.into(again, "2 * x", {{"x", again}}, gpu.first);
  CHECK_IN_ORDER(gpu.fake);
}

TEST_CASE("another library's stream may go once its queue is gone, and its tensors stay") {
  if (nvrtc_is_missing()) return;
  two_queues gpu;
  std::optional<tensors::tensor> x;
  {
    foreign_stream theirs(gpu.fake);
    {
      const auto borrowed = tensors::queue::borrow(cuda, theirs.handle, gpu.memory);
      x = gpu.empty(borrowed);
      gpu.evaluate.into(*x, "2 * x", {{"x", *x}}, borrowed);
    }
    theirs.destroy();
  }
  gpu.evaluate.into(*x, "2 * x", {{"x", *x}}, gpu.first);
  x.reset();
  CHECK_IN_ORDER(gpu.fake);
}

TEST_CASE("a formula is captured once it is prepared, and its graph keeps what the call allocates") {
  if (nvrtc_is_missing()) return;
  two_queues gpu;
  const auto x = gpu.empty(gpu.second);
  gpu.evaluate.into(x, "2 * x", {{"x", x}}, gpu.second);
  const tensors::arguments named{{"x", x}};
  const std::size_t before = gpu.memory->usage().live_blocks;
  gpu.evaluate.prepare("x * 9", named, gpu.first);  // compiles, and waits for the second queue
  {
    capture_scope capture(gpu.fake, gpu.first.order());
    gpu.evaluate("x * 9", named, gpu.first);
    capture.end();
    CHECK(gpu.memory->usage().live_blocks == before + 1);
  }
  CHECK_THROWS_AS(
      [&] {
        gpu.evaluate.into(x, "2 * x", {{"x", x}}, gpu.second);
        const capture_scope capture(gpu.fake, gpu.first.order());
        gpu.evaluate("x * 9", named, gpu.first);
      }(),
      tensors::error);
  CHECK_IN_ORDER(gpu.fake);
}

TEST_CASE("a pool that gets no memory throws the library's out_of_memory") {
  small_library library;
  CHECK_THROWS_AS(tensors::tensor(element_type::float64, {std::int64_t{1} << 50}, library.on),
                  tensors::out_of_memory);
  CHECK(library.memory->usage().live_blocks == 0);
}
