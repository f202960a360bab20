#include <sinter/codegen/segment/pieces/nest_of_pieces.hpp>

namespace sinter::inline v0 {

nest nest_of_pieces(const nest& whole, std::uint32_t axes, std::int64_t length, std::int64_t pieces) {
  nest made;
  made.rank = whole.rank;
  made.extents = whole.extents;
  made.reduced = axes;
  made.constants = whole.constants;
  made.gathers = whole.gathers;
  if (length == 0) return made;
  made.split = static_cast<int>(made.rank);
  made.extents[made.rank++] = pieces;
  std::int64_t& along = made.extents[split_axis(made)];
  made.whole = along;
  along = length;
  return made;
}

nest nest_over_pieces(const nest& whole, std::uint32_t axes, std::int64_t pieces) {
  nest made;
  made.rank = whole.rank;
  made.extents = whole.extents;
  made.reduced = whole.reduced;
  made.gathers = whole.gathers;
  for (unsigned axis = 0; axis < made.rank; ++axis)
    if ((axes >> axis & 1) != 0) made.extents[axis] = axes >> axis == 1 ? pieces : 1;
  return made;
}

}  // namespace sinter::inline v0
