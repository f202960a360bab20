#include <sinter/codegen/nest_copier.hpp>
#include <sinter/codegen/normalise.hpp>
#include <sinter/codegen/reduction.hpp>
#include <sinter/codegen/split_rows.hpp>
#include <sinter/codegen/split_scans.hpp>

#include <algorithm>
#include <bit>

namespace sinter {
namespace {

/// The reduction whose result is a scan's last one.
operation total_of(operation scan) {
  return std::find_if(operations().begin(), operations().end(),
                      [&](const operation_facts& row) {
                        return is_reduction(row.op) && row.combine == facts(scan).combine &&
                               row.rule == facts(scan).rule;
                      })
      ->op;
}

instruction read_of(nest& to, access from, element_type type) {
  from.what = access::kind::read;
  instruction made;
  made.op = operation::input;
  made.type = made.compute = type;
  made.payload = to.accesses.size();
  to.accesses.push_back(from);
  return made;
}

void store_to(nest& to, access at, std::uint32_t value) {
  at.what = access::kind::write;
  to.stores.push_back({value, static_cast<std::uint32_t>(to.accesses.size())});
  to.accesses.push_back(at);
}

std::uint32_t append(nest& to, const instruction& made) {
  to.body.push_back(made);
  return static_cast<std::uint32_t>(to.body.size() - 1);
}

}  // namespace

bool has_separate_scans(const nest& body) {
  std::vector<bool> follows(body.body.size(), false);
  bool scans = false;
  for (std::size_t i = 0; i < body.body.size(); ++i) {
    const instruction& at = body.body[i];
    if (is_reduction(at.op)) return false;
    bool after = false;
    for (unsigned a = 0; a < at.arity; ++a) after = after || follows[at.arguments[a]];
    if (is_scan(at.op) && after) return false;
    follows[i] = after || is_scan(at.op);
    scans = scans || is_scan(at.op);
  }
  return scans;
}

std::uint32_t split_scans(const nest& whole, std::int64_t length, std::uint32_t first_temporary, nest& totals,
                          nest& before, nest& pieces) {
  const auto reduced = static_cast<unsigned>(std::countr_zero(whole.reduced));
  const std::int64_t count = count_pieces(whole.extents[reduced], length);
  totals = before = nest{};
  totals.extents = before.extents = whole.extents;
  totals.reduced = before.reduced = whole.reduced;
  totals.constants = whole.constants;
  totals.rank = whole.rank + 1;
  totals.extents[reduced] = length;
  totals.extents[whole.rank] = count;
  totals.split = static_cast<int>(whole.rank);
  totals.whole = whole.extents[reduced];
  before.rank = whole.rank;
  before.extents[reduced] = count;
  pieces = totals;

  access of_piece;  // pieces of a row side by side, rows one after the other; in the nests that have an axis
                    // of them
  of_piece.place = access::where::temporary;
  of_piece.strides[whole.rank] = 1;
  std::int64_t stride = count;
  for (unsigned axis = 0; axis < whole.rank; ++axis) {
    if (axis == reduced) continue;
    of_piece.strides[axis] = stride;
    stride *= whole.extents[axis];
  }
  access along_pieces = of_piece;  // and in the one that scans along them
  std::swap(along_pieces.strides[reduced], along_pieces.strides[whole.rank]);

  nest_copier to_totals(whole, totals), to_pieces(whole, pieces);
  std::uint32_t temporaries = 0;
  for (std::uint32_t i = 0; i < whole.body.size(); ++i) {
    const instruction& made = whole.body[i];
    if (!is_scan(made.op)) continue;
    const element_type type = facts(made.compute).compute;
    of_piece.type = along_pieces.type = type;

    of_piece.array = along_pieces.array = first_temporary + temporaries++;
    instruction total = made;
    total.op = total_of(made.op);
    total.arguments[0] = to_totals.instruction_of(made.arguments[0]);
    store_to(totals, of_piece, append(totals, total));

    instruction sums = made;
    sums.type = sums.compute = type;
    sums.exclusive = true;
    sums.arguments[0] = append(before, read_of(before, along_pieces, type));
    of_piece.array = along_pieces.array = first_temporary + temporaries++;
    store_to(before, along_pieces, append(before, sums));

    instruction continued = made;
    continued.arity = 2;
    continued.arguments[0] = to_pieces.instruction_of(made.arguments[0]);
    continued.arguments[1] = append(pieces, read_of(pieces, of_piece, type));
    to_pieces.replace(i, append(pieces, continued));
  }
  for (const store& at : whole.stores) {
    const std::uint32_t value = to_pieces.instruction_of(at.value);
    pieces.stores.push_back({value, to_pieces.access_of(at.target)});
  }
  for (nest* made : {&totals, &before, &pieces}) {
    assign_phases(*made);
    regroup(*made);
  }
  return temporaries;
}

}  // namespace sinter
