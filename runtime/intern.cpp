#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <sinter/codegen/simplify.hpp>
#include <sinter/codegen/verify.hpp>
#include <sinter/runtime/call_request.hpp>
#include <sinter/runtime/fork.hpp>
#include <sinter/runtime/function.hpp>

namespace sinter::runtime {
namespace {

// Functions of equal content recorded at different places are different functions here, so that errors name
// the right line; they share kernels, which are found by content alone. Locations are compared as memory:
// each is a pointer to a record of the compiler's, and an unequal pointer to an equal record makes one more
// function, nothing worse.
static_assert(std::is_trivially_copyable_v<std::source_location>);

bool same_places(const graph& a, const graph& b) {
  return a.locations.size() == b.locations.size() &&
         std::memcmp(&a.defined_at, &b.defined_at, sizeof a.defined_at) == 0 &&
         (a.locations.empty() || std::memcmp(a.locations.data(), b.locations.data(),
                                             a.locations.size() * sizeof a.locations[0]) == 0);
}

bool is(const function& known, const graph& recorded, const graph_hash& hash) {
  return known.hash == hash && known.recorded.same_content(recorded) && same_places(known.recorded, recorded);
}

struct function_table {
  fork_mutex guard;
  std::unordered_multimap<std::uint64_t, const function*> functions;  // by the hash's low half
};

// Never destroyed: handles are valid until the process ends.
function_table& table() {
  static auto& functions = *new function_table;
  return functions;
}

// What this thread interned lately, by hash; needs no destructor and no lock.
constexpr std::size_t recent_functions = 256;
thread_local std::array<function_handle, recent_functions> recent{};

}  // namespace

function::function(const graph& content, const graph_hash& content_hash, std::uint32_t number)
    : recorded(content), hash(content_hash), index(number) {
  for (const view_item& item : recorded.view_items)
    for (const bound& each : {item.start, item.stop, item.step})
      if (each.is_parameter()) view_parameters.push_back(static_cast<std::uint32_t>(each.value));
  std::sort(view_parameters.begin(), view_parameters.end());
  view_parameters.erase(std::unique(view_parameters.begin(), view_parameters.end()), view_parameters.end());
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
  // The place takes part in the slot, so that two functions of equal content do not push each other out.
  std::uintptr_t place = 0;
  std::memcpy(&place, &recorded.defined_at, std::min(sizeof place, sizeof recorded.defined_at));
  function_handle& slot = recent[(hash.low ^ place >> 4) % recent_functions];
  if (slot != nullptr && is(*slot, recorded, hash)) [[likely]]
    return slot;
  function_table& all = table();
  const std::lock_guard lock(all.guard);
  const auto [first, last] = all.functions.equal_range(hash.low);
  for (auto at = first; at != last; ++at)
    if (is(*at->second, recorded, hash)) return slot = at->second;
  verify(recorded);  // who builds a graph without a builder may have made anything
  const auto* made = new function(recorded, hash, static_cast<std::uint32_t>(all.functions.size()));
  all.functions.emplace(hash.low, made);
  return slot = made;
}

const graph& recorded_graph(function_handle handle) { return held(handle).recorded; }

}  // namespace sinter::runtime
