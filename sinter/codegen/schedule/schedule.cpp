#include <sinter/codegen/schedule/schedule.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/base/near_words.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <vector>

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
    {"tasks", &schedule::tasks},
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

bool is_known(eviction reads) { return static_cast<std::size_t>(reads) < std::size(eviction_names); }

[[noreturn]] void refuse(const std::string& why) { throw type_error("not a schedule: " + why); }

/// Throws type_error for a word that is none of `known`: `"vectr" is no field; did you mean "vector"? Fields:
/// …`.
[[noreturn]] void refuse_unknown(std::string_view word, std::string_view what, std::string_view list,
                                 std::span<const std::string_view> known) {
  std::string why = quoted_word(word) + " is no " + std::string(what);
  const std::string_view meant = nearest_word(word, known);
  why += meant.empty() ? ". " : "; did you mean " + quoted_word(meant) + "? ";
  why += std::string(list) + ": ";
  for (std::size_t i = 0; i < known.size(); ++i) why += (i == 0 ? "" : ", ") + std::string(known[i]);
  refuse(why);
}

/// The names of all fields, in the order of to_string().
std::vector<std::string_view> field_names() {
  std::vector<std::string_view> names;
  for (const field& at : fields) names.push_back(at.name);
  for (const flag& at : flags) names.push_back(at.name);
  names.push_back("reads");
  return names;
}

loop_order parse_order(std::string_view word) {
  const auto* const known = std::ranges::find(loop_orders, word, &loop_order_facts::name);
  if (known != loop_orders.end()) return known->order;
  std::vector<std::string_view> names;
  for (const loop_order_facts& each : loop_orders) names.push_back(each.name);
  refuse_unknown(word, "loop order", "A schedule begins with one of", names);
}

eviction parse_eviction(std::string_view value) {
  const auto* const known = std::ranges::find(eviction_names, value);
  if (known == std::end(eviction_names))
    refuse_unknown(value, "eviction of reads", "Evictions", eviction_names);
  return static_cast<eviction>(known - eviction_names);
}

/// The number after the equals sign of a word, at most `max`.
std::uint16_t parse_number(std::string_view word, std::string_view value, std::uint16_t max) {
  std::uint16_t number = 0;
  const auto [stop, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure == std::errc() && stop == value.data() + value.size() && number <= max) return number;
  if (max == 1) refuse(quoted_word(word) + ": a flag is 0 or 1");
  refuse(quoted_word(word) + ": " + quoted_word(value) + " is no whole number from 0 to " +
         std::to_string(max));
}

/// Sets the field of a word "name=value".
void parse_field(std::string_view word, schedule& to) {
  if (word.empty()) refuse("there are two spaces in a row: separate fields by one");
  const std::size_t equals = word.find('=');
  const std::string_view name = present_name(word.substr(0, equals));
  const std::vector<std::string_view> names = field_names();
  if (std::ranges::find(names, name) == names.end()) refuse_unknown(name, "field", "Fields", names);
  if (equals == std::string_view::npos)
    refuse("the field " + quoted_word(word) + " has no value: write " +
           quoted_word(std::string(word) + "=…"));
  const std::string_view value = word.substr(equals + 1);
  if (name == "reads") to.reads = parse_eviction(value);
  for (const flag& at : flags)
    if (name == at.name) to.*at.member = parse_number(word, value, 1) == 1;
  for (const field& at : fields)
    if (name == at.name) to.*at.member = parse_number(word, value, std::numeric_limits<std::uint16_t>::max());
}

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
    const bool is_rare = at.member == &schedule::private_updates || at.member == &schedule::tasks;
    if (is_rare && chosen.*at.member == 0) continue;
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

// Of a field that is given twice the last value counts, so that text can be added to what to_string() prints.
schedule parse_schedule(std::string_view text) {
  if (text.empty())
    refuse("the text is empty; write it as to_string prints it, for example \"" + to_string(schedule{}) +
           '"');
  schedule parsed;
  std::string_view rest = text;
  const auto next_word = [&] {
    const std::size_t space = rest.find(' ');
    const std::string_view word = rest.substr(0, space);
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    return word;
  };
  parsed.order = parse_order(next_word());
  while (!rest.empty()) parse_field(next_word(), parsed);
  return parsed;
}

}  // namespace sinter::inline v0
