#include <sinter/codegen/loops/verify/verify_threads.hpp>

#include <sinter/codegen/loops/ir/loop_text.hpp>
#include <sinter/codegen/loops/verify/verify_scopes.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

constexpr unsigned along = 1, across = 2;  ///< bits: what follows from a thread's number

/// What is known of a name.
struct name_facts {
  unsigned threads = 0;  ///< its value differs among threads along, across
  bool is_shared = false;
};

/// A place in shared memory that was touched since the last barrier.
struct shared_use {
  std::uint32_t buffer = buffer_place::none;
  std::vector<std::uint32_t> subscripts;
  std::vector<unsigned> threads;  ///< for each subscript
};

class threads_check {
 public:
  threads_check(const kernel_description& kernel, const loop_tree& tree) : tree_(tree) {
    if (kernel.chosen.threads_along > 1) launched_ |= along;
    if (kernel.chosen.threads_across > 1) launched_ |= across;
  }

  std::string run() {
    list(tree_.first);
    return fault_;
  }

 private:
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }
  const expression_node& node(std::uint32_t id) const { return tree_.expressions[id]; }

  /// The threads among which a value differs.
  unsigned threads_of(std::uint32_t id) const {
    const expression_node& at = node(id);
    if (at.kind == expression_kind::thread) return at.value == 0 ? along : across;
    if (at.kind == expression_kind::name) {
      const name_facts* found = names_.find(id);
      return found != nullptr ? found->threads : 0;
    }
    unsigned threads = 0;
    for (const std::uint32_t operand : tree_.expressions.operands_of(id)) threads |= threads_of(operand);
    return threads;
  }
  unsigned threads_of(expression at) const { return at.is_set() ? threads_of(at.id) : 0; }

  // Shared memory.

  shared_use use_of(const buffer_place& place) const {
    shared_use made{place.buffer, place.subscripts, {}};
    for (const std::uint32_t subscript : place.subscripts) made.threads.push_back(threads_of(subscript));
    return made;
  }
  /// Whether two places, each of any thread, are one only where the thread is the same.
  bool are_of_one_thread(const shared_use& a, const shared_use& b) const {
    unsigned told_apart = 0;
    for (std::size_t i = 0; i < std::min(a.subscripts.size(), b.subscripts.size()); ++i)
      if (are_same(tree_.expressions, {nullptr, a.subscripts[i]}, {nullptr, b.subscripts[i]}))
        told_apart |= a.threads[i] & b.threads[i];
    return (launched_ & ~told_apart) == 0;
  }
  void touch(std::uint32_t id, bool writes) {
    const buffer_place place = place_of(tree_, id);
    const name_facts* buffer = place.buffer == buffer_place::none ? nullptr : names_.find(place.buffer);
    if (buffer == nullptr || !buffer->is_shared || place.subscripts.empty()) return;
    const shared_use now = use_of(place);
    const auto meets = [&](const std::vector<shared_use>& earlier) {
      return std::ranges::any_of(earlier, [&](const shared_use& before) {
        return before.buffer == now.buffer && !are_of_one_thread(before, now);
      });
    };
    const auto text = [&] { return text_of_expression(tree_, id); };
    if (!writes && meets(written_)) fail(text() + " is read without a barrier after it is written");
    if (writes && meets(read_)) fail(text() + " is written without a barrier after it is read");
    (writes ? written_ : read_).push_back(now);
  }
  void read(expression at) {
    if (at.is_set()) read(at.id);
  }
  void read(std::uint32_t id) {
    if (node(id).kind == expression_kind::address) return;
    if (node(id).kind == expression_kind::subscript || node(id).kind == expression_kind::lane) {
      touch(id, false);
      const buffer_place place = place_of(tree_, id);
      for (const std::uint32_t subscript : place.subscripts) read(subscript);
      if (place.buffer != buffer_place::none) return;
    }
    for (const std::uint32_t operand : tree_.expressions.operands_of(id)) read(operand);
  }

  // Statements.

  void list(statement_id first) {
    names_.open();
    each_in_list(tree_, first, [&](statement_id id) { check(tree_[id]); });
    names_.close();
  }
  void check(const statement& at) {
    switch (at.kind) {
      case statement_kind::loop:
        return check_loop(at);
      case statement_kind::guard:
      case statement_kind::choice:
        return check_guard(at);
      case statement_kind::let:
      case statement_kind::variable:
        if (at.space == memory_space::global) return;
        read(at.value);
        return declare(at);
      case statement_kind::finish:
      case statement_kind::scan:
        if (differing_loops_ != 0 && at.scope >= thread_scope::block)
          fail("a block is combined in a loop whose iterations differ among threads: some may not reach it");
        break;
      case statement_kind::barrier:
        if (differing_loops_ != 0)
          fail("a barrier stands in a loop whose iterations differ among threads: some may not reach it");
        written_.clear();
        read_.clear();
        return;
      case statement_kind::assign:
      case statement_kind::add:
      case statement_kind::combine:
      case statement_kind::load:
      case statement_kind::store:
      case statement_kind::copy:
        return check_write(at);
      default:
        break;
    }
    each_expression(at, [&](std::uint32_t id) { read(id); });
    if (at.kind == statement_kind::advance)
      for (const std::uint32_t moved : tree_.expressions.operands_of(at.value.id))
        change(moved, around_ | threads_of(at.step));
    if (at.kind == statement_kind::speculate) return both(at);
    if (at.body != no_statement) list(at.body);
  }
  void declare(const statement& at) {
    const unsigned threads = threads_of(at.value);
    names_.declare(place_of(tree_, at.target.id).buffer) = {
        .threads = threads,
        .is_shared = at.space == memory_space::shared || at.space == memory_space::shared_aligned};
  }
  void check_write(const statement& at) {
    for (const expression& from : {at.value, at.condition, at.step}) read(from);
    if (at.kind == statement_kind::add || at.kind == statement_kind::combine) read(at.target);
    const unsigned threads = around_ | threads_of(at.value) | threads_of(at.condition) | threads_of(at.step);
    const auto write = [&](std::uint32_t to) {
      for (const std::uint32_t subscript : place_of(tree_, to).subscripts) read(subscript);
      touch(to, true);
      change(to, threads);
    };
    if (node(at.target.id).kind != expression_kind::list) return write(at.target.id);
    for (const std::uint32_t to : tree_.expressions.operands_of(at.target.id)) write(to);
  }
  void change(std::uint32_t place, unsigned threads) {
    const std::uint32_t variable = place_of(tree_, place).buffer;
    name_facts* found = variable == buffer_place::none ? nullptr : names_.find(variable);
    if (found != nullptr) found->threads |= threads;
  }

  void check_guard(const statement& at) {
    const unsigned around = around_;
    names_.open();
    read(at.value);
    if (at.value.is_set()) declare(at);
    read(at.condition);
    around_ |= threads_of(at.condition);
    both(at);
    names_.close();
    around_ = around;
  }
  /// Only one of two lists runs: what either leaves counts after them.
  void both(const statement& at) {
    const std::vector<shared_use> written = written_, read = read_;
    list(at.body);
    std::vector<shared_use> written_by_body = written, read_by_body = read;
    written_by_body.swap(written_);
    read_by_body.swap(read_);
    list(at.otherwise);
    written_.insert(written_.end(), written_by_body.begin(), written_by_body.end());
    read_.insert(read_.end(), read_by_body.begin(), read_by_body.end());
  }
  void check_loop(const statement& at) {
    if (is_launched(at)) return list(at.body);  // each iteration is a thread's
    const unsigned around = around_;
    names_.open();
    read(at.begin);
    const unsigned from = threads_of(at.begin);
    if (at.target.is_set() && at.begin.is_set())
      names_.declare(place_of(tree_, at.target.id).buffer) = {.threads = from, .is_shared = false};
    read(at.end);
    read(at.step);
    // as the comparison says: where a loop begins elsewhere, its variable is in it
    const unsigned iterations = from | threads_of(at.end) | threads_of(at.step) |
                                (at.end.is_set() ? threads_of(at.target) : 0) | threads_of_leaves(at);
    around_ |= iterations;
    differing_loops_ += (iterations & launched_) != 0;
    names_.open();
    each_in_list(tree_, at.body, [&](statement_id id) { check(tree_[id]); });
    set_states(at);
    names_.close();
    differing_loops_ -= (iterations & launched_) != 0;
    names_.close();
    around_ = around;
  }

  /// The threads among which it differs when a loop is left, as far as that shows before its body runs.
  unsigned threads_of_leaves(const statement& loop) const {
    unsigned threads = 0;
    each_in_list(tree_, loop.body, [&](statement_id id) {
      if (tree_[id].kind == statement_kind::leave) threads |= threads_of(tree_[id].condition);
    });
    return threads;
  }
  /// What the states of a carried loop become.
  void set_states(const statement& loop) {
    if (!loop.states.is_set()) return;
    const auto next = tree_.expressions.operands_of(loop.next_states.id);
    for (std::size_t k = 0; k < next.size(); ++k) {
      read(next[k]);
      change(tree_.expressions.operands_of(loop.states.id)[k], around_ | threads_of(next[k]));
    }
  }

  const loop_tree& tree_;
  scoped_variables<name_facts> names_;
  std::vector<shared_use> written_, read_;  ///< since the last barrier
  unsigned launched_ = 0;                   ///< the directions in which a block has several threads
  unsigned around_ = 0;                     ///< the threads among which it differs whether this runs
  unsigned differing_loops_ = 0;
  std::string fault_;
};

}  // namespace

std::string fault_of_threads(const kernel_description& kernel, const loop_tree& tree) {
  return is_gpu(kernel.target) ? threads_check(kernel, tree).run() : std::string();
}

}  // namespace sinter::inline v0::codegen
