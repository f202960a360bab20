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
  std::string buffer, text;
  std::vector<std::string> subscripts;
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
      const name_facts* found = names_.find(tree_.expressions.name_of(id));
      return found != nullptr ? found->threads : 0;
    }
    unsigned threads = 0;
    for (const std::uint32_t operand : tree_.expressions.operands_of(id)) threads |= threads_of(operand);
    return threads;
  }
  unsigned threads_of(expression at) const { return at.is_set() ? threads_of(at.id) : 0; }

  // Shared memory.

  shared_use use_of(const buffer_place& place, std::uint32_t id) const {
    shared_use made{std::string(place.name), text_of_expression(tree_, id), {}, {}};
    for (const std::uint32_t subscript : place.subscripts) {
      made.subscripts.push_back(text_of_expression(tree_, subscript));
      made.threads.push_back(threads_of(subscript));
    }
    return made;
  }
  /// Whether two places, each of any thread, are one only where the thread is the same.
  bool are_of_one_thread(const shared_use& a, const shared_use& b) const {
    unsigned told_apart = 0;
    for (std::size_t i = 0; i < std::min(a.subscripts.size(), b.subscripts.size()); ++i)
      if (a.subscripts[i] == b.subscripts[i]) told_apart |= a.threads[i] & b.threads[i];
    return (launched_ & ~told_apart) == 0;
  }
  void touch(std::uint32_t id, bool writes) {
    const buffer_place place = place_of(tree_, id);
    const name_facts* buffer = place.name.empty() ? nullptr : names_.find(place.name);
    if (buffer == nullptr || !buffer->is_shared || place.subscripts.empty()) return;
    const shared_use now = use_of(place, id);
    const auto meets = [&](const std::vector<shared_use>& earlier) {
      return std::ranges::any_of(earlier, [&](const shared_use& before) {
        return before.buffer == now.buffer && !are_of_one_thread(before, now);
      });
    };
    if (!writes && meets(written_)) fail(now.text + " is read without a barrier after it is written");
    if (writes && meets(read_)) fail(now.text + " is written without a barrier after it is read");
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
      if (!place.name.empty()) return;
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
    const std::string_view name = place_of(tree_, at.target.id).name;
    const unsigned threads = threads_of(at.value);
    names_.declare(name) = {
        .threads = threads,
        .is_shared = at.space == memory_space::shared || at.space == memory_space::shared_aligned};
  }
  void check_write(const statement& at) {
    for (const expression& from : {at.value, at.condition, at.step, at.value_position}) read(from);
    if (at.kind == statement_kind::add || at.kind == statement_kind::combine) {
      read(at.target);
      read(at.target_position);
    }
    const unsigned threads = around_ | threads_of(at.value) | threads_of(at.condition) | threads_of(at.step);
    for (const expression& to : {at.target, at.target_position}) {
      if (!to.is_set()) continue;
      for (const std::uint32_t subscript : place_of(tree_, to.id).subscripts) read(subscript);
      touch(to.id, true);
      change(to.id, threads);
    }
  }
  void change(std::uint32_t place, unsigned threads) {
    const std::string_view name = place_of(tree_, place).name;
    if (name_facts* found = name.empty() ? nullptr : names_.find(name)) found->threads |= threads;
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
    read(at.value);
    const unsigned from = threads_of(at.value);
    if (at.target.is_set() && at.value.is_set())
      names_.declare(place_of(tree_, at.target.id).name) = {.threads = from, .is_shared = false};
    read(at.condition);
    read(at.step);
    const unsigned iterations = from | threads_of(at.condition) | threads_of(at.step);
    around_ |= iterations;
    differing_loops_ += (iterations & launched_) != 0;
    list(at.body);
    differing_loops_ -= (iterations & launched_) != 0;
    names_.close();
    around_ = around;
  }

  const loop_tree& tree_;
  scoped_names<name_facts> names_;
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
