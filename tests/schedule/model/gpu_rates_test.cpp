// The rates of GPUs: measured for one model, derived for the others.

#include <doctest/doctest.h>

#include <sinter/codegen/schedule/model/gpu_rates.hpp>
#include <sinter/codegen/target/known_devices.hpp>

#include <string>

namespace sinter::test {

TEST_CASE("one model is measured, and every other one has a table from its facts that says so") {
  int measured = 0;
  for (const known_device& model : known_devices()) {
    const rates_of_gpu found = gpu_rates_of(facts_of(model));
    INFO(model.name);
    CHECK(found.rates.multiprocessors == model.multiprocessors);
    CHECK(found.rates.memory_sector > 0);
    measured += found.is_estimated ? 0 : 1;
    if (found.is_estimated) CHECK(std::string(found.rates.model) == std::string(model.name));
  }
  CHECK(measured >= 1);
  CHECK(measured < static_cast<int>(known_devices().size()));
}

TEST_CASE("of derived tables the one with the slower memory takes longer for a sector") {
  for (const known_device& a : known_devices())
    for (const known_device& b : known_devices()) {
      const rates_of_gpu first = gpu_rates_of(facts_of(a)), second = gpu_rates_of(facts_of(b));
      if (!first.is_estimated || !second.is_estimated) continue;
      // bytes a second of one multiprocessor
      const auto each = [](const known_device& of) {
        return of.gigabytes_a_second * 1000 / of.multiprocessors;
      };
      INFO(a.name, " and ", b.name);
      if (each(a) < each(b)) CHECK(first.rates.memory_sector >= second.rates.memory_sector);
    }
}

TEST_CASE("float64 takes longer where a model has few units for it") {
  const auto of = [](int architecture) {
    for (const known_device& model : known_devices())
      if (model.architecture == architecture) return gpu_rates_of(facts_of(model)).rates.float64;
    return std::int64_t{0};
  };
  CHECK(of(86) > 10 * of(80));
  CHECK(of(90) < of(80));
}

TEST_CASE("a model that nobody knows has the table of the nearest one") {
  target_facts unknown = facts_of(known_devices().back());
  unknown.architecture += 7;
  unknown.multiprocessors += 3;
  const rates_of_gpu found = gpu_rates_of(unknown);
  CHECK(found.is_estimated);
  CHECK(found.rates.memory_sector == gpu_rates_of(facts_of(known_devices().back())).rates.memory_sector);
}

}  // namespace sinter::test
