#include "sweep.hpp"

#include "../needs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/math/device_functions.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <string_view>
#include <thread>

namespace sinter::test {
namespace {

bool accepts(operation op, element_type type) {
  const operand_type a{type};
  const operation_facts& row = facts_of(op);
  if (row.rule == type_rule::assembled) return false;  // sweep_complex_test.cpp
  switch (row.arity) {
    case 1:
      return apply_rule(row.rule, a).valid;
    case 2:
      return apply_rule(row.rule, a, a).valid;
    default:
      return apply_rule(row.rule, a, a, a).valid;
  }
}

}  // namespace

bool is_smooth(operation op) {
  if (op == operation::normal_of_bits) return true;  // of integers
  const std::string_view name = facts_of(op).name;
  return std::any_of(
      codegen::accuracies().begin(), codegen::accuracies().end(), [&](const codegen::accuracy& row) {
        return row.name.starts_with(name) && row.name.substr(name.size(), 2) == "_f" && row.cpu_ulp > 0.5;
      });
}

std::vector<operation_group> groups_of(element_type type, std::size_t size) {
  std::vector<operation_group> made;
  for (const bool smooth : {false, true}) {
    operation_group group{type, smooth, {}};
    for (const operation_facts& row : element_operations()) {
      const bool rounded = is_smooth(row.op) && (is_floating(type) || row.op != operation::power);
      if (rounded != smooth || !accepts(row.op, type)) continue;
      group.operations.push_back(row.op);
      if (group.operations.size() < size) continue;
      made.push_back(group);
      group.operations.clear();
    }
    if (!group.operations.empty()) made.push_back(group);
  }
  return made;
}

std::vector<operation_group> all_groups(std::size_t size) {
  std::vector<operation_group> made;
  for (const element_type_facts& type : real_types)
    for (operation_group& group : groups_of(type.type, size)) made.push_back(std::move(group));
  return made;
}

graph graph_of(const operation_group& group, arithmetic_mode mode, bool paired) {
  graph_builder builder;
  builder.restart(mode);
  const graph_value a = builder.input(group.type, 2), b = builder.input(group.type, 2),
                    c = builder.input(group.type, 2);
  const graph_value m = builder.input(element_type::boolean, 2);
  for (const operation op : group.operations) {
    const std::array<graph_value, 3> of_values{a, b, c}, of_where{m, a, b};
    const auto operands = std::span(op == operation::where ? of_where : of_values).first(facts_of(op).arity);
    graph_value made = builder.apply(op, operands);
    if (paired && facts_of(op).arity == 1)
      made = builder.apply(operation::where, {m, made, builder.apply(op, {b})});
    builder.output(made);
  }
  return builder.recorded();
}

std::vector<bits> inputs_of(const operation_group& group, std::size_t count, std::uint64_t seed) {
  operand_values values = sweep_operands(group.type, count, seed);
  return {std::move(values.first), std::move(values.second), std::move(values.third),
          random_values(element_type::boolean, count, seed)};
}

std::vector<element_type> input_types(const operation_group& group) {
  return {group.type, group.type, group.type, element_type::boolean};
}

std::vector<placed_array> place(const operation_group& group, const std::vector<bits>& values,
                                const shape& extents, const std::vector<placement>& where, device on) {
  std::vector<placed_array> made;
  const std::vector<element_type> types = input_types(group);
  for (std::size_t i = 0; i < values.size(); ++i)
    made.emplace_back(types[i], values[i], extents, where[i % where.size()], on);
  return made;
}

std::vector<reference_array> reference_of(const graph& recorded, const std::vector<bits>& values,
                                          const shape& extents, reference_precision precision) {
  std::vector<reference_array> inputs, results;
  for (std::size_t i = 0; i < values.size(); ++i)
    inputs.push_back(
        load_reference(recorded.inputs[i].type, extents, pack(recorded.inputs[i].type, values[i]).data()));
  interpret(recorded, inputs, {}, results, precision);
  return results;
}

bits elements_of(const reference_array& from) {
  std::vector<std::byte> elements(from.size() * size_of(from.type));
  store_reference(from, elements.data());
  return unpack(from.type, elements.data(), from.size());
}

double stated_ulp(operation op, element_type compute, element_type result, device on, arithmetic_mode mode) {
  using codegen::text_target;
  const text_target target = on.is_cuda() ? text_target::cuda : text_target::cpu;
  const codegen::text_mode text =
      mode == arithmetic_mode::fast ? codegen::text_mode::fast : codegen::text_mode::standard;
  std::string name = std::string(facts_of(op).name) + "_" + std::string(facts_of(compute).suffix);
  const codegen::device_function* used = codegen::find_device_function(name, target, text);
  if (used == nullptr)
    used = codegen::find_device_function(
        std::string(facts_of(op).name) + "_" + std::string(facts_of(facts_of(compute).compute).suffix),
        target, text);
  double stated = 0;
  if (used != nullptr)
    for (const codegen::accuracy& row : codegen::accuracies())
      // a half type's own function may be off by as much as float's, far less than one ULP of the half type
      if (row.name == used->name ||
          (is_storage_only(compute) && row.name == std::string(facts_of(op).name) + "_f32"))
        stated = on.is_cuda() ? row.cuda_ulp : row.cpu_ulp;
  if (!is_storage_only(result)) return std::max(0.5, stated);
  // computed in float32, then rounded to the half type
  return 0.5 + stated * (result == element_type::float16 ? 0x1p-13 : 0x1p-16);
}

std::string element_text(element_type type, std::uint64_t value) {
  char text[64];
  if (is_floating(type))
    std::snprintf(text, sizeof text, "%.9Lg (0x%llx)", real_of(type, value),
                  static_cast<unsigned long long>(value));
  else if (kind_of(type) == element_kind::signed_integer)
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(integer_of(type, value)));
  else
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
  return text;
}

bool same_element(element_type type, std::uint64_t a, std::uint64_t b) {
  return a == b || (is_floating(type) && std::isnan(real_of(type, a)) && std::isnan(real_of(type, b)));
}

void failure_list::add(const std::string& kind, const std::string& text) {
  const std::scoped_lock lock(mutex_);
  ++count_;
  kind_of_failure& of_kind = kinds_[kind];
  ++of_kind.count;
  if (of_kind.first.size() < 3) of_kind.first.push_back(text);
}

std::string failure_list::text() const {
  const std::scoped_lock lock(mutex_);
  std::string all = std::to_string(count_) + " failures";
  for (const auto& [kind, found] : kinds_) {
    all += "\n" + kind + ": " + std::to_string(found.count);
    for (const std::string& one : found.first) all += "\n    " + one;
  }
  return all;
}

namespace {

std::size_t number_in(const char* variable, std::size_t otherwise) {
  const char* given = std::getenv(variable);
  return given != nullptr ? std::strtoul(given, nullptr, 10) : otherwise;
}

std::size_t first_of_sweep() { return number_in("SINTER_SWEEP_FIRST", 0) % sweep_share(); }

}  // namespace

std::size_t sweep_share() { return std::max<std::size_t>(1, number_in("SINTER_SWEEP_SHARE", 1)); }

bool is_in_sweep(std::size_t item) { return item % sweep_share() == first_of_sweep(); }

void in_parallel(std::size_t count, failure_list& failures, const std::function<void(std::size_t)>& work) {
  const std::size_t step = sweep_share();
  std::atomic<std::size_t> next{first_of_sweep()};
  const auto serve = [&] {
    for (std::size_t i = next.fetch_add(step); i < count; i = next.fetch_add(step)) {
      try {
        work(i);
      } catch (const std::exception& failure) {
        failures.add("exceptions", "item " + std::to_string(i) + ": " + failure.what());
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min(16u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(serve);
  serve();
  for (std::thread& thread : threads) thread.join();
}

std::vector<device> sweep_devices() {
  const char* const given = std::getenv("SINTER_SWEEP_DEVICES");
  const std::string_view only = given != nullptr ? given : "";
  std::vector<device> made;
  if (only != "cuda") made.push_back(device::cpu());
  if (only == "cpu") return made;
  const std::vector<device> found = devices();
  const auto cuda = std::ranges::find_if(found, [](device each) { return each.is_cuda(); });
  if (cuda != found.end())
    made.push_back(*cuda);
  else
    lacks_cuda_device();
  return made;
}

}  // namespace sinter::test
