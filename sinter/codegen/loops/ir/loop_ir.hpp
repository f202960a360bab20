#pragma once
// The loop IR: a kernel as loops, guards and statements, between the nest and the text. It is data: passes
// take a tree and leave a tree, and a printer for each target writes it without deciding anything.

#include <sinter/codegen/loops/ir/expression.hpp>

#include <array>

namespace sinter::inline v0::codegen {

/// Whether and how a loop's iterations run side by side.
enum class loop_kind : std::uint8_t {
  grid,     ///< over a launch's blocks: iterations are the GPU's, so the text has the body alone
  cluster,  ///< over the blocks of a cluster
  block,    ///< over the threads of a block, along or across
  serial,
  unrolled,  ///< on GPUs, where registers cannot be indexed; elsewhere the compiler decides
  unrolled_twice,
  rows,  ///< over the rows of a register tile: unrolled on every target, so that registers hold their values
  vector,        ///< iterations are lanes of vectors; choose_vectors() says in `lanes` how many a vector has
  vector_pairs,  ///< the same, two vectors at a time
  compiler_vector,  ///< what the compiler makes vectors of by itself: iterations do not depend on each other
  lanes,            ///< lanes one after the other: a vector that is not whole
  rolled,           ///< the compiler is told not to unroll it
  carried,  ///< of the body of `instruction`: an iteration goes on from the states that the last one left.
            ///< Where lanes are vectors each lane leaves by itself
  carried_rolled,  ///< the same, and the compiler is told not to unroll it
  chunks,  ///< over chunks of the reduced axes, of the phase `instruction`; without an end the row is one
           ///< chunk, and the body runs once
};

/// What a loop's variable does after an iteration. See goes_down().
enum class loop_step : std::uint8_t {
  by_one,
  down_by_one,
  by_amount,
  doubled,
  halved,
  by_variable,  ///< by a variable that the body sets: `step` names it, and the loop declares it
  in_body,      ///< the body does it
};

enum class memory_space : std::uint8_t {
  registers,
  global,            ///< an array of the call
  stack,             ///< aligned to a cache line
  shared,            ///< of a block
  shared_aligned,    ///< the same, aligned to 16 bytes
  shared_of_launch,  ///< of a block, as much as the launch asks for
  resident,          ///< of a row, or of a thread for each step of its row: place_resident() says where
};

enum class statement_kind : std::uint8_t {
  scope,     ///< `body`; nothing if there is none
  loop,      ///< over `target` from `begin` (if not set, where it is) to `end` (if not set, until it is left)
  guard,     ///< `body` where `condition` holds, `otherwise` where not; may declare `target` as `value` first
  choice,    ///< the same of `instruction`, which has bodies: of `when`, or whether there is something to
             ///< combine; passes that drop guards keep it. Where lanes are vectors each lane takes its side
  let,       ///< `target` is `value` from here on
  variable,  ///< declares `target`, a name with an extent for each subscript; begins with `value`, if any
  assign,    ///< `target` becomes `value`
  add,       ///< `value` is added to `target`
  advance,   ///< a position in digits is incremented with carry, by `step` or by one: `value` lists pairs of
             ///< a digit and its extent, innermost first; the outermost may have none. `body` runs after it
  load,      ///< `target`, registers, becomes what lies in memory: of a vector `type` from the address
             ///< `value` on, all of it or the elements up to `step`; of one element `value` itself, where
             ///< `condition` holds
  store,     ///< the same to memory: `value` is what is stored, `target` where
  perform,   ///< calls `value` for what it does
  leave,     ///< leaves the loop around it, unless `condition` holds
  report,    ///< tells the call of the index `value`, for an axis of extent `end`, where `condition` holds;
             ///< `instruction` reports it. If `step` is set, only where it holds; if `begin` is set, only
             ///< for lanes `target` below it
  update,    ///< combines `target`, an element of an array, or of a task's copy on the stack, with `value`
             ///< where `condition` holds, as the store `instruction` says. If `step` is set, only where it
             ///< holds; if `begin` is set, only for lanes `begin` from 0 to `end`
  combine,   ///< of one thread: combines a list of partial values, `value`, into those of `target`, of the
             ///< reduction `instruction`
  grow,      ///< where chains of additions are long, sums of the phase `instruction` go up a tree of sums
  finish,    ///< combines the partial values of the threads of `scope`, of the reductions of phase
             ///< `instruction`, to their rows' values, which it declares: see row_value_name()
  scan,  ///< replaces the elements of a chunk, which the threads of `scope` share, by their prefixes, of the
         ///< scan `instruction`, or gives the places where they come from in their order, of an argsort;
         ///< `value`: how many of a group's lanes are elements, where that is not all
  speculate,  ///< `body`, and `otherwise` in its place if a `require` in it does not hold
  require,    ///< `condition` holds for the arguments of the fast paths that are being taken
  barrier,    ///< the threads of `scope` wait for each other
  arrive,     ///< what those of `scope` wait for at their next barrier: others may do more before they wait
  copy,  ///< starts an asynchronous copy of a vector from the address `value` to the place `target` in shared
         ///< memory; `step`: the cache property of the read
  wait_for_copies,  ///< of this thread
};

/// The threads that combine or scan a row together, or wait for each other.
enum class thread_scope : std::uint8_t { thread, warp, block, cluster };

using statement_id = std::uint32_t;
inline constexpr statement_id no_statement = ~0u;

inline constexpr std::uint32_t no_access = ~0u;

/// A statement; its place in the tree is by links, so that passes move statements without copying them.
struct statement {
  statement_kind kind{};
  loop_kind loop = loop_kind::serial;
  loop_step step_by = loop_step::by_one;
  memory_space space = memory_space::registers;
  thread_scope scope = thread_scope::thread;
  bool zeroed = false;       ///< a variable whose elements begin as 0
  bool in_order = false;     ///< a combine whose position is a step, and later than that of `target`
  bool speculative = false;  ///< a loop over elements that may be evaluated twice: see speculate_fast_paths()
  bool of_elements = false;  ///< the guard around the elements of a thread's step: see guard_of_elements()
  bool is_whole = false;     ///< a loop over steps that lie before `end` whole: `target` + `step` <= `end`
  std::int64_t multiple =
      0;                    ///< of which a loop's iterations are one, if no constant says how many there are
  std::int64_t lanes = 0;   ///< of a loop in vectors; on processors with wide registers
  bool is_doubled = false;  ///< twice as many
  value_type type{};        ///< of what is declared, or of a loop's variable
  std::uint32_t instruction = 0;
  /// Of a load, or a variable that is loaded: the access that is read. Of a let or an assignment of where an
  /// access begins in a row: that access.
  std::uint32_t access = no_access;
  /// `condition` of an assignment in a loop over lanes: whether what is stored bypasses the cache.
  expression target{}, value{}, condition{}, step{};
  expression begin{}, end{};  ///< of a loop: its first position, and the one behind its last
  /// Of a carried loop: lists of variables, and of what they become at the end of an iteration. They change
  /// one after the other, so none becomes what an earlier one was.
  expression states{}, next_states{};
  expression toggled{};  ///< of a loop: a variable that alternates between 0 and 1
  statement_id body = no_statement, otherwise = no_statement, next = no_statement;
};

/// Variables of a row that passes ask for: builders name them. Not set in kernels without reductions and
/// scans.
struct row_variables {
  expression length;      ///< elements of the row
  expression position;    ///< of a thread's first lane
  expression lanes_left;  ///< of columns: elements from the strip's first on
  expression chunk;       ///< where a chunk starts in the row
  expression thread;      ///< of those that share a row; on GPUs alone
  expression step;        ///< of a thread in a chunk
  expression lane;        ///< of a step
  expression number;      ///< of the row, where a thread's rows are declared
};

/// The tree of one kernel, and the expressions in it.
struct loop_tree {
  loop_tree() { statements.reserve(128); }

  expression_table expressions;
  std::vector<statement> statements;
  statement_id first = no_statement;
  row_variables row;

  statement& operator[](statement_id id) { return statements[id]; }
  const statement& operator[](statement_id id) const { return statements[id]; }
};

/// The guard around the elements of a step, in the step's list; no_statement if there is none.
inline statement_id guard_of_elements(const loop_tree& tree, statement_id first) {
  statement_id at = first;
  while (at != no_statement && !tree[at].of_elements) at = tree[at].next;
  return at;
}
/// Calls visit(id) for the statements of a list, not for what is in them.
template <typename Visit>
void each_in_list(const loop_tree& tree, statement_id first, Visit visit) {
  for (statement_id at = first; at != no_statement; at = tree[at].next) visit(at);
}

/// What the value of a reduction for a row is called.
inline std::string row_value_name(std::uint32_t reduction) { return "k" + std::to_string(reduction); }
/// And one of the values of a reduction by a body.
inline std::string row_value_name(std::uint32_t reduction, std::size_t result) {
  return row_value_name(reduction) + "_" + std::to_string(result);
}

inline bool is_resident(const statement& at) {
  return at.kind == statement_kind::variable && at.space == memory_space::resident;
}
inline bool is_chunks(const statement& at) {
  return at.kind == statement_kind::loop && at.loop == loop_kind::chunks;
}
inline bool is_vector(const statement& at) {
  return at.kind == statement_kind::loop &&
         (at.loop == loop_kind::vector || at.loop == loop_kind::vector_pairs);
}
inline bool is_carried(const statement& at) {
  return at.kind == statement_kind::loop &&
         (at.loop == loop_kind::carried || at.loop == loop_kind::carried_rolled);
}
/// Whether a loop goes from higher positions to lower ones: `end` is then its last position, not the one
/// behind it.
constexpr bool goes_down(loop_step step) {
  return step == loop_step::down_by_one || step == loop_step::halved;
}
/// The expressions of a statement, without those in its body.
constexpr std::array<expression statement::*, 9> expressions_of_statements = {
    &statement::target, &statement::value,  &statement::condition,   &statement::step,   &statement::begin,
    &statement::end,    &statement::states, &statement::next_states, &statement::toggled};
/// Whether a loop's iterations are what a GPU launches.
inline bool is_launched(const statement& at) {
  return at.kind == statement_kind::loop && at.loop <= loop_kind::block;
}

/// The innermost loop over what is launched; no_statement on the CPU.
inline statement_id loop_over_threads(const loop_tree& tree) {
  statement_id found = no_statement;
  for (statement_id id = tree.first; id != no_statement;) {
    const bool is_found = is_launched(tree[id]);
    if (is_found) found = id;
    id = is_found ? tree[id].body : tree[id].next;
  }
  return found;
}
/// The list of what a thread does, on the CPU all of the tree.
inline statement_id first_of_thread(const loop_tree& tree) {
  const statement_id around = loop_over_threads(tree);
  return around == no_statement ? tree.first : tree[around].body;
}
inline void set_first_of_thread(loop_tree& tree, statement_id first) {
  const statement_id around = loop_over_threads(tree);
  (around == no_statement ? tree.first : tree[around].body) = first;
}

/// Whether a statement, or one in it, is of a kind.
inline bool contains(const loop_tree& tree, statement_id id, statement_kind kind) {
  bool found = tree[id].kind == kind;
  for (const statement_id list : {tree[id].body, tree[id].otherwise})
    each_in_list(tree, list, [&](statement_id at) { found |= contains(tree, at, kind); });
  return found;
}

/// Whether a list has loops of bodies, at any depth.
inline bool contains_carried(const loop_tree& tree, statement_id first) {
  bool found = false;
  each_in_list(tree, first, [&](statement_id id) {
    found |= is_carried(tree[id]) || contains_carried(tree, tree[id].body) ||
             contains_carried(tree, tree[id].otherwise);
  });
  return found;
}

}  // namespace sinter::inline v0::codegen
