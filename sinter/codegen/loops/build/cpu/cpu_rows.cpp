// Kernels that reduce or scan, for the CPU. Each lane has a sum of its own, so that vectors do not change the
// order. Expensive values of a row that is short enough (schedule::resident) stay on the stack until the last
// phase that needs them; what was read is in the cache. A chunk is a group of lanes, as many as are in the
// row: passes make vectors of whole groups, pack what is strided along the lanes, and prefetch the next row.

#include <sinter/codegen/loops/build/row_steps.hpp>
#include <sinter/codegen/loops/statements/cpu_pieces.hpp>
#include <sinter/codegen/loops/statements/summation_tree.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

class cpu_rows final : public row_steps {
 public:
  cpu_rows(const kernel_description& described, loop_tree& tree)
      : row_steps(described, tree), tree_of_sums_(described, tree) {}

  /// Of columns each lane goes on by itself, and scans with it.
  unsigned levels(unsigned phase) const override { return columns() ? 1 : row_steps::levels(phase); }

  void open_tiles() override {
    declare_arrays();
    for (unsigned phase = 0; phase < phases() && !stores_through_buffers_; ++phase)
      stores_through_buffers_ = stores_alone(phase);
    if (stores_through_buffers_) declare_streaming();
    declare_buffers();
    if (columns()) {
      out_.open_range(name("tile"), name("first"), name("last"));
      decode_rows(name("tile"));
      out_.let(narrow_index_type, position(), integer(0));
    } else {
      const expression across = name("a.across"), rows = name("a.rows"), end = name("last") * across;
      out_.let(index_type, name("begin"), name("first") * across);
      out_.let(index_type, name("end"), choose(end < rows, end, rows));
      out_.open_range(name("number"), name("begin"), name("end"));
      decode_rows(name("number"));
    }
  }
  void close_tiles() override {
    out_.close();
    if (stores_through_buffers_) out_.perform_if(name("streaming") != 0, out_.call("streaming_fence", {}));
  }

  /// A group of lanes, of which `elements_` are in the row.
  void open_lane(unsigned) override {
    open_rows();
    out_.open_steps(has_register_tiles() ? loop_kind::vector : loop_kind::lanes, lane(), 0, elements_);
  }
  void close_lane(unsigned) override {
    out_.close();
    close_rows();
  }

  void scan(unsigned phase, unsigned level) override {
    if (columns()) return;
    each_scan(phase, [&](std::uint32_t i) {
      if (plan_.level(phase, i) != level) return;
      statement scan{.kind = statement_kind::scan, .scope = scope_of_row(described_)};
      scan.instruction = i;
      scan.value = elements_;
      out_.add(scan);
    });
  }

  void store_once() override {
    for (const store& made : body().stores) {
      if (stores_elements(body(), made)) continue;
      const expression result = stored(at(made.target).type, value(made.value));
      if (!columns()) {
        out_.assign(content_of(pointer_of_row(made.target)), result);
        continue;
      }
      const expression column = position() + lane();
      const expression place = pointer_of_row(made.target)[index(at(made.target).group, {column})];
      open_rows();
      open_lanes();
      out_.assign_if(is_stored(column), place, result);
      out_.close();
      close_rows();
    }
  }

 private:
  // What row_steps asks for.

  expression element(std::uint32_t i) override {
    return element_at(i, pointer_of_row(i), place_in_row(i, lane()));
  }
  void store_element(std::uint32_t i, expression value) override {
    out_.assign(stores_alone(phase_) ? name("to", i)[lane()] : pointer_of_row(i)[index_in_row(i, lane())],
                value);
  }
  expression step_number() override {
    return convert(narrow_index_type, columns() ? name("r") : position() / vector());
  }
  expression number_of_step(expression step, expression lane) override {
    const expression number = convert(index_type, step);
    return columns() ? number : number * vector() + lane;
  }
  /// Whether this strip stores a column of it.
  expression is_stored(expression column) {
    if (!has_register_tiles()) return column < lanes_left();
    return name("active")[name("u")] && name("first0") <= name("start0") + column;
  }
  expression is_first_step() override {
    if (columns()) return name("r") == 0;
    const expression is_first = position() == 0;
    return is_nested() ? name("outer") == 0 && is_first : is_first;
  }
  std::optional<expression> of_chunk(expression values) override {
    if (columns()) return std::nullopt;
    return values[lane()];
  }
  expression held(std::uint32_t i) override {
    const expression first = columns()     ? name("r") * vector()
                             : is_nested() ? name("outer") * end_of_lanes() + position()
                                           : position();
    return name("resident", i)[first + lane()];
  }
  /// Of columns each lane goes on by itself.
  void scan_element(std::uint32_t i, const partial_values& from) override {
    const partial_values made = partial_names("v", i);
    if (!columns()) {
      for (std::size_t k = 0; k < made.size(); ++k) out_.assign(*of_chunk(made[k]), from[k]);
      return;
    }
    partial_values carry = partial_names("carry", i);
    for (expression& each : carry) each = each[lane()];
    if (has_body(code(i).op)) {
      const std::vector<value_type> types = types_of_partials(i);
      const auto take = [&] {
        for (std::size_t k = 0; k < made.size(); ++k) out_.let(types[k], made[k], carry[k]);
      };
      if (code(i).exclusive) take();
      combine_element(i, carry, from);
      if (!code(i).exclusive) take();
      return;
    }
    if (code(i).exclusive) out_.let(value_of(code(i).type), made[0], carry[0]);
    combine(i, carry, from);
    if (!code(i).exclusive) out_.let(value_of(code(i).type), made[0], carry[0]);
  }

  void declare_buffers() {
    const expression elements = name("a.elements");
    for (const resident_value& resident : plan_.resident())
      out_.variable(value_of(code(resident.index).type),
                    name("resident", resident.index)[columns() ? elements * vector() : elements])
          .space = memory_space::resident;
    for (const store& made : body().stores)
      if (stores_elements(body(), made) && stores_alone(phase_of_store(body(), made)))
        cpu_pieces::declare_buffer(out_, storage(made.target), name("out", made.target), vector());
  }

  // One phase's loop over the reduced axes.

  void open_loop(unsigned phase) override {
    tree_of_sums_.begin(out_, phase);
    declare_last(phase);
    if (scans_in(phase)) out_.open_scope();
    begin_scans(phase);
    if (columns())
      open_columns(phase);
    else
      open_row(phase);
    for (const std::uint32_t i : plan_.evaluated(phase))
      if (levels(phase) > 1 && is_array(i)) declare_arrays_of_chunk(i, {vector()});
  }
  void close_loop(unsigned phase) override {
    if (stores_alone(phase))
      store_pieces(phase);
    else
      grow(phase);
    out_.close();
    if (!columns() && is_nested()) out_.close();
    set_last(phase);
    if (scans_in(phase)) out_.close();
  }

  void open_columns(unsigned phase) {
    const expression left = lanes_left();
    statement& chunks = out_.open_range(name("r"), integer(0), length());
    chunks.loop = loop_kind::chunks;
    chunks.instruction = phase;
    reduced_positions(name("r"));
    elements_ = has_register_tiles() ? integer(vector()) : choose(left == vector(), vector(), left);
  }
  void grow(unsigned phase) {
    if (!tree_of_sums_.has_sums(phase)) return;
    statement grown{.kind = statement_kind::grow};
    grown.instruction = phase;
    out_.add(grown);
  }

  void open_row(unsigned phase) {
    if (is_nested()) {
      out_.open_range(name("outer"), integer(0), length() / end_of_lanes());
      split_digits(name("outer"), std::span(reduced_digits_).subspan(1), {.rest = "w", .position = "r"});
      const unsigned last = reduced_digits_.back();
      declare_shared_offsets(true, name("r", last));
    }
    if (stores_alone(phase))
      open_pieces(phase);
    else
      open_groups_of_lanes(phase);
  }

  void open_groups_of_lanes(unsigned phase) {
    const expression first = position(), end = end_of_lanes(), left = convert(narrow_index_type, end - first);
    statement& chunks = out_.open_range(first, integer(0), end);
    chunks.loop = loop_kind::chunks;
    chunks.instruction = phase;
    chunks.step_by = loop_step::by_amount;
    chunks.step = integer(vector());
    name_position();
    out_.let(narrow_index_type, name("lanes"), choose(first + vector() <= end, vector(), left));
    elements_ = name("lanes");
  }

  /// Lanes do not reach from one row of the innermost reduced axis into the next.
  bool is_nested() const { return reduced_axes_.size() > 1; }
  expression end_of_lanes() { return is_nested() ? extent(reduced_axes_[0]) : length(); }
  void name_position() {
    if (is_nested()) out_.let(index_type, name("r", reduced_axes_[0]), position());
  }

  /// Whether a phase along rows does nothing but store contiguous elements: then they may be stored in any
  /// pieces.
  bool stores_alone(unsigned phase) const {
    bool any = false;
    for (const store& made : body().stores) {
      if (!stores_elements(body(), made) || phase_of_store(body(), made) != phase) continue;
      if (at(made.target).pattern(lane_axis()) != step_pattern::unit) return false;
      any = true;
    }
    const bool reduces = std::ranges::any_of(
        body().body, [&](const instruction& made) { return is_reduction(made.op) && made.phase == phase; });
    return any && !columns() && !reduces &&
           std::ranges::none_of(plan_.evaluated(phase), [&](std::uint32_t i) {
             const resident_value* resident = plan_.resident_instruction(i);
             return is_scan(code(i).op) || (resident != nullptr && resident->first == phase);
           });
  }

  /// The results of a row in pieces of a group of lanes, as those of pointwise kernels are.
  void open_pieces(unsigned phase) {
    const expression end = end_of_lanes(), all = integer(vector());
    statement& chunks = pieces_.open(name("to"), integer(0), end);
    chunks.loop = loop_kind::chunks;
    chunks.instruction = phase;
    pieces_.declare_from(end);
    name_position();
    declare_results(phase);
    each_element_store(phase, [&](const store& made) {
      pieces_.declare_place(made.target, storage(made.target), pieces_.is_direct(made.target));
    });
    elements_ = choose(end >= all, all, pieces_.count());
  }
  void store_pieces(unsigned phase) {
    each_element_store(phase, [&](const store& made) {
      pieces_.store(made.target, out_.instance("put_whole", {integer(vector())}));
    });
  }
  void declare_results(unsigned phase) {
    std::vector<piece_result> results;
    std::vector<expression> own = positions({});
    own[lane_axis()] = name("to");
    each_element_store(phase, [&](const store& made) {
      const access_pattern& of = at(made.target);
      results.push_back({made.target, of.type, true,
                         pointer_of_row(made.target) + in_window(made.target, index(of.group, own))});
    });
    pieces_.declare_results(results, end_of_lanes() - name("to"));
  }

  summation_tree tree_of_sums_;
  cpu_pieces pieces_{out_, vector(), position(), name("count")};
  expression elements_;  ///< of the group of lanes at hand
  bool stores_through_buffers_ = false;
};

}  // namespace

std::unique_ptr<tile_steps> make_cpu_rows(const kernel_description& described, loop_tree& tree) {
  return std::make_unique<cpu_rows>(described, tree);
}

}  // namespace sinter::inline v0::codegen
