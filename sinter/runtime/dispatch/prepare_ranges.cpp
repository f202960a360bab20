// Preparing for calls whose extents are known as ranges.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/schedule/size_classes.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {
namespace {

// One extent that varies: its values, and the index of the current one.
struct varying_extent {
  const axis_range* bounds = nullptr;
  std::vector<std::int64_t> values;
  std::size_t now = 0;
};

// Operands with ranges, as row-major arrays whose extents step through all combinations.
class extent_iteration {
 public:
  extent_iteration(const function& called, std::span<const operand> operands, std::span<const scalar> scalars,
                   std::span<const std::span<const axis_range>> ranges, const target_facts& target)
      : operands_(operands.begin(), operands.end()),
        ranges_(ranges),
        extents_(operands.size()),
        strides_(operands.size()) {
    for (const std::span<const axis_range> axes : ranges)
      for (const axis_range& at : axes)
        if (at.number != 0) extents_by_number_[at.number].bounds = &at;
    const graph& content = called.simplified();
    const std::vector<std::int64_t> beside = extents_beside(operands, ranges);
    // Independent extents may have to be equal, so each also takes the other's values.
    std::vector<std::int64_t> all;
    for (const auto& [number, extent] : extents_by_number_) {
      const auto own =
          representative_extents(content, scalars, extent.bounds->low, extent.bounds->high, target, beside);
      all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::size_t combinations = 1;
    for (auto& [number, extent] : extents_by_number_) {
      for (const std::int64_t value : all)
        if (value >= extent.bounds->low && value <= extent.bounds->high) extent.values.push_back(value);
      combinations *= extent.values.size();
      if (combinations > max_combinations)
        throw shape_error(fmt::format(
            "prepare() of {} was given {} ranges of extents that vary apart, which are too many "
            "combinations: use "
            "one "
            "extent_range object wherever extents are equal, or prepare for some of them at a time",
            describe(called), extents_by_number_.size()));
    }
    update();
  }

  // Steps to the next combination; false after the last.
  bool step() {
    for (auto& [number, extent] : extents_by_number_) {
      if (++extent.now < extent.values.size()) {
        update();
        return true;
      }
      extent.now = 0;
    }
    return false;
  }

  std::span<const operand> operands() const { return operands_; }

 private:
  /// The fixed extents of operands that also have varying ones: each extent, and their product per operand.
  static std::vector<std::int64_t> extents_beside(std::span<const operand> operands,
                                                  std::span<const std::span<const axis_range>> ranges) {
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      std::int64_t together = 1;
      for (const axis_range& at : ranges[i]) {
        if (at.number != 0 || at.low < 2 || __builtin_mul_overflow(together, at.low, &together)) continue;
        found.push_back(at.low);
      }
      found.push_back(together);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  static constexpr std::size_t max_combinations = 1 << 19;  // takes about a second

  void update() {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].empty()) continue;
      std::uint64_t stride = 1;  // the product may wrap for shapes with more elements than the address space
      for (std::size_t axis = ranges_[i].size(); axis-- > 0;) {
        const axis_range& at = ranges_[i][axis];
        const varying_extent* varying = at.number != 0 ? &extents_by_number_.at(at.number) : nullptr;
        extents_[i][axis] = varying != nullptr ? varying->values[varying->now] : at.low;
        strides_[i][axis] = static_cast<std::int64_t>(stride);
        stride *= static_cast<std::uint64_t>(extents_[i][axis]);
      }
      operands_[i].extents = extents_[i].data();
      operands_[i].strides = strides_[i].data();
      // aligned as buffers are, each at a separate address
      operands_[i].data = reinterpret_cast<void*>((i + 1) << 12);
    }
  }

  std::vector<operand> operands_;
  std::span<const std::span<const axis_range>> ranges_;
  std::vector<std::array<std::int64_t, 32>> extents_, strides_;
  std::map<std::uint64_t, varying_extent> extents_by_number_;
};

}  // namespace

void prepare_ranges(const function_handle& called, std::span<const operand> operands,
                    std::span<const scalar> scalars, std::span<const std::span<const axis_range>> ranges,
                    const call_options& options) {
  const device where = make_request(held(called), operands, scalars, {}, options).where;
  extent_iteration iteration(*called, operands, scalars, ranges, facts_of(where));
  const state_guard state;
  std::exception_ptr refused;
  bool fitted = false;
  plan loaded;  // filling the plan loads the kernels
  std::vector<kernel_handle> known;
  do {
    const call_request request = make_request(held(called), iteration.operands(), scalars, {}, options);
    try {
      const thread_state::lowering made = state->lower_and_compile(request);
      fitted = true;
      const bool all_known =
          std::all_of(made.kernels.begin(), made.kernels.end(), [&](const kernel_handle& at) {
            return at == nullptr || std::find(known.begin(), known.end(), at) != known.end();
          });
      if (all_known) continue;
      loaded.fill(request, {}, *made.lowered, made.kernels);
      known.insert(known.end(), made.kernels.begin(), made.kernels.end());
      const bool is_whole =
          std::find(made.kernels.begin(), made.kernels.end(), nullptr) == made.kernels.end();
      if (made.variant == lowering_variant::shape_generic && is_whole) return;  // it serves all extents
    } catch (const shape_error&) {  // incompatible extents, which no call has
      if (!refused) refused = std::current_exception();
    } catch (const out_of_memory&) {
      if (!refused) refused = std::current_exception();
    }
  } while (iteration.step());
  if (!fitted && refused) std::rethrow_exception(refused);
}

}  // namespace sinter::inline v0::runtime
