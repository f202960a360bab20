#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/partial_values.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/segment/pieces/nest_copier.hpp>
#include <sinter/codegen/segment/pieces/nest_of_pieces.hpp>
#include <sinter/codegen/segment/pieces/split_rows.hpp>
#include <sinter/codegen/segment/pieces/split_scans.hpp>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace sinter::inline v0 {
namespace {

/// The reduction that equals the last result of a scan.
operation total_of(operation scan) {
  return std::find_if(operations().begin(), operations().end(),
                      [&](const operation_facts& row) {
                        return is_reduction(row.op) && row.combine == facts_of(scan).combine &&
                               row.rule == facts_of(scan).rule;
                      })
      ->op;
}

/// Builds the three nests.
class scan_splitter {
 public:
  scan_splitter(const nest& whole, std::int64_t length, std::uint32_t first_temporary, nest& totals,
                nest& before, nest& pieces)
      : whole_(whole),
        first_temporary_(first_temporary),
        totals_(totals),
        before_(before),
        pieces_(pieces),
        to_totals_(whole, totals),
        to_before_(whole, before),
        to_pieces_(whole, pieces),
        in_totals_(totals),
        in_before_(before),
        in_pieces_(pieces) {
    const auto reduced = static_cast<unsigned>(std::countr_zero(whole.reduced));
    const std::int64_t count = count_pieces(whole, whole.extents[reduced], length);
    totals = pieces = nest_of_pieces(whole, whole.reduced, length, count);
    before = nest_over_pieces(whole, whole.reduced, count);
    // pieces of a row are adjacent, rows follow one another
    of_piece_.place = access::where::temporary;
    of_piece_.strides[whole.rank] = 1;
    std::int64_t stride = count;
    for (unsigned axis = 0; axis < whole.rank; ++axis) {
      if (axis == reduced) continue;
      of_piece_.strides[axis] = stride;
      stride *= whole.extents[axis];
    }
    along_pieces_ = of_piece_;
    std::swap(along_pieces_.strides[reduced], along_pieces_.strides[whole.rank]);
  }

  std::uint32_t run() {
    for (std::uint32_t i = 0; i < whole_.body.size(); ++i) {
      if (!is_scan(whole_.body[i].op)) continue;
      if (has_body(whole_.body[i].op))
        split_scan_by_body(i);
      else
        split_scan(i);
    }
    for (const store& at : whole_.stores) {
      const std::uint32_t value = to_pieces_.instruction_of(at.value);
      pieces_.stores.push_back({value, to_pieces_.access_of(at.target)});
    }
    for (std::uint32_t i = 0; i < whole_.body.size(); ++i)
      if (whole_.body[i].op == operation::report && whole_.body[i].owner == instruction::no_owner)
        to_pieces_.instruction_of(i);
    for (nest* made : {&totals_, &before_, &pieces_}) {
      assign_phases(*made);
      regroup(*made);
    }
    return temporaries_;
  }

 private:
  /// Names the next temporary in the accesses to it.
  void take_temporary(element_type type) {
    of_piece_.type = along_pieces_.type = type;
    of_piece_.array = along_pieces_.array = first_temporary_ + temporaries_++;
  }

  void split_scan(std::uint32_t i) {
    const instruction& made = whole_.body[i];
    const element_type type = facts_of(made.compute).compute;
    take_temporary(type);
    instruction total = made;
    total.op = total_of(made.op);
    total.payload = starts_as_scan;
    total.arguments[0] = to_totals_.instruction_of(made.arguments[0]);
    in_totals_.store(of_piece_, in_totals_.append(total));

    instruction sums = made;
    sums.type = sums.compute = type;
    sums.exclusive = true;
    sums.arguments[0] = in_before_.read(along_pieces_);
    take_temporary(type);
    in_before_.store(along_pieces_, in_before_.append(sums));

    instruction continued = made;
    continued.arity = 2;
    continued.arguments[0] = to_pieces_.instruction_of(made.arguments[0]);
    continued.arguments[1] = in_pieces_.read(of_piece_);
    to_pieces_.replace(i, in_pieces_.append(continued));
  }

  void split_scan_by_body(std::uint32_t i) {
    const std::vector<element_type> types = partial_types(whole_, whole_.body[i]);
    instruction last;
    last.op = operation::last;
    last.type = last.compute = types[0];
    last.arity = 1;
    last.arguments[0] = to_totals_.instruction_of(i);
    const std::uint32_t total = in_totals_.append(last);
    std::vector<std::uint32_t> totals, before, elements;
    for (std::size_t k = 0; k < types.size(); ++k) {
      take_temporary(facts_of(types[k]).compute);
      in_totals_.store(of_piece_, in_totals_.component(total, types[k], k));
      totals.push_back(in_before_.read(along_pieces_));
    }
    const std::uint32_t scanned = to_before_.combine_instead(i, totals);
    before_.body[scanned].exclusive = true;
    for (std::size_t k = 0; k < types.size(); ++k) {
      take_temporary(facts_of(types[k]).compute);
      in_before_.store(along_pieces_, in_before_.component(scanned, types[k], k));
      before.push_back(in_pieces_.read(of_piece_));
    }
    for (const std::uint32_t each : whole_.arguments_of_combining(whole_.body[i]).values)
      elements.push_back(to_pieces_.instruction_of(each));
    to_pieces_.combine_instead(i, elements, before);
  }

  const nest& whole_;
  std::uint32_t first_temporary_, temporaries_ = 0;
  nest &totals_, &before_, &pieces_;
  nest_copier to_totals_, to_before_, to_pieces_;
  nest_writer in_totals_, in_before_, in_pieces_;
  access of_piece_;      ///< what a piece has, in nests with an axis of pieces
  access along_pieces_;  ///< the same in the nest that scans along them
};

}  // namespace

bool has_separate_scans(const nest& body) {
  if (!has_scans(body)) return false;
  std::vector<bool> follows(body.body.size(), false);
  for (std::size_t i = 0; i < body.body.size(); ++i) {
    const instruction& at = body.body[i];
    if (is_reduction(at.op)) return false;
    bool after = false;
    for (const std::uint32_t argument : body.arguments_of(at)) after = after || follows[argument];
    if (is_scan(at.op) && after) return false;
    follows[i] = after || is_scan(at.op);
  }
  return true;
}

std::uint32_t split_scans(const nest& whole, std::int64_t length, std::uint32_t first_temporary, nest& totals,
                          nest& before, nest& pieces) {
  return scan_splitter(whole, length, first_temporary, totals, before, pieces).run();
}

}  // namespace sinter::inline v0
