#include "partitions.hpp"

#include "json.hpp"
#include "program_memory.hpp"
#include "timed_call.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <ranges>
#include <stdexcept>

namespace sinter_bench {
namespace {

using namespace sinter;
using kind = value_line::kind;

bool is_computed(const value_line& line) { return line.what != kind::input && line.what != kind::literal; }
bool combines_elements(const value_line& line) {
  return line.what == kind::reduce || line.what == kind::scan;
}

/// The values that are worth storing: where a pipeline has a seam.
std::vector<unsigned> seams_of(const program& of) {
  std::vector<unsigned> readers(of.values.size(), 0);
  std::vector<bool> is_moved(of.values.size(), false), has_inputs(of.values.size(), false);
  for (unsigned value = 0; value < of.values.size(); ++value) {
    const value_line& line = of.values[value];
    has_inputs[value] = line.what == kind::input;
    for (const unsigned operand : line.operands) {
      ++readers[operand];
      is_moved[operand] = is_moved[operand] || line.what == kind::view || combines_elements(line);
      has_inputs[value] = has_inputs[value] || has_inputs[operand];
    }
  }
  std::vector<unsigned> seams;
  for (unsigned value = 0; value < of.values.size(); ++value) {
    const value_line& line = of.values[value];
    if (!is_computed(line) || line.what == kind::view || !has_inputs[value] ||
        std::ranges::find(of.outputs, value) != of.outputs.end())
      continue;
    if (combines_elements(line) || is_moved[value] || readers[value] > 1) seams.push_back(value);
  }
  return seams;
}

/// One of a partition's calls: what it computes, and what it reads of the program's operands and of values
/// that are stored.
struct part {
  program made;
  struct read {
    bool is_stored;
    std::size_t number;  ///< of the operand, or of the stored value in the partition
  };
  std::vector<read> reads;
};

/// The part that computes these values from operands and from values that are stored.
class part_builder {
 public:
  part_builder(const program& of, const partition& stored) : of_(of), stored_(stored) {
    std::size_t operands = 0;
    for (const value_line& line : of.values) operand_of_.push_back(line.what == kind::input ? operands++ : 0);
  }

  /// `layouts` are those of the stored values that are made already.
  part build(std::span<const unsigned> wanted, std::span<const operand_layout> layouts) {
    std::vector<bool> needed(of_.values.size(), false);
    for (const unsigned value : wanted) needed[value] = true;
    for (unsigned value = static_cast<unsigned>(of_.values.size()); value-- > 0;) {
      if (!needed[value] || (is_read(value, layouts) && std::ranges::find(wanted, value) == wanted.end()))
        continue;
      for (const unsigned operand : of_.values[value].operands) needed[operand] = true;
    }
    part all;
    all.made.mode = of_.mode;
    std::vector<unsigned> number(of_.values.size(), 0);
    for (unsigned value = 0; value < of_.values.size(); ++value) {
      if (!needed[value]) continue;
      number[value] = static_cast<unsigned>(all.made.values.size());
      value_line line = of_.values[value];
      if (is_read(value, layouts)) {
        const std::size_t which = stored_number(value);
        all.reads.push_back({true, which});
        all.made.inputs.push_back(layouts[which]);
        line = {};
      } else if (line.what == kind::input) {
        all.reads.push_back({false, operand_of_[value]});
        all.made.inputs.push_back(of_.inputs[operand_of_[value]]);
      }
      for (unsigned& operand : line.operands) operand = number[operand];
      all.made.values.push_back(std::move(line));
    }
    for (const unsigned value : wanted) all.made.outputs.push_back(number[value]);
    return all;
  }

 private:
  std::size_t stored_number(unsigned value) const {
    return static_cast<std::size_t>(std::ranges::find(stored_, value) - stored_.begin());
  }
  bool is_read(unsigned value, std::span<const operand_layout> layouts) const {
    return stored_number(value) < layouts.size();
  }

  const program& of_;
  const partition& stored_;
  std::vector<std::size_t> operand_of_;
};

/// A partition's calls, with the memory of what is stored between them.
class partitioned_call {
 public:
  partitioned_call(const program& of, const partition& stored, const program_memory& memory, machine& on)
      : order_(stream::default_of(on.where())) {
    part_builder parts(of, stored);
    std::vector<operand_layout> layouts;
    for (const unsigned value : stored) {
      add(parts.build({&value, 1}, layouts), memory);
      layouts.push_back(layout_of(results_.back()));
    }
    add(parts.build(of.outputs, layouts), memory);
    synchronize(on.where());
    for (const any_array& buffer : memory.buffers()) touched_.push_back(&buffer);
    for (const any_array& result : results_) touched_.push_back(&result);
  }

  void operator()() const {
    for (const one_call& each : calls_)
      runtime::call(each.function, each.operands, {}, each.into, {}, {.on = &order_});
  }
  std::span<const any_array* const> touched() const { return touched_; }
  /// Throws std::logic_error if the last call's results have other types or shapes.
  void expect_results_like(std::span<const runtime::operand> expected) const {
    const auto& made = calls_.back().into;
    const bool same = std::ranges::equal(made, expected, [](const auto& a, const auto& b) {
      return a.type == b.type &&
             std::ranges::equal(std::span(a.extents, a.rank), std::span(b.extents, b.rank));
    });
    if (!same) throw std::logic_error("a partition computes something else");
  }

 private:
  struct one_call {
    runtime::function_handle function;
    std::vector<runtime::operand> operands, into;
  };

  static operand_layout layout_of(const any_array& made) {
    operand_layout at;
    at.type = made.type();
    at.extents.assign(made.shape().begin(), made.shape().end());
    at.strides.resize(at.extents.size());
    std::int64_t stride = 1;
    for (std::size_t axis = at.extents.size(); axis-- > 0; stride *= at.extents[axis])
      at.strides[axis] = stride;
    return at;
  }

  void add(const part& of, const program_memory& memory) {
    one_call& made = calls_.emplace_back();
    made.function = runtime::intern(record(of.made));
    for (const part::read& each : of.reads)
      made.operands.push_back(each.is_stored ? results_[each.number].view().erased()
                                             : memory.operands()[each.number]);
    std::vector<runtime::result> results(of.made.outputs.size());
    runtime::call(made.function, made.operands, {}, {}, results, {.on = &order_});
    for (runtime::result& result : results) {
      results_.emplace_back(std::move(result));
      made.into.push_back(results_.back().view().erased());
    }
  }

  stream order_;
  std::deque<any_array> results_;  ///< those of the stored values come first; none moves
  std::vector<one_call> calls_;
  std::vector<const any_array*> touched_;
};

std::string list(const partition& stored) {
  std::string text;
  for (const unsigned value : stored) text += (text.empty() ? "[" : ", ") + std::to_string(value);
  return text + "]";
}

}  // namespace

std::vector<partition> partitions_of(const program& of, std::size_t most) {
  const std::vector<unsigned> seams = seams_of(of);
  std::vector<partition> all;
  const auto add = [&](partition made) {
    if (!made.empty() && all.size() < most && std::ranges::find(all, made) == all.end())
      all.push_back(std::move(made));
  };
  add(seams);
  const std::size_t alone = std::min(seams.size(), most / 2 + 1);
  for (std::size_t i = 0; i < alone; ++i) add({seams[i * seams.size() / alone]});
  std::mt19937_64 draws(std::hash<std::string>{}(of.id));
  for (std::size_t drawn = 0; drawn < 4 * most && seams.size() > 2; ++drawn) {
    partition made;
    for (const unsigned seam : seams)
      if (draws() % 2 != 0) made.push_back(seam);
    add(std::move(made));
  }
  return all;
}

std::string time_partitions(const program& of, machine& on, std::size_t most, unsigned turns,
                            double seconds) {
  using clock_type = std::chrono::steady_clock;
  const auto begin = clock_type::now();
  const timed_call fused(of, on);
  const std::vector<partition> partitions = partitions_of(of, most);
  const program_memory memory(of, on.where());
  std::vector<std::unique_ptr<partitioned_call>> calls;
  for (const partition& stored : partitions) {
    calls.push_back(std::make_unique<partitioned_call>(of, stored, memory, on));
    calls.back()->expect_results_like(fused.into());
  }

  const std::size_t sides = 1 + calls.size();
  const auto time_of = [&](std::size_t side, unsigned repeats) {
    return side == 0 ? cold_seconds(on, fused.touched(), repeats, [&] { fused(); })
                     : cold_seconds(on, calls[side - 1]->touched(), repeats, [&] { (*calls[side - 1])(); });
  };
  for (std::size_t side = 0; side < sides; ++side) time_of(side, 2);
  const double once = time_of(0, 2);
  const unsigned repeats = once < 50e-6 ? 5 : once < 500e-6 ? 2 : 1;
  std::vector<std::vector<double>> times(sides);
  for (unsigned turn = 0; turn < turns; ++turn) {
    if (turn >= 5 && std::chrono::duration<double>(clock_type::now() - begin).count() > seconds) break;
    for (std::size_t i = 0; i < sides; ++i) {  // there and back, so that a slow drift affects all alike
      const std::size_t side = turn % 2 == 0 ? i : sides - 1 - i;
      times[side].push_back(1e6 * time_of(side, repeats));
    }
  }
  std::string text =
      "{\"id\": " + quoted(of.id) + ", \"fused_us\": " + list(times[0]) + ", \"partitions\": [";
  for (std::size_t i = 0; i < partitions.size(); ++i)
    text += std::string(i == 0 ? "" : ", ") + "{\"stored\": " + list(partitions[i]) +
            ", \"us\": " + list(times[i + 1]) + "}";
  return text + "], \"explain\": " + quoted(fused.explained()) + "}";
}

}  // namespace sinter_bench
