// User functions that Sinter calls (log hooks, allocators, as_view, recorded lambdas, external functions) may
// call Sinter with other shapes and types, without affecting the call in progress.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/sinter.hpp>

namespace reentry {

using namespace sinter;

const device cpu = device::cpu();

int depth = 0, entered = 0;

/// Calls of every kind with working memory, with varying shapes; they check their own results. Not nested,
/// because what they use calls the program again.
void call_others() {
  if (depth > 0) return;
  const struct once {
    once() { ++depth; }
    ~once() { --depth; }  // after its arrays are destroyed, because freeing them calls the program too
  } at_a_time;
  const int rows = 2 + ++entered % 5;
  array<double, 2> m = zeros<double>({rows, 3}, cpu);
  const array<int, 1> row = array<int, 1>::from({1, 2, 3}, {3}, cpu);
  m(slice(1, rows), all()) = row * 2 + 1;  // broadcast and converted
  m(0, all()) = 7.0;
  const double offset = entered;
  const auto shifted = fuse([&](auto x) { return x + offset; });
  const array<double, 2> made = shifted(m);
  array<double, 1> total = sum(made, axis<1>);
  total = total - 3 * offset;
  const std::vector<double> totals = total.to_vector();
  bool right = totals[0] == 21;
  for (int i = 1; i < rows; ++i) right &= totals[static_cast<std::size_t>(i)] == 15;
  CHECK(right);
}

/// What the program's functions do meanwhile.
struct calling_hook {
  log_hook before;
  calling_hook() : before(set_log_hook([](log_level, std::string_view) { call_others(); })) {}
  calling_hook(const calling_hook&) = delete;
  calling_hook& operator=(const calling_hook&) = delete;
  ~calling_hook() { set_log_hook(before); }
};

struct calling_resource {
  calling_resource() { set_memory_resource(cpu, this); }
  ~calling_resource() { set_memory_resource(cpu, nullptr); }
  void* allocate(std::size_t bytes, const stream&) {
    call_others();
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  void deallocate(void* data, std::size_t, const stream&) noexcept {
    call_others();
    std::free(data);
  }
};

/// An empty cache, so that each case compiles and calls the hook.
struct fresh_cache {
  fresh_cache() {
    cache_settings none;
    none.on_disk = false;
    set_cache(none);
  }
  ~fresh_cache() { set_cache(cache_settings_from_environment()); }
};

struct tensor {
  std::vector<float> elements;
};
view<float, 2> as_view(const tensor& t) {
  call_others();
  return view<float, 2>(const_cast<float*>(t.elements.data()),
                        {static_cast<std::int64_t>(t.elements.size()) / 2, 2});
}

float called_by_kernel(float x) {
  if (x == 3) call_others();
  return x + 1;
}

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

/// A broadcast to a view, which is known or, through its literal, new.
template <int Literal>
void check_broadcast() {
  array<float, 2> m = zeros<float>({4, 6}, cpu);
  const array<float, 1> row = array<float, 1>::from(counted(6), {6}, cpu);
  const array<float, 2> column = array<float, 2>::from(counted(4), {4, 1}, cpu);
  m(slice(1, 3), slice(0, 6)) = row * literal(Literal) + 1;
  m(slice(3, 4), all()) = column(slice(3, 4), all());
  std::vector<float> wanted(24, 0.0f);
  for (std::size_t i = 0; i < 6; ++i) {
    wanted[6 + i] = wanted[12 + i] = static_cast<float>(Literal) * static_cast<float>(i + 1) + 1;
    wanted[18 + i] = 4;
  }
  CHECK(m.to_vector() == wanted);
}

TEST_CASE("a log hook that calls does not disturb a broadcast on its way") {
  const fresh_cache fresh;
  const calling_hook hook;
  const int before = entered;
  check_broadcast<101>();
  check_broadcast<102>();
  check_broadcast<101>();
  CHECK(entered > before);
}

TEST_CASE("an allocator that calls does not disturb calls and broadcasts on their way") {
  const int before = entered;
  {
    const calling_resource mine;
    check_broadcast<103>();
    check_broadcast<103>();
    array<float, 1> x = array<float, 1>::from(counted(5), {5}, cpu);
    // a result that overlaps its operand is computed into a temporary of the allocator
    x(slice(1, 5)) = x(slice(0, 4)) * 2;
    CHECK(x.to_vector() == std::vector<float>{1, 2, 4, 6, 8});
    x = x + x(slice(0, 1));
    CHECK(x.to_vector() == std::vector<float>{2, 3, 5, 7, 9});
    const auto both = fuse([](auto v) { return std::tuple{v + 1, sum(v)}; });
    const auto [more, total] = both(x);
    CHECK(more.to_vector() == std::vector<float>{3, 4, 6, 8, 10});
    CHECK(total.to_vector() == std::vector<float>{26});
  }
  CHECK(entered > before);
}

TEST_CASE("an array that goes while a function is recorded may call when its memory is freed") {
  const int before = entered;
  {
    const calling_resource mine;
    const auto with_temporary = fuse([&](auto x) {
      const array<float, 1> held = full<float>({3}, 5.0f, cpu);
      const array<float, 1> other = full<float>({3}, 6.0f, cpu);
      return x + held * other;
    });
    const array<float, 1> x = array<float, 1>::from(counted(3), {3}, cpu);
    for (int i = 0; i < 3; ++i) CHECK(with_temporary(x).to_vector() == std::vector<float>{31, 32, 33});
  }
  CHECK(entered > before);
}

TEST_CASE("as_view may call") {
  const int before = entered;
  const tensor mine{counted(6)};
  const auto add = fuse([](auto a, auto b) { return a + b; });
  CHECK(add(mine, mine).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
  array<float, 2> m = zeros<float>({3, 2}, cpu);
  const array<float, 1> row = array<float, 1>::from({1, 2}, {2}, cpu);
  m(slice(0, 3), slice(0, 2)) = row + mine;
  CHECK(m.to_vector() == std::vector<float>{2, 4, 4, 6, 6, 8});
  CHECK(entered > before);
}

TEST_CASE("a function may call while it is recorded") {
  const int before = entered;
  const array<float, 1> row = array<float, 1>::from(counted(6), {6}, cpu);
  float factor = 2;
  const auto scaled = fuse([&](auto x) {
    call_others();
    return x * factor;
  });
  array<float, 2> m = zeros<float>({2, 6}, cpu);
  for (int i = 0; i < 3; ++i) {
    factor = static_cast<float>(i + 2);
    m(slice(0, 2), all()) = scaled(row) + 1;
    std::vector<float> wanted(12);
    for (std::size_t at = 0; at < 12; ++at) wanted[at] = static_cast<float>(at % 6 + 1) * factor + 1;
    CHECK(m.to_vector() == wanted);
  }
  const any_view erased(row);
  const std::vector<any_array> made =
      evaluate({erased}, [](graph_builder& builder, std::span<const graph_value> values) {
        call_others();
        builder.output(builder.apply(operation::negative, {values[0]}));
      });
  CHECK(made[0].view().to<float, 1>().to_vector()[5] == -6);
  CHECK(entered > before);
}

TEST_CASE("a function of this process that a kernel calls may call") {
  const int before = entered;
  const extern_function<float(float)> plus_one("reentry_plus_one", &called_by_kernel);
  const array<float, 1> x = array<float, 1>::from(counted(6), {6}, cpu);
  array<float, 2> m = zeros<float>({2, 6}, cpu);
  m(slice(0, 2), all()) = plus_one(x) * 2;
  CHECK(m.to_vector() == std::vector<float>{4, 6, 8, 10, 12, 14, 4, 6, 8, 10, 12, 14});
  CHECK(entered > before);
}

namespace {
int calls_of_hook = 0;
/// Calls the function whose kernel was just made, or is being made.
void call_the_same(log_level, std::string_view) {
  if (++calls_of_hook > 1) return;
  const array<float, 1> x = array<float, 1>::from(counted(3), {3}, cpu);
  const array<float, 1> y = exp(x * literal(0.0f)) + literal(104.0f);
  CHECK(y.to_vector() == std::vector<float>(3, 105.0f));
}
}  // namespace

TEST_CASE("a log hook may call the very function whose compile it is told of") {
  const fresh_cache fresh;
  calls_of_hook = 0;
  const log_hook before = set_log_hook(&call_the_same);
  const array<float, 1> x = array<float, 1>::from(counted(3), {3}, cpu);
  const array<float, 1> y = exp(x * literal(0.0f)) + literal(104.0f);
  set_log_hook(before);
  CHECK(y.to_vector() == std::vector<float>(3, 105.0f));
  CHECK(calls_of_hook > 0);
}

}  // namespace reentry
