#include <sinter/codegen/normalise.hpp>
#include <sinter/codegen/reduction.hpp>
#include <sinter/codegen/split_rows.hpp>

#include <algorithm>
#include <bit>

namespace sinter {
namespace {

constexpr std::uint32_t none = ~0u;

/// Copies instructions that are wanted, arguments first, with their accesses.
class copier {
 public:
  copier(const nest& from, nest& to)
      : from_(from), to_(to), instructions_(from.body.size(), none), accesses_(from.accesses.size(), none) {}

  /// Stands for an instruction that is not copied.
  void replace(std::uint32_t i, std::uint32_t by) { instructions_[i] = by; }

  /// Copies what an instruction needs, arguments first; gives its number in the copy.
  std::uint32_t instruction_of(std::uint32_t wanted) {
    std::vector<bool> needed(wanted + 1, false);
    needed[wanted] = true;
    for (std::size_t i = wanted + 1; i-- > 0;)
      if (needed[i] && instructions_[i] == none)
        for (unsigned a = 0; a < from_.body[i].arity; ++a) needed[from_.body[i].arguments[a]] = true;
    for (std::uint32_t i = 0; i <= wanted; ++i)
      if (needed[i] && instructions_[i] == none) instructions_[i] = copy(from_.body[i]);
    return instructions_[wanted];
  }

  std::uint32_t access_of(std::uint32_t i) {
    if (accesses_[i] != none) return accesses_[i];
    to_.accesses.push_back(from_.accesses[i]);
    return accesses_[i] = static_cast<std::uint32_t>(to_.accesses.size() - 1);
  }

 private:
  std::uint32_t copy(instruction made) {
    for (unsigned a = 0; a < made.arity; ++a) made.arguments[a] = instructions_[made.arguments[a]];
    if (made.op == operation::input || made.op == operation::coordinate)
      made.payload = access_of(static_cast<std::uint32_t>(made.payload));
    to_.body.push_back(made);
    return static_cast<std::uint32_t>(to_.body.size() - 1);
  }

  const nest& from_;
  nest& to_;
  std::vector<std::uint32_t> instructions_, accesses_;
};

}  // namespace

std::uint32_t split_rows(const nest& whole, std::int64_t length, std::uint32_t first_temporary, nest& parts,
                         nest& rest) {
  const auto reduced = static_cast<unsigned>(std::countr_zero(whole.reduced));
  const std::int64_t pieces = (whole.extents[reduced] + length - 1) / length;
  parts = rest = nest{};
  parts.extents = rest.extents = whole.extents;
  parts.constants = rest.constants = whole.constants;
  parts.reduced = rest.reduced = whole.reduced;
  parts.rank = whole.rank + 1;
  parts.extents[reduced] = length;
  parts.extents[whole.rank] = pieces;
  parts.split = static_cast<int>(whole.rank);
  parts.whole = whole.extents[reduced];
  rest.rank = whole.rank;
  rest.extents[reduced] = pieces;

  access partial;  // of `rest`: pieces of a row side by side, rows one after the other
  partial.place = access::where::temporary;
  std::int64_t stride = pieces;
  partial.strides[reduced] = 1;
  for (unsigned axis = 0; axis < whole.rank; ++axis) {
    if (axis == reduced) continue;
    partial.strides[axis] = stride;
    stride *= whole.extents[axis];
  }

  copier to_parts(whole, parts), to_rest(whole, rest);
  std::uint32_t temporaries = 0;
  for (std::uint32_t i = 0; i < whole.body.size(); ++i) {
    const instruction& made = whole.body[i];
    if (!is_reduction(made.op)) continue;
    const element_type type = facts(made.compute).compute;
    partial.type = type;
    partial.array = first_temporary + temporaries++;

    partial.what = access::kind::write;
    access written = partial;
    written.strides[reduced] = 0;
    written.strides[whole.rank] = 1;
    const std::uint32_t value = to_parts.instruction_of(i);
    parts.stores.push_back({value, static_cast<std::uint32_t>(parts.accesses.size())});
    parts.accesses.push_back(written);

    partial.what = access::kind::read;
    instruction read;
    read.op = operation::input;
    read.type = read.compute = type;
    read.payload = rest.accesses.size();
    rest.accesses.push_back(partial);
    rest.body.push_back(read);
    instruction joined = made;
    joined.compute = type;
    joined.arguments[0] = static_cast<std::uint32_t>(rest.body.size() - 1);
    rest.body.push_back(joined);
    to_rest.replace(i, static_cast<std::uint32_t>(rest.body.size() - 1));
  }
  for (const store& at : whole.stores) {
    const std::uint32_t value = to_rest.instruction_of(at.value);
    rest.stores.push_back({value, to_rest.access_of(at.target)});
  }
  for (nest* made : {&parts, &rest}) {
    assign_phases(*made);
    regroup(*made);
  }
  return temporaries;
}

}  // namespace sinter
