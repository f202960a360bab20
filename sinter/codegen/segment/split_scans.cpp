#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/segment/nest_copier.hpp>
#include <sinter/codegen/segment/nest_writer.hpp>
#include <sinter/codegen/segment/split_rows.hpp>
#include <sinter/codegen/segment/split_scans.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

/// The reduction that equals the last result of a scan.
operation total_of(operation scan) {
  return std::find_if(operations().begin(), operations().end(),
                      [&](const operation_facts& row) {
                        return is_reduction(row.op) && row.combine == facts(scan).combine &&
                               row.rule == facts(scan).rule;
                      })
      ->op;
}

}  // namespace

bool has_separate_scans(const nest& body) {
  std::vector<bool> follows(body.body.size(), false);
  bool scans = false;
  for (std::size_t i = 0; i < body.body.size(); ++i) {
    const instruction& at = body.body[i];
    // of a scan by a body the pieces are not scanned apart
    if (is_reduction(at.op) || at.op == operation::scan) return false;
    bool after = false;
    for (const std::uint32_t argument : body.arguments_of(at)) after = after || follows[argument];
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
  totals = pieces = nest_of_pieces(whole, whole.reduced, length, count);
  before = nest_over_pieces(whole, whole.reduced, count);

  access of_piece;  // pieces of a row are adjacent, rows follow one another, in the nests with an axis of
                    // pieces
  of_piece.place = access::where::temporary;
  of_piece.strides[whole.rank] = 1;
  std::int64_t stride = count;
  for (unsigned axis = 0; axis < whole.rank; ++axis) {
    if (axis == reduced) continue;
    of_piece.strides[axis] = stride;
    stride *= whole.extents[axis];
  }
  access along_pieces = of_piece;  // and in the nest that scans along them
  std::swap(along_pieces.strides[reduced], along_pieces.strides[whole.rank]);

  nest_copier to_totals(whole, totals), to_pieces(whole, pieces);
  nest_writer in_totals(totals), in_before(before), in_pieces(pieces);
  std::uint32_t temporaries = 0;
  for (std::uint32_t i = 0; i < whole.body.size(); ++i) {
    const instruction& made = whole.body[i];
    if (!is_scan(made.op)) continue;
    const element_type type = facts(made.compute).compute;
    of_piece.type = along_pieces.type = type;

    of_piece.array = along_pieces.array = first_temporary + temporaries++;
    instruction total = made;
    total.op = total_of(made.op);
    total.payload = starts_as_scan;
    total.arguments[0] = to_totals.instruction_of(made.arguments[0]);
    in_totals.store(of_piece, in_totals.append(total));

    instruction sums = made;
    sums.type = sums.compute = type;
    sums.exclusive = true;
    sums.arguments[0] = in_before.read(along_pieces);
    of_piece.array = along_pieces.array = first_temporary + temporaries++;
    in_before.store(along_pieces, in_before.append(sums));

    instruction continued = made;
    continued.arity = 2;
    continued.arguments[0] = to_pieces.instruction_of(made.arguments[0]);
    continued.arguments[1] = in_pieces.read(of_piece);
    to_pieces.replace(i, in_pieces.append(continued));
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

}  // namespace sinter::inline v0
