#pragma once
// An object whose destructor computes in every way that a program can write. It prints what came of it, and
// ends the process at the first result that is not right.

#include <sinter/sinter.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace sinter::test {

constexpr std::int64_t short_length = 100, long_length = 3 << 20;  // the long one is distributed over threads

inline array<float, 1> counted(std::int64_t length) {
  std::vector<float> values(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 16);
  return array<float, 1>::from(values, {length});
}

inline void tell(const char* when, const char* form, const char* answer) {
  std::printf("%s: %s: %s\n", when, form, answer);
  std::fflush(stdout);
}

[[noreturn]] inline void fail(const char* when, const char* form, const char* why) {
  tell(when, form, why);
  std::_Exit(1);  // no destructor, as those are what fails
}

/// Runs `work`, which answers whether its results are right.
template <class Work>
void attempt(const char* when, const char* form, const Work& work) {
  try {
    if (!work()) fail(when, form, "wrong");
  } catch (const std::exception& refused) {
    fail(when, form, refused.what());
  }
  tell(when, form, "right");
}

inline bool is(const array<float, 1>& result, float third) { return result.to_vector().at(3) == third; }

/// Each form of computing, on `x`, whose element 3 is 3. A `Kind` has graphs and kernels of its own, so that
/// each can be met for the first time.
template <int Kind>
void compute(const char* when, const array<float, 1>& x) {
  const std::int64_t length = x.shape()[0];
  attempt(when, "stateless",
          [&] { return is(fuse([](auto a) { return a * a + (2 + Kind); })(x), 11 + Kind); });
  attempt(when, "stateful", [&] {
    const float offset = 5;
    return is(fuse([&](auto a) { return a - x * (3 + Kind) + offset; })(x), 3 - 3 * (3 + Kind) + 5);
  });
  attempt(when, "reduction", [&] {
    return is(fuse([](auto a) { return a / sum(a, axis<0>, keepdims) * sum(a + (Kind + 1)); })(x) * 0 + 1, 1);
  });
  attempt(when, "lazy", [&] {
    const array<float, 1> z = where(x > 2, x * 2 + (Kind + 1), x);
    return is(z, 7 + Kind);
  });
  attempt(when, "into", [&] {
    auto out = zeros<float>({length});
    fuse([](auto a) { return a + (1 + Kind); }).into(out)(x);
    return is(out, 4 + Kind);
  });
  attempt(when, "compound", [&] {
    auto copy = x.copy();
    copy *= 2 + Kind;
    copy(slice(0, 2)) = 0;
    return is(copy, 3 * (2 + Kind));
  });
  attempt(when, "creation", [&] {
    return full<float>({length}, 7 + Kind).to_vector().at(3) == 7 + Kind &&
           arange<float>(0, length).to_vector().at(3) == 3;
  });
  attempt(when, "derived scalars", [&] {
    const int scale = 3;
    const array<std::int32_t, 1> counts = astype<std::int32_t>(x);
    return fuse([](auto a, auto by) { return a * (by + Kind); })(counts, scale).to_vector().at(3) ==
           3 * (3 + Kind);
  });
}

/// What late objects compute on; nullptr: on arrays of their own.
inline const array<float, 1>* shared_array = nullptr;

/// Computes with known and new graphs when it is destroyed, if `when` says when that is.
template <int Kind>
struct late_object {
  const char* when = nullptr;
  ~late_object() {
    if (when == nullptr) return;
    if (shared_array != nullptr) compute<0>(when, *shared_array);
    compute<0>(when, counted(short_length));
    compute<Kind>(when, counted(short_length));
    compute<Kind>(when, counted(long_length));
    tell(when, "all", "done");
  }
};

}  // namespace sinter::test
