#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/nest/build/recomputing_weights.hpp>
#include <sinter/codegen/segment/result_parts.hpp>

#include <array>

namespace sinter::inline v0 {
namespace {

class part_list {
 public:
  part_list(const call_facts& call, std::uint32_t result, std::vector<stored_node>& parts)
      : call_(call), whole_(call.recorded.outputs[result]), result_(result), parts_(parts) {
    std::int64_t contiguous = 1;
    const auto extents = call.shapes.of(whole_);
    for (std::size_t axis = extents.size(); axis-- > 0; contiguous *= extents[axis])
      strides_[axis] = call.outputs.empty() ? contiguous : call.outputs[result].strides[axis];
    elements_ = contiguous;
  }

  void run() {
    const std::size_t count = count_parts(whole_);
    if (is_worth(count))
      add(whole_, 0);
    else
      parts_.push_back({whole_, access::where::argument, result_});
  }

 private:
  const node& at(node_id id) const { return call_.recorded.nodes[id]; }
  std::size_t count_parts(node_id id) const {
    std::size_t count = 1;
    for (; at(id).op == operation::concatenate; id = at(id).inputs[0]) count += count_parts(at(id).inputs[1]);
    return count;
  }
  /// A kernel for all of them moves elements one by one where arrays meet, which is taken for the time of
  /// moving the result once more.
  bool is_worth(std::size_t count) const {
    if (count == 1) return false;
    if (call_.shape_generic) return count <= max_generic_parts;
    const recomputing_weights& weights = recomputing_weights_of(call_.target);
    const double saved = static_cast<double>(elements_) * static_cast<double>(size_of(at(whole_).type)) *
                         static_cast<double>(weights.memory_byte);
    return count <= max_result_parts && saved >= static_cast<double>(count - 1) * weights.stage_weight;
  }
  void add(node_id id, std::int64_t offset) {
    const node& entry = at(id);
    if (entry.op == operation::concatenate) {
      const unsigned axis = part_axis(entry);
      add(entry.inputs[0], offset);
      return add(entry.inputs[1], offset + call_.shapes.of(entry.inputs[0])[axis] * strides_[axis]);
    }
    stored_node part{id, access::where::argument, result_};
    part.whole = whole_;
    part.offset = offset;
    parts_.push_back(part);
  }

  const call_facts& call_;
  node_id whole_;
  std::uint32_t result_;
  std::vector<stored_node>& parts_;
  std::array<std::int64_t, max_rank> strides_{};
  std::int64_t elements_ = 0;
};

}  // namespace

void list_result_parts(const call_facts& call, std::vector<stored_node>& parts) {
  parts.clear();
  for (std::uint32_t result = 0; result < call.recorded.outputs.size(); ++result)
    part_list(call, result, parts).run();
}

}  // namespace sinter::inline v0
