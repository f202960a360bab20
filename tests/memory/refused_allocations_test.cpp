// A call whose host memory is refused, at each of its allocations in turn, throws and leaves everything as it
// was, and the same call works afterwards.
#include <doctest/doctest.h>

#include <sinter/dlpack.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

#include "../foreign/dlpack_structs.hpp"
#include "../support/host_array.hpp"
#include "refuse_each_allocation.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace sinter;
using sinter::test::refuse_each_allocation;
using sinter::test::refused_call;

namespace {

const device cpu = device::cpu();
using numbers = std::vector<std::int32_t>;
using row = array<std::int32_t, 1>;

row row_of(const numbers& from) { return row::from(from, {static_cast<std::int64_t>(from.size())}, cpu); }

const numbers few{1, 2, 3, 4}, zeros_of_few{0, 0, 0, 0};

// A lambda of a type of its own for each number, all with one graph: a call site that knows no function yet.
template <int Number>
void call_first(row& out, const row& x) {
  fuse("refused_first", [](auto v) { return v * 3 + 1; }).into(out)(x);
}
template <int... Numbers>
auto call_sites(std::integer_sequence<int, Numbers...>) {
  return std::array<void (*)(row&, const row&), sizeof...(Numbers)>{&call_first<Numbers>...};
}

}  // namespace

TEST_CASE("the first call of a function, which is lowered and finds its kernel in the table") {
  const auto run = [](auto& call) {
    host_array<float> x({64}), y({64}), out({64});
    out.values.assign(64, -1.0f);
    const runtime::operand inputs[] = {x.operand(), y.operand()}, into[] = {out.operand()};
    const runtime::scalar a = bits_of(2.0f);
    const auto make = [&] {
      runtime::call(axpy_function("refused_allocations_axpy"), inputs, {&a, 1}, into, {});
    };
    call(make);
    if (call.has_thrown) CHECK(out.values == std::vector<float>(64, -1.0f));
    make();
    CHECK(out.values[63] == 189);
  };
  refuse_each_allocation(run);
  const std::size_t compiled = runtime::kernel_table_statistics().compiled;
  const std::size_t functions = runtime::function_count();
  CHECK(refuse_each_allocation(run) > 50);
  CHECK(runtime::kernel_table_statistics().compiled == compiled);
  CHECK(runtime::function_count() == functions);
}

TEST_CASE("a kernel that is added to the table, and others that leave it for that") {
  using namespace sinter::runtime;
  constexpr const char* keys[] = {"the key of a kernel of refused_allocations_test",
                                  "the key of another kernel of refused_allocations_test"};
  const std::size_t kept = kernel_table_statistics().kept;
  CHECK(refuse_each_allocation([&](auto& call) {
          const auto made = [](const char* key) {
            return find_or_make_kernel(key, [] { return made_kernel{}; });
          };
          kernel_handle first;
          call([&] { first = made(keys[0]); });
          CHECK((first == nullptr) == call.has_thrown);
          for (int again = 0; again < 2; ++again) {
            const kernel_handle found = made(keys[0]);
            CHECK(find_kernel(found->key) == found);
          }
          set_kernel_capacity(1);
          call([&] { made(keys[1]); });
          const kernel_handle last = made(keys[1]);
          CHECK(kernel_table_statistics().kept == 1);
          drop_kernel(last);
          set_kernel_capacity(4096);
        }) >= 5);
  CHECK(kernel_table_statistics().kept <= kept);
}

TEST_CASE("the first call at its place in a program") {
  static const auto sites = call_sites(std::make_integer_sequence<int, 64>());
  row warm = row_of(few);
  sites[0](warm, row_of(few));
  std::size_t thrown = 0;
  for (std::size_t site = 1; site < sites.size(); ++site) {
    runtime::set_function_capacity(0);
    std::thread([&] {
      const row x = row_of(few);
      row out = row_of(zeros_of_few);
      refused_call call{1 + site / 2, site % 2 == 0 ? refusal::once : refusal::from_then_on};
      call([&] { sites[site](out, x); });
      thrown += call.has_thrown ? 1 : 0;
      if (call.has_thrown) CHECK(out.to_vector() == zeros_of_few);
      for (int again = 0; again < 2; ++again) sites[site](out, x);
      CHECK(out.to_vector() == numbers{4, 7, 10, 13});
    }).join();
  }
  runtime::set_function_capacity(4096);
  CHECK(thrown > 40);
}

TEST_CASE("a change of a sequence's step, which is then whole or not at all") {
  const auto tripled = fuse("refused_tripled", [](auto v, auto by) { return v * by; });
  const auto refusals = refuse_each_allocation([&](auto& call) {
    const row x = row_of(few);
    row y = row_of(zeros_of_few), z = row_of(zeros_of_few);
    sequence steps(cpu);
    steps.add(tripled.into(y), x, 10);
    const auto second = steps.add(tripled.into(z), x, 2);
    const auto reads_first = [&] { return steps.explain().find(", after 0\n") != std::string::npos; };
    call([&] { steps.change(second, y, 3); });
    CHECK(reads_first() != call.has_thrown);
    steps.run();
    CHECK(z.to_vector() == (call.has_thrown ? numbers{2, 4, 6, 8} : numbers{30, 60, 90, 120}));
    steps.change(second, y, 3);
    CHECK(reads_first());
    steps.run();
    CHECK(z.to_vector() == numbers{30, 60, 90, 120});
  });
  CHECK(refusals > 5);
}

TEST_CASE("calls with several results, with stages and with a new layout") {
  refuse_each_allocation([](auto& call) {
    const row x = row_of(few);
    row kept = row_of(zeros_of_few);
    const auto several = fuse("refused_several", [](auto v) { return std::tuple{v + 1, v * 2}; });
    several(row_of({1, 2}));  // the function is known, the layout is new
    const std::size_t in_use = memory_stats(cpu).in_use;
    call([&] { kept = std::get<1>(several(x)); });
    if (call.has_thrown) {
      CHECK(memory_stats(cpu).in_use == in_use);
      CHECK(kept.to_vector() == zeros_of_few);
    }
    CHECK(std::get<0>(several(x)).to_vector() == numbers{2, 3, 4, 5});
  });
  refuse_each_allocation([](auto& call) {
    const array<double, 1> x = array<double, 1>::from({1, 2, 3, 2}, {4}, cpu);
    array<double, 1> out = zeros<double>({4}, cpu);
    const auto staged =
        fuse("refused_staged", [](auto v) { return cumsum(v / sum(v), axis<0>) / sum(v * v); });
    const std::size_t in_use = memory_stats(cpu).in_use;
    call([&] { staged.into(out)(x); });
    if (call.has_thrown) CHECK(out.to_vector() == std::vector<double>(4, 0.0));
    CHECK(memory_stats(cpu).in_use == in_use);
    staged.into(out)(x);
    CHECK(out.to_vector()[3] == doctest::Approx(1.0 / 18));
  });
}

TEST_CASE("results that share memory with operands and with each other") {
  refuse_each_allocation([](auto& call) {
    row x = row_of({1, 2, 3, 4, 5, 6, 7, 8});
    const auto turned = fuse("refused_turned", [](auto v) { return flip<0>(v); });
    call([&] { turned.into(x)(x); });
    if (!call.has_thrown) turned.into(x)(x);
    CHECK(x.to_vector() == numbers{1, 2, 3, 4, 5, 6, 7, 8});
    turned.into(x)(x);
    CHECK(x.to_vector() == numbers{8, 7, 6, 5, 4, 3, 2, 1});
  });
  // one result is written at once, two into temporaries, of which one is copied by a kernel
  refuse_each_allocation([](auto& call) {
    row x = row_of({1, 2, 3, 4, 5, 6, 7, 8}), other = row_of(zeros_of_few);
    const auto three = fuse("refused_three", [](auto v) { return std::tuple{v + 10, flip<0>(v), v * 2}; });
    const auto make = [&] { three.into(other, x(slice(0, 8, 2)), x(slice(4, 8)))(x(slice(0, 4))); };
    call(make);
    if (call.has_thrown) {
      CHECK(x.to_vector() == numbers{1, 2, 3, 4, 5, 6, 7, 8});
      CHECK(other.to_vector() == zeros_of_few);
      make();
    }
    CHECK(x.to_vector() == numbers{4, 2, 3, 4, 2, 4, 6, 8});
    CHECK(other.to_vector() == numbers{11, 12, 13, 14});
  });
}

TEST_CASE("a stateful function: its first call, a repeated one, and one that leaves the known steps") {
  for (const int repeated : {0, 2})
    for (const bool leaves : {false, true}) {
      CAPTURE(repeated);
      CAPTURE(leaves);
      refuse_each_allocation([=](auto& call) {
        const row x = row_of(few), shift = row_of({10, 20, 30, 40});
        row out = row_of(zeros_of_few);
        bool multiplies = true;
        std::int32_t factor = 2;
        const auto make = [&] {
          fuse("refused_stateful", [&](auto v) {
            auto r = v + shift;
            r = multiplies ? r * factor : r - factor;
            return r + shift;
          }).into(out)(x);
        };
        for (int i = 0; i < repeated; ++i) make();
        const numbers before = out.to_vector();
        if (leaves) multiplies = false;
        call(make);
        if (call.has_thrown) CHECK(out.to_vector() == before);
        for (const bool now : {multiplies, !multiplies}) {
          multiplies = now;
          make();
          CHECK(out.to_vector() == (now ? numbers{32, 64, 96, 128} : numbers{19, 40, 61, 82}));
        }
      });
    }
}

TEST_CASE("a function that catches the lack of memory goes on without what was refused") {
  // What is recorded without a step has a kernel of its own, which stays.
  refuse_each_allocation(
      [](auto& call) {
        const row x = row_of(few), shift = row_of({10, 20, 30, 40});
        row out = row_of(zeros_of_few);
        int added = 0;  // how many of the two steps that may be refused were taken
        const auto make = [&](std::int32_t factor, std::int32_t last) {
          fuse("refused_and_caught", [&](auto v) {
            auto r = v + v;
            added = 0;
            try {
              r = r + shift;
              ++added;
              r = r * factor;
              ++added;
            } catch (const std::bad_alloc&) {
            }
            return r - last;
          }).into(out)(x);
        };
        const auto first = [&](std::int32_t factor, std::int32_t last) {
          return (2 + (added > 0 ? 10 : 0)) * (added > 1 ? factor : 1) - last;
        };
        make(2, 7);
        make(2, 7);
        CHECK(out.to_vector()[0] == 17);
        call([&] { make(3, 5); });
        if (!call.has_thrown) CHECK(out.to_vector()[0] == first(3, 5));
        make(4, 6);
        CHECK(added == 2);
        CHECK(out.to_vector()[0] == 42);
      },
      false);
  refuse_each_allocation(
      [](auto& call) {
        const row x = row_of(few);
        row out = row_of(zeros_of_few);
        int added = 0;
        const auto make = [&](std::int32_t factor, std::int32_t last) {
          fuse("refused_and_caught_first", [&](auto v) {
            auto r = v + v;
            added = 0;
            try {
              r = r * factor;
              ++added;
            } catch (const std::bad_alloc&) {
            }
            return r - last;
          }).into(out)(x);
        };
        call([&] { make(3, 5); });
        if (!call.has_thrown) CHECK(out.to_vector()[0] == (added == 1 ? 1 : -3));
        make(4, 6);
        CHECK(out.to_vector()[0] == 2);
      },
      false);
}

TEST_CASE("an expression that is assigned to a view") {
  refuse_each_allocation([](auto& call) {
    row x = row_of(few);
    const row y = row_of({10, 20});
    const auto make = [&] { x(slice(1, 3)) = y * 2 + x(slice(0, 2)); };
    call(make);
    if (call.has_thrown) {
      CHECK(x.to_vector() == few);
      make();
    }
    CHECK(x.to_vector() == numbers{1, 21, 42, 4});
    x(slice(0, 4)) = y(slice(0, 1)) + 1;  // broadcast
    CHECK(x.to_vector() == numbers{11, 11, 11, 11});
  });
  refuse_each_allocation([](auto& call) {
    row x = row_of(few);
    const row y = row_of({10});
    const auto make = [&] { x(slice(0, 4)) = y + 1; };
    call(make);
    if (call.has_thrown) CHECK(x.to_vector() == few);
    make();
    CHECK(x.to_vector() == numbers{11, 11, 11, 11});
  });
}

TEST_CASE("arrays of run-time type, dispatch and copies") {
  refuse_each_allocation([](auto& call) {
    const any_array x = any_array(row_of(few));
    numbers made;
    const std::size_t in_use = memory_stats(cpu).in_use;
    const auto make = [&] {
      return dispatch<float, std::int32_t>(x.view(), [&]<class T>() {
        return fuse("refused_dispatched",
                    [](auto v) { return astype<std::int32_t>(v * literal(2)); })(as_view<T, 1>(x.view()))
            .copy()
            .to_vector();
      });
    };
    call([&] { made = make(); });
    CHECK(memory_stats(cpu).in_use == in_use);
    if (call.has_thrown) CHECK(made.empty());
    CHECK(make() == numbers{2, 4, 6, 8});
  });
}

TEST_CASE("a DLPack tensor that is taken over is deleted once, and one that is not handed out stays") {
  struct produced {
    numbers elements = few;
    std::int64_t extent = 4, stride = 1;
    int deleted = 0;
    mine::managed managed{};
  };
  refuse_each_allocation([](auto& call) {
    produced theirs;
    theirs.managed.dl_tensor = {theirs.elements.data(), {mine::cpu, 0}, 1, {0, 32, 1},
                                &theirs.extent,         &theirs.stride, 0};
    theirs.managed.manager_ctx = &theirs;
    theirs.managed.deleter = [](mine::managed* gone) {
      ++static_cast<produced*>(gone->manager_ctx)->deleted;
    };
    call([&] { const any_array taken = from_dlpack(&theirs.managed); });
    CHECK(theirs.deleted == 1);
  });
  CHECK(refuse_each_allocation([](auto& call) {
          row typed = row_of(few);
          any_array erased(row_of(few));
          mine::managed* given = nullptr;
          call([&] { given = to_dlpack<mine::managed>(std::move(typed)); });
          if (call.has_thrown) CHECK(typed.to_vector() == few);
          if (given != nullptr) given->deleter(given);
          given = to_dlpack<mine::managed>(std::move(erased));
          CHECK(static_cast<std::int32_t*>(given->dl_tensor.data)[3] == 4);
          given->deleter(given);
        }) >= 2);
}
