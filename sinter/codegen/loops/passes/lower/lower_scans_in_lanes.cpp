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
    statement rest{.kind = statement_kind::loop, .brief = true};
    rest.type = narrow_index_type;
    rest.target = lane();
    rest.value = elements;
    rest.condition = lane() < vector();
    out_.open(rest);
    out_.assign(values()[lane()], start_of(scan_));
    out_.close();
  }
  /// Of a body: each element and the carry, but for the row's first one.
  void by_body(expression elements) {
    const partial_values carry = partial_names("carry", scan_), next = partial_names("next", scan_);
    partial_values own = partial_names("v", scan_);
    for (expression& each : own) each = each[lane()];
    const std::vector<value_type> types = types_of_partials(scan_);
    out_.open_count(loop_kind::serial, lane(), vector()).condition = lane() < elements;
    for (std::size_t k = 0; k < next.size(); ++k) out_.variable(types[k], next[k]);
    const expression is_later = position() > 0 || lane() > 0, earlier = has_earlier_pieces(scan_);
    combine(scan_, next, {carry, earlier.is_set() ? earlier || is_later : is_later}, {own});
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
