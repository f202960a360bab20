#include <sinter/codegen/loops/passes/memory/privatise_updates.hpp>

#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/loops/statements/kernel_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

namespace sinter::inline v0::codegen {
namespace {

class update_privatiser : kernel_statements {
 public:
  update_privatiser(const kernel_description& kernel, loop_tree& tree) : kernel_statements(kernel, tree) {}

  void run() {
    statement_list all(tree_);
    all.append(list_of([&](std::uint32_t number) { declare(number); }));
    all.append(tree_.first);
    all.append(list_of([&](std::uint32_t number) { combine(number); }));
    tree_.first = all.first();
    for (statement& at : tree_.statements)
      if (at.kind == statement_kind::update) redirect(at);
  }

 private:
  expression copy(std::uint32_t number) { return name("own", number); }
  expression call(std::string_view what, const store& made, std::initializer_list<expression> operands) {
    return out_.call(name(what, update_name(made.combine, body().accesses[made.target].type)), operands);
  }
  expression private_elements() { return out_.integer(chosen().private_updates); }

  template <class Write>
  statement_id list_of(Write write) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    for (std::uint32_t number = 0; number < body().stores.size(); ++number) write(number);
    return out_.first();
  }

  void declare(std::uint32_t number) {
    const store& made = body().stores[number];
    const value_type type = storage(made.target);
    out_.variable(type, copy(number)[chosen().private_updates + 1]).space = memory_space::stack;
    out_.perform(call("begin_own_", made, {copy(number), private_elements() + 1}));
  }
  void combine(std::uint32_t number) {
    const store& made = body().stores[number];
    const expression elements = name("a.c", static_cast<std::int64_t>(body().body[made.elements].payload));
    out_.perform(call("end_own_", made, {base_pointer(made.target), copy(number), elements}));
  }
  void redirect(statement& at) {
    const expression place{at.target.table, tree_.expressions.operands_of(at.target.id)[1]};
    at.target = copy(at.instruction)[place];
    at.space = memory_space::stack;
  }
};

}  // namespace

void privatise_updates(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.chosen.private_updates != 0) update_privatiser(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
