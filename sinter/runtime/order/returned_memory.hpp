#pragma once
// How memory goes back to its resource: after the work that uses it, in the order of a stream.

#include <sinter/runtime/order/allocation_record.hpp>

#include <atomic>

namespace sinter::inline v0::runtime {

/// Gives back memory without owners, and drops their reference to the record. It goes back on the stream it
/// was allocated on, after that stream has waited for the others that use it. The built-in resource gets it
/// on the stream that uses it last, if there is one that comes after all others, and else on a stream of the
/// library's own: no other stream waits then. While a stream that uses it is captured, or there is no host
/// memory for this, it is kept.
void give_back(allocation_record& record) noexcept;

/// Lets the next give_back_waiting() drop the owner. Calls nothing, so a callback of CUDA may.
void drop_later(waiting_owner& owner) noexcept;

namespace detail {
extern std::atomic<waiting_owner*> waiting_owners;
void give_back_waiting() noexcept;
}  // namespace detail

/// Gives back what was kept until now, what graphs have let go, and other libraries' memory whose work
/// is done. Costs one load if there is none.
inline void give_back_waiting() noexcept {
  if (detail::waiting_owners.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    detail::give_back_waiting();
}

}  // namespace sinter::inline v0::runtime
