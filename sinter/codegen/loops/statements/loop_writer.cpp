#include <sinter/codegen/loops/statements/loop_writer.hpp>

namespace sinter::inline v0::codegen {

statement& loop_writer::add(const statement& made) {
  const auto id = static_cast<statement_id>(tree_->statements.size());
  tree_->statements.push_back(made);
  list& to = lists_.back();
  if (to.last != no_statement)
    (*tree_)[to.last].next = id;
  else if (to.owner == no_statement)
    first_ = id;
  else
    (to.otherwise ? (*tree_)[to.owner].otherwise : (*tree_)[to.owner].body) = id;
  to.last = id;
  if (!is_detached_) tree_->first = first_;
  return (*tree_)[id];
}

statement& loop_writer::open(const statement& made) {
  statement& added = add(made);
  lists_.push_back({lists_.back().last, false, no_statement});
  return added;
}

void loop_writer::reopen() {
  const statement_id owner = lists_.back().owner;
  lists_.back() = {owner, true, no_statement};
}

void loop_writer::close() { lists_.pop_back(); }

statement& loop_writer::let(value_type type, expression name, expression value) {
  statement made{.kind = statement_kind::let};
  made.type = type;
  made.target = name;
  made.value = value;
  return add(made);
}

statement& loop_writer::variable(value_type type, expression target, expression value) {
  statement made{.kind = statement_kind::variable};
  made.type = type;
  made.target = target;
  made.value = value;
  return add(made);
}

statement& loop_writer::assign(expression target, expression value) {
  statement made{.kind = statement_kind::assign};
  made.target = target;
  made.value = value;
  return add(made);
}

void loop_writer::increase(expression target, expression by) {
  statement made{.kind = statement_kind::add};
  made.target = target;
  made.value = by;
  add(made);
}

statement& loop_writer::load_vector(value_type vector, expression target, expression from, expression left) {
  statement made{.kind = statement_kind::load};
  made.type = vector;
  made.target = target;
  made.value = from;
  made.step = left;
  return add(made);
}

void loop_writer::store_vector(value_type vector, expression to, expression value, expression left) {
  statement made{.kind = statement_kind::store};
  made.type = vector;
  made.target = to;
  made.value = value;
  made.step = left;
  add(made);
}

statement& loop_writer::load_element(expression target, expression element, expression condition) {
  statement made{.kind = statement_kind::load};
  made.target = target;
  made.value = element;
  made.condition = condition;
  return add(made);
}

void loop_writer::store_element(expression element, expression value, expression condition) {
  statement made{.kind = statement_kind::store};
  made.target = element;
  made.value = value;
  made.condition = condition;
  add(made);
}

void loop_writer::perform(expression call) {
  statement made{.kind = statement_kind::perform};
  made.value = call;
  add(made);
}

void loop_writer::barrier(thread_scope scope) { add({.kind = statement_kind::barrier, .scope = scope}); }
void loop_writer::arrive(thread_scope scope) { add({.kind = statement_kind::arrive, .scope = scope}); }

void loop_writer::perform_if(expression condition, expression call) {
  open_guard(condition);
  perform(call);
  close();
}

void loop_writer::assign_if(expression condition, expression target, expression value) {
  open_guard(condition);
  assign(target, value);
  close();
}

statement& loop_writer::open_count(loop_kind kind, expression variable, std::int64_t count) {
  statement made{.kind = statement_kind::loop, .loop = kind};
  made.type = narrow_index_type;
  made.target = variable;
  made.begin = integer(0);
  made.end = integer(count);
  return open(made);
}

statement& loop_writer::open_launched(loop_kind kind, expression number, std::int64_t count) {
  statement made{.kind = statement_kind::loop, .loop = kind};
  made.type = narrow_index_type;
  made.target = number;
  if (count != 0) made.end = integer(count);
  return open(made);
}

statement& loop_writer::open_range(expression name, expression from, expression end) {
  statement made{.kind = statement_kind::loop};
  made.type = index_type;
  made.target = name;
  made.begin = from;
  made.end = end;
  return open(made);
}

statement& loop_writer::open_steps(loop_kind kind, expression name, operand from, operand end, loop_step by) {
  statement made{.kind = statement_kind::loop, .loop = kind, .step_by = by};
  made.type = narrow_index_type;
  made.target = name;
  made.begin = from.in(expressions());
  made.end = end.in(expressions());
  return open(made);
}

statement& loop_writer::open_strided(loop_kind kind, expression name, operand from, operand end,
                                     std::int64_t by) {
  statement& made = open_steps(kind, name, from, end, loop_step::by_amount);
  made.step = integer(by);
  return made;
}

void loop_writer::leave_unless(expression condition) {
  statement made{.kind = statement_kind::leave};
  made.condition = condition;
  add(made);
}

void loop_writer::report(std::uint32_t instruction, expression condition, expression index, expression extent,
                         const lanes_with_elements& lanes) {
  statement made{.kind = statement_kind::report};
  made.instruction = instruction;
  made.condition = condition;
  made.step = lanes.active;
  made.value = index;
  made.end = extent;
  made.target = lanes.lane;
  made.begin = lanes.end;
  add(made);
}

void loop_writer::update(std::uint32_t store, expression place, expression value, expression condition,
                         const lanes_with_elements& lanes) {
  statement made{.kind = statement_kind::update};
  made.instruction = store;
  made.target = place;
  made.value = value;
  made.condition = condition;
  made.step = lanes.active;
  made.begin = lanes.lane;
  made.end = lanes.end;
  add(made);
}

statement& loop_writer::open_guard(expression condition) {
  statement made{.kind = statement_kind::guard};
  made.condition = condition;
  return open(made);
}

void loop_writer::open_scope() { open({.kind = statement_kind::scope}); }

}  // namespace sinter::inline v0::codegen
