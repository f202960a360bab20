#pragma once
// Makes a call with each of its allocations refused in turn.

#include <doctest/doctest.h>

#include <sinter/runtime/call.hpp>
#include <sinter/runtime/error.hpp>

#include "../support/refuse_allocations.hpp"

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <typeinfo>

namespace sinter::test {

/// One call with one refusal.
struct refused_call {
  std::size_t nth;
  refusal how;
  bool was_refused = false;  ///< an allocation was refused, whatever became of the call
  bool has_thrown = false;

  /// Makes the call. Only a lack of memory may come out.
  void operator()(const auto& call) {
    std::string other;
    {
      const refused_allocations refused(nth, how);
      try {
        call();
      } catch (const std::bad_alloc&) {
        has_thrown = true;
      } catch (const out_of_memory&) {
        has_thrown = true;
      } catch (const std::exception& thrown) {
        const begin_end_unrefused others;
        other = std::string(typeid(thrown).name()) + ": " + thrown.what();
      }
      was_refused |= refused.happened();
    }
    CHECK(other == "");
    if (has_thrown) CHECK(was_refused);
  }

 private:
  struct begin_end_unrefused {
    begin_end_unrefused() { begin_unrefused(); }
    begin_end_unrefused(const begin_end_unrefused&) = delete;
    begin_end_unrefused& operator=(const begin_end_unrefused&) = delete;
    ~begin_end_unrefused() { end_unrefused(); }
  };
};

/// Runs `body(call)` on a new thread each time, which knows no function yet, as no other thread does: with
/// the first allocation of what it gives to `call` refused, with the second, and so on, and then again with
/// all from the first, the second … on. Ends where nothing is left to refuse. With `frees_all`, what the
/// thread allocated has to be freed when it ends: not with the fake driver, which keeps streams. Returns how
/// many times a call was refused.
template <class Body>
std::size_t refuse_each_allocation(const Body& body, bool frees_all = true) {
  std::size_t refusals = 0;
  for (const refusal how : {refusal::once, refusal::from_then_on}) {
    // The first time nothing is refused: what the process keeps for ever is made then.
    bool is_done = false;
    for (std::size_t nth = 0; !is_done && nth < 5000; ++nth) {
      runtime::set_function_capacity(0);  // forgets all
      const std::int64_t live = live_allocations();
      std::thread([&] {
        CAPTURE(nth);
        CAPTURE(static_cast<int>(how));
        refused_call call{nth, how};
        body(call);
        is_done = nth > 0 && !call.was_refused;
        refusals += call.was_refused ? 1 : 0;
      }).join();
      runtime::set_function_capacity(0);
      CAPTURE(nth);
      if (nth > 0 && frees_all) CHECK(live_allocations() <= live);
    }
    CHECK(is_done);
  }
  runtime::set_function_capacity(4096);
  return refusals;
}

}  // namespace sinter::test
