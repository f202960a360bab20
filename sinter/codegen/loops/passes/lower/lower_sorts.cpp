#include <sinter/codegen/loops/passes/lower/lower_sorts.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/schedule/loop_thresholds.hpp>
#include <sinter/codegen/target/sort_limits.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// What holds a key and the place where it comes from; sort_word of the GPU's helpers has the same numbers.
enum class sort_word : std::uint8_t { of_32_bits, of_64_bits, of_a_key_and_a_place };

class sort_lowering : row_statements {
 public:
  sort_lowering(const kernel_description& kernel, loop_tree& tree) : row_statements(kernel, tree) {}

  bool sorts(const statement& scan) const { return code(scan.instruction).op == operation::argsort; }

  statement_id lowered(std::uint32_t i) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    const schedule& s = chosen();
    const sort_word word = word_of(code(i));
    const expression shared = name("places");
    out_.open_scope();
    if (s.threads_along > 1)
      out_.variable(value_of(element_type::uint64), shared[s.threads_across][shared_words(word)]).space =
          memory_space::shared;
    const expression sort_row =
        out_.instance("sort_row", {integer(static_cast<std::int64_t>(word)), integer(s.threads_along),
                                   integer(s.steps), integer(s.vector), integer(exchanged_at_once(word))});
    out_.perform(out_.call(sort_row, {elements_of_chunk(i)[0], name("v", i),
                                      s.threads_along > 1 ? expression(shared[thread_across()]) : integer(0),
                                      convert(narrow_index_type, length()), tree_.row.thread}));
    out_.close();
    return out_.first();
  }

 private:
  static sort_word word_of(const instruction& sort) {
    const auto bits = static_cast<int>(sort.payload) + resident_sort_bits;
    return bits <= 8 * static_cast<int>(sizeof(std::uint32_t))   ? sort_word::of_32_bits
           : bits <= 8 * static_cast<int>(sizeof(std::uint64_t)) ? sort_word::of_64_bits
                                                                 : sort_word::of_a_key_and_a_place;
  }
  /// Words of a thread that warps exchange at once, two at least: no more than the places need room for.
  std::int64_t exchanged_at_once(sort_word word) const {
    std::int64_t words = std::min<std::int64_t>(chosen().steps * chosen().vector, sort_words_exchanged);
    while (words > 2 && words * chosen().threads_along * size_of_word(word) > words_of_places()) words /= 2;
    return words;
  }
  static std::int64_t size_of_word(sort_word word) { return word == sort_word::of_a_key_and_a_place ? 2 : 1; }
  /// Words of 64 bits for all places of a row; one place in 32 stays free, so that threads meet different
  /// banks.
  std::int64_t words_of_places() const {
    const std::int64_t places = std::int64_t{chosen().threads_along} * chosen().steps * chosen().vector;
    constexpr std::int64_t places_of_word = sizeof(std::uint64_t) / sizeof(std::uint32_t);
    return divide_up(places + places / warp(), places_of_word);
  }
  /// Words of 64 bits that the threads of a row exchange: between warps their words, and all places at the
  /// end.
  std::int64_t shared_words(sort_word word) const {
    if (chosen().threads_along <= warp()) return words_of_places();
    return std::max(words_of_places(), exchanged_at_once(word) * chosen().threads_along * size_of_word(word));
  }
};

}  // namespace

void lower_sorts(const kernel_description& kernel, loop_tree& tree) {
  if (!has_sorts(kernel.body)) return;
  sort_lowering lowering(kernel, tree);
  replace_statements(
      tree, [&](const statement& at) { return at.kind == statement_kind::scan && lowering.sorts(at); },
      [&](statement_id id) { return lowering.lowered(tree[id].instruction); });
}

}  // namespace sinter::inline v0::codegen
