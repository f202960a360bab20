#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/kernel/fill_argument_block.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/schedule/choose/eviction.hpp>
#include <sinter/codegen/schedule/choose/private_updates.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace sinter::inline v0 {
namespace {

/// All tiles of a launch, and how many of them a block has.
struct block_tiles {
  std::int64_t all = 0, of_block = 1;
};

/// Appends the slots of fields to a stage's arguments.
class slot_filler {
 public:
  slot_filler(stage& made, const tiling& cut, const block_tiles& tiles,
              std::span<const std::size_t> temporaries)
      : made_(made), body_(made.body), cut_(cut), tiles_(tiles), temporaries_(temporaries) {}

  void fill(const argument_field& field) {
    using kind = argument_field::kind;
    switch (field.what) {
      case kind::pointer:
        return fill_pointer(body_.accesses[field.index]);
      case kind::parameter:
        made_.arguments.push_back({argument_slot::source::scalar, field.index, 0});
        return;
      case kind::fault:
        made_.arguments.push_back({argument_slot::source::fault_record, 0, 0});
        return;
      case kind::site:
        made_.arguments.push_back({argument_slot::source::fault_site, 0, 0});
        return;
      case kind::divisor:
        return fill_divisor(digit_extent(body_, made_.chosen, cut_, field.index), field.bits);
      case kind::row:
        return fill_divisor(body_.extents[0], field.bits);
      case kind::term_divisor:
        return fill_divisor(body_.terms[field.index].divisor, field.bits);
      case kind::term_modulus:
        return fill_divisor(body_.terms[field.index].extent, field.bits);
      case kind::divisors: {
        const axis_digits shared(body_, field.index == 1);
        for (unsigned i = 0; i < shared.shared_count(); ++i)
          fill_divisor(body_.extents[shared.shared_axis(i)], field.bits);
        return;
      }
      case kind::strides: {
        const axis_digits shared(body_, field.axis == 1);
        for (unsigned i = 0; i < shared.shared_count(); ++i)
          fill_constant(strides_of(field.index)[shared.shared_axis(i)]);
        return;
      }
      default:
        return fill_constant(value_of(field));
    }
  }

 private:
  void fill_constant(std::int64_t value) {
    made_.arguments.push_back({argument_slot::source::constant, 0, value});
  }

  void fill_divisor(std::int64_t extent, int bits) {
    const divisor by = make_divisor(std::max<std::int64_t>(1, extent), bits);
    fill_constant(by.value);
    fill_constant(static_cast<std::int64_t>(by.multiplier));
    fill_constant(by.shift);
  }

  void fill_pointer(const access& at) {
    using enum argument_slot::source;
    const std::int64_t offset = corner_offset(at) * static_cast<std::int64_t>(size_of(at.type));
    if (at.place == access::where::temporary)
      made_.arguments.push_back({workspace, 0, offset + static_cast<std::int64_t>(temporaries_[at.array])});
    else
      made_.arguments.push_back({at.is_written() ? output_pointer : input_pointer, at.array, offset});
  }

  const std::array<std::int64_t, max_rank>& strides_of(std::uint32_t group) const {
    return std::ranges::find(body_.accesses, group, &access::group)->strides;
  }

  /// The value of a field that is one number of the call.
  std::int64_t value_of(const argument_field& field) const {
    using kind = argument_field::kind;
    switch (field.what) {
      case kind::offset:
        return body_.accesses[field.index].offset;
      case kind::extent:
        return body_.extents[field.index];
      case kind::stride:
        return strides_of(field.index)[field.axis];
      case kind::term_extent:
        return body_.terms[field.index].extent;
      case kind::term_stride:
        return body_.terms[field.index].stride;
      case kind::constant:
        return body_.constants[field.index];
      case kind::size:
        return std::accumulate(body_.extents.begin(), body_.extents.begin() + body_.rank, std::int64_t{1},
                               std::multiplies<>());
      case kind::rows:
        return count_rows(body_, false);
      case kind::elements:
        return count_rows(body_, true);
      case kind::whole:
        return body_.whole;
      case kind::tiles:
        return field.index == 0 ? tiles_.all : tiles_.of_block;
      case kind::piece:
        return field.index == 0 ? cut_.along : cut_.across;
      case kind::streaming:
        return made_.chosen.streaming ? 1 : 0;
      case kind::read_once:
      case kind::read_again:
        return static_cast<std::int64_t>(access_property(made_.chosen.reads, field.what == kind::read_once));
      case kind::function:
        return static_cast<std::int64_t>(made_.externals[field.index]->address);
      default:
        return 0;  // fill() handles the other fields
    }
  }

  stage& made_;
  const nest& body_;
  tiling cut_;
  block_tiles tiles_;
  std::span<const std::size_t> temporaries_;
};

}  // namespace

void fill_arguments(stage& made, const target_facts& target, std::span<const argument_field> fields,
                    std::span<const std::size_t> temporaries) {
  const tiling cut = tile_of(made.body, made.chosen, target.kind);
  block_tiles tiles{count_tiles(made.body, made.chosen, cut)};
  if (is_gpu(target.kind) && made.chosen.private_updates != 0)
    tiles.of_block = tiles_of_block(made.body, made.chosen, tiles.all, target);
  made.tiles = divide_up(tiles.all, tiles.of_block);
  made.arguments.clear();
  slot_filler slots(made, cut, tiles, temporaries);
  for (const argument_field& field : fields) slots.fill(field);
}

}  // namespace sinter::inline v0
