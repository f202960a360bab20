#include <sinter/codegen/loops/passes/memory/prefetch_rows.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// The hardware prefetcher stops at the end of a row, and memory is idle while the row is evaluated: its
/// second loop prefetches the next row. A prefetch past the end of the array reads nothing.
class row_prefetch : row_statements {
 public:
  row_prefetch(const kernel_description& kernel, loop_tree& tree) : row_statements(kernel, tree) {}

  void run() {
    const unsigned phase = second_phase();
    replace_statements(tree_, is_chunks, [&](statement_id id) {
      tree_[id].next = no_statement;
      if (tree_[id].instruction == phase)
        tree_[id].body = with_list_behind_lets(tree_, tree_[id].body, lines_of_next_row());
      return id;
    });
  }

 private:
  /// The phase with the second loop over a row, or with the only one.
  unsigned second_phase() const {
    unsigned found = body().phases;
    for (unsigned phase = 0, loops = 0; phase < body().phases && loops < 2; ++phase)
      if (has_loop(phase)) {
        found = phase;
        ++loops;
      }
    return found;
  }
  bool has_loop(unsigned phase) const {
    return std::ranges::any_of(tree_.statements,
                               [&](const statement& at) { return is_chunks(at) && at.instruction == phase; });
  }
  bool is_asked_for(std::uint32_t i) const {
    return is_read(i) && at(i).base == i && moves_along_reduced_axes(body(), at(i)) &&
           at(i).pattern(lane_axis()) == step_pattern::unit &&
           at(i).pattern(kept_axes_[0]) == step_pattern::strided;
  }
  /// The lines that are as far in the next row as the chunk is in its own.
  statement_id lines_of_next_row() {
    out_ = loop_writer(tree_, loop_writer::detached{});
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_asked_for(i)) continue;
      const expression line = name("line");
      const expression next =
          moved(pointer_of_row(i), index_in_row(i, {})) + name("a.s", at(i).group, "_", kept_axes_[0]);
      out_.open_strided(loop_kind::serial, line, 0, vector() * static_cast<std::int64_t>(size_of(at(i).type)),
                        cpu_cache_line_bytes);
      out_.perform(
          out_.call("prefetch", {convert(pointer_to({value_type::form::octet}, true), next) + line}));
      out_.close();
    }
    return out_.first();
  }
};

}  // namespace

void prefetch_rows(const kernel_description& kernel, loop_tree& tree) {
  const unsigned every_axis = (1u << kernel.body.rank) - 1;
  if (reduces_rows(kernel.chosen.order) && kernel.chosen.resident && kernel.body.reduced != every_axis)
    row_prefetch(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
