// The arithmetic of progress bars, with the test's own clock.

#include <sinter/runtime/command/terminal/progress.hpp>

#include <doctest/doctest.h>

#include <sinter/runtime/command/terminal/units.hpp>

namespace sinter::test {
namespace {

using command::progress;

struct clock {
  double time = 1000;
  progress::clock now() {
    return [this] { return progress::seconds(time); };
  }
};

double left(const progress& of) {
  const auto remaining = of.remaining();
  REQUIRE(remaining.has_value());
  return remaining->count();
}

}  // namespace

TEST_CASE("at a steady pace the time that remains is foretold exactly") {
  clock now;
  progress bar("reading", 100, now.now());
  for (int done = 1; done <= 99; ++done) {
    now.time += 0.25;
    bar.advance_to(static_cast<std::uint64_t>(done));
    if (done > 1) CHECK(left(bar) == doctest::Approx(0.25 * (100 - done)));
  }
}

TEST_CASE("a pace that changes is believed after some seconds") {
  clock now;
  progress bar("reading", 10'000, now.now());
  for (int i = 1; i <= 100; ++i) {
    now.time += 0.1;
    bar.advance_to(static_cast<std::uint64_t>(10 * i));
  }
  CHECK(left(bar) == doctest::Approx(90));
  for (int i = 1; i <= 300; ++i) {  // ten times slower
    now.time += 0.1;
    bar.advance_to(static_cast<std::uint64_t>(1000 + i));
  }
  CHECK(left(bar) == doctest::Approx(870).epsilon(0.03));
}

TEST_CASE("nothing is foretold before there was some work, or where nothing has moved") {
  clock now;
  progress bar("reading", 100, now.now());
  CHECK_FALSE(bar.remaining().has_value());
  now.time += 0.01;
  bar.advance_to(1);
  CHECK_FALSE(bar.remaining().has_value());
  now.time += 60;
  bar.advance_to(1);
  CHECK(left(bar) > 60);
  progress still("reading", 100, now.now());
  now.time += 60;
  still.advance_to(0);
  CHECK_FALSE(still.remaining().has_value());
}

TEST_CASE("progress never goes back, never beyond all, and a clock that goes back does no harm") {
  clock now;
  progress bar("reading", 10, now.now());
  now.time += 1;
  bar.advance_to(5);
  bar.advance_to(3);
  CHECK(bar.fraction() == 0.5);
  now.time -= 100;
  bar.advance_to(6);
  CHECK(left(bar) >= 0);
  bar.advance_to(1000);
  CHECK(bar.fraction() == 1.0);
  CHECK(left(bar) == 0);
  const progress nothing("reading", 0, now.now());
  CHECK(nothing.fraction() == 1.0);
  CHECK(left(nothing) == 0);
}

TEST_CASE("a line has the label, a bar, the part that is done and the time that is left") {
  clock now;
  progress bar("verifying", 200, now.now());
  CHECK(bar.line(80) == "verifying [----------------------------------------]   0 %");
  now.time += 30;
  bar.advance_to(100);
  CHECK(bar.line(80) == "verifying [####################--------------------]  50 %  30 s left");
  bar.advance_to(199);
  CHECK(bar.line(80).find(" 99 %") != std::string::npos);
  bar.advance_to(200);
  CHECK(bar.line(80) == "verifying [########################################] 100 %");
}

TEST_CASE("a line is no wider than the terminal") {
  clock now;
  progress bar("verifying", 100, now.now());
  now.time += 3;
  bar.advance_to(42);
  for (std::size_t columns = 1; columns < 100; ++columns)
    CHECK(command::columns_of(bar.line(columns)) <= columns);
}

}  // namespace sinter::test
