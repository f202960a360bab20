#include <sinter/codegen/schedule/schedule.hpp>

#include <sinter/codegen/base/error.hpp>

#include <algorithm>
#include <charconv>

namespace sinter::inline v0 {
namespace {

constexpr std::string_view eviction_names[] = {"normal", "last", "first"};

struct field {
  std::string_view name;
  std::uint16_t schedule::* member;
};
constexpr field fields[] = {
    {"vector", &schedule::vector},
    {"steps", &schedule::steps},
    {"rows_per_thread", &schedule::rows_per_thread},
    {"threads_along", &schedule::threads_along},
    {"threads_across", &schedule::threads_across},
    {"tile", &schedule::tile},
    {"cluster", &schedule::cluster},
    {"shared_steps", &schedule::shared_steps},
    {"private_updates", &schedule::private_updates},
};

struct flag {
  std::string_view name;
  bool schedule::* member;
};
constexpr flag flags[] = {{"streaming", &schedule::streaming},
                          {"whole_rows", &schedule::whole_rows},
                          {"resident", &schedule::resident},
                          {"scalar_loads", &schedule::scalar_loads},
                          {"staged", &schedule::staged}};

/// Spellings of earlier versions, which texts that people have written down still use.
struct former_name {
  std::string_view former, name;
};
constexpr former_name former_names[] = {{"kept", "resident"}};

std::string_view present_name(std::string_view name) {
  for (const former_name& at : former_names)
    if (name == at.former) return at.name;
  return name;
}

[[noreturn]] void reject(std::string_view text) {
  throw type_error("not a schedule: \"" + std::string(text) +
                   "\"; write it as to_string prints it, for example \"" + to_string(schedule{}) + "\"");
}

bool is_known(eviction reads) { return static_cast<std::size_t>(reads) < std::size(eviction_names); }

/// What stands for a value that its enumeration does not have.
template <class Enumeration>
std::string number_of(Enumeration value) {
  return "(" + std::to_string(static_cast<std::size_t>(value)) + ")";
}

}  // namespace

bool has_known_values(const schedule& chosen) { return is_known(chosen.order) && is_known(chosen.reads); }

std::string to_string(const schedule& chosen) {
  std::string text =
      is_known(chosen.order) ? std::string(facts_of(chosen.order).name) : number_of(chosen.order);
  for (const field& at : fields) {
    if (at.member == &schedule::private_updates && chosen.private_updates == 0) continue;
    text += ' ';
    text += at.name;
    text += '=';
    text += std::to_string(chosen.*at.member);
  }
  for (const flag& at : flags) {
    text += ' ';
    text += at.name;
    text += chosen.*at.member ? "=1" : "=0";
  }
  text += " reads=";
  text += is_known(chosen.reads) ? std::string(eviction_names[static_cast<std::size_t>(chosen.reads)])
                                 : number_of(chosen.reads);
  return text;
}

schedule parse_schedule(std::string_view text) {
  schedule parsed;
  std::string_view rest = text;
  const auto next_word = [&] {
    const std::size_t space = rest.find(' ');
    const std::string_view word = rest.substr(0, space);
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    return word;
  };
  const auto* const order = std::ranges::find(loop_orders, next_word(), &loop_order_facts::name);
  if (order == loop_orders.end()) reject(text);
  parsed.order = order->order;
  while (!rest.empty()) {
    const std::string_view word = next_word();
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) reject(text);
    const std::string_view name = present_name(word.substr(0, equals));
    if (name == "reads") {
      const auto* const known = std::ranges::find(eviction_names, word.substr(equals + 1));
      if (known == std::end(eviction_names)) reject(text);
      parsed.reads = static_cast<eviction>(known - eviction_names);
      continue;
    }
    std::uint16_t value = 0;
    const char* const end = word.data() + word.size();
    if (const auto [stop, failure] = std::from_chars(word.data() + equals + 1, end, value);
        failure != std::errc() || stop != end)
      reject(text);
    bool found = false;
    for (const flag& at : flags)
      if (name == at.name && value <= 1) {
        parsed.*at.member = value == 1;
        found = true;
      }
    for (const field& at : fields)
      if (name == at.name) {
        parsed.*at.member = value;
        found = true;
      }
    if (!found) reject(text);
  }
  return parsed;
}

}  // namespace sinter::inline v0
