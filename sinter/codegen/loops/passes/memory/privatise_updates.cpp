#include <sinter/codegen/loops/passes/memory/privatise_updates.hpp>

#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/loops/statements/kernel_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>

namespace sinter::inline v0::codegen {
namespace {

class update_privatiser : kernel_statements {
 public:
  update_privatiser(const kernel_description& kernel, loop_tree& tree) : kernel_statements(kernel, tree) {}

  /// A task's copies lie on its stack, with an element more for lanes without one.
  void run_on_cpu() {
    statement_list all(tree_);
    all.append(for_each_store([&](std::uint32_t number) {
      declare(number, storage(target_of(number)), chosen().private_updates + 1, memory_space::stack);
      perform("begin_own_", number, {copy(number), integer(chosen().private_updates) + 1});
    }));
    all.append(tree_.first);
    all.append(for_each_store([&](std::uint32_t number) {
      perform("end_own_", number, {base_pointer(target_of(number)), copy(number), elements_of(number)});
    }));
    tree_.first = all.first();
    redirect(memory_space::stack);
  }

  /// A block's copies lie in shared memory. It has several tiles, one after the other.
  void run_on_gpu() {
    statement_list all(tree_);
    all.append(for_each_store([&](std::uint32_t number) {
      const value_type type = counts(number) ? storage_of(element_type::uint32) : storage(target_of(number));
      declare(number, type, chosen().private_updates, memory_space::shared);
      perform("begin_own_", number,
              {copy(number), integer(chosen().private_updates), thread(), integer(threads())});
    }));
    all.append(tiles_of_block(first_of_thread(tree_)));
    all.append(for_each_store([&](std::uint32_t number) {
      perform("end_own_", number,
              {base_pointer(target_of(number)), copy(number), integer(chosen().private_updates),
               elements_of(number), counts(number) ? integer(counted(number)) : integer(1), thread(),
               integer(threads())});
    }));
    set_first_of_thread(tree_, all.first());
    redirect(memory_space::shared);
  }

 private:
  const store& made(std::uint32_t number) const { return body().stores[number]; }
  std::uint32_t target_of(std::uint32_t number) const { return made(number).target; }
  bool counts(std::uint32_t number) const { return counts_updates(body(), made(number)); }
  std::int64_t counted(std::uint32_t number) const {
    return static_cast<std::int64_t>(code(made(number).value).payload);
  }
  expression copy(std::uint32_t number) { return name("own", number); }
  expression elements_of(std::uint32_t number) {
    return name("a.c", static_cast<std::int64_t>(code(made(number).elements).payload));
  }
  int threads() const { return chosen().threads_along * chosen().threads_across; }
  expression thread() { return thread_across() * chosen().threads_along + thread_along(); }

  template <class Write>
  statement_id for_each_store(Write write) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    for (std::uint32_t number = 0; number < body().stores.size(); ++number) write(number);
    return out_.first();
  }
  void declare(std::uint32_t number, value_type type, int elements, memory_space space) {
    out_.variable(type, copy(number)[elements]).space = space;
  }
  void perform(std::string_view what, std::uint32_t number, std::initializer_list<expression> operands) {
    const bool is_count = is_on_gpu() && counts(number);
    const std::string_view combined = update_name(made(number).combine, at(target_of(number)).type);
    const expression called = is_count ? name(what, "count") : name(what, combined);
    out_.perform(out_.call(called, operands));
  }

  /// What a block does for a tile, for each of its tiles; other blocks' copies do not matter, so threads wait
  /// for each other before the first tile and behind the last one only.
  statement_id tiles_of_block(statement_id of_tile) {
    const expression tile = name("tile"), first = name("first_tile"), end = name("end_tile");
    for (statement& at : tree_.statements)
      if (!is_launched(at))
        rewrite(tree_, at, [&](expression part) -> std::optional<expression> {
          if (tree_.expressions[part.id].kind != expression_kind::block) return {};
          return tile;
        });
    out_ = loop_writer(tree_, loop_writer::detached{});
    out_.barrier(thread_scope::block);
    out_.let(index_type, first, convert(index_type, block()) * name("a.tiles_of_block"));
    const expression behind = first + name("a.tiles_of_block");
    out_.let(index_type, end, choose(behind < name("a.tiles"), behind, name("a.tiles")));
    const statement_id loop = out_.id_of(out_.open_range(tile, first, end));
    out_.close();
    out_.barrier(thread_scope::block);
    tree_[loop].body = of_tile;
    return out_.first();
  }

  void redirect(memory_space space) {
    for (statement& at : tree_.statements) {
      if (at.kind != statement_kind::update) continue;
      const expression place{at.target.table, tree_.expressions.operands_of(at.target.id)[1]};
      at.target = copy(at.instruction)[place];
      at.space = space;
    }
  }
};

}  // namespace

void privatise_updates_on_stack(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.chosen.private_updates != 0) update_privatiser(kernel, tree).run_on_cpu();
}

void privatise_updates_in_shared(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.chosen.private_updates != 0) update_privatiser(kernel, tree).run_on_gpu();
}

}  // namespace sinter::inline v0::codegen
