#include "evaluator.hpp"

#include "errors.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/runtime/dispatch/prepare_async.hpp>

#include <mutex>
#include <type_traits>

namespace tensors {
namespace {

namespace core = sinter::runtime;

/// The types of the arguments, as a key: names with their lengths, element types, ranks.
std::string key_of(const arguments& named) {
  std::string key;
  for (const auto& [text, value] : named) {
    const tensor* const elements = value.elements();
    key += std::to_string(text.size()) + ' ' + text;
    key += elements != nullptr ? ':' : '=';
    key += static_cast<char>(
        'a' + static_cast<int>(elements != nullptr ? elements->type() : type_of(value.scalar())));
    if (elements != nullptr) key += std::to_string(elements->shape().size());
    key += ' ';
  }
  return key;
}

/// Adds the types of the arguments that occur in an expression.
void add_names(const expression& from, const arguments& named, name_types& to) {
  if (const auto* const found = std::get_if<name>(&from.what)) {
    const auto value = named.find(found->text);
    if (value == named.end()) return;
    if (const tensor* const elements = value->second.elements())
      to[found->text] = {elements->type(), static_cast<std::uint8_t>(elements->shape().size()), false};
    else
      to[found->text] = {type_of(value->second.scalar()), 0, true};
  }
  if (const auto* const call = std::get_if<application>(&from.what))
    for (const expression& each : call->arguments) add_names(each, named, to);
}

/// What a call gives to Sinter.
struct call_lists {
  std::vector<core::operand> operands;
  std::vector<core::scalar> scalars;
  core::call_options options;

  call_lists(const compiled_formula& called, const arguments& named, const queue& on) {
    for (const std::string& each : called.tensors)
      operands.push_back(named.find(each)->second.elements()->operand());
    for (const auto& each : called.scalars) {
      const auto* const text = std::get_if<std::string>(&each);
      scalars.push_back(text != nullptr ? bits_of(named.find(*text)->second.scalar())
                                        : std::get<core::scalar>(each));
    }
    options.on = &on.order();
    options.memory = &on.memory();
  }
};

/// Where in the formula the shapes of a call do not fit: the position of the first node whose shape cannot be
/// computed. Sinter's error names the operation, which may occur several times.
std::size_t position_of_fault(const compiled_formula& called, const call_lists& lists) {
  std::vector<sinter::array_layout> layouts;
  for (const core::operand& each : lists.operands)
    layouts.push_back({each.type, each.rank, each.extents, each.strides});
  const sinter::graph& whole = core::recorded_graph(called.function);
  sinter::graph part = whole;
  part.nodes.clear();
  sinter::shape_table shapes;
  for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
    part.nodes.push_back(whole.nodes[i]);
    try {
      sinter::infer_shapes(part, layouts, lists.scalars, shapes);
    } catch (const sinter::shape_error&) {
      return called.positions[i];
    }
  }
  return 0;
}

}  // namespace

// Readers share the lock: a text and types that were seen take one look into two maps.
std::shared_ptr<const compiled_formula> evaluator::find(std::string_view formula, const arguments& named) {
  const std::string key = key_of(named);
  {
    const std::shared_lock lock(guard_);
    const auto parsed = formulas_.find(formula);
    if (parsed != formulas_.end()) {
      const auto found = parsed->second.by_types.find(key);
      if (found != parsed->second.by_types.end()) return found->second;
    }
  }
  const std::unique_lock lock(guard_);
  auto parsed = formulas_.find(formula);
  if (parsed == formulas_.end())
    parsed = formulas_.emplace(std::string(formula), parsed_formula{parse(formula), {}}).first;
  name_types names;
  add_names(parsed->second.root, named, names);
  auto made = std::make_shared<compiled_formula>(compile(formula, parsed->second.root, names, how_));
  return parsed->second.by_types.emplace(key, std::move(made)).first->second;  // or another thread's
}

template <class Call>
auto evaluator::run(std::string_view formula, const arguments& named, const queue& on, const Call& call) {
  const std::shared_ptr<const compiled_formula> called = find(formula, named);
  const call_lists lists(*called, named, on);
  try {
    return call(called->function, lists);
  } catch (const sinter::shape_error&) {
    rethrow(formula, position_of_fault(*called, lists));
  } catch (const sinter::error&) {
    rethrow(formula, 0);
  }
}

tensor evaluator::operator()(std::string_view formula, const arguments& named, const queue& on) {
  return run(formula, named, on, [](const core::function_handle& function, const call_lists& lists) {
    core::result made;
    core::call(function, lists.operands, lists.scalars, {}, {&made, 1}, lists.options);
    return tensor(std::move(made));
  });
}

void evaluator::into(const tensor& result, std::string_view formula, const arguments& named,
                     const queue& on) {
  run(formula, named, on, [&](const core::function_handle& function, const call_lists& lists) {
    const core::operand target = result.operand();
    core::call(function, lists.operands, lists.scalars, {&target, 1}, {}, lists.options);
  });
}

void evaluator::prepare(std::string_view formula, const arguments& named, const queue& on,
                        const tensor* result) {
  run(formula, named, on, [&](const core::function_handle& function, const call_lists& lists) {
    std::vector<core::operand> into;
    if (result != nullptr) into.push_back(result->operand());
    core::prepare(function, lists.operands, lists.scalars, lists.options, into);
  });
}

sinter::preparation evaluator::prepare_async(std::string_view formula, const arguments& named,
                                             const queue& on) {
  return run(formula, named, on, [](const core::function_handle& function, const call_lists& lists) {
    return core::prepare_async(function, lists.operands, lists.scalars, lists.options);
  });
}

std::size_t evaluator::function_count() const {
  const std::shared_lock lock(guard_);
  std::size_t count = 0;
  for (const auto& [formula, parsed] : formulas_) count += parsed.by_types.size();
  return count;
}

}  // namespace tensors
