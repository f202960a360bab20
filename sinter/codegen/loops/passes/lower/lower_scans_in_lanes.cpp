#include <sinter/codegen/loops/passes/lower/lower_scans_in_lanes.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

namespace sinter::inline v0::codegen {
namespace {

class lane_scan_lowering : row_statements {
 public:
  lane_scan_lowering(const kernel_description& kernel, loop_tree& tree) : row_statements(kernel, tree) {}

  statement_id lowered(const statement& scan) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    scan_ = scan.instruction;
    if (has_body(made().op)) {
      by_body(scan.value);
      return out_.first();
    }
    fill_lanes_from(scan.value);
    if (scans_by_vectors(described_, made()))
      by_vectors();
    else
      one_by_one();
    return out_.first();
  }

 private:
  const instruction& made() const { return code(scan_); }
  value_type type() const { return value_of(made().type); }
  expression carry() { return name("carry", scan_); }
  expression values() { return name("v", scan_); }

  /// Lanes behind the row's end take part and change nothing.
  void fill_lanes_from(expression elements) {
    out_.open_steps(loop_kind::serial, lane(), elements, vector());
    out_.assign(values()[lane()], start_of(scan_));
    out_.close();
  }
  static constexpr int blocks_of_body = 8;

  /// Of a body. A chain of combines takes the latency of each: a whole group is scanned in blocks side by
  /// side, and then what is before each block is combined into it.
  void by_body(expression elements) {
    const expression_node& count = tree_.expressions[elements.id];
    const bool is_whole = count.kind == expression_kind::integer && count.value == vector();
    if (is_whole && vector() % (2 * blocks_of_body) == 0)
      by_blocks();
    else
      in_turn(elements);
  }
  partial_values element(expression lane) {
    partial_values made = partial_names("v", scan_);
    for (expression& each : made) each = each[lane];
    return made;
  }
  /// Whether the carry holds anything at the begin of this group.
  expression has_carry() {
    const expression earlier = has_earlier_pieces(scan_), is_later = position() > 0;
    return earlier.is_set() ? earlier || is_later : is_later;
  }
  void by_blocks() {
    const int length = vector() / blocks_of_body;
    const partial_values carry = partial_names("carry", scan_), base = partial_names("base", scan_),
                         next = partial_names("next", scan_);
    const std::vector<value_type> types = types_of_partials(scan_);
    const expression step = name("i"), block = name("b");
    out_.open_steps(loop_kind::unrolled, step, 1, length);
    out_.open_count(loop_kind::unrolled, block, blocks_of_body);
    const expression place = block * length + step;
    combine(scan_, element(place), {element(place - 1)}, {element(place)});
    out_.close();
    out_.close();
    out_.open_count(loop_kind::unrolled, block, blocks_of_body);
    const expression has_base = has_carry() || block > 0;
    for (std::size_t k = 0; k < base.size(); ++k) {
      out_.let(types[k], base[k], carry[k]);
      out_.variable(types[k], next[k]);
    }
    combine(scan_, next, {base, has_base}, {element(block * length + (length - 1))});
    assign_all(carry, next);
    if (made().exclusive) {
      out_.open_steps(loop_kind::unrolled, step, length - 1, 1, loop_step::down_by_one);
      combine(scan_, element(block * length + step), {base, has_base},
              {element(block * length + (step - 1))});
      out_.close();
      assign_all(element(block * length), base);
    } else {
      out_.open_count(loop_kind::unrolled, step, length);
      combine(scan_, element(block * length + step), {base, has_base}, {element(block * length + step)});
      out_.close();
    }
    out_.close();
  }
  /// Each element and the carry, but for the row's first one.
  void in_turn(expression elements) {
    const partial_values carry = partial_names("carry", scan_), next = partial_names("next", scan_);
    const partial_values own = element(lane());
    const std::vector<value_type> types = types_of_partials(scan_);
    out_.open_steps(loop_kind::serial, lane(), 0, elements);
    for (std::size_t k = 0; k < next.size(); ++k) out_.variable(types[k], next[k]);
    combine(scan_, next, {carry, has_carry() || lane() > 0}, {own});
    assign_all(own, made().exclusive ? carry : next);
    assign_all(carry, next);
    out_.close();
  }
  void one_by_one() {
    const expression own = values()[lane()], next = name("next");
    out_.open_count(loop_kind::serial, lane(), vector());
    out_.let(type(), next, tree_.expressions.make(expression_kind::combined, {carry(), own}, scan_));
    out_.assign(own, made().exclusive ? carry() : next);
    out_.assign(carry(), next);
    out_.close();
  }
  /// Vectors of integers wrap if they are unsigned.
  void by_vectors() {
    value_type element = type();
    if (!is_floating(made().type)) element.as = value_type::form::address;
    value_type reference = pointer_to(element);
    reference.pointer = 3;
    const expression function = out_.instance("scan_by_" + std::string(facts(facts(made().op).combine).name),
                                              {name(made().exclusive ? "true" : "false")});
    for (int first = 0; first < vector(); first += cpu_scan_line)
      out_.perform(out_.call(function, {convert(pointer_to(element), values()) + first,
                                        convert(element, start_of(scan_)), convert(reference, carry())}));
  }

  std::uint32_t scan_ = 0;
};

}  // namespace

bool scans_by_vectors(const kernel_description& kernel, const instruction& scan) {
  return kernel.chosen.vector % cpu_scan_line == 0 && !is_complex(scan.type) &&
         (kernel.mode != arithmetic_mode::strict || !is_storage_only(scan.type));
}

void lower_scans_in_lanes(const kernel_description& kernel, loop_tree& tree) {
  if (!has_statement(tree, statement_kind::scan)) return;
  lane_scan_lowering lowering(kernel, tree);
  replace_statements(tree, statement_kind::scan, [&](const statement& at) { return lowering.lowered(at); });
}

}  // namespace sinter::inline v0::codegen
