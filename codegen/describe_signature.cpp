#include <sinter/codegen/choose.hpp>
#include <sinter/codegen/describe.hpp>
#include <sinter/codegen/describe_signature.hpp>
#include <sinter/codegen/external.hpp>
#include <sinter/codegen/graph.hpp>

#include <array>
#include <cstring>
#include <tuple>

namespace sinter {
namespace {

constexpr std::uint64_t element_types = static_cast<std::uint64_t>(element_type::float64) + 1;

/// Eight-byte words from the front; once one was not there, all are 0.
class words {
 public:
  explicit words(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t next() {
    std::uint64_t word = 0;
    good_ = good_ && rest_.size() >= sizeof word;
    if (!good_) return 0;
    std::memcpy(&word, rest_.data(), sizeof word);
    rest_.remove_prefix(sizeof word);
    return word;
  }
  bool good() const { return good_; }
  void refuse() { good_ = false; }
  std::string_view take(std::uint64_t size) {
    good_ = good_ && size <= rest_.size();
    if (!good_) return {};
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::size_t left() const { return rest_.size() / sizeof(std::uint64_t); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

/// `count` bits of a word from bit `at`.
constexpr std::uint64_t bits(std::uint64_t word, unsigned at, unsigned count) {
  return word >> at & ((std::uint64_t{1} << count) - 1);
}

std::string type_name(std::uint64_t type, words& from) {
  if (type >= element_types) {
    from.refuse();
    return {};
  }
  return std::string(facts(static_cast<element_type>(type)).name);
}

std::string read_access(words& from, std::uint64_t number, unsigned rank) {
  const std::uint64_t head = from.next(), grouping = from.next(), shifts = from.next();
  constexpr std::array<const char*, 3> kinds{"read", "write", "position"};
  constexpr std::array<const char*, 3> patterns{"broadcast", "contiguous", "strided"};
  const std::uint64_t kind = bits(head, 0, 8);
  std::string line = "a" + std::to_string(number) + " = ";
  if (kind >= kinds.size()) {
    from.refuse();
    return line;
  }
  line += std::string(kinds[kind]) + " " + type_name(bits(head, 8, 8), from) + " [";
  for (unsigned axis = 0; axis < rank; ++axis) {
    const std::uint64_t pattern = bits(head, 24 + 2 * axis, 2);
    if (pattern >= patterns.size()) from.refuse();
    if (from.good()) line += (axis == 0 ? "" : ", ") + std::string(patterns[pattern]);
  }
  line += "]";
  if (const std::uint64_t base = grouping >> 32; base != number)
    line += ", " + std::to_string(bits(shifts, 0, 16)) + " elements and " +
            std::to_string(bits(shifts, 16, 16)) + " rows from the corner of a" + std::to_string(base);
  return line + "\n";
}

std::string operands(const instruction& at) {
  switch (at.op) {
    case operation::input:
    case operation::coordinate:
      return " a" + std::to_string(at.payload);
    case operation::parameter:
    case operation::extent:
      return " " + std::to_string(at.payload);
    case operation::literal:
      return " " + describe_scalar(at.type, at.payload);
    default:
      break;
  }
  std::string text;
  for (unsigned a = 0; a < at.arity; ++a) text += (a == 0 ? " %" : ", %") + std::to_string(at.arguments[a]);
  return text;
}

/// What follows a call of a user's function: its types, its name and, unless it is called through an address,
/// hashes of what is linked.
std::string read_external(words& from) {
  const std::uint64_t types = from.next();
  std::string name(from.take(from.next()));
  if (bits(types, 48, 1) != 0) return name + ", through a pointer";
  for (std::size_t i = 0; i < std::tuple_size_v<decltype(external_function::cuda_content)>; ++i) from.next();
  return name;
}

std::string read_instruction(words& from, std::uint64_t number, std::uint64_t accesses, unsigned phases) {
  const std::uint64_t head = from.next();
  instruction at;
  if (bits(head, 0, 8) >= operations().size() || bits(head, 24, 8) > at.arguments.size()) {
    from.refuse();
    return {};
  }
  at.op = static_cast<operation>(bits(head, 0, 8));
  at.arity = static_cast<std::uint8_t>(bits(head, 24, 8));
  const std::string type = type_name(bits(head, 8, 8), from), compute = type_name(bits(head, 16, 8), from);
  if (!from.good()) return {};
  at.type = static_cast<element_type>(bits(head, 8, 8));
  for (unsigned a = 0; a < at.arity; ++a) {
    const std::uint64_t argument = from.next();
    if (argument >= number) from.refuse();
    at.arguments[a] = static_cast<std::uint32_t>(argument);
  }
  at.payload = from.next();
  const bool names_access = at.op == operation::input || at.op == operation::coordinate;
  if (names_access && at.payload >= accesses) from.refuse();
  if (!from.good()) return {};
  std::string line = "%" + std::to_string(number) + " = ";
  if (bits(head, 34, 1) != 0) line += "exclusive ";
  if (bits(head, 32, 1) != 0) line += bits(head, 33, 1) != 0 ? "negated multiply-" : "multiply-";
  line += std::string(facts(at.op).name) + operands(at) + " : " + type;
  if (at.op == operation::external) line += ", calls " + read_external(from);
  if (compute != type && at.arity != 0) line += ", computed in " + compute;
  if (phases > 1) line += ", phase " + std::to_string(bits(head, 48, 16) + 1);
  if (bits(head, 40, 1) == 0) line += ", once a row";
  return line + "\n";
}

}  // namespace

std::optional<std::string> describe_signature(std::string_view signature) {
  words from(signature);
  if (from.next() != static_cast<std::uint64_t>(emitter_version)) return std::nullopt;
  const std::uint64_t target = from.next();
  from.next();  // the schedule is told as such beside this
  const auto rank = static_cast<unsigned>(bits(from.next(), 48, 16));
  const std::uint64_t counts = from.next(), reduction = from.next();
  from.next();
  const std::uint64_t accesses = bits(counts, 0, 32), instructions = counts >> 32;
  constexpr std::array<const char*, 3> modes{"standard", "strict", "fast"};
  const std::uint64_t mode = bits(target, 40, 8);
  if (!from.good() || rank > max_nest_axes || mode >= modes.size() || accesses > from.left() ||
      instructions > from.left())
    return std::nullopt;

  const auto phases = static_cast<unsigned>(bits(reduction, 32, 16));
  std::string text = std::string(modes[mode]) + " arithmetic, axes from the innermost:";
  for (unsigned axis = 0; axis < rank; ++axis)
    text += std::string(axis == 0 ? " " : ", ") + (bits(reduction, axis, 1) != 0 ? "reduced" : "kept");
  if (rank == 0) text += " none";
  text += phases > 1 ? ", " + std::to_string(phases) + " phases\n" : "\n";
  for (std::uint64_t i = 0; i < accesses && from.good(); ++i) text += read_access(from, i, rank);
  for (std::uint64_t i = 0; i < instructions && from.good(); ++i)
    text += read_instruction(from, i, accesses, phases);
  const std::uint64_t stores = from.next();
  if (!from.good() || stores > from.left()) return std::nullopt;
  for (std::uint64_t i = 0; i < stores; ++i) {
    const std::uint64_t at = from.next();
    if (bits(at, 0, 32) >= instructions || at >> 32 >= accesses) return std::nullopt;
    text += "store %" + std::to_string(bits(at, 0, 32)) + " to a" + std::to_string(at >> 32) + "\n";
  }
  return text;
}

}  // namespace sinter
