#include <sinter/codegen/loops/passes/memory/stage_strips.hpp>

#include <sinter/codegen/loops/statements/cpu_pieces.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

namespace sinter::inline v0::codegen {
namespace {

class strip_staging : row_statements {
 public:
  strip_staging(const kernel_description& kernel, loop_tree& tree) : row_statements(kernel, tree) {}

  void run() {
    for (statement& at : tree_.statements) {
      if (at.kind == statement_kind::loop && at.loop == loop_kind::lanes) {
        at.loop = loop_kind::vector;
        at.end = integer(vector());
      }
      if (at.kind == statement_kind::assign)
        if (const auto to = staged_result(at.target)) at.target = *to;
      rewrite(tree_, at, [&](expression of) { return staged_operand(of); });
    }
    statement_list all(tree_);
    all.append(buffers());
    all.append(tree_.first);
    tree_.first = all.first();
    for (statement_id id = tree_.first; id != no_statement; id = tree_[id].next)
      if (tree_[id].kind == statement_kind::loop) tree_[id].body = with_moves(tree_[id].body);
  }

 private:
  bool is_staged(std::uint32_t i) const {
    const access_pattern& of = at(i);
    return of.what != access_pattern::kind::position && of.term_count == 0 && of.moves_along(0) &&
           of.moves_along(reduced_axes_[0]);
  }
  /// Elements of a row if the text is for this length alone, else 0.
  int known_length() const { return chosen().steps > 1 ? chosen().steps : 0; }
  expression buffer(std::uint32_t i) { return name(is_write(i) ? "out" : "in", i); }
  expression place(std::uint32_t i) { return buffer(i)[name("r") * vector() + lane()]; }
  expression stride(std::uint32_t i, unsigned axis) {
    return at(i).pattern(axis) == step_pattern::unit ? integer(1) : name("a.s", at(i).group, "_", axis);
  }

  std::optional<expression> staged_operand(expression of) {
    const expression_node node = tree_.expressions[of.id];
    if (node.kind != expression_kind::evaluate) return {};
    const auto i = static_cast<std::uint32_t>(node.value);
    if (code(i).op != operation::input || !is_staged(static_cast<std::uint32_t>(code(i).payload))) return {};
    return evaluate(i, std::array{place(static_cast<std::uint32_t>(code(i).payload))});
  }
  std::optional<expression> staged_result(expression to) {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i) && is_staged(i) && base_variable(tree_.expressions, to).id == name("q", i).id)
        return place(i);
    return {};
  }

  statement_id buffers() {
    out_ = loop_writer(tree_, loop_writer::detached{});
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_memory(i) && is_staged(i))
        cpu_pieces::declare_buffer(out_, storage(i), buffer(i),
                                   vector() * (known_length() != 0 ? known_length() : cpu_staged_row));
    return out_.first();
  }

  /// The statements of a strip, behind the lets that say where it lies.
  statement_id with_moves(statement_id list) {
    statement_list all(tree_);
    statement_id rest = list;
    while (rest != no_statement && tree_[rest].kind == statement_kind::let) {
      const statement_id next = tree_[rest].next;
      all.take(rest);
      rest = next;
    }
    all.append(moves("pack_strip", false));
    all.append(rest);
    all.append(moves("unpack_strip", true));
    return all.first();
  }
  statement_id moves(std::string_view helper, bool of_results) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    std::vector<expression> first(rank());
    first[0] = position();
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_memory(i) || !is_staged(i) || is_write(i) != of_results) continue;
      const expression begin = pointer_of_row(i) + in_window(i, index(at(i).group, first));
      out_.perform(
          out_.call(out_.instance(helper, {integer(vector()), integer(known_length())}),
                    {buffer(i), begin, stride(i, 0), stride(i, reduced_axes_[0]), lanes_left(), length()}));
    }
    return out_.first();
  }
};

}  // namespace

void stage_strips(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.chosen.staged) strip_staging(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
