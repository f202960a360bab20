// Cuts of rows as something that is tuned: their text, their results, and how they are tried and kept.
#include <doctest/doctest.h>

#include "../support/process/temporary_folder.hpp"

#include <sinter/codegen/schedule/cut_choice.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace sinter;

namespace {

const device cpu = device::cpu();

struct untuned {
  untuned() { forget_tuning(); }
  ~untuned() { forget_tuning(); }
};

/// One long row, which the pass cuts into pieces.
array<float, 1> long_row(std::int64_t elements) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < elements; ++i) made.push_back(static_cast<float>(i * 7919 % 1009) / 1009.f);
  return array<float, 1>::from(made, {elements}, cpu);
}

const std::vector<cut_choice> choices{{.whole = true},   {.doublings = 1},  {.doublings = 3},
                                      {.doublings = 16}, {.doublings = -1}, {.doublings = -3},
                                      {.doublings = -16}};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Uses a cut for the calls that a report is of, as if it had won.
void use_cut(tuning_report report, const cut_choice& cut) {
  const test::temporary_folder folder;
  report.gain = 0.5;
  report.cut = cut;
  report.stages.clear();
  report.save(folder.path() + "/cut.tuning");
  CHECK(load_tuning(folder.path() + "/cut.tuning") == 1);
}

std::size_t stages_in(const std::string& explained) {
  std::size_t count = 0;
  for (std::size_t at = explained.find("\nstage "); at != std::string::npos;
       at = explained.find("\nstage ", at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("what a cut is called is read again, and anything else is refused with what may be said") {
  for (const cut_choice& each : choices) CHECK(parse_cut_choice(to_string(each)) == each);
  CHECK(to_string(cut_choice()) == "pieces as chosen");
  CHECK(to_string(cut_choice{.whole = true}) == "whole rows");
  CHECK(to_string(cut_choice{.doublings = 2}) == "pieces times 4");
  CHECK(to_string(cut_choice{.doublings = -1}) == "pieces by 2");
  for (const char* text : {"", "whole", "pieces times 3", "pieces by 1", "pieces times 4x", "pieces by -2",
                           "pieces times 99999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_cut_choice(text), doctest::Contains("say \"pieces as chosen\""), type_error);
  }
}

TEST_CASE("every cut of sums, positions, variances, scans and softmax has the results of the default") {
  const untuned scope;
  const auto check = [&](const auto& function, const auto& x) {
    const auto usual = function(x).to_vector();
    const tuning_report report = function.tune(x, {.budget = 0.05, .may_change_bits = true});
    forget_tuning();
    const std::size_t usual_stages = stages_in(function.explain(x));
    bool differs = false;
    for (const cut_choice& each : choices) {
      CAPTURE(to_string(each));
      use_cut(report, each);
      const std::string explained = function.explain(x);
      CHECK(contains(explained, "with " + to_string(each)));
      if (each.whole) CHECK(stages_in(explained) < usual_stages);
      const auto found = function(x).to_vector();
      REQUIRE(found.size() == usual.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::abs(static_cast<double>(found[i]) - static_cast<double>(usual[i])) <=
            1e-4 * std::abs(static_cast<double>(usual[i])))
          continue;
        CAPTURE(i);
        FAIL("an element differs from the default's");
      }
      differs |= stages_in(explained) != usual_stages;
      forget_tuning();
    }
    CHECK(differs);
  };
  const auto x = long_row(1 << 20);
  check(fuse([](auto v) { return sum(v); }), x);
  check(fuse([](auto v) { return argmax(v); }), x);
  check(fuse([](auto v) { return var(v); }), x);
  check(fuse([](auto v) { return cumsum(v); }), x);
  check(fuse([](auto v) { return exp(v) / sum(exp(v)); }), x);
  // columns, and two axes that are reduced and do not merge
  const array<float, 2> matrix = fuse([](auto v) { return reshape(v, 8192, 128); })(x);
  check(fuse([](auto v) { return sum(v, axis<0>); }), matrix);
  check(fuse([](auto v) { return sum(v + transpose(v)); }),
        array<float, 2>(fuse([](auto v) { return reshape(v, 1024, 1024); })(x)));
}

TEST_CASE("cuts are tried where bits may change or cannot, and a report shows and keeps them") {
  const untuned scope;
  const auto x = long_row(1 << 20);
  const auto total = fuse([](auto v) { return sum(v); });
  const auto largest = fuse([](auto v) { return max(v); });
  CHECK(total.tune(x, {.budget = 0.2}).cut_trials.empty());
  for (const tuning_report& report :
       {total.tune(x, {.budget = 0.5, .may_change_bits = true}), largest.tune(x, {.budget = 0.5})}) {
    REQUIRE(report.cut_trials.size() > 3);
    CHECK(report.cut_trials[0].cut == cut_choice());
    CHECK(report.cut_trials[0].samples > 0);
    for (const tuning_trial& each : report.cut_trials) {
      CAPTURE(to_string(each.cut));
      CHECK(each.outcome != trial_outcome::other_result);
      CHECK(each.outcome != trial_outcome::failed);
    }
    CHECK(contains(to_string(report), "how rows are cut:"));
    CHECK(contains(to_string(report), "whole rows"));
  }
}
