// Sixty-four threads call at once: on the CPU results are checked, with the driver of the tests the order of
// streams.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"

using namespace sinter;
using namespace sinter::test;

namespace {

constexpr std::size_t workers = 64;
using numbers = std::vector<std::int32_t>;
using row = array<std::int32_t, 1>;

template <class Work>
void on_threads(const Work& work) {
  std::atomic<std::size_t> waiting{workers};
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < workers; ++index)
    threads.emplace_back([&, index] {
      // all start together
      for (--waiting; waiting.load() > 0;) std::this_thread::yield();
      work(index);
    });
  for (std::thread& each : threads) each.join();
}

/// Values on their way from thread to thread.
template <class Value>
class handed_over {
 public:
  /// Takes what lies in the place, and puts this there.
  std::optional<Value> exchange(std::size_t place, Value given) {
    const std::lock_guard lock(guard_);
    std::optional<Value> taken = std::move(places_[place % workers]);
    places_[place % workers].emplace(std::move(given));
    return taken;
  }

 private:
  std::mutex guard_;
  std::array<std::optional<Value>, workers> places_;
};

/// A program's allocator, which counts and hands on to Sinter's own.
struct counting_resource {
  std::atomic<int> live{0};
  void* allocate(std::size_t bytes, const stream& on) {
    ++live;
    return memory_resource(nullptr).allocate(bytes, on);
  }
  void deallocate(void* data, std::size_t bytes, const stream& on) noexcept {
    --live;
    memory_resource(nullptr).deallocate(data, bytes, on);
  }
};

/// Sets the resource and takes it away again, until the object goes.
class changing_resource {
 public:
  changing_resource(device where, counting_resource& mine) : where_(where) {
    changes_ = std::thread([this, &mine] {
      while (!is_over_.load()) {
        set_memory_resource(where_, memory_resource(mine));
        std::this_thread::yield();
        set_memory_resource(where_, nullptr);
      }
    });
  }
  changing_resource(const changing_resource&) = delete;
  changing_resource& operator=(const changing_resource&) = delete;
  ~changing_resource() {
    is_over_ = true;
    changes_.join();
  }

 private:
  device where_;
  std::atomic<bool> is_over_{false};
  std::thread changes_;
};

/// Wrong results of one round: of a stateless function, a stateful one, a lazy expression, and one that is
/// prepared in the background.
int wrong_in_round(const row& x, std::int32_t number, const row& shared) {
  const std::int32_t first = x.to_vector()[0];
  int wrong = 0;
  const auto stateless = fuse("many_threads_stateless", [](auto v, auto w) { return v * 2 + w; });
  wrong += stateless(x, shared).to_vector() != numbers{2 * first + 1, 2 * first + 4, 2 * first + 7};
  const auto stateful = fuse("many_threads_stateful", [&](auto v) {
    auto r = v + shared;
    return number % 3 == 0 ? r * number : r - number;
  });
  const std::int32_t sums[] = {first + 1, first + 3, first + 5};
  numbers expected;
  for (const std::int32_t each : sums) expected.push_back(number % 3 == 0 ? each * number : each - number);
  wrong += stateful(x).to_vector() != expected;
  row out({3}, device::cpu());
  out(slice(0, 2)) = x(slice(1, 3)) * number;
  out(slice(2, 3)) = shared(slice(0, 1)) + number;
  wrong += out.to_vector() != numbers{(first + 1) * number, (first + 2) * number, 1 + number};
  const auto prepared = fuse("many_threads_prepared", [](auto v) { return v - 1; });
  if (number % 8 == 0) prepared.prepare_async(x).wait();
  wrong += prepared(x).to_vector()[2] != first + 1;
  return wrong;
}

}  // namespace

TEST_CASE("on the CPU: shared and own functions, arrays that change hands, while the allocator changes") {
  const device cpu = device::cpu();
  counting_resource mine;
  std::atomic<int> wrong{0};
  const row shared = row::from({1, 2, 3}, {3}, cpu);
  wrong += wrong_in_round(shared, 8, shared);  // compiles what all of them need
  wrong += wrong_in_round(shared, 9, shared);
  const std::size_t in_use = memory_stats(cpu).in_use;
  {
    handed_over<row> places;
    const changing_resource changes(cpu, mine);
    on_threads([&](std::size_t index) {
      const auto own = static_cast<std::int32_t>(index);
      row x = row::from({own, own + 1, own + 2}, {3}, cpu);
      for (int round = 0; round < 40; ++round) {
        wrong += wrong_in_round(x, own + round, shared);
        if (round % 4 != 3) continue;
        row given = fuse("many_threads_given", [](auto v) { return v + 1; })(x);
        if (auto taken = places.exchange(index + static_cast<std::size_t>(round), std::move(given)))
          x = std::move(*taken);
      }
    });
  }
  CHECK(wrong == 0);
  CHECK(mine.live == 0);
  CHECK(memory_stats(cpu).in_use == in_use);
  CHECK(current_memory_resource(cpu).is_built_in());
}

TEST_CASE("functions are interned, called and forgotten by all at once") {
  std::atomic<int> wrong{0};
  runtime::set_function_capacity(3);
  on_threads([&](std::size_t index) {
    const auto own = static_cast<std::int32_t>(index % 8);
    const row x = row::from({1, 2, 3}, {3}, device::cpu());
    row out({3}, device::cpu());
    const runtime::operand from[] = {x.erased()}, into[] = {out.erased()};
    for (std::int32_t round = 0; round < 200; ++round) {
      // x + x beside a constant that nothing uses: many graphs of one kernel, some of them shared
      graph_builder builder;
      builder.restart();
      const graph_value v = builder.input(element_type::int32, 1);
      builder.literal(element_type::int32, static_cast<std::uint64_t>(own * 1000 + round));
      builder.output(builder.apply(operation::add, {v, v}));
      builder.recorded().name = "many_threads_forgotten";
      runtime::call(runtime::intern(builder.recorded()), from, {}, into, {});
      wrong += out.to_vector() != numbers{2, 4, 6};
      if (round % 5 == 0) runtime::set_function_capacity(static_cast<std::size_t>(round % 2) * 4);
    }
  });
  runtime::set_function_capacity(4096);
  CHECK(wrong == 0);
}

TEST_CASE("on one stream and on streams of their own, results change hands in order") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call all(fake, "many_threads_ordered");  // all read its arrays
  const stream one = stream::create(cuda);
  all(one);
  counting_resource mine;
  for (const bool own_streams : {false, true}) {
    CAPTURE(own_streams);
    {
      handed_over<runtime::result> places;
      const changing_resource changes(cuda, mine);
      on_threads([&](std::size_t index) {
        ordered_call axpy(fake, "many_threads_ordered");
        std::optional<stream> own;
        if (own_streams) own.emplace(stream::create(cuda));
        std::optional<runtime::result> held;
        for (std::size_t round = 0; round < 12; ++round) {
          const stream& on = own ? *own : one;
          axpy.inputs[0] = all.x.view();
          axpy.inputs[1] = all.y.view();
          if (held) axpy.read(*held);
          axpy(on);
          auto taken = places.exchange(index * 7 + round, axpy.fresh(on));
          axpy(on);  // still reads what was held, which is then dropped
          held = std::move(taken);
          if (own_streams && round % 5 == 4) own.emplace(stream::create(cuda));
        }
      });
    }
    all.into[0] = all.x.view();  // written, once all have read it
    all.inputs[0] = all.out.view();
    all(stream::create(cuda));
    all.into[0] = all.out.view();
    all.inputs[0] = all.x.view();
    all(one);
    CHECK_IN_ORDER(fake);
  }
  synchronize(cuda);
  CHECK(mine.live == 0);
}

TEST_CASE("threads fill and end streams that others wait for, and take and release DLPack's arrays") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call all(fake, "many_threads_ordered");
  all(stream::default_of(cuda));
  handed_over<runtime::result> places;
  on_threads([&](std::size_t index) {
    ordered_call axpy(fake, "many_threads_ordered");
    for (std::size_t round = 0; round < 10; ++round) {
      const stream brief = stream::create(cuda);
      axpy.inputs[1] = all.y.view();
      auto taken = places.exchange(index + round, axpy.fresh(brief));
      if (taken) {
        axpy.read(*taken);
        axpy(brief);
        const std::uint64_t handed = runtime::hand_over(taken->storage.record(), &brief);
        runtime::take_back(taken->storage.record(), handed);
        runtime::note_use(taken->storage.record(), false, stream::default_of(cuda));
      }
      axpy.read_own();
      if (index % 16 == 0 && round % 4 == 0) synchronize(cuda);
    }
  });
  CHECK_IN_ORDER(fake);
}
