// The record of a stream: what its sites are numbered from, and how many it keeps.

#include <doctest/doctest.h>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/index_faults.hpp>
#include <sinter/sinter.hpp>

#include <memory>
#include <string>

#include "../support/cuda/fake_cuda.hpp"

namespace sinter::test {

using namespace runtime;

namespace {

std::shared_ptr<const index_sites> sites_of(const std::string& text) {
  return std::make_shared<const index_sites>(index_sites{{{text, text + " again"}, {"the last launch"}}});
}

/// What a kernel does that finds an index out of range.
void report(const stream_faults::target& to, std::size_t launch, std::uint64_t number, std::int64_t index) {
  auto* record = reinterpret_cast<index_fault*>(to.record);
  record->site = static_cast<std::int64_t>(to.first_site + site_of_launch(launch) + number);
  record->index = index;
  record->extent = 4;
  record->state = index_fault::complete;
}

}  // namespace

TEST_SUITE("the record of a stream") {
  TEST_CASE("plans of equal sites have one number, whatever their layouts and however many there are") {
    const fake_cuda fake;
    stream_faults faults;
    const auto target_of = [&](const std::string& text) {
      return faults.target_for(fake.api(), 0, sites_of(text));
    };
    const stream_faults::target first = target_of("first"), second = target_of("second");
    CHECK(first.record == second.record);
    CHECK(first.first_site != second.first_site);
    for (int i = 0; i < 1000; ++i) {
      CHECK(target_of("first").first_site == first.first_site);
      CHECK(target_of("second").first_site == second.first_site);
    }
    // the next one has the next number: nothing was kept for the thousands before
    const std::uint64_t step = second.first_site - first.first_site;
    CHECK(target_of("third").first_site == second.first_site + step);
  }

  TEST_CASE("a fault names the plan, the launch and the report that it is of") {
    const fake_cuda fake;
    stream_faults faults;
    const stream_faults::target first = faults.target_for(fake.api(), 0, sites_of("first")),
                                second = faults.target_for(fake.api(), 0, sites_of("second"));
    faults.check();
    report(second, 0, 1, 9);
    CHECK_THROWS_WITH_AS(faults.check(), "second again: index 9 is out of range: the axis has 4 elements",
                         index_error);
    faults.check();
    report(first, 1, 0, -5);
    CHECK_THROWS_WITH_AS(faults.check(), "the last launch: index -5 is out of range: the axis has 4 elements",
                         index_error);
  }
}

}  // namespace sinter::test
