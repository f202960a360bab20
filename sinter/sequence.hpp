#pragma once
// Calls that are recorded once and replayed together, as often as needed: on a GPU as one CUDA graph, on the
// CPU as one job. A replay looks nothing up, allocates nothing and compiles nothing.
//
//   sequence steps(device::cuda(0));
//   auto first = steps.add(f.into(y), x, 2.0f);  // compiled, not run
//   steps.add(g.into(z), y);                     // reads y: comes after the first
//   steps.run();
//   steps.change(first, other_x, 3.0f);          // arguments of the same types and layouts
//   steps.run();
//
// - Order follows from memory: a step comes after each earlier one that writes what it uses, or uses what it
//   writes. Other steps may run side by side.
// - A replay does what the calls would do one after the other, with the same bits. Functions with state are
//   recorded when the step is added.
// - On the CPU run() uses the threads of the environment that is its caller's, whatever environment a step's
//   function was given by in().
// - The sequence keeps the memory of GPU arrays, so that they may be gone before it. On the CPU arrays and
//   views, and on both what raw pointers and foreign tensors refer to, must outlive it or be changed for
//   others.
// - Calls on other streams that share memory with a replay wait for it, and it for them, as for any call.
// - One thread at a time uses a sequence. An exception from add() or change() leaves it as it was.
//
// Threads: one thread at a time uses a sequence; different sequences are independent.
// Throws: add() what prepare() throws (dsl/fuse.hpp); change() shape_error, type_error, device_error and
// error; run() device_error, out_of_memory, execution_error, and on the CPU index_error; all of them error
// after a move.
// After a failure: add() and change() leave the sequence as it was. run() keeps all steps: with index_error
// all of them have run; another exception leaves targets unspecified once steps run.

#include <sinter/dsl/fuse.hpp>
#include <sinter/dsl/sequence/sequence_step.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace sinter::inline v0 {

namespace detail {

/// What a sequence reads of a call.
struct step_recorder {
  template <class Call, class... Arguments>
  static constexpr bool checked() {
    return Call::template checked<Arguments...>();
  }
  template <class Call, class... Arguments>
  static std::size_t add(runtime::call_sequence& to, const Call& call, const Arguments&... arguments) {
    return call.enter([&](const call_site& site) { return add_step(to, site, site.into); }, arguments...);
  }
};

}  // namespace detail

/// A step of a sequence, which only its own sequence changes. `Parameters` are what the function takes:
/// value<T, Rank> and structs of values.
template <class... Parameters>
class sequence_step {
 public:
  std::size_t number() const { return number_; }

 private:
  friend class sequence;
  sequence_step(std::uint64_t of, std::size_t number) : of_(of), number_(number) {}
  std::uint64_t of_;  ///< the sequence
  std::size_t number_;
};

/// Recorded calls on one device. Move-only.
class sequence {
 public:
  explicit sequence(device where = device::current_default()) : calls_(where) {}

  /// Appends a call, with places for all its results: `add(f.into(y), x, 2.0f)`. Compiles and loads its
  /// kernels and takes its workspace; runs nothing. Throws what prepare() throws, device_error for arrays on
  /// another device, and shape_error for a result that would need a temporary because it overlaps with other
  /// arrays of the call.
  template <class Held, class... Targets, class... Arguments>
  auto add(const fused_call<Held, Targets...>& call, Arguments&&... arguments) {
    using F = std::remove_cvref_t<Held>;
    constexpr bool has_places = sizeof...(Targets) != 0;
    static_assert(has_places,
                  "a step of a sequence writes its results to arrays that are there: add(f.into(y), x)");
    constexpr bool has_no_expressions = detail::count_leaves<Arguments...>().lazies == 0;
    static_assert(
        has_no_expressions,
        "a step of a sequence takes arrays, views and numbers: write the expression in its function");
    if constexpr (has_places && has_no_expressions &&
                  detail::step_recorder::checked<fused_call<Held, Targets...>, Arguments...>()) {
      using result = detail::result_of<F, detail::parameter_type<Arguments>...>;
      if constexpr (detail::check_targets(detail::leaf_types<result>(), detail::type_list<Targets...>()))
        return sequence_step<detail::parameter_type<Arguments>...>(
            calls_.id(), detail::step_recorder::add(calls_, call, detail::held(arguments)...));
    }
  }
  template <class F, class... Arguments>
  void add(const fused<F>&, Arguments&&...) {
    static_assert(!std::is_same_v<F, F>,
                  "a step of a sequence writes its results to arrays that are there: add(f.into(y), x)");
  }

  /// Gives a step other arguments, all of them, of the types that it was added with. Its targets stay: for
  /// others add a step. Throws error for a step of another sequence. Arrays have the extents, strides and
  /// alignment (up to 16 bytes) of the step's, so that the same kernels serve (else shape_error,
  /// which names the operand). Numbers are free, except where they choose parts of arrays. On a GPU this
  /// updates the parameters of the graph's nodes, and makes the graph again only if steps have to wait for
  /// others than before. Replays that run() has queued are not affected.
  template <class... Parameters, class... Arguments>
  void change(const sequence_step<Parameters...>& step, Arguments&&... arguments) {
    constexpr bool same_count = sizeof...(Parameters) == sizeof...(Arguments);
    static_assert(same_count, "change(step, ...) takes all arguments of the step's function");
    if constexpr (same_count) {
      constexpr detail::leaf_counts leaves = detail::count_leaves<Arguments...>();
      if constexpr (leaves.others + leaves.lazies + leaves.values == 0) {
        constexpr bool same_types = (std::is_same_v<Parameters, detail::parameter_type<Arguments>> && ...);
        static_assert(same_types,
                      "change(step, ...) takes arguments of the types that the step was added with: 2.0f is "
                      "another type than 2 and 2.0");
        if constexpr (same_types) change_held(step.of_, step.number_, detail::held(arguments)...);
      } else {
        static_assert(leaves.others + leaves.lazies + leaves.values == 0,
                      "change(step, ...) takes arrays, views and numbers");
      }
    }
  }

  /// Makes what the first run() would make: on a GPU the graph.
  void prepare() { calls_.prepare(); }
  /// Runs all steps. On a GPU it queues one launch on the stream, or on the device's default stream; on the
  /// CPU it returns when they are done. Throws device_error for a stream that is being captured. Indices out
  /// of range are reported as by calls: on the CPU by run(), when all steps have run, for the first step that
  /// has some; on a GPU by the stream's synchronize(). There a run on another stream than the last one's
  /// updates the graph's node of each kernel that reports, so that two streams in turn cost more than one.
  void run(const stream& on) { calls_.run(on); }
  void run() { calls_.run(stream::default_of(calls_.where())); }

  std::size_t size() const { return calls_.size(); }
  device where() const { return calls_.where(); }
  /// Text: for each step its function, its number of kernels, and the steps that it comes after.
  [[nodiscard]] std::string explain() const { return calls_.explain(); }

 private:
  // Foreign tensors' views live until the call is changed.
  template <class... Arguments>
  void change_held(std::uint64_t of, std::size_t step, const Arguments&... arguments) {
    constexpr detail::leaf_counts leaves = detail::count_leaves<Arguments...>();
    detail::gathered_leaves<leaves.arrays, leaves.scalar_parts> gathered;
    (gathered.add(arguments), ...);
    // named, because nvcc 13.0 writes the members of this union wrongly inside of braces
    const std::span<const runtime::operand> operands(gathered.operands, leaves.arrays);
    const std::span<const runtime::scalar> scalars(gathered.scalars, leaves.scalar_parts);
    calls_.change_own(of, step, operands, scalars);
  }

  runtime::call_sequence calls_;
};

}  // namespace sinter::inline v0
