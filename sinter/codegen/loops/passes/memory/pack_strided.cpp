#include <sinter/codegen/loops/passes/memory/pack_strided.hpp>

#include <sinter/codegen/loops/statements/cpu_pieces.hpp>
#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// Whether a read is strided along the lanes, of rows those of the innermost reduced axis.
bool is_strided(const kernel_description& kernel, const access_pattern& at) {
  if (at.what != access_pattern::kind::read || !moves_along_reduced_axes(kernel.body, at)) return false;
  unsigned axis = 0;
  while (reduces_rows(kernel.chosen.order) && !kernel.body.is_reduced(axis)) ++axis;
  return at.pattern(axis) == step_pattern::strided;
}

class strided_packing : row_statements {
 public:
  strided_packing(const kernel_description& kernel, loop_tree& tree)
      : row_statements(kernel, tree), table_(tree.expressions) {}

  void run() {
    replace_statements(tree_, is_chunks, [&](statement_id id) {
      tree_[id].next = no_statement;
      pack_in(id);
      return id;
    });
    declare_buffers();
  }

 private:
  bool is_packed(std::uint32_t i) const { return is_strided(described_, at(i)); }

  void declare_buffers() {
    begin_list();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_packed(i))
        cpu_pieces::declare_buffer(out_, storage(i), loaded_read(i), columns() ? vector() : cpu_chunk);
    statement_list all(tree_);
    all.append(out_.first());
    all.append(tree_.first);
    tree_.first = all.first();
  }
  void begin_list() { out_ = loop_writer(tree_, loop_writer::detached{}); }

  void pack_in(statement_id chunk) {
    if (has_vectors(tree_[chunk].body)) return pack_groups(chunk);
    each_in_list(tree_, tree_[chunk].body, [&](statement_id id) {
      if (has_vectors(tree_[id].body)) pack_group(id);
    });
  }
  bool has_vectors(statement_id list) const {
    bool found = false;
    each_in_list(tree_, list, [&](statement_id id) { found |= is_vector(tree_[id]); });
    return found;
  }

  /// Packs in the loop over the groups of a row, many groups at a time.
  void pack_groups(statement_id chunk) {
    const expression first = tree_[chunk].target, left = tree_[chunk].end - first,
                     from = first & (cpu_chunk - 1);
    read_packed(tree_[chunk].body, from);
    if (packed_.empty()) return;
    begin_list();
    out_.open_guard(from == 0);
    pack(choose(left < cpu_chunk, left, cpu_chunk));
    out_.close();
    tree_[chunk].body = with_list_behind_lets(tree_, tree_[chunk].body, out_.first());
  }
  void pack_group(statement_id around) {
    read_packed(tree_[around].body, integer(0));
    if (packed_.empty()) return;
    begin_list();
    pack(integer(vector()));
    statement_list made(tree_);
    made.append(out_.first());
    made.append(tree_[around].body);
    tree_[around].body = made.first();
  }

  void pack(expression elements) {
    for (const std::uint32_t i : packed_) {
      if (is_scattered(i, lane_axis())) {
        gather(i, elements);
        continue;
      }
      out_.perform(out_.call("pack_row", {loaded_read(i), pointer_of_row(i) + place_in_row(i, {}),
                                          name("a.s", at(i).group, "_", lane_axis()), elements}));
    }
  }

  /// Where terms move along the lanes: what lies inside of the array as pack_row() does it, the rest element
  /// by element.
  void gather(std::uint32_t i, expression elements) {
    const expression begin = name("first_inside", i), end = name("last_inside", i);
    if (!is_bordered(i, lane_axis())) return gather_from(i, integer(0), elements);
    out_.open_scope();
    out_.variable(index_type, begin, integer(0));
    out_.variable(index_type, end, elements);
    each_term_along(i, lane_axis(), [&](std::uint32_t term, std::uint32_t position) {
      const expression number = moved(pointer_of_row(position), index_in_row(position, {})),
                       first = integer(0) - number, last = name("a.t", term, "_extent") - number;
      out_.assign_if(begin < first, begin, choose(first < elements, first, elements));
      out_.assign_if(last < end, end, last);
    });
    out_.assign_if(end < begin, end, begin);
    if (is_bordered_by(i, lane_axis(), is_clip)) {
      out_.open_guard(begin == end);
      out_.perform(out_.call("repeat_rows", {loaded_read(i), pointer_of_row(i) + place_in_row(i, {}),
                                             integer(0), integer(0), integer(1), elements}));
      out_.reopen();
    }
    gather_from(i, integer(0), begin);
    out_.perform_if(begin < end,
                    out_.call("pack_row", {loaded_read(i) + begin, pointer_of_row(i) + place_in_row(i, begin),
                                           name("a.s", at(i).group, "_", lane_axis()), end - begin}));
    gather_from(i, end, elements);
    if (is_bordered_by(i, lane_axis(), is_clip)) out_.close();
    out_.close();
  }
  void gather_from(std::uint32_t i, expression first, expression end) {
    const expression element = name("element");
    out_.open_range(element, first, end);
    out_.assign(loaded_read(i)[element], element_at(i, pointer_of_row(i), place_in_row(i, element)));
    out_.close();
  }

  /// Lets the vector loops of a list read what lies packed from an index on, and finds what that is.
  void read_packed(statement_id list, expression from) {
    packed_.clear();
    each_in_list(tree_, list, [&](statement_id id) {
      if (is_vector(tree_[id])) read_packed_in(tree_[id].body, from + tree_[id].target);
    });
  }
  void read_packed_in(statement_id list, expression lane) {
    each_in_list(tree_, list, [&](statement_id id) {
      rewrite(tree_, tree_[id], [&](expression of) { return packed_element(of, lane); });
      read_packed_in(tree_[id].body, lane);
    });
  }
  std::optional<expression> packed_element(expression of, expression lane) {
    const expression_node node = table_[of.id];
    if (node.kind != expression_kind::evaluate) return {};
    const auto i = static_cast<std::uint32_t>(node.value);
    if (code(i).op != operation::input) return {};
    const auto from = static_cast<std::uint32_t>(code(i).payload);
    if (!is_packed(from)) return {};
    if (std::ranges::find(packed_, from) == packed_.end()) packed_.push_back(from);
    return evaluate(i, std::array{loaded_read(from)[lane]});
  }

  expression_table& table_;
  std::vector<std::uint32_t> packed_;  ///< what the vector loops of a list read
};

}  // namespace

void pack_strided(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.reduced != 0 && !kernel.chosen.staged &&
      std::ranges::any_of(kernel.body.accesses,
                          [&](const access_pattern& at) { return is_strided(kernel, at); }))
    strided_packing(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
