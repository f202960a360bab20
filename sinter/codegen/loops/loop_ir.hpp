#pragma once
// The loop IR: a kernel as loops, guards and statements, between the nest and the text. It is data: passes
// take a tree and leave a tree, and a printer for each target writes it without deciding anything.

#include <sinter/codegen/loops/expression.hpp>

namespace sinter::inline v0::codegen {

/// Whether and how a loop's iterations run side by side.
enum class loop_kind : std::uint8_t {
  serial,
  unrolled,  ///< on GPUs, where registers cannot be indexed; elsewhere the compiler decides
  unrolled_twice,
  vector,        ///< iterations are lanes of vectors
  vector_pairs,  ///< the same, two vectors at a time
  lanes,         ///< lanes one after the other: a vector that is not whole
  chunks,        ///< over chunks of the reduced axes, of the phase `instruction`; without a condition the row
                 ///< is one chunk, and the body runs once
};

/// What a loop's variable does after an iteration.
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
  stack,             ///< aligned to a cache line
  shared,            ///< of a block
  shared_aligned,    ///< the same, aligned to 16 bytes
  shared_of_launch,  ///< of a block, as much as the launch asks for
  resident,          ///< of a row, or of a thread for each step of its row: place_resident() says where
};

enum class statement_kind : std::uint8_t {
  scope,     ///< `body`; nothing if there is none
  loop,      ///< over `target` from `value` (if any) while `condition` holds
  guard,     ///< `body` where `condition` holds, `otherwise` where not; may declare `target` as `value` first
  let,       ///< `target` is `value` from here on
  variable,  ///< declares `target`, a name with an extent for each subscript; begins with `value`, if any
  assign,    ///< `target` becomes `value`
  add,       ///< `value` is added to `target`
  advance,   ///< positions along digits, innermost first, go on: `value` lists each with its extent, the
             ///< outermost maybe without; the first by `step` or by one. `body` runs where all have moved
  load,      ///< `target`, registers, becomes what lies in memory: of a vector `type` from the address
             ///< `value` on, all of it or the elements up to `step`; of one element `value` itself, where
             ///< `condition` holds
  store,     ///< the same to memory: `value` is what is stored, `target` where
  perform,   ///< calls `value` for what it does
  combine,   ///< `target` becomes itself combined with `value`, of the reduction `instruction`; argmax and
            ///< argmin take positions along. Where the position is known to be later than the target's, it is
            ///< `step`
  grow,    ///< where chains of additions are long, sums of the phase `instruction` go up a tree of sums
  finish,  ///< partial values of the reductions of phase `instruction` become their rows' values
  scan,  ///< the elements of a chunk become what is combined up to each, of the scan `instruction`; `value`:
         ///< how many of a group's lanes are elements, where that is not all
  speculate,  ///< `body`, and `otherwise` in its place if a `require` in it does not hold
  require,    ///< `condition` holds for the arguments of the fast paths that are being taken
  barrier,    ///< of a block, or a cluster: `value` is the call
};

using statement_id = std::uint32_t;
inline constexpr statement_id no_statement = ~0u;

/// A statement; its place in the tree is by links, so that passes move statements without copying them.
struct statement {
  statement_kind kind{};
  loop_kind loop = loop_kind::serial;
  loop_step step_by = loop_step::by_one;
  memory_space space = memory_space::registers;
  bool brief = false;         ///< a loop or guard around one statement
  bool on_same_line = false;  ///< stands on the line of the declaration before it
  bool zeroed = false;        ///< a variable whose elements begin as 0
  bool in_order = false;      ///< a combine whose position is later than that of `target`
  bool speculative = false;  ///< a loop over elements that may be evaluated twice: see speculate_fast_paths()
  value_type type{};         ///< of what is declared, or of a loop's variable
  std::uint32_t instruction = 0;
  expression target{}, value{}, condition{}, step{};
  expression target_position{}, value_position{};  ///< of a combine of argmax or argmin
  expression toggled{};                            ///< of a loop: a variable that alternates between 0 and 1
  statement_id body = no_statement, otherwise = no_statement, next = no_statement;
};

/// The tree of one kernel, and the expressions in it.
struct loop_tree {
  loop_tree() { statements.reserve(128); }

  expression_table expressions;
  std::vector<statement> statements;
  statement_id first = no_statement;

  statement& operator[](statement_id id) { return statements[id]; }
  const statement& operator[](statement_id id) const { return statements[id]; }
};

/// Calls visit(id) for the statements of a list, not for what is in them.
template <typename Visit>
void each_in_list(const loop_tree& tree, statement_id first, Visit visit) {
  for (statement_id at = first; at != no_statement; at = tree[at].next) visit(at);
}

/// Whether a statement, or one in it, is of a kind.
inline bool contains(const loop_tree& tree, statement_id id, statement_kind kind) {
  bool found = tree[id].kind == kind;
  for (const statement_id list : {tree[id].body, tree[id].otherwise})
    each_in_list(tree, list, [&](statement_id at) { found |= contains(tree, at, kind); });
  return found;
}

}  // namespace sinter::inline v0::codegen
