#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/shape_parameters.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/compiles/recorded_places.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/tuned/tuned_entry.hpp>

namespace sinter::inline v0::runtime {
namespace {

// Functions of equal content recorded at different locations are different functions here, so that errors
// name the right line. They share kernels, which are found by content alone. Locations are compared as bytes:
// each is a pointer to a record of the compiler's. If equal records have different addresses, there is only
// one function more.
static_assert(std::is_trivially_copyable_v<std::source_location>);

bool same_places(const graph& a, const graph& b) {
  return a.locations.size() == b.locations.size() && a.calls == b.calls &&
         std::memcmp(&a.defined_at, &b.defined_at, sizeof a.defined_at) == 0 &&
         (a.locations.empty() || std::memcmp(a.locations.data(), b.locations.data(),
                                             a.locations.size() * sizeof a.locations[0]) == 0);
}

bool is(const function& known, const graph& recorded, const graph_hash& hash) {
  return known.hash == hash && known.recorded.same_content(recorded) && same_places(known.recorded, recorded);
}

}  // namespace

// Functions by content: those with other handles, and a bounded number without.
class function_table {
  struct aged;
  using age = std::list<aged>::iterator;
  using functions = std::unordered_multimap<std::uint64_t, age>;  // by the low half of the hash
  struct aged {
    function_handle handle;
    functions::iterator at;
  };

 public:
  function_handle find_or_make(const graph& recorded, const graph_hash& hash) {
    std::list<aged> dropped;  // freed after the lock is released
    const std::lock_guard lock(guard_);
    const auto [first, last] = functions_.equal_range(hash.low);
    for (auto at = first; at != last; ++at) {
      if (!is(*at->second->handle, recorded, hash)) continue;
      ages_.splice(ages_.end(), ages_, at->second);
      return at->second->handle;
    }
    verify(recorded);  // a graph made without a builder may be malformed
    function_handle made(*new function(recorded, hash));
    made->recorded_at_place.store(places_.count(recorded, hash), std::memory_order_relaxed);
    // Out of memory, neither of the two has it.
    std::list<aged> newest;
    newest.push_back({made, {}});
    newest.back().at = functions_.emplace(hash.low, newest.begin());
    ages_.splice(ages_.end(), newest);
    // few steps, so that functions with other handles cost little
    for (int looked_at = 0; looked_at < 4; ++looked_at) drop_oldest(dropped);
    return made;
  }

  void renumber(const graph_hash* of) {
    const std::lock_guard lock(guard_);
    for (const aged& each : ages_)
      if (of == nullptr || each.handle->tuning_hash == *of) each.handle->renumber();
  }

  void set_capacity(std::size_t functions) {
    std::list<aged> dropped;
    const std::lock_guard lock(guard_);
    capacity_ = functions;
    for (std::size_t all = ages_.size(); all > 0; --all) drop_oldest(dropped);
  }

 private:
  // If this table has a function's only handle, no other one can appear while the lock is held. Functions
  // with other handles stay, and count as used now.
  // Allocates nothing: it cannot fail halfway.
  void drop_oldest(std::list<aged>& dropped) noexcept {
    if (ages_.size() <= capacity_) return;
    const age oldest = ages_.begin();
    if (oldest->handle->users_.load(std::memory_order_acquire) > 1) {
      ages_.splice(ages_.end(), ages_, oldest);
      return;
    }
    functions_.erase(oldest->at);
    dropped.splice(dropped.end(), ages_, oldest);
  }

  fork_mutex guard_;
  functions functions_;
  std::list<aged> ages_;  // least recently used first
  recorded_places places_;
  std::size_t capacity_ = 4096;
};

namespace {

// Never destroyed: handles may exist until the process ends.
function_table& table() {
  static auto& functions = *new function_table;
  return functions;
}

std::atomic<std::uint64_t> numbers{0};
std::atomic<std::size_t> living{0};

// Functions that a thread interned recently, by hash, found without a lock.
struct recent_functions {
  static constexpr std::size_t count = 256;
  std::array<function_handle, count> handles;
};

}  // namespace

function::function(const graph& content, const graph_hash& content_hash)
    : recorded(content),
      hash(content_hash),
      tuning_hash(tuning_hash_of(content, content_hash)),
      number_(numbers.fetch_add(1, std::memory_order_relaxed)) {
  view_parameters = shape_parameters(recorded);
  living.fetch_add(1, std::memory_order_relaxed);
}

void function::renumber() const {
  number_.store(numbers.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
}

void renumber_functions(const graph_hash* of) { table().renumber(of); }

function::~function() { living.fetch_sub(1, std::memory_order_relaxed); }

function_handle::function_handle(const function& shared) noexcept : function_(&shared) {
  shared.users_.fetch_add(1, std::memory_order_relaxed);
}

function_handle::function_handle(const function_handle& other) noexcept : function_(other.function_) {
  if (function_ != nullptr) function_->users_.fetch_add(1, std::memory_order_relaxed);
}

void function_handle::let_go() noexcept {
  if (function_->users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete function_;
}

const graph& function::simplified() const {
  std::call_once(simplified_once_, [this] { simplified_ = simplify(recorded); });
  return simplified_;
}

std::string describe(const function& called) {
  std::string text =
      called.recorded.name.empty() ? "function" : fmt::format("function '{}'", called.recorded.name);
  const std::source_location& where = called.recorded.defined_at;
  if (where.line() != 0) text += fmt::format(" ({}:{})", where.file_name(), where.line());
  return text;
}

function_handle intern(const graph& recorded) {
  const graph_hash hash = hash_of(recorded);
  // The location selects the slot too, so that two functions of equal content do not evict each other.
  std::uintptr_t place = 0;
  std::memcpy(&place, &recorded.defined_at, std::min(sizeof place, sizeof recorded.defined_at));
  auto& recent = thread_memory<recent_functions>::get().handles;
  function_handle& slot = recent[(hash.low ^ place >> 4) % recent_functions::count];
  if (slot != nullptr && is(*slot, recorded, hash)) [[likely]]
    return slot;
  return slot = table().find_or_make(recorded, hash);
}

const graph& recorded_graph(const function_handle& handle) { return held(handle).recorded; }

void set_function_capacity(std::size_t functions) { table().set_capacity(functions); }

std::size_t function_count() { return living.load(std::memory_order_relaxed); }

}  // namespace sinter::inline v0::runtime
