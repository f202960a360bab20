// tune() of calls on a GPU.
#include <doctest/doctest.h>

#include "../support/needs.hpp"

#include <sinter/sinter.hpp>

#include <string>
#include <vector>

using namespace sinter;

namespace {

struct untuned {
  untuned() { forget_tuning(); }
  ~untuned() { forget_tuning(); }
};

array<float, 2> numbers(std::int64_t rows, std::int64_t columns) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    made.push_back(static_cast<float>(i * 7919 % 1009) / 97.f);
  return array<float, 2>::from(made, {rows, columns}, device::cuda(0));
}

template <class Function>
void check_outcomes(const Function& function, const array<float, 2>& x, bool may_change_bits) {
  CAPTURE(may_change_bits);
  const auto before = function(x).to_vector();
  const tuning_report report = function.tune(x, {.budget = 2.0, .may_change_bits = may_change_bits});
  for (const tuned_stage& stage : report.stages)
    for (const tuning_trial& each : stage.trials) {
      CAPTURE(to_string(each.tried));
      CAPTURE(each.why);
      CHECK(each.outcome != trial_outcome::other_result);
      CHECK(each.outcome != trial_outcome::failed);
    }
  if (!may_change_bits) CHECK(function(x).to_vector() == before);
  forget_tuning();
  CHECK(function(x).to_vector() == before);
}

}  // namespace

TEST_CASE("on a GPU every candidate has the default's result, and without leave its bits") {
  if (test::lacks_cuda_device()) return;
  const untuned scope;
  const auto x = numbers(1000, 3000);
  for (const bool may_change_bits : {false, true}) {
    check_outcomes(fuse([](auto v) { return softmax(v, axis<1>); }), x, may_change_bits);
    check_outcomes(fuse([](auto v) { return sum(v, axis<0>); }), x, may_change_bits);
    check_outcomes(fuse([](auto v) { return sum(v); }), x, may_change_bits);
    check_outcomes(fuse([](auto v) { return argmax(v, axis<1>); }), x, may_change_bits);
    check_outcomes(fuse([](auto v) { return cumsum(v, axis<1>); }), x, may_change_bits);
    check_outcomes(fuse([](auto v) { return exp(v) + transpose(transpose(v)); }), x, may_change_bits);
  }
}

TEST_CASE("tuning on a stream of one's own leaves targets alone") {
  if (test::lacks_cuda_device()) return;
  const untuned scope;
  const stream order = stream::create(device::cuda(0));
  const auto x = numbers(500, 700);
  auto y = full<float>({700, 500}, 3.f, device::cuda(0));
  const auto turned = fuse([](auto v) { return transpose(v) * 2; });
  const tuning_report report = turned.into(y).on(order).tune(x, {.budget = 0.5});
  CHECK(report.usual_seconds > 0);
  CHECK(report.copy_bytes_per_second > 1e11);
  CHECK(y.to_vector() == std::vector<float>(350000, 3.f));
}

TEST_CASE("on a GPU explain says after tuning what was measured, the occupancy, and how to profile") {
  if (test::lacks_cuda_device() || test::lacks_nvrtc()) return;
  const untuned scope;
  const auto x = numbers(4000, 5000);
  const auto squared = fuse("squared_and_tuned", [](auto v) { return v * v; });
  const tuning_report report = squared.tune(x, {.budget = 1.0});
  const std::string text = squared.explain(x);
  CAPTURE(text);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has("\nschedules: "));
  CHECK(has("\nmeasured: "));
  CHECK(has(" operations/s"));
  CHECK(has("\n  occupancy: "));
  CHECK(has("\n  ncu: ncu --set full --kernel-name squared_and_tuned_kernel --launch-count 1 "));
}
