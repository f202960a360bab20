#pragma once
// record_use and wait_for_use: how kernels of a program's own share arrays with fused functions across
// streams.
//
// Threads: any thread may call these at any time.
// Throws: device_error where a stream is captured and cannot wait, or the driver refuses.
// After a failure: no use is noted, and elements are as they were; waits that were queued stay.

#include <sinter/dsl/any_array.hpp>
#include <sinter/dsl/array.hpp>
#include <sinter/runtime/memory_order.hpp>

namespace sinter::inline v0 {

namespace detail {
template <class Operand>
inline constexpr bool writes_elements =
    !std::is_const_v<typename decltype(view{borrow(std::declval<Operand>())})::value_type>;
}  // namespace detail

/// Tells that work of your own, which is queued on `on`, uses the elements: reads them if they are const, and
/// writes them too if not. Later calls on other streams that share the memory wait for it, and the memory
/// goes back after it. While `on` is being captured, the graph keeps the memory. A view made from a raw
/// pointer has no record: nothing is noted.
template <class Operand>
  requires(detail::kind_of_operand<Operand> == detail::operand_kind::array)
void record_use(Operand&& elements, const stream& on) {
  runtime::note_use(detail::borrow(elements).erased().record, detail::writes_elements<Operand&>, on);
}

/// Makes `on` wait, on the device, for the work on other streams that your own work on the elements must come
/// after: for the last write, and if they are not const for the reads since then. Call it before your work is
/// queued, and record_use after.
template <class Operand>
  requires(detail::kind_of_operand<Operand> == detail::operand_kind::array)
void wait_for_use(Operand&& elements, const stream& on) {
  runtime::wait_for_use(detail::borrow(elements).erased().record, detail::writes_elements<Operand&>, on);
}

/// The same for elements whose type is known at run time: they are written too unless they are read only.
inline void record_use(const any_view& elements, const stream& on) {
  runtime::note_use(elements.record().get(), !elements.read_only(), on);
}
inline void wait_for_use(const any_view& elements, const stream& on) {
  runtime::wait_for_use(elements.record().get(), !elements.read_only(), on);
}
inline void record_use(const any_array& elements, const stream& on) { record_use(elements.view(), on); }
inline void wait_for_use(const any_array& elements, const stream& on) { wait_for_use(elements.view(), on); }

}  // namespace sinter::inline v0
