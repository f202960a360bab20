#pragma once
// Records callables without calling them: the graphs of functions with bodies, and what the reference
// interpreter computes with them.

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>

namespace bodies_test {

using namespace sinter;

using floats = value<float, 1>;
using numbers = std::vector<float>;
template <class T, unsigned Rank, class Value>
constexpr bool is_value = std::is_same_v<std::remove_cvref_t<Value>, value<T, Rank>>;

inline array<float, 1> made_row(const numbers& from) { return array<float, 1>::from(from, {from.size()}); }

struct recorded_function {
  graph made;
  std::vector<runtime::scalar> scalars;
  bool stateful = false;
};

/// Records a callable on values of these types, and gives the recording to `use`.
template <class... Arguments, class F, class Use>
auto with_recording(const F& callable, bool literals, bool follows, const Use& use) {
  detail::call_site site;
  const auto body = [&] {
    const detail::invocation<F, detail::result_of<F, Arguments...>, Arguments...> made{
        callable, Arguments(detail::declare_input(detail::operand_info<Arguments>::type.type,
                                                  detail::operand_info<Arguments>::rank))...};
    detail::record_results(made.result);
  };
  site.body = [](const void* context) { (*static_cast<const decltype(body)*>(context))(); };
  site.context = &body;
  detail::frame at(site, literals, follows);
  site.body(site.context);
  return use(*at);
}
template <class... Arguments, class F>
recorded_function record_on(const F& callable, bool literals = false) {
  return with_recording<Arguments...>(callable, literals, false, [](detail::recording& at) {
    return recorded_function{at.steps.builder().recorded(), at.scalars, at.stateful};
  });
}
/// The same along the last recording of the callable.
template <class... Arguments, class F>
recorded_function record_again(const F& callable) {
  return with_recording<Arguments...>(callable, false, true, [](detail::recording& at) {
    return recorded_function{runtime::recorded_graph(at.steps.finish()), at.scalars, at.stateful};
  });
}

template <class>
using row_of = floats;
/// The first result of a callable on rows of floats, by the reference interpreter.
template <class F, class... Rows>
std::vector<double> interpreted(const F& callable, const Rows&... rows) {
  const recorded_function recorded = record_on<row_of<Rows>...>(callable);
  std::vector<reference_array> results;
  const auto loaded = [](const numbers& row) {
    const auto extent = static_cast<std::int64_t>(row.size());
    return load_reference(element_type::float32, std::span(&extent, 1), row.data());
  };
  const reference_array inputs[] = {loaded(rows)...};
  interpret(recorded.made, inputs, recorded.scalars, results);
  std::vector<double> elements;
  for (std::size_t i = 0; i < results.front().size(); ++i) {
    const reference_value element = results.front().at(i);
    elements.push_back(is_floating(results.front().type)
                           ? static_cast<double>(element.real)
                           : static_cast<double>(static_cast<std::int64_t>(element.integer)));
  }
  return elements;
}
using doubles = std::vector<double>;

/// Nodes of a graph with this operation.
inline std::size_t count_of(const graph& recorded, operation op) {
  std::size_t found = 0;
  for (const node& each : recorded.nodes) found += each.op == op;
  return found;
}
inline const node& first_of(const graph& recorded, operation op) {
  for (const node& each : recorded.nodes)
    if (each.op == op) return each;
  throw std::runtime_error("there is no such node");
}
/// How many values a node with bodies captures.
inline std::size_t captured_by(const graph& recorded, const node& entry) {
  const body_layout layout = layout_of(entry.op);
  const std::size_t states = layout.has_states ? component_count(recorded, entry) : 0;
  return recorded.operands_of(entry).size() - layout.lead - states;
}

}  // namespace bodies_test
