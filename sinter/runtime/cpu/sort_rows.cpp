#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/cpu/sort_rows.hpp>

#include <boost/sort/pdqsort/pdqsort.hpp>
#include <boost/sort/spreadsort/spreadsort.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace sinter::inline v0::runtime {
namespace {

/// A key with its position, by which equal keys are in order: of 32 bits as one number.
template <class Key>
struct placed_key {
  Key key;
  std::uint32_t position;
  bool operator<(const placed_key& other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};
template <class Key>
using element_of = std::conditional_t<sizeof(Key) == 4, std::uint64_t, placed_key<Key>>;

template <class Key>
element_of<Key> placed(Key key, std::uint32_t position) {
  if constexpr (sizeof(Key) == 4)
    return std::uint64_t{key} << 32 | position;
  else
    return {key, position};
}
inline std::uint32_t position_of(std::uint64_t element) { return static_cast<std::uint32_t>(element); }
template <class Key>
std::uint32_t position_of(const placed_key<Key>& element) {
  return element.position;
}

/// Elements of a run that one thread sorts, and of the part of a merge that one thread does. A run stays in a
/// second-level cache.
constexpr std::size_t run_elements = std::size_t{1} << 15;

/// Sorts a run. No two elements are equal, so that every sort is stable.
template <class Element>
void sort_run(Element* first, Element* last) {
  if constexpr (std::is_integral_v<Element>)
    boost::sort::spreadsort::integer_sort(first, last);
  else
    boost::sort::pdqsort_branchless(first, last);
}

/// Merges two sorted lists in parallel: the longer list is halved, and the other one where its middle
/// belongs.
template <class Element>
void merge_lists(const Element* first, std::size_t first_count, const Element* second,
                 std::size_t second_count, Element* to) {
  if (first_count + second_count <= run_elements) {
    std::merge(first, first + first_count, second, second + second_count, to);
    return;
  }
  std::size_t from_first = first_count / 2, from_second = second_count / 2;
  if (first_count >= second_count)
    from_second =
        static_cast<std::size_t>(std::lower_bound(second, second + second_count, first[from_first]) - second);
  else
    from_first =
        static_cast<std::size_t>(std::upper_bound(first, first + first_count, second[from_second]) - first);
  run_both([&] { merge_lists(first, from_first, second, from_second, to); },
           [&] {
             merge_lists(first + from_first, first_count - from_first, second + from_second,
                         second_count - from_second, to + from_first + from_second);
           });
}

/// Sorts a list, with as much memory beside it; the result is in `beside` if `moves`.
template <class Element>
void sort_list(Element* list, Element* beside, std::size_t count, bool moves) {
  if (count <= run_elements) {
    sort_run(list, list + count);
    if (moves) std::copy(list, list + count, beside);
    return;
  }
  const std::size_t half = count / 2;
  run_both([&] { sort_list(list, beside, half, !moves); },
           [&] { sort_list(list + half, beside + half, count - half, !moves); });
  Element *const from = moves ? list : beside, *const to = moves ? beside : list;
  merge_lists(from, half, from + half, count - half, to);
}

template <class Key>
void sort_row(const Key* keys, std::uint32_t* positions, std::size_t length,
              std::vector<element_of<Key>>& memory) {
  const bool is_long = length > run_elements;
  memory.resize(is_long ? 2 * length : length);
  const auto each = [&](auto visit) {
    if (!is_long) return visit(std::size_t{0}, length);
    run_ranges(length, run_elements, visit);
  };
  element_of<Key>* const list = memory.data();
  each([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) list[i] = placed(keys[i], static_cast<std::uint32_t>(i));
  });
  sort_list(list, list + length, length, false);
  each([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) positions[i] = position_of(list[i]);
  });
}

template <class Key>
void sort_all(const sorted_rows& sorted, const Key* keys, std::uint32_t* positions) {
  const auto length = static_cast<std::size_t>(sorted.length), rows = static_cast<std::size_t>(sorted.rows);
  const auto sort_some = [&](std::size_t first, std::size_t last) {
    std::vector<element_of<Key>> memory;
    for (std::size_t row = first; row < last; ++row)
      sort_row(keys + row * length, positions + row * length, length, memory);
  };
  // rows that are long enough are divided themselves
  constexpr std::size_t elements_of_task = run_elements / 8;
  if (rows * length <= elements_of_task) return sort_some(0, rows);
  if (length > run_elements) return run_in_arena([&] { sort_some(0, rows); });
  const std::size_t rows_of_task = std::max<std::size_t>(1, elements_of_task / length);
  run_in_arena([&] { run_ranges(rows, rows_of_task, sort_some); });
}

}  // namespace

void sort_rows_on_cpu(const sorted_rows& sorted, const void* keys, std::uint32_t* positions) {
  if (sorted.key_bytes == 4)
    sort_all(sorted, static_cast<const std::uint32_t*>(keys), positions);
  else
    sort_all(sorted, static_cast<const std::uint64_t*>(keys), positions);
}

}  // namespace sinter::inline v0::runtime
