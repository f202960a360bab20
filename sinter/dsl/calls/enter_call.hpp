#pragma once
// What a call of a fused function does: it checks the arguments' types, gathers them, and hands the call,
// with the body that records it, to the compiled part of the library. Free functions, which a call
// instantiates without the class of a call that has options.

#include <sinter/dsl/calls/prepared_call.hpp>
#include <sinter/dsl/detail/argument.hpp>
#include <sinter/dsl/detail/listed_functions.hpp>
#include <sinter/dsl/messages/check_arguments.hpp>
#include <sinter/dsl/messages/check_callable.hpp>
#include <sinter/runtime/environment.hpp>

#include <optional>
#include <tuple>

namespace sinter::inline v0::detail {

#define SINTER_FOREIGN_TENSORS                                                                          \
  "; a tensor of another library becomes one by foreign_tensor<T> or a function as_view(x) beside its " \
  "type, "                                                                                              \
  "one whose element type is known at run time by as_view<T, Rank>(x)"

/// Recorded once per argument types: its results cannot depend on anything but its arguments.
template <class F>
inline constexpr bool is_stateless = std::is_empty_v<F> && requires { F(); };

/// One per shared library, callable type and parameter types: hidden, so that unloading a library unloads its
/// slots.
template <class F, class... Parameters>
struct [[gnu::visibility("hidden")]] function_slot {
  static inline slot known;
};

/// Calls with lvalues, which are made in the order of the parameters.
template <class F, class Result, class... Parameters>
struct invocation {
  Result result;
  invocation(const F& callable, Parameters... parameters) : result(callable(parameters...)) {}
};

template <class F, class... Parameters>
using result_of = std::remove_cvref_t<decltype(std::declval<const F&>()(std::declval<Parameters&>()...))>;

/// Body of a recording: arguments are declared as inputs and parameters.
template <class F, class... Arguments>
[[gnu::visibility("hidden")]] void record_declared(const void* context) {
#if SINTER_NOTES
  if constexpr (is_stateless<F>) {
    asm volatile(SINTER_NOTE("1", "%c0 - .", "%c1 - .")::SINTER_SYMBOL(&record_declared<F, Arguments...>),
                 SINTER_SYMBOL(&callable_mark<F>::here));
  }
#endif
  declared_leaves<Arguments...> leaves;
  const invocation<F, result_of<F, parameter_type<Arguments>...>, parameter_type<Arguments>...> made{
      *static_cast<const F*>(context), leaves.maker.template make<Arguments>()...};
  record_results(made.result);
}

/// The call of one function inside the recording of another, or with expressions as arguments.
template <class F, class... Arguments>
auto record_inlined(const F& callable, const Arguments&... arguments) {
  const inlined_call guard(is_stateless<F>);
  recorded_leaves<Arguments...> leaves(arguments...);
  invocation<F, result_of<F, parameter_type<Arguments>...>, parameter_type<Arguments>...> made{
      callable, leaves.maker.template make<Arguments>()...};
  return std::move(made.result);
}

template <class Result>
typename array_of<Result>::type run_for_arrays(const call_site& site) {
  runtime::result made[count_leaves<Result>().all()];
  run(site, {}, made);
  result_maker maker{made};
  return maker.template make<Result>();
}

/// Calls `use` with the call. A tuple of targets is part of it in every use: it may need a temporary for
/// them.
template <class Use, class... Targets>
auto use_call(const Use& use, call_site& site, const std::tuple<Targets...>& targets) {
  if constexpr (sizeof...(Targets) == 0) {
    return use(site);
  } else {
    return std::apply(
        [&](const auto&... views) {
          const runtime::operand into[] = {views.erased()...};
          site.into = into;
          return use(site);
        },
        targets);
  }
}

/// Passes a call to the compiled part of the library.
template <class F, class Targets, class Use, class... Arguments>
auto enter(const F& callable, const call_settings& settings, const Targets& targets, const Use& use,
           const Arguments&... arguments) {
  std::optional<environment_scope> scope;
  if (settings.in != nullptr) scope.emplace(*settings.in);
  prepared_call<Arguments...> call(settings, arguments...);
  if constexpr (call.leaves.lazies != 0) {
    // expressions are recorded into the call: one kernel, whose operands are found while recording
    const auto body = [&] { record_results(record_inlined(callable, arguments...)); };
    call.site.body = [](const void* context) { (*static_cast<const decltype(body)*>(context))(); };
    call.site.context = &body;
    call.site.operands = {};
    call.site.scalars = {};
    return use_call(use, call.site, targets);  // as long as there is `body`
  } else {
    if constexpr (is_stateless<F>) {
      call.site.kind = recorded_as::stateless;
      call.site.known = &function_slot<F, parameter_type<Arguments>...>::known;
    }
    call.site.body = &record_declared<F, Arguments...>;
    call.site.context = &callable;
    return use_call(use, call.site, targets);
  }
}

/// Runs a function: fused_call::operator().
template <class F, class... Targets, class... Arguments>
auto call_function(const F& callable, const call_settings& settings, const std::tuple<Targets...>& targets,
                   Arguments&&... arguments) {
  constexpr leaf_counts leaves = count_leaves<Arguments...>();
  if constexpr (leaves.others != 0) {
    static_assert(
        explain_no_operand<Arguments...>(),
        "a fused function takes arrays, views, expressions, numbers and values" SINTER_FOREIGN_TENSORS);
    return;
  } else if constexpr (leaves.values != 0) {
    static_assert(sizeof...(Targets) == 0,
                  "a call on values is part of the kernel being recorded: it has no into");
    if constexpr (check_callable<F, parameter_type<Arguments>...>()) {
      return record_inlined(callable, arguments...);
    }
  } else if constexpr (check_callable<F, parameter_type<Arguments>...>()) {
    using result = result_of<F, parameter_type<Arguments>...>;
    if constexpr (check_result<result>()) {
      if constexpr (sizeof...(Targets) == 0) {
        return enter(callable, settings, targets, &run_for_arrays<result>, held(arguments)...);
      } else if constexpr (check_targets(leaf_types<result>(), type_list<Targets...>())) {
        enter(
            callable, settings, targets, [](const call_site& site) { run(site, site.into, {}); },
            held(arguments)...);
      }
    }
  }
}

}  // namespace sinter::inline v0::detail
