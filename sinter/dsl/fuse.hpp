#pragma once
// fuse: turns a callable into one kernel.
//
// Threads: any number of threads may call a function at once if they may call the callable; a target is one
// call's meanwhile.
// Throws: shape_error, type_error, device_error, out_of_memory, compile_error, execution_error, index_error
// on the CPU, error where SINTER_CHECK finds state, and what the callable throws while it is recorded. An
// index out of range or a fault on a GPU is thrown later, by what waits for the stream (runtime/stream.hpp).
// After a failure: before the first kernel runs, operands and targets are as they were. Once kernels run
// (index_error, a launch that fails, std::bad_alloc while the CPU sorts), the targets of into() are
// unspecified, and a call without into() returns nothing. Kernels that were compiled stay in the caches.

#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/dsl/calls/enter_call.hpp>
#include <sinter/dsl/calls/tunable.hpp>
#include <sinter/dsl/detail/argument.hpp>
#include <sinter/dsl/detail/described_arguments.hpp>
#include <sinter/dsl/detail/listed_functions.hpp>
#include <sinter/dsl/messages/check_arguments.hpp>
#include <sinter/dsl/messages/check_callable.hpp>
#include <sinter/runtime/environment.hpp>

#include <string_view>

namespace sinter::inline v0 {

template <class Held, class... Targets>
class fused_call;
template <class F>
class fused;

namespace detail {

struct step_recorder;

template <class Held, class Targets>
struct call_into_targets;
template <class Held, class... Views>
struct call_into_targets<Held, std::tuple<Views...>> {
  using type = fused_call<Held, Views...>;
};

/// `Given` are the targets' types with references: a temporary array is no target.
template <class Held, class... Given, class From, class... Operands>
auto call_into(From&& callable, const call_settings& settings, Operands&... targets) {
  static_assert(((!is_array<std::remove_cvref_t<Given>> || std::is_lvalue_reference_v<Given>) && ...),
                "into: a temporary array is gone after the call: name the array that takes the result");
  using call = typename call_into_targets<Held, decltype(all_targets_of(targets...))>::type;
  return call(std::forward<From>(callable), settings, [&] { return all_targets_of(targets...); });
}

/// Leaves a note in the binary that the callable is used in this mode.
template <class F>
[[gnu::visibility("hidden")]] void note_strict() {
#if SINTER_NOTES
  if constexpr (is_stateless<F>)
    asm volatile(SINTER_NOTE("2", "1", "%c0 - .")::SINTER_SYMBOL(&callable_mark<F>::here));
#endif
}
template <class F>
[[gnu::visibility("hidden")]] void note_fast() {
#if SINTER_NOTES
  if constexpr (is_stateless<F>)
    asm volatile(SINTER_NOTE("2", "2", "%c0 - .")::SINTER_SYMBOL(&callable_mark<F>::here));
#endif
}

}  // namespace detail

/// The folder below which explain() writes what each step of the pass made.
struct dump_to {
  explicit dump_to(std::string name) : folder(std::move(name)) {}
  std::string folder;
};

/// A call of a fused function with its options: where results go, on which stream, with which workspace and
/// schedule. `Held` is `const F&` for a call of a named function, which must outlive it, and F for a call of
/// a temporary function, which it keeps. Streams, resources and results must outlive it.
template <class Held, class... Targets>
class SINTER_RESULT fused_call : public detail::tunable<fused_call<Held, Targets...>> {
  using F = std::remove_cvref_t<Held>;

 public:
  template <class From>
  fused_call(From&& callable, const detail::call_settings& settings)
      : callable_(std::forward<From>(callable)), settings_(settings) {}
  /// `targets` makes the targets in place: each copy of a view counts a reference to its record.
  template <class From, class Make>
  fused_call(From&& callable, const detail::call_settings& settings, const Make& targets)
      : callable_(std::forward<From>(callable)), settings_(settings), targets_(targets()) {}

#define SINTER_CALL_OPTION(signature, ...)            \
  fused_call signature const& {                       \
    fused_call made = *this;                          \
    detail::call_settings& settings = made.settings_; \
    __VA_ARGS__;                                      \
    return made;                                      \
  }                                                   \
  fused_call signature&& {                            \
    detail::call_settings& settings = settings_;      \
    __VA_ARGS__;                                      \
    return std::move(*this);                          \
  }
  /// Runs on this stream instead of the device's default stream.
  SINTER_CALL_OPTION(on(const stream& order), settings.on = &order)
  /// Waits for no work on other streams: you have ordered the stream after all that uses the same memory.
  SINTER_CALL_OPTION(assume_ordered(), settings.assume_ordered = true)
  /// Uses this device memory instead of allocating a workspace; workspace_bytes(arguments…) gives the size.
  SINTER_CALL_OPTION(workspace(std::span<std::byte> memory), settings.workspace = memory)
  /// Takes results and workspace from this resource instead of the device's. Results keep it.
  SINTER_CALL_OPTION(memory(const memory_resource& from), settings.memory = &from)
  /// Runs in this environment (sinter/environment.hpp): its memory, log, compile policy, cache and threads.
  SINTER_CALL_OPTION(in(const environment& inside), settings.in = &inside)
  void in(environment&&) const = delete;  // it is gone after the statement: name it
  /// Uses this schedule instead of the one that the lowering pass chooses.
  SINTER_CALL_OPTION(with(const schedule& forced), settings.forced = forced, settings.is_forced = true)
  /// Uses shape-generic kernels, which serve any extents and strides, instead of kernels specialised for
  /// these arguments. They are slower. A call falls back to them where its own kernel is not in the cache and
  /// there is no compiler; `f.general().prepare(arguments…)` compiles them, once for all arguments of these
  /// types and ranks. Throws shape_error where a value of more than eight axes is computed, and type_error
  /// together with with(schedule).
  SINTER_CALL_OPTION(general(), settings.variant = lowering_variant::shape_generic)
#undef SINTER_CALL_OPTION
  /// Writes the results to arrays, views or structs of them instead of allocating. The call checks extents
  /// (shape_error).
  template <class... Operands>
  auto into(Operands&&... targets) const& {
    return detail::call_into<Held, Operands...>(callable_, settings_, targets...);
  }
  template <class... Operands>
  auto into(Operands&&... targets) && {
    return detail::call_into<Held, Operands...>(static_cast<Held&&>(callable_), settings_, targets...);
  }

  /// Runs the function. Returns an array for each value that the function returns (in a std::tuple, std::pair
  /// or Hana struct as the function does), or nothing after into(…). With a value among the arguments, the
  /// function becomes part of the one being recorded. Throws shape_error, type_error, device_error,
  /// out_of_memory, compile_error, execution_error.
  template <class... Arguments>
  [[nodiscard]] auto operator()(Arguments&&... arguments) const {
    return detail::call_function(callable_, settings_, targets_, arguments...);
  }

  /// Compiles and loads the kernels of the call, and launches nothing. Reads only the layouts of the
  /// arguments. With described<T, Rank>({extents…}) among the arguments, whose extents may be ranges, it
  /// prepares the kernels for all these extents, so that no call with them compiles.
  template <class... Arguments>
  void prepare(Arguments&&... arguments) const {
    prepared_with(&detail::prepare, &detail::prepare_ranges, arguments...);
  }
  /// The same in the background, on Sinter's own threads (set_compile_threads()). The function is recorded,
  /// and layouts and scalars are copied, before this returns, so the arguments need not live on; errors in
  /// them are thrown at once. A call that needs a kernel that is being prepared waits for that compile.
  template <class... Arguments>
  preparation prepare_async(Arguments&&... arguments) const {
    return prepared_with(&detail::prepare_async, &detail::prepare_ranges_async, arguments...);
  }
  /// Text: the graph, the stages, schedules, launch configuration, bytes moved and where the code came from.
  /// As prepare() it reads only layouts, and takes described<T, Rank>({extents…}), here with numbers alone
  /// (shape_error), beside arrays, views and numbers.
  template <class... Arguments>
  [[nodiscard]] std::string explain(Arguments&&... arguments) const {
    return told(&detail::explain, "", "", arguments...);
  }
  /// The same, and writes what each step of the pass made to files: `f.explain(dump_to("folder"), x)`.
  /// Setting SINTER_DUMP does so for every call that is lowered. The files are listed in
  /// docs/architecture.md.
  template <class... Arguments>
  [[nodiscard]] std::string explain(dump_to dump, Arguments&&... arguments) const {
    return told(&detail::explain, "", dump.folder, arguments...);
  }
  /// The same for a GPU that need not be here: `f.explain(gpu_model("H200"), described<float, 1>({1 <<
  /// 20}))`. NVRTC compiles for it and tells of registers. The devices of the arguments are not looked at.
  /// Throws device_error for a name that is none of a known model.
  template <class... Arguments>
  [[nodiscard]] std::string explain(gpu_model model, Arguments&&... arguments) const {
    return told(&detail::explain, model.name, "", arguments...);
  }
  /// The exact text that is compiled for these arguments, which may be descriptions, as for explain().
  template <class... Arguments>
  [[nodiscard]] std::string source(Arguments&&... arguments) const {
    return told(&detail::source, "", "", arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::string source(gpu_model model, Arguments&&... arguments) const {
    return told(&detail::source, model.name, "", arguments...);
  }
  /// The PTX that NVRTC makes of source(); arguments as for explain(). Throws device_error where NVRTC is
  /// missing, and on the CPU, which has no PTX: there ask for assembly().
  template <class... Arguments>
  [[nodiscard]] std::string ptx(Arguments&&... arguments) const {
    return told(&detail::ptx, "", "", arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::string ptx(gpu_model model, Arguments&&... arguments) const {
    return told(&detail::ptx, model.name, "", arguments...);
  }
  /// The kernels' machine code as text; arguments as for explain(). On a GPU that is SASS, which nvdisasm or
  /// cuobjdump of the CUDA toolkit prints, from PATH or /usr/local/cuda/bin; on the CPU it is the assembly
  /// that Sinter's compiler writes. Compiles kernels that are in no cache. Throws device_error that names
  /// what is missing, and where NVRTC is too old to know the GPU: its kernel is PTX then.
  template <class... Arguments>
  [[nodiscard]] std::string assembly(Arguments&&... arguments) const {
    return told(&detail::assembly, "", "", arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::string assembly(gpu_model model, Arguments&&... arguments) const {
    return told(&detail::assembly, model.name, "", arguments...);
  }
  /// The shapes that the results of a call would have: a shape, or a tuple or struct of shapes as the
  /// function returns values. Compiles and launches nothing; takes descriptions, as explain() does. Throws
  /// shape_error where a call would.
  template <class... Arguments>
  [[nodiscard]] auto result_shapes(Arguments&&... arguments) const {
    if constexpr (checked<detail::described_operand<Arguments>...>()) {
      using result = detail::result_of<F, detail::parameter_type<detail::described_operand<Arguments>>...>;
      std::int64_t extents[detail::count_axes<result>() + 1];
      const detail::gathered_ranges<Arguments...> ranges(arguments...);
      enter([&](const detail::call_site& site) { detail::result_extents(site, ranges.of_operands, extents); },
            detail::held_or_least(arguments)...);
      detail::shape_maker maker{extents};
      return maker.template make<result>();
    }
  }
  /// How much memory workspace(…) must hold for these arguments.
  template <class... Arguments>
  [[nodiscard]] std::size_t workspace_bytes(Arguments&&... arguments) const {
    if constexpr (checked<Arguments...>()) return enter(&detail::workspace_bytes, detail::held(arguments)...);
  }

 private:
  friend struct detail::step_recorder;  // keeps the call instead of running it (sinter/sequence.hpp)
  friend struct detail::tunable<fused_call>;
  template <class>
  friend class fused;

  template <class... Arguments>
  tuning_report tuned(const tune_options& options, const Arguments&... arguments) const {
    if constexpr (checked<Arguments...>())
      return enter([&](const detail::call_site& site) { return detail::tune(site, options); },
                   detail::held(arguments)...);
  }

  /// Passes the arguments to `Plain`, or to `Ranges` if there are descriptions among them.
  template <class Plain, class Ranges, class... Arguments>
  auto prepared_with(const Plain& plain, const Ranges& of_ranges, Arguments&... arguments) const {
    using prepared = decltype(plain(std::declval<const detail::call_site&>()));
    if constexpr (!checked<detail::described_operand<Arguments>...>()) {
      return prepared();
    } else if constexpr ((detail::is_described<Arguments> || ...)) {
      const detail::gathered_ranges<Arguments...> ranges(arguments...);
      const std::span<const std::span<const runtime::axis_range>> all(ranges.of_operands);
      return enter([&](const detail::call_site& site) { return of_ranges(site, all); },
                   detail::held_or_least(arguments)...);
    } else {
      return enter(plain, detail::held(arguments)...);
    }
  }

  /// What `tell` says of a call on a GPU of this model, or, without one, on the arguments' device.
  template <class Tell, class... Arguments>
  std::string told(const Tell& tell, const std::string& model, const std::string& dump,
                   const Arguments&... arguments) const {
    if constexpr (checked<detail::described_operand<Arguments>...>()) {
      const detail::gathered_ranges<Arguments...> ranges(arguments...);
      return enter(
          [&](const detail::call_site& site) {
            return tell(site, {.ranges = ranges.of_operands, .model = model, .dump = dump});
          },
          detail::held_or_least(arguments)...);
    }
  }

  template <class... Arguments>
  static constexpr bool checked() {
    constexpr detail::leaf_counts leaves = detail::count_leaves<Arguments...>();
    if constexpr (leaves.others != 0)
      static_assert(detail::explain_no_operand<Arguments...>(),
                    "a fused function takes arrays, views, expressions and numbers" SINTER_FOREIGN_TENSORS);
    static_assert(
        leaves.others != 0 || leaves.values == 0,
        "a fused function takes arrays, views, expressions and numbers: values exist only inside it");
    if constexpr (leaves.others + leaves.values == 0) {
      if constexpr (detail::check_callable<F, detail::parameter_type<Arguments>...>())
        return detail::check_result<detail::result_of<F, detail::parameter_type<Arguments>...>>();
    }
    return false;
  }

  template <class Use, class... Arguments>
  auto enter(const Use& use, const Arguments&... arguments) const {
    return detail::enter(callable_, settings_, targets_, use, arguments...);
  }

  Held callable_;
  detail::call_settings settings_;
  std::tuple<Targets...> targets_;
};

/// A callable as one kernel. Calling it with arrays, views and numbers runs it; calling it with values,
/// inside another fused function, makes it part of that function. Threads may use it concurrently if they may
/// use the callable concurrently. Options of a named function borrow it, those of a temporary one keep it.
template <class F>
class SINTER_RESULT fused : public detail::tunable<fused<F>> {
 public:
  fused(F&& callable, const char* name, const detail::location& at) : callable_(static_cast<F&&>(callable)) {
    settings_.name = name;
    settings_.defined_at = at;
  }

  template <class... Arguments>
  [[nodiscard]] auto operator()(Arguments&&... arguments) const {
    return detail::call_function(callable_, settings_, std::tuple<>(), arguments...);
  }
  template <class... Operands>
  auto into(Operands&&... targets) const& {
    return detail::call_into<const F&, Operands...>(callable_, settings_, targets...);
  }
  template <class... Operands>
  auto into(Operands&&... targets) && {
    return detail::call_into<F, Operands...>(std::move(callable_), settings_, targets...);
  }
#define SINTER_FUNCTION_OPTION(signature, option)                 \
  fused_call<const F&> signature const& { return call().option; } \
  fused_call<F> signature&& { return std::move(*this).kept().option; }
  SINTER_FUNCTION_OPTION(on(const stream& order), on(order))
  SINTER_FUNCTION_OPTION(assume_ordered(), assume_ordered())
  SINTER_FUNCTION_OPTION(workspace(std::span<std::byte> memory), workspace(memory))
  SINTER_FUNCTION_OPTION(memory(const memory_resource& from), memory(from))
  SINTER_FUNCTION_OPTION(in(const environment& inside), in(inside))
  void in(environment&&) const = delete;  // it is gone after the statement: name it
  SINTER_FUNCTION_OPTION(with(const schedule& forced), with(forced))
  SINTER_FUNCTION_OPTION(general(), general())
#undef SINTER_FUNCTION_OPTION
  template <class... Arguments>
  void prepare(Arguments&&... arguments) const {
    call().prepare(arguments...);
  }
  template <class... Arguments>
  preparation prepare_async(Arguments&&... arguments) const {
    return call().prepare_async(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::string explain(Arguments&&... arguments) const {
    return call().explain(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::string source(Arguments&&... arguments) const {
    return call().source(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::string ptx(Arguments&&... arguments) const {
    return call().ptx(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::string assembly(Arguments&&... arguments) const {
    return call().assembly(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] auto result_shapes(Arguments&&... arguments) const {
    return call().result_shapes(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] std::size_t workspace_bytes(Arguments&&... arguments) const {
    return call().workspace_bytes(arguments...);
  }

  /// The same function with every operation rounded to its own type and no fused multiply-add.
  fused strict() const {
    detail::note_strict<F>();
    return in_mode(arithmetic_mode::strict);
  }
  /// The same function with approximate division, square roots and functions.
  fused fast() const {
    detail::note_fast<F>();
    return in_mode(arithmetic_mode::fast);
  }

 private:
  friend struct detail::tunable<fused>;

  fused_call<const F&> call() const { return {callable_, settings_}; }
  template <class... Arguments>
  tuning_report tuned(const tune_options& options, const Arguments&... arguments) const {
    return call().tuned(options, arguments...);
  }
  fused_call<F> kept() && { return {std::move(callable_), settings_}; }
  fused in_mode(arithmetic_mode mode) const {
    fused made = *this;
    made.settings_.mode = mode;
    return made;
  }

  F callable_;
  detail::call_settings settings_;
};

/// Turns a callable into one kernel: a lambda with auto or value<T, Rank> parameters, a functor or a function
/// pointer.
template <class F>
fused<F> fuse(F callable, std::source_location at = std::source_location::current()) {
  return {static_cast<F&&>(callable), nullptr, at};
}
/// The same under a name, which is the kernel's name in profilers.
template <class F>
fused<F> fuse(std::string_view name, F callable, std::source_location at = std::source_location::current()) {
  return {static_cast<F&&>(callable), detail::intern_name(name), at};
}

}  // namespace sinter::inline v0

#undef SINTER_FOREIGN_TENSORS
#undef SINTER_NOTE
#undef SINTER_NOTES
#undef SINTER_SYMBOL
