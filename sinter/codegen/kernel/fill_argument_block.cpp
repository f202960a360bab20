#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/kernel/fill_argument_block.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/schedule/eviction.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <numeric>

namespace sinter {

void fill_arguments(stage& made, target_kind target, std::span<const argument_field> fields,
                    std::span<const std::size_t> temporaries) {
  const tiling cut = tile_of(made.body, made.chosen, target);
  made.tiles = count_tiles(made.body, made.chosen, cut);
  made.arguments.clear();
  const auto constant = [&](std::int64_t value) {
    made.arguments.push_back({argument_slot::source::constant, 0, value});
  };
  const auto divisor_slots = [&](const divisor& by) {
    constant(by.value);
    constant(static_cast<std::int64_t>(by.multiplier));
    constant(by.shift);
  };
  const auto group = [&](std::uint32_t number) -> const access& {
    return *std::find_if(made.body.accesses.begin(), made.body.accesses.end(),
                         [&](const access& at) { return at.group == number; });
  };
  for (const argument_field& field : fields) {
    using kind = argument_field::kind;
    switch (field.what) {
      case kind::pointer: {
        const access& at = made.body.accesses[field.index];
        const std::int64_t offset = corner_offset(at) * static_cast<std::int64_t>(size_of(at.type));
        if (at.place == access::where::temporary)
          made.arguments.push_back({argument_slot::source::workspace, 0,
                                    offset + static_cast<std::int64_t>(temporaries[at.array])});
        else
          made.arguments.push_back({at.what == access::kind::write ? argument_slot::source::output_pointer
                                                                   : argument_slot::source::input_pointer,
                                    at.array, offset});
        break;
      }
      case kind::offset:
        constant(made.body.accesses[field.index].offset);
        break;
      case kind::extent:
        constant(made.body.extents[field.index]);
        break;
      case kind::stride:
        constant(group(field.index).strides[field.axis]);
        break;
      case kind::divisor:
        divisor_slots(
            make_divisor(std::max<std::int64_t>(1, digit_extent(made.body, made.chosen, cut, field.index)),
                         made.chosen.order == walk::flat || is_reduction_walk(made.chosen.order) ? 64 : 32));
        break;
      case kind::divisors: {
        const axis_digits shared(made.body, field.index == 1);
        for (unsigned i = 0; i < shared.shared_count(); ++i)
          divisor_slots(
              make_divisor(std::max<std::int64_t>(1, made.body.extents[shared.shared_axis(i)]), 64));
        break;
      }
      case kind::strides: {
        const axis_digits shared(made.body, field.axis == 1);
        for (unsigned i = 0; i < shared.shared_count(); ++i)
          constant(group(field.index).strides[shared.shared_axis(i)]);
        break;
      }
      case kind::row:
        divisor_slots(make_divisor(std::max<std::int64_t>(1, made.body.extents[0]), 32));
        break;
      case kind::constant:
        constant(made.body.constants[field.index]);
        break;
      case kind::parameter:
        made.arguments.push_back({argument_slot::source::scalar, field.index, 0});
        break;
      case kind::size:
        constant(std::accumulate(made.body.extents.begin(), made.body.extents.begin() + made.body.rank,
                                 std::int64_t{1}, std::multiplies<>()));
        break;
      case kind::rows:
        constant(count_rows(made.body, false));
        break;
      case kind::elements:
        constant(count_rows(made.body, true));
        break;
      case kind::whole:
        constant(made.body.whole);
        break;
      case kind::piece:
        constant(field.index == 0 ? cut.along : cut.across);
        break;
      case kind::streaming:
        constant(made.chosen.streaming ? 1 : 0);
        break;
      case kind::read_once:
        constant(static_cast<std::int64_t>(access_property(made.chosen.reads, true)));
        break;
      case kind::read_again:
        constant(static_cast<std::int64_t>(access_property(made.chosen.reads, false)));
        break;
      case kind::function:
        constant(static_cast<std::int64_t>(made.externals[field.index]->address));
        break;
    }
  }
}

}  // namespace sinter
