#include "sweep_reference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {

std::size_t count_of(const shape& extents) {
  return static_cast<std::size_t>(
      std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>()));
}

std::string text_of(const shape& extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

bits whole_numbers(element_type type, std::size_t count, std::uint64_t seed,
                   const std::function<std::int64_t(std::int64_t drawn)>& make) {
  bits values(count * parts_of(type));
  type = component_of(type);
  std::uint64_t state = seed * 2654435761u + 12345;
  for (std::uint64_t& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::int64_t whole = make(static_cast<std::int64_t>(state >> 40));
    if (is_boolean(type)) whole &= 1;
    value = store_reference(
        type, {.real = static_cast<long double>(whole), .integer = static_cast<std::uint64_t>(whole)});
  }
  return values;
}

namespace {
/// The distance in the plane, relative to the reference's magnitude: a part may be small by cancellation.
void check_complex(const std::string& kind, const bits& actual, const reference_array& expected,
                   allowed_error allowed, failure_list& failures) {
  const element_type part = component_of(expected.type);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const reference_value wanted = expected.at(i);
    if (same_element(part, actual[2 * i], store_reference(part, {wanted.real})) &&
        same_element(part, actual[2 * i + 1], store_reference(part, {wanted.imaginary})))
      continue;
    const long double real = real_of(part, actual[2 * i]) - wanted.real,
                      imaginary = real_of(part, actual[2 * i + 1]) - wanted.imaginary;
    const long double size = std::hypot(wanted.real, wanted.imaginary);
    if (std::hypot(real, imaginary) <= allowed.relative * (size + allowed.least)) continue;
    failures.add(kind, "element " + std::to_string(i) + " is (" + element_text(part, actual[2 * i]) + ", " +
                           element_text(part, actual[2 * i + 1]) + "), not (" +
                           element_text(part, store_reference(part, {wanted.real})) + ", " +
                           element_text(part, store_reference(part, {wanted.imaginary})) + ")");
  }
}
}  // namespace

// NOLINTNEXTLINE(readability-function-size): a whole call: name, graph, arrays, place, device, error
void check_against_reference(const std::string& name, const graph& recorded, const std::vector<bits>& values,
                             const std::vector<shape>& extents, placement where, device on,
                             allowed_error allowed, failure_list& failures) {
  std::vector<reference_array> inputs, expected;
  std::vector<placed_array> arrays;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const element_type type = recorded.inputs[i].type;
    arrays.emplace_back(type, values[i], extents[i], where, on);
    inputs.push_back(load_reference(type, extents[i], pack(type, values[i]).data()));
  }
  interpret(recorded, inputs, {}, expected, reference_precision::extended);
  const std::vector<bits> actual = run(runtime::intern(recorded), arrays, {}, on);
  const std::string kind = on.to_string() + " " + name;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const element_type type = expected[o].type;
    if (actual[o].size() != expected[o].size() * parts_of(type)) {
      failures.add(kind, "has " + std::to_string(actual[o].size() / parts_of(type)) + " elements");
      continue;
    }
    if (is_complex(type)) {
      check_complex(kind + " result " + std::to_string(o), actual[o], expected[o], allowed, failures);
      continue;
    }
    for (std::size_t i = 0; i < actual[o].size(); ++i) {
      const std::uint64_t wanted = store_reference(type, expected[o].at(i));
      if (same_element(type, actual[o][i], wanted)) continue;
      if (allowed.relative > 0 && is_floating(type)) {
        const long double a = load_reference(type, actual[o][i]).real, b = expected[o].at(i).real;
        if (std::abs(a - b) <= allowed.relative * (std::abs(b) + allowed.least)) continue;
      }
      failures.add(kind, "result " + std::to_string(o) + " element " + std::to_string(i) + " is " +
                             element_text(type, actual[o][i]) + ", not " + element_text(type, wanted));
    }
  }
}

void check_same_bits(const std::string& name, const graph& recorded, const bits& values, const shape& extents,
                     device on, failure_list& failures) {
  const runtime::function_handle called = runtime::intern(recorded);
  std::vector<bits> first;
  for (const placement where : {placement::contiguous, placement::unaligned, placement::contiguous}) {
    std::vector<placed_array> arrays;
    arrays.emplace_back(element_type::float32, values, extents, where, on);
    const std::vector<bits> made = run(called, arrays, {}, on);
    if (first.empty()) first = made;
    if (made != first)
      failures.add(on.to_string() + " " + name, "other bits, " + std::string(to_string(where)));
  }
}

void sweep(std::size_t count, const std::function<void(std::size_t, failure_list&)>& work) {
  failure_list failures;
  in_parallel(count, failures, [&](std::size_t i) { work(i, failures); });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
