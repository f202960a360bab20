#include <sinter/codegen/loops/passes/memory/spill_to_shared.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// Splits the steps of rows that registers do not hold. A thread of such a kernel has one row, without scans.
class step_split : row_statements {
 public:
  step_split(const kernel_description& kernel, loop_tree& tree)
      : row_statements(kernel, tree), plan_(kernel.body, true), table_(tree.expressions) {}

  void run() {
    const statement_id declared = declarations();
    bool is_first = true;
    replace_statements(
        tree_, [](const statement& at) { return is_resident(at) || is_chunks(at); },
        [&](statement_id id) {
          statement_list made(tree_);
          if (is_first) made.append(declared);
          is_first = false;
          if (is_resident(tree_[id])) {
            keep_in_registers(id);
            made.take(id);
            return made.first();
          }
          const statement_id further = in_shared_memory(tree_[id]);
          for (statement_id at = tree_[id].body; at != no_statement; at = tree_[at].next)
            keep_in_registers(at);
          made.take(id);
          made.append(further);
          return made.first();
        });
  }

 private:
  int block_size() const { return chosen().threads_along * chosen().threads_across; }
  value_type type_of(const resident_value& resident) {
    return resident.is_read ? vector_of_read(resident.index)
                            : vector_of(value_of(code(resident.index).type), vector());
  }
  expression place_of(const resident_value& resident) { return name(resident.prefix(), resident.index); }
  expression shared_place_of(const resident_value& resident) {
    return name("shared_", resident.prefix(), resident.index)[step() * block_size() + name("cell")];
  }

  /// Pointers to the buffers in shared memory, and the copies that fill some of them.
  statement_id declarations() {
    if (plan_.resident_bytes() == 0) return no_statement;
    out_ = loop_writer(tree_, loop_writer::detached{});
    out_.let(narrow_index_type, name("cell"), thread_across() * chosen().threads_along + thread_along());
    out_.variable({}, name("shared")).space = memory_space::shared_of_launch;
    for (const resident_value& resident : plan_.resident()) {
      const auto offset = plan_.slot_offset(resident.slot) *
                          static_cast<std::uint32_t>(vector() * block_size() * chosen().shared_steps);
      const value_type type = pointer_to(type_of(resident));
      out_.let(type, name("shared_", resident.prefix(), resident.index),
               table_.make(expression_kind::shared_of_launch, {}, offset, type));
    }
    statement_list made(tree_);
    made.append(out_.first());
    for (const resident_value& resident : plan_.resident())
      if (is_copied_ahead(resident)) made.append(copy_ahead(resident));
    return made.first();
  }

  /// Reads that go to shared memory without passing through registers.
  bool is_copied_ahead(const resident_value& resident) {
    // cp.async moves as much past the first-level cache as an access takes at most
    return resident.is_read && resident.first == 0 && chosen().whole_rows && is_wide(resident.index) &&
           size_of(at(resident.index).type) * static_cast<std::size_t>(vector()) == access_bytes;
  }
  statement_id copy_ahead(const resident_value& resident) {
    statement_id chunk = no_statement;
    each_in_list(tree_, first_of_thread(tree_), [&](statement_id id) {
      if (is_chunks(tree_[id]) && tree_[id].instruction == resident.first) chunk = id;
    });
    return further_steps(tree_[chunk], loop_kind::unrolled, [&](statement_id step) {
      const std::string_view cached = is_read_once(body(), resident.index) ? "a.read_once" : "a.read_again";
      statement_list made(tree_);
      each_of(step, [&](statement_id id) {
        if (tree_[id].kind == statement_kind::let) return made.take(id);
        if (!loads(id, resident.index)) return;
        statement copy{.kind = statement_kind::copy};
        copy.target = shared_place_of(resident);
        copy.value = tree_[id].value;
        copy.step = name(cached);
        made.add(copy);
      });
      return made.first();
    });
  }

  /// A chunk's loop over the steps beyond those in registers; `change` gives what each of them does.
  template <typename Change>
  statement_id further_steps(statement chunk, loop_kind kind, Change change) {
    statement loop{};
    each_in_list(tree_, chunk.body, [&](statement_id id) {
      if (tree_[id].kind == statement_kind::loop) loop = tree_[id];
    });
    loop.loop = kind;
    loop.end = integer(chosen().shared_steps);
    loop.body = copy_list(tree_, loop.body, [&](statement& at) { rewrite(tree_, at, in_one_step()); });
    const statement_id guard = guard_of_elements(tree_, loop.body), step = change(tree_[guard].body);
    tree_[guard].body = step;
    return add_statement(tree_, loop);
  }
  /// Buffers have one step, and steps are counted from the first beyond the registers.
  expression_change in_one_step() {
    return [this](expression at) -> std::optional<expression> {
      if (at.id == step().id) return step() + chosen().steps;
      if (table_[at.id].kind != expression_kind::subscript) return {};
      const auto operands = table_.operands_of(at.id);
      if (operands[1] != step().id) return {};
      return table_.at(operands[0]);
    };
  }
  /// Calls visit(id) for each statement of a list, which visit() may put into another one.
  template <typename Visit>
  void each_of(statement_id first, Visit visit) {
    for (statement_id id = first, next = no_statement; id != no_statement; id = next) {
      next = tree_[id].next;
      visit(id);
    }
  }
  /// Whether a statement loads a read's elements.
  bool loads(statement_id id, std::uint32_t read) {
    const statement& at = tree_[id];
    if (at.kind == statement_kind::load) return at.access == read;
    bool found = false;
    each_in_list(tree_, at.body, [&](statement_id inside) { found |= loads(inside, read); });
    return found;
  }

  statement_id in_shared_memory(statement chunk) {
    const unsigned phase = chunk.instruction;
    statement_list made(tree_);
    if (phase == 0) wait_for_copies(made);
    made.append(further_steps(chunk, loop_kind::unrolled_twice,
                              [&](statement_id step) { return step_in_shared_memory(step, phase); }));
    return made.first();
  }
  void wait_for_copies(statement_list& made) {
    if (plan_.resident_bytes() == 0 ||
        std::ranges::none_of(plan_.resident(), [&](const auto& at) { return is_copied_ahead(at); }))
      return;
    made.add({.kind = statement_kind::wait_for_copies});
  }

  statement_id step_in_shared_memory(statement_id step, unsigned phase) {
    statement_id last_load = no_statement;
    each_in_list(tree_, step, [&](statement_id id) {
      if (tree_[id].kind == statement_kind::let || contains(tree_, id, statement_kind::load)) last_load = id;
    });
    statement_list made(tree_);
    if (last_load == no_statement) take_values(made, phase);
    each_of(step, [&](statement_id id) {
      if (!take_load(made, id, phase)) made.take(id);
      if (id == last_load) take_values(made, phase);
    });
    for (const resident_value& resident : plan_.resident()) {
      if (resident.is_read || resident.first != phase) continue;
      made.add(assigned(shared_place_of(resident), place_of(resident)));
    }
    return made.first();
  }
  /// What this phase takes from earlier ones, and places for what it leaves to later ones.
  void take_values(statement_list& made, unsigned phase) {
    for (const resident_value& resident : plan_.resident()) {
      const bool is_needed = resident.is_needed_in(phase);
      if (!is_needed && (resident.is_read || resident.first != phase)) continue;
      statement value{.kind = is_needed ? statement_kind::let : statement_kind::variable};
      value.type = type_of(resident);
      value.target = place_of(resident);
      if (is_needed) value.value = shared_place_of(resident);
      made.add(value);
    }
  }
  /// A load that was in front of the evaluation of all steps; others have their registers in the step.
  bool take_load(statement_list& made, statement_id id, unsigned phase) {
    const auto reads = plan_.loaded(phase);
    const auto read = std::ranges::find_if(reads, [&](std::uint32_t i) { return loads(id, i); });
    if (read == reads.end()) return false;
    const resident_value* resident = plan_.resident_read(*read);
    if (resident == nullptr && !access_varies(*read)) return false;
    const bool is_copied = resident != nullptr && is_copied_ahead(*resident);
    statement to{.kind = is_copied ? statement_kind::let : statement_kind::variable};
    to.type = vector_of_read(*read);
    to.target = loaded_read(*read);
    if (is_copied)
      to.value = shared_place_of(*resident);
    else
      to.zeroed = true;
    made.add(to);
    if (is_copied) return true;
    made.take(id);
    if (resident != nullptr) made.add(assigned(shared_place_of(*resident), loaded_read(*read)));
    return true;
  }
  static statement assigned(expression to, expression value) {
    statement made{.kind = statement_kind::assign};
    made.target = to;
    made.value = value;
    return made;
  }

  /// The loop over steps has those in registers; buffers of steps have room for them.
  void keep_in_registers(statement_id id) {
    statement& at = tree_[id];
    if (at.kind == statement_kind::loop) at.end = integer(chosen().steps);
    if (at.kind != statement_kind::variable) return;
    at.space = memory_space::registers;
    at.target = table_.at(table_.operands_of(at.target.id)[0])[chosen().steps];
  }

  phase_plan plan_;
  expression_table& table_;
};

}  // namespace

void spill_to_shared(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.reduced != 0 && kernel.chosen.shared_steps > 0) step_split(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
