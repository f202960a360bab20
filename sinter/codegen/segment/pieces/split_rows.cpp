#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/partial_values.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/segment/pieces/nest_copier.hpp>
#include <sinter/codegen/segment/pieces/nest_of_pieces.hpp>
#include <sinter/codegen/segment/pieces/split_rows.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

bool is_zero(const instruction& at) { return at.op == operation::literal && at.payload == 0; }

/// Whether instruction `i` is the element of a deviation, with the same mask.
bool is_masked_element(const nest& body, std::uint32_t i, const deviation& of) {
  if (!of.masked) return i == of.element;
  const instruction& at = body.body[i];
  return at.op == operation::where && at.arguments[0] == of.mask && at.arguments[1] == of.element &&
         is_zero(body.body[at.arguments[2]]);
}

/// Builds the two nests.
class splitter {
 public:
  splitter(const nest& whole, const row_cut& cut, std::uint32_t first_temporary, nest& parts, nest& rest)
      : whole_(whole),
        cut_(cut),
        piece_axes_(whole.reduced & ~cut.piece_axes),
        along_(static_cast<unsigned>(std::bit_width(piece_axes_)) - 1),
        first_temporary_(first_temporary),
        parts_(parts),
        rest_(rest),
        to_parts_(whole, parts),
        to_rest_(whole, rest),
        in_parts_(parts),
        in_rest_(rest) {
    const std::int64_t pieces = cut.length == 0 ? 1 : count_pieces(whole, whole.extents[along_], cut.length);
    parts = nest_of_pieces(whole, piece_axes_, cut.length, pieces);
    rest = nest_over_pieces(whole, piece_axes_, pieces);
    rest.constants = whole.constants;
    // In `rest`: pieces of a row are adjacent, rows follow one another; axes that are lanes of the pieces
    // come first.
    partial_.place = access::where::temporary;
    std::int64_t stride = 1;
    const auto lay_out = [&](unsigned axis) {
      partial_.strides[axis] = stride;
      stride *= rest.extents[axis];
    };
    unsigned lanes = whole.is_reduced(0) ? 0 : 1;
    if (lies_across_lanes())
      while (lanes < whole.rank && (piece_axes_ >> lanes & 1) == 0) ++lanes;
    for (unsigned axis = 0; axis < lanes; ++axis) lay_out(axis);
    for (const bool reduced : {true, false})
      for (unsigned axis = lanes; axis < whole.rank; ++axis)
        if (whole.is_reduced(axis) == reduced) lay_out(axis);
  }

  std::uint32_t run() {
    for (std::uint32_t i = 0; i < whole_.body.size(); ++i) {
      const instruction& made = whole_.body[i];
      if (!is_reduction(made.op)) continue;
      if (has_body(made.op) || made.op == operation::last) {
        combine_pieces(i);
        continue;
      }
      const std::optional<deviation> of = deviation_of(whole_, i);
      const element_type type = facts_of(made.compute).compute;
      instruction combined = made;
      combined.compute = type;
      combined.arguments[0] = of                        ? from_centre(*of)
                              : finds_position(made.op) ? extreme_of_piece(made, type)
                                                        : through_memory(to_parts_.instruction_of(i), type);
      if (finds_position(made.op))
        combined.arguments[1] = through_memory(to_parts_.instruction_of(i), element_type::int64);
      to_rest_.replace(i, in_rest_.append(combined));
    }
    for (const store& at : whole_.stores) {
      const std::uint32_t value = to_rest_.instruction_of(at.value);
      rest_.stores.push_back({value, to_rest_.access_of(at.target)});
    }
    copy_reports();
    for (nest* made : {&parts_, &rest_}) assign_phases(*made);
    // the pieces keep the axes of the whole, some of which are kept now; their results may have fewer
    order_other_axes(parts_);
    if (lies_across_lanes()) merge_axes(parts_);
    regroup(parts_);
    normalise(rest_);
    return temporaries_;
  }

 private:
  /// Indices of elements are reported where pieces read them, others where the rest does.
  void copy_reports() {
    for (std::uint32_t i = 0; i < whole_.body.size(); ++i) {
      const instruction& at = whole_.body[i];
      if (at.op != operation::report || at.owner != instruction::no_owner) continue;
      (at.per_element && at.phase == 0 ? to_parts_ : to_rest_).instruction_of(i);
    }
  }

  /// Whether the innermost axis, which is reduced, is kept by the pieces: it is one with the kept ones beside
  /// it.
  bool lies_across_lanes() const { return (cut_.piece_axes & 1) != 0; }

  /// Stores a value of each piece; returns the instruction that reads it.
  std::uint32_t through_memory(std::uint32_t value, element_type type) {
    partial_.type = type;
    partial_.array = first_temporary_ + temporaries_++;
    access written = partial_;
    written.strides[whole_.rank] = parts_.split >= 0 ? written.strides[along_] : 0;
    for (unsigned axis = 0; axis < whole_.rank; ++axis)
      if ((piece_axes_ >> axis & 1) != 0) written.strides[axis] = 0;
    in_parts_.store(written, value);
    return in_rest_.read(partial_);
  }

  /// A reduction by a body: the values of pieces are combined as elements are.
  void combine_pieces(std::uint32_t i) {
    const instruction& made = whole_.body[i];
    const std::uint32_t of_piece = to_parts_.instruction_of(i);
    const std::vector<element_type> types = partial_types(whole_, made);
    std::vector<std::uint32_t> values;
    for (std::size_t k = 0; k < types.size(); ++k)
      values.push_back(
          through_memory(in_parts_.component(of_piece, types[k], k), facts_of(types[k]).compute));
    to_rest_.combine_instead(made.op == operation::last ? made.arguments[0] : i, values);
  }

  /// The extreme value of each piece, whose position is wanted.
  std::uint32_t extreme_of_piece(const instruction& found, element_type type) {
    instruction extreme = found;
    extreme.op = found.op == operation::argmax ? operation::max : operation::min;
    extreme.type = found.compute;
    extreme.arity = 1;
    extreme.arguments = {to_parts_.instruction_of(found.arguments[0])};
    return through_memory(in_parts_.append(extreme), type);
  }

  /// What the pieces provide about the elements of deviations: instructions that read it.
  struct piece_sums {
    deviation of;
    std::uint32_t count = 0, centre = 0, distances = 0, squares = 0;
  };

  /// The sum of a piece's elements, which may be wanted anyway.
  std::uint32_t sum_of_elements(const deviation& of, element_type type) {
    for (std::uint32_t i = 0; i < whole_.body.size(); ++i) {
      const instruction& at = whole_.body[i];
      if (at.op == operation::sum && at.phase == 0 && is_masked_element(whole_, at.arguments[0], of))
        return to_parts_.instruction_of(i);
    }
    return in_parts_.apply(operation::sum, type, {masked(to_parts_.instruction_of(of.element), of, type)});
  }
  std::uint32_t masked(std::uint32_t value, const deviation& of, element_type type) {
    if (!of.masked) return value;
    return in_parts_.apply(operation::where, type,
                           {to_parts_.instruction_of(of.mask), value, in_parts_.literal(type, 0)});
  }

  const piece_sums& sums_of(const deviation& of) {
    for (const piece_sums& have : sums_)
      if (have.of.element == of.element && have.of.masked == of.masked && have.of.mask == of.mask)
        return have;
    const element_type type = whole_.body[of.element].type;
    piece_sums made{of};
    std::uint32_t count = 0;
    if (of.masked) {
      const std::uint32_t held = in_parts_.apply(operation::cast, type, {to_parts_.instruction_of(of.mask)});
      const std::uint32_t found = in_parts_.apply(operation::sum, type, {held});
      made.count = through_memory(found, type);
      // where the mask selects nothing, there is no mean and no deviation
      count = in_parts_.apply(operation::maximum, type, {found, in_parts_.literal(type, 1)});
    } else {
      count = elements_of_piece(in_parts_, whole_.rank, type);
      made.count = elements_of_piece(in_rest_, along_, type);
    }
    const std::uint32_t mean =
        in_parts_.apply(operation::true_divide, type, {sum_of_elements(of, type), count});
    // among infinite elements any finite centre works
    const std::uint32_t finite = in_parts_.apply(operation::isfinite, element_type::boolean, {mean});
    const std::uint32_t centre =
        in_parts_.apply(operation::where, type, {finite, mean, in_parts_.literal(type, 0)});
    const std::uint32_t apart = masked(
        in_parts_.apply(operation::subtract, type, {to_parts_.instruction_of(of.element), centre}), of, type);
    made.centre = through_memory(centre, type);
    made.distances = through_memory(in_parts_.apply(operation::sum, type, {apart}), type);
    const std::uint32_t square = in_parts_.apply(operation::multiply, type, {apart, apart});
    made.squares = through_memory(in_parts_.apply(operation::sum, type, {square}), type);
    sums_.push_back(made);
    return sums_.back();
  }

  /// The number of elements in the current piece, of those that `axis` of a nest counts.
  std::uint32_t elements_of_piece(nest_writer& in, unsigned axis, element_type type) const {
    std::int64_t inner = 1;
    for (unsigned axis = 0; axis < whole_.rank; ++axis)
      if ((piece_axes_ >> axis & 1) != 0 && (cut_.length == 0 || axis != along_))
        inner *= whole_.extents[axis];
    if (cut_.length == 0) return in.apply(operation::cast, type, {in.constant(inner)});
    return in.elements_of_piece(axis, cut_.length, parts_.whole, inner, type);
  }

  /// What a piece contributes to a deviation, in `rest`.
  std::uint32_t from_centre(const deviation& of) {
    const piece_sums piece = sums_of(of);
    const element_type type = whole_.body[of.element].type;
    const std::uint32_t moved =
        in_rest_.apply(operation::subtract, type, {piece.centre, to_rest_.instruction_of(of.centre)});
    const std::uint32_t all_moved = in_rest_.apply(operation::multiply, type, {piece.count, moved});
    if (!of.squared) return in_rest_.apply(operation::add, type, {piece.distances, all_moved});
    const std::uint32_t twice = in_rest_.apply(operation::add, type, {piece.distances, piece.distances});
    const std::uint32_t slope = in_rest_.apply(operation::add, type, {twice, all_moved});
    const std::uint32_t more = in_rest_.apply(operation::multiply, type, {moved, slope});
    // infinite elements are infinitely far from everything but infinity
    const std::uint32_t nothing =
        in_rest_.apply(operation::multiply, type, {moved, in_rest_.literal(type, 0)});
    const std::uint32_t finite =
        in_rest_.apply(operation::isfinite, element_type::boolean, {piece.distances});
    return in_rest_.apply(operation::add, type,
                          {piece.squares, in_rest_.apply(operation::where, type, {finite, more, nothing})});
  }

  const nest& whole_;
  row_cut cut_;
  std::uint32_t piece_axes_;  ///< reduced axes that are split into pieces
  unsigned along_;            ///< the outermost of them
  std::uint32_t first_temporary_, temporaries_ = 0;
  nest &parts_, &rest_;
  nest_copier to_parts_, to_rest_;
  nest_writer in_parts_, in_rest_;
  access partial_;
  std::vector<piece_sums> sums_;
};

}  // namespace

std::int64_t count_pieces(std::int64_t elements, std::int64_t length) {
  constexpr std::int64_t multiple = access_bytes / size_of(element_type::float32);  // of the results of
                                                                                    // pieces
  return round_up(divide_up(elements, length), multiple);
}

std::int64_t count_pieces(const nest& whole, std::int64_t elements, std::int64_t length) {
  return combines_by_body(whole) ? divide_up(elements, length) : count_pieces(elements, length);
}

bool reduces_in_order(const nest& body) {
  if (!has_scans(body)) return false;
  for (const instruction& at : body.body) {
    if (is_reduction(at.op) && at.op != operation::last) return false;
    for (const std::uint32_t argument : body.arguments_of(at))
      if (is_scan(body.body[argument].op) && at.op != operation::last) return false;
  }
  return true;
}

std::optional<deviation> deviation_of(const nest& body, std::uint32_t i) {
  const instruction& sum = body.body[i];
  if (sum.op != operation::sum || sum.phase == 0 || !is_floating(sum.type) || is_storage_only(sum.type))
    return {};
  deviation found;
  const instruction* term = &body.body[sum.arguments[0]];
  found.squared = term->op == operation::square ||
                  (term->op == operation::multiply && term->arguments[0] == term->arguments[1]);
  if (found.squared) term = &body.body[term->arguments[0]];
  if (term->op == operation::where && is_zero(body.body[term->arguments[2]])) {
    found.masked = true;
    found.mask = term->arguments[0];
    if (body.body[found.mask].phase != 0 || is_reduction(body.body[found.mask].op)) return {};
    term = &body.body[term->arguments[1]];
  }
  if (term->op != operation::subtract || term->fused) return {};
  found.element = term->arguments[0];
  found.centre = term->arguments[1];
  const instruction &element = body.body[found.element], &centre = body.body[found.centre];
  if (!element.per_element || element.phase != 0 || centre.per_element) return {};
  return found;
}

bool has_deviations(const nest& body) {
  for (std::uint32_t i = 0; i < body.body.size(); ++i)
    if (is_reduction(body.body[i].op) && deviation_of(body, i)) return true;
  return false;
}

bool splits_deviations(const nest& body) {
  if (body.split >= 0 || !has_deviations(body)) return false;
  for (std::uint32_t i = 0; i < body.body.size(); ++i) {
    const instruction& at = body.body[i];
    if (is_reduction(at.op) && (finds_position(at.op) || (at.phase != 0 && !deviation_of(body, i))))
      return false;
  }
  return std::none_of(body.stores.begin(), body.stores.end(),
                      [&](const store& at) { return stores_elements(body, at); });
}

row_cut cut_into(const nest& whole, std::int64_t length, std::uint32_t piece_axes) {
  row_cut cut{.piece_axes = piece_axes};
  std::int64_t held = 1;
  for (unsigned axis = 0; axis < whole.rank; ++axis) {
    if (!whole.is_reduced(axis) || (piece_axes >> axis & 1) != 0) continue;
    const std::int64_t extent = whole.extents[axis];
    if (cut.piece_axes != piece_axes || cut.length != 0 || held >= divide_up(length, parts_of_a_piece)) {
      cut.piece_axes |= 1u << axis;
    } else if (extent > length / held) {
      cut.length = std::max<std::int64_t>(1, length / held);
      held = length;
    } else {
      held *= extent;
    }
  }
  return cut;
}

std::uint32_t split_rows(const nest& whole, const row_cut& cut, std::uint32_t first_temporary, nest& parts,
                         nest& rest) {
  return splitter(whole, cut, first_temporary, parts, rest).run();
}

}  // namespace sinter::inline v0
