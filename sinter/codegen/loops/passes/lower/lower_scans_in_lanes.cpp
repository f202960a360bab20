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
  /// Of a body. A whole group is scanned in blocks side by side, as vectors of which each lane has a block;
  /// the row's first group, before which there is nothing, and what is left at its end have one chain of
  /// combines.
  void by_body(expression elements) {
    const expression_node& count = tree_.expressions[elements.id];
    const bool is_whole = count.kind == expression_kind::integer && count.value == vector();
    if (!is_whole || !scans_by_blocks(described_, made())) return in_turn(elements);
    out_.open_guard(has_carry());
    by_blocks();
    out_.reopen();
    in_turn(elements);
    out_.close();
  }
  static partial_values element(partial_values of, expression number) {
    for (expression& each : of) each = each[number];
    return of;
  }
  /// Whether the carry holds anything at the begin of this group.
  expression has_carry() {
    const expression earlier = has_earlier_pieces(scan_), is_later = position() > 0;
    return earlier.is_set() ? earlier || is_later : is_later;
  }
  /// Blocks of consecutive elements: each is scanned, the carry passes from one to the next, and what is
  /// before each is combined into its elements. Element i of all blocks is a vector, for which elements
  /// change places.
  void by_blocks() {
    const int blocks = cpu_scan_blocks, length = vector() / blocks;
    const partial_values values = partial_names("v", scan_), carry = partial_names("carry", scan_),
                         dealt = partial_names("dealt", scan_), base = partial_names("base", scan_);
    const std::vector<value_type> types = types_of_partials(scan_);
    const expression step = name("i"), block = name("b");
    const auto of_block = [&](expression number) { return element(dealt, number * blocks + block); };
    for (std::size_t k = 0; k < dealt.size(); ++k) {
      out_.variable(types[k], dealt[k][vector()]);
      out_.perform(out_.call(out_.instance("deal", {integer(blocks)}), {values[k], dealt[k]}));
    }
    out_.open_steps(loop_kind::unrolled, step, 1, length);
    out_.open_count(loop_kind::vector, block, blocks);
    combine(scan_, of_block(step), {of_block(step - 1)}, {of_block(step)});
    out_.close();
    out_.close();
    for (std::size_t k = 0; k < base.size(); ++k) out_.variable(types[k], base[k][blocks]);
    out_.open_count(loop_kind::unrolled, block, blocks);
    assign_all(element(base, block), carry);
    combine(scan_, carry, {carry}, {of_block(integer(length - 1))});
    out_.close();
    const partial_values before = element(base, block);
    if (made().exclusive) {
      out_.open_steps(loop_kind::unrolled, step, length - 1, 1, loop_step::down_by_one);
      out_.open_count(loop_kind::vector, block, blocks);
      combine(scan_, of_block(step), {before}, {of_block(step - 1)});
      out_.close();
      out_.close();
      out_.open_count(loop_kind::vector, block, blocks);
      assign_all(element(dealt, block), before);
      out_.close();
    } else {
      out_.open_count(loop_kind::unrolled, step, length);
      out_.open_count(loop_kind::vector, block, blocks);
      combine(scan_, of_block(step), {before}, {of_block(step)});
      out_.close();
      out_.close();
    }
    for (std::size_t k = 0; k < dealt.size(); ++k)
      out_.perform(out_.call(out_.instance("deal", {integer(length)}), {dealt[k], values[k]}));
  }
  /// Each element and the carry, but for the row's first one.
  void in_turn(expression elements) {
    const partial_values carry = partial_names("carry", scan_), next = partial_names("next", scan_);
    const partial_values own = element(partial_names("v", scan_), lane());
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
    const expression function =
        out_.instance("scan_by_" + std::string(facts_of(facts_of(made().op).combine).name),
                      {name(made().exclusive ? "true" : "false")});
    for (int first = 0; first < vector(); first += cpu_scan_line)
      out_.perform(out_.call(function, {convert(pointer_to(element), values()) + first,
                                        convert(element, start_of(scan_)), convert(reference, carry())}));
  }

  std::uint32_t scan_ = 0;
};

}  // namespace

bool scans_by_vectors(const kernel_description& kernel, const instruction& scan) {
  const operation combine = facts_of(scan.op).combine;
  const bool has_helper = combine == operation::add || combine == operation::multiply;
  return has_helper && kernel.chosen.vector % cpu_scan_line == 0 && !is_complex(scan.type) &&
         (kernel.mode != arithmetic_mode::strict || !is_storage_only(scan.type));
}

bool scans_by_blocks(const kernel_description& kernel, const instruction& scan) {
  return has_body(scan.op) && kernel.chosen.vector % (2 * cpu_scan_blocks) == 0;
}

void lower_scans_in_lanes(const kernel_description& kernel, loop_tree& tree) {
  if (!has_statement(tree, statement_kind::scan)) return;
  lane_scan_lowering lowering(kernel, tree);
  replace_statements(tree, statement_kind::scan, [&](const statement& at) { return lowering.lowered(at); });
}

}  // namespace sinter::inline v0::codegen
