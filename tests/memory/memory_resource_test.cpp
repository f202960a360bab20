// Memory from a program's own allocator: what can be one, how long it lives, and what comes from it.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/sinter.hpp>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "limited_resource.hpp"

using namespace sinter;
using namespace sinter::test;

namespace {

const device cpu = device::cpu();

std::string thrown_by(auto&& action) {
  try {
    action();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a GPU's resource is called with a context of its device, and another that is current comes back") {
  fake_cuda fake(2);
  struct watching_resource : limited_resource {
    std::vector<runtime::CUcontext> seen;
    void* allocate(std::size_t bytes, const stream& on) {
      note();
      return limited_resource::allocate(bytes, on);
    }
    void deallocate(void* data, std::size_t bytes, const stream& on) noexcept {
      note();
      limited_resource::deallocate(data, bytes, on);
    }
    void note() {
      runtime::CUcontext current = nullptr;
      runtime::require_driver().cuCtxGetCurrent(&current);
      seen.push_back(current);
    }
  } mine;
  const runtime::CUcontext first = runtime::primary_context(0), second = runtime::primary_context(1);
  for (const bool other_is_current : {false, true}) {
    CAPTURE(other_is_current);
    std::optional<runtime::context_guard> current;
    if (other_is_current) current.emplace(first);
    mine.seen.clear();
    {
      const array<float, 1> on_second({100}, device::cuda(1), mine);
    }
    CHECK(mine.live == 0);
    CHECK(mine.seen == std::vector<runtime::CUcontext>{second, second});
    runtime::CUcontext left = nullptr;
    runtime::require_driver().cuCtxGetCurrent(&left);
    CHECK(left == (other_is_current ? first : nullptr));
  }
}

TEST_CASE("evaluate() takes its results from the resource of its options") {
  limited_resource mine;
  const memory_resource from(mine);
  const auto x = array<float, 1>::from({1, 2, 3}, {3}, cpu);
  {
    const auto made = evaluate({any_operand(x)},
                               [](graph_builder& b, std::span<const graph_value> in) {
                                 b.output(b.apply(operation::add, {in[0], in[0]}));
                               },
                               {.memory = &from});
    CHECK(mine.live == 1);
    CHECK(as_view<const float, 1>(made[0]).to_vector() == std::vector<float>{2, 4, 6});
  }
  CHECK(mine.live == 0);
}

TEST_CASE("a view of a GPU's memory that is gone does not keep the resource") {
  fake_cuda fake;
  auto mine = std::make_shared<limited_resource>();
  const std::weak_ptr<limited_resource> watched = mine;
  array<float, 1> x({100}, device::cuda(0), std::move(mine));
  const view<float, 1> dangling = x;
  x = {};
  CHECK(watched.expired());
}

TEST_CASE("a smart pointer's resource lives as long as memory from it") {
  auto mine = std::make_shared<limited_resource>();
  const std::weak_ptr<limited_resource> watched = mine;
  array<float, 1> kept;
  {
    const resource_scope scope(cpu, std::move(mine));
    kept = array<float, 1>({8}, cpu);
    CHECK(watched.lock()->live == 1);
  }
  CHECK_FALSE(watched.expired());
  kept = array<float, 1>();
  CHECK(watched.expired());
  memory_resource unique(std::make_unique<limited_resource>());
  CHECK_FALSE(unique.is_built_in());
  CHECK(array<float, 1>({8}, cpu, unique).size() == 8);
}

TEST_CASE("handles of one resource are equal, and those of none stand for Sinter's own memory") {
  limited_resource mine;
  const memory_resource handle(mine), copy = handle, other(mine), nothing = nullptr;
  CHECK(copy == handle);
  CHECK_FALSE(other == handle);
  CHECK(nothing.is_built_in());
  CHECK(memory_resource(static_cast<limited_resource*>(nullptr)).is_built_in());
  CHECK(memory_resource(std::shared_ptr<limited_resource>()).is_built_in());
  const resource_scope scope(cpu, handle);
  CHECK(current_memory_resource(cpu) == handle);
  set_memory_resource(cpu, nullptr);
  CHECK(current_memory_resource(cpu).is_built_in());
}

TEST_CASE("std::pmr supplies the CPU's memory, aligned to 256, and no GPU's") {
  struct counting final : std::pmr::memory_resource {
    int live = 0;
    std::size_t alignment = 0;
    void* do_allocate(std::size_t bytes, std::size_t aligned) override {
      ++live;
      alignment = aligned;
      return std::pmr::new_delete_resource()->allocate(bytes, aligned);
    }
    void do_deallocate(void* data, std::size_t bytes, std::size_t aligned) override {
      --live;
      std::pmr::new_delete_resource()->deallocate(data, bytes, aligned);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
      return this == &other;
    }
  } mine;
  std::pmr::memory_resource* const erased = &mine;
  {
    const resource_scope scope(cpu, erased);
    const array<float, 1> made({100}, cpu);
    CHECK(mine.live == 1);
    CHECK(mine.alignment == 256);
    CHECK(reinterpret_cast<std::uintptr_t>(made.data()) % 256 == 0);
  }
  CHECK(mine.live == 0);
  fake_cuda fake;
  const std::string what = thrown_by([&] { set_memory_resource(cuda, erased); });
  CHECK(what.find("std::pmr") != std::string::npos);
  CHECK(thrown_by([&] { array<float, 1>({4}, cuda, erased); }) == what);
}

TEST_CASE("an allocator that throws std::bad_alloc or gives nullptr is out of memory") {
  struct refusing {
    bool throws;
    void* allocate(std::size_t, const stream&) {
      if (throws) throw std::bad_alloc();
      return nullptr;
    }
    void deallocate(void*, std::size_t, const stream&) noexcept {}
  };
  for (const bool throws : {false, true}) {
    refusing mine{throws};
    try {
      const array<float, 1> made({100}, cpu, mine);
      FAIL("nothing was thrown");
    } catch (const out_of_memory& thrown) {
      CHECK(thrown.requested_bytes() == 400);
      CHECK(std::string(thrown.what()).find(throws ? "std::bad_alloc" : "gave no memory") !=
            std::string::npos);
    }
  }
}

TEST_CASE("a pair of functions is a resource, and its context is released once, also where one is missing") {
  int released = 0;
  memory_functions functions;
  functions.context = &released;
  functions.release = [](void* context) noexcept { ++*static_cast<int*>(context); };
  functions.allocate = [](void*, std::size_t, const stream&) -> void* { return nullptr; };
  CHECK(thrown_by([&] { memory_resource{functions}; }).find("deallocate") != std::string::npos);
  CHECK(released == 1);
  functions.deallocate = [](void*, void*, std::size_t, const stream&) noexcept {};
  {
    const memory_resource first(functions), second = first;
    CHECK(released == 1);
  }
  CHECK(released == 2);
}

TEST_CASE("memory() supplies the results and the workspace of one call, and an array its own") {
  limited_resource mine;
  array<float, 1> x = arange<float>(64, cpu);
  auto twice = fuse([](auto v) { return std::tuple{2 * v, v + 1}; });
  auto reversed = fuse([](auto v) { return flip<0>(v); });
  {
    auto [doubled, more] = twice.memory(mine)(x);
    CHECK(mine.given == 2);
    CHECK(doubled.to_vector()[63] == 126);
    auto [of_device, another] = twice(x);
    CHECK(mine.given == 2);
    reversed.memory(mine).into(x)(x);  // read after it is written: needs a temporary
    CHECK(mine.given == 3);
    CHECK(mine.live == 2);
    CHECK(x.to_vector()[0] == 63);
    const array<float, 1> own({4}, cpu, mine);
    CHECK(mine.live == 3);
  }
  CHECK(mine.live == 0);
}

TEST_CASE("on a GPU too, also for a call that is captured, whose graph keeps the memory") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "memory_of_one_call");
  limited_resource mine;
  const memory_resource from(mine);
  const stream own = stream::create(cuda);
  const auto fresh = [&] {
    runtime::call_options how;
    how.on = &own;
    how.memory = &from;
    runtime::result made;
    runtime::call(axpy.called, axpy.inputs, {&axpy.a, 1}, {}, {&made, 1}, how);
    return made;
  };
  {
    const runtime::result made = fresh();
    CHECK(mine.given == 1);
    CHECK(mine.latest_stream.load() == own.native());
  }
  CHECK(mine.live == 0);
  own.synchronize();
  axpy.prepare_on(own);
  {
    capture_scope capture(fake, own);
    {
      const runtime::result captured = fresh();
    }
    CHECK(mine.latest_stream.load() != own.native());
    CHECK(mine.live == 1);
    capture.end();
    CHECK(mine.live == 1);
  }
  axpy(own);  // the graph is gone: the next call gives back what it kept
  CHECK(mine.live == 0);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("threads allocate while another sets resources") {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!stop) {
        const array<float, 1> made({16}, cpu);
        if (made.data() == nullptr) ++wrong;
      }
    });
  std::vector<std::weak_ptr<limited_resource>> all;
  for (int i = 0; i < 300; ++i) {
    auto mine = std::make_shared<limited_resource>();
    all.push_back(mine);
    set_memory_resource(cpu, i % 7 == 0 ? memory_resource() : memory_resource(std::move(mine)));
  }
  set_memory_resource(cpu, nullptr);
  stop = true;
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
  for (const auto& each : all) CHECK(each.expired());
}
