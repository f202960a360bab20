// The same program on the same inputs gives the same bits: repeatedly, under any machine load, at every
// alignment of the operands, with one CPU thread and with all. One case for each way to split and combine a
// reduction.

#include <doctest/doctest.h>

#include <sinter/complex.hpp>

#include "../support/accuracy.hpp"
#include "../support/sweep/sweep.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

namespace sinter::test {
namespace {

using bytes = std::vector<std::byte>;

template <class T, unsigned Rank>
void append(bytes& to, const array<T, Rank>& made) {
  const std::vector<T> elements = made.to_vector();
  const auto* const first = reinterpret_cast<const std::byte*>(elements.data());
  to.insert(to.end(), first, first + elements.size() * sizeof(T));
}

/// Bytes of one result or of all of a tuple's.
template <class Result>
bytes bytes_of(const Result& made) {
  bytes all;
  if constexpr (requires { std::tuple_size<Result>::value; })
    std::apply([&](const auto&... each) { (append(all, each), ...); }, made);
  else
    append(all, made);
  return all;
}

/// A reduction of `count` float32 on one of a device's streams.
struct reduction_class {
  const char* name;
  std::size_t count;
  std::function<bytes(const float* elements, const stream& on)> run;
};

template <unsigned Rank, class Body>
reduction_class made_of(const char* name, sinter::shape<Rank> extents, Body body) {
  return {name, static_cast<std::size_t>(extents.product()),
          [extents, function = fuse("determinism", body)](const float* elements, const stream& on) {
            const view<const float, Rank> x(elements, extents, on.where());
            const auto made = function.on(on)(x);
            on.synchronize();
            return bytes_of(made);
          }};
}

constexpr auto row_sums = [](auto x) { return sum(x, axis<1>); };
constexpr auto softmaxes = [](auto x) { return softmax(x, axis<1>); };
constexpr auto column_sums = [](auto x) { return sum(x * x, axis<0>); };

std::vector<reduction_class> reduction_classes() {
  return {
      made_of("rows of a few elements", sinter::shape<2>(20000, 7), row_sums),
      made_of("rows of a few threads", sinter::shape<2>(3000, 61), row_sums),
      made_of("rows of a warp", sinter::shape<2>(400, 1001), row_sums),
      made_of("rows of a block", sinter::shape<2>(300, 9001), row_sums),
      made_of("rows beyond a block", sinter::shape<2>(300, 50003), row_sums),
      made_of("few rows, cut into pieces", sinter::shape<2>(2, 700001), row_sums),
      made_of("rows resident in a few threads", sinter::shape<2>(3000, 45), softmaxes),
      made_of("rows resident in a warp", sinter::shape<2>(500, 1003), softmaxes),
      made_of("rows resident in a block", sinter::shape<2>(300, 4099), softmaxes),
      made_of("rows shared by a cluster", sinter::shape<2>(280, 40009), softmaxes),
      made_of("few rows that are read again", sinter::shape<2>(3, 300007), softmaxes),
      made_of("columns", sinter::shape<2>(3001, 203), column_sums),
      made_of("few columns of many rows", sinter::shape<2>(200003, 9), column_sums),
      made_of("fewer columns than lanes", sinter::shape<2>(200003, 3), column_sums),
      made_of("an axis between kept ones", sinter::shape<3>(40, 301, 67),
              [](auto x) { return sum(x, axis<1>); }),
      made_of("axes around a kept one", sinter::shape<3>(41, 53, 131),
              [](auto x) { return sum(x, axis<0, 2>); }),
      made_of("everything", sinter::shape<1>(1500007), [](auto x) { return sum(x); }),
      made_of("everything, of two axes", sinter::shape<2>(1013, 1511),
              [](auto x) { return std::tuple{mean(x), norm(x)}; }),
      made_of("everything, then broadcast", sinter::shape<1>(600011),
              [](auto x) { return (x - mean(x)) / stddev(x); }),
      made_of("variances", sinter::shape<2>(200, 5003), [](auto x) { return var(x, axis<1>); }),
      made_of("logsumexp of columns", sinter::shape<2>(1009, 77),
              [](auto x) { return logsumexp(x, axis<0>); }),
      made_of("positions in rows", sinter::shape<2>(500, 3001),
              [](auto x) { return argmax(rint(x * 4), axis<1>); }),
      made_of("positions in columns", sinter::shape<2>(3001, 101),
              [](auto x) { return argmin(rint(x * 4), axis<0>); }),
      made_of("the position in everything", sinter::shape<1>(1000003),
              [](auto x) { return argmax(rint(x * 4)); }),
      made_of("several at once", sinter::shape<2>(300, 2003),
              [](auto x) { return std::tuple{sum(x, axis<1>), max(x, axis<1>), sum(exp(x), axis<1>)}; }),
      made_of("scans of rows", sinter::shape<2>(700, 3001), [](auto x) { return cumsum(x, axis<1>); }),
      made_of("scans of columns", sinter::shape<2>(3001, 205), [](auto x) { return cumsum(x, axis<0>); }),
      made_of("scans of few long rows", sinter::shape<2>(2, 500009),
              [](auto x) { return cumsum(x, axis<1>); }),
      made_of("scans among reductions", sinter::shape<2>(400, 2005),
              [](auto x) { return cumsum(x / sum(x, axis<1>, keepdims), axis<1>); }),
      made_of("halves", sinter::shape<2>(400, 3001), [](auto x) { return sum(astype<float16>(x), axis<1>); }),
      made_of("doubles, of everything", sinter::shape<1>(700001), [](auto x) { return sum<double>(x); }),
      made_of("products of rows", sinter::shape<2>(300, 3001),
              [](auto x) { return prod(1 + 0.001f * x, axis<1>); }),
      made_of("products of everything", sinter::shape<1>(500009), [](auto x) { return prod(1 + 1e-5f * x); }),
      made_of("complex numbers in rows", sinter::shape<2>(300, 3001),
              [](auto x) { return sum(make_complex(x, x * x), axis<1>); }),
      made_of("complex numbers, of everything", sinter::shape<1>(700001),
              [](auto x) {
                return std::tuple{sum(make_complex(x, 1 - x)), prod(make_complex(1 + 1e-6f * x, 1e-6f * x))};
              }),
      made_of("scans of complex numbers", sinter::shape<2>(300, 3001),
              [](auto x) { return cumsum(make_complex(x, x * x), axis<1>); }),
      made_of("over different axes", sinter::shape<2>(501, 703),
              [](auto x) { return std::tuple{sum(x, axis<0>), sum(x, axis<1>), sum(x)}; }),
  };
}

/// The elements on the device, `shift` elements past an aligned address.
array<float, 1> shifted(const std::vector<float>& elements, std::size_t shift, device on) {
  std::vector<float> padded(elements.size() + shift);
  std::copy(elements.begin(), elements.end(), padded.begin() + static_cast<std::ptrdiff_t>(shift));
  return array<float, 1>::from(padded, {padded.size()}, on);
}

/// Keeps a device busy from other threads, with kernels of varying sizes, during its lifetime.
class other_work {
 public:
  explicit other_work(device on) {
    for (int number = 0; number < 2; ++number)
      threads_.emplace_back([this, on, number] { work(on, number); });
  }
  ~other_work() {
    stop_ = true;
    for (std::thread& each : threads_) each.join();
  }

 private:
  void work(device on, int number) const {
    const auto busy = fuse("determinism_other", [](auto x) { return std::tuple{exp(x), sum(x * x)}; });
    const stream own = stream::create(on);
    const array<float, 1> x = array<float, 1>::from(make_data(kinds_of_data[1], 300000, 99), {300000}, on);
    for (std::int64_t round = number; !stop_; ++round) {
      const auto made = busy.on(own)(x(sinter::slice(0, 1000 + round * 7919 % 299000)));
      if (round % 16 == 0) own.synchronize();
    }
    own.synchronize();
  }

  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("every class of reduction gives the same bits again and again, whatever else runs") {
  constexpr int rounds = 6;
  const std::vector<reduction_class> classes = reduction_classes();
  failure_list failures;
  for (const device on : sweep_devices()) {
    struct prepared {
      std::vector<array<float, 1>> at;  // by shift
      bytes expected;
    };
    std::vector<prepared> all;
    const stream quiet = stream::create(on);
    for (const reduction_class& each : classes) {
      const std::vector<float> elements = make_data(kinds_of_data[1], each.count, each.count);
      prepared& made = all.emplace_back();
      for (const std::size_t shift : {0u, 1u, 2u, 3u}) made.at.push_back(shifted(elements, shift, on));
      synchronize(on);
      made.expected = each.run(made.at[0].data(), quiet);
    }

    const other_work beside(on);
    tbb::task_arena alone(1);
    const auto repeat = [&](std::size_t caller) {
      const stream own = stream::create(on);
      for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < classes.size(); ++i) {
          // callers start in different classes
          const std::size_t at = (i + caller * classes.size() / 3) % classes.size();
          if (!is_in_sweep(at)) continue;
          const std::size_t shift = (static_cast<std::size_t>(round) + caller) % 4;
          const auto run = [&] { return classes[at].run(all[at].at[shift].data() + shift, own); };
          const bool on_one_thread = on.is_cpu() && (static_cast<std::size_t>(round) + caller) % 2 == 0;
          const bytes made = on_one_thread ? alone.execute(run) : run();
          if (made != all[at].expected)
            failures.add(on.to_string() + " " + classes[at].name,
                         "round " + std::to_string(round) + ", " + std::to_string(shift) +
                             " elements past an aligned address" + (on_one_thread ? ", one thread" : ""));
        }
    };
    std::vector<std::thread> callers;
    for (std::size_t caller = 0; caller < 3; ++caller)
      callers.emplace_back([&, caller] {
        try {
          repeat(caller);
        } catch (const std::exception& failure) {
          failures.add("exceptions", failure.what());
        }
      });
    for (std::thread& each : callers) each.join();
  }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
