// docs/operations.md is generated from the table of operations. SINTER_UPDATE_OPERATIONS=1 writes it.
#include <doctest/doctest.h>

#include <sinter/codegen/graph/operation.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "../support/beside.hpp"
#include "../support/process/temporary_folder.hpp"

namespace sinter::test {
namespace {

constexpr element_type shown_types[] = {element_type::boolean, element_type::int32,
                                        element_type::uint8,   element_type::float16,
                                        element_type::float32, element_type::complex64};

/// The type of an operation's result if all operands have one type; a dash if the rule rejects them.
std::string result_of(const operation_facts& row, element_type type) {
  const operand_type operand{type, false};
  if (is_complex(type) && !takes_complex(row.rule)) return "–";
  const operation_types types = row.arity == 1   ? apply_rule(row.rule, operand)
                                : row.arity == 2 ? apply_rule(row.rule, operand, operand)
                                                 : apply_rule(row.rule, operand, operand, operand);
  return types.valid ? std::string(facts_of(types.result.type).name) : "–";
}

std::string table_of(std::span<const operation_facts> rows) {
  std::string text = "| operation | operands |", line = "|---|---|";
  for (const element_type type : shown_types) {
    text += " " + std::string(facts_of(type).name) + " |";
    line += "---|";
  }
  text += " meaning |\n" + line + "---|\n";
  for (const operation_facts& row : rows) {
    text += "| `" + std::string(row.name) + "` | " + std::to_string(row.arity) + " |";
    for (const element_type type : shown_types) text += " " + result_of(row, type) + " |";
    text += " " + std::string(row.documentation) + " |\n";
  }
  return text;
}

const std::string about_parts = R"(## Arrays put together and taken apart

These move elements, and take every element type. Sizes and positions are integers of rank 0 that are known before a
call. `concatenate` promotes its operands; the others give the type of the one that they take. The guide lists
[the functions made of them](guide.md#arrays-put-together-and-taken-apart), [from_numpy.md](from_numpy.md) NumPy's,
`sinter/codegen/graph/parts/graph_parts.hpp` has what their nodes hold. C calls them `sinter_builder_extended` and so on.

| node | operands | in C++ | meaning |
|---|---|---|---|
| `extended` | array, first position, extent | `pad`, `roll`, `tile`, `repeat_elements`, `broadcast_to`, `iota` | An axis that goes on past its ends: broadcast, with its edge, reflected, from its other end, or each element several times. |
| `concatenate` | two arrays | `concatenate`, `stack`, `pad`, `diag` | One after the other along an axis. |
| `gather` | array, indices | `take`, `take_along_axis`, `gather`, `x(i, all())` | Elements at positions along an axis that are values. |
| `window` | array, extent | `sliding_window` | Windows that slide along an axis; their elements are a new last axis. |
| `diagonal` | array, offset | `diag` | The elements (d, d + offset) of two axes, as the last axis. |
| `merged` | array | `reshape`, `flatten` | An axis and the next one as one, row-major. |
| `split` | array, extent | `reshape`, `squeeze` | An axis as two, row-major, of which the second has that extent. |

## Updates at positions that are values

An array, some of whose elements are combined with values. The node takes integers of 4 and 8 bytes and combines them by
`add`, `minimum` or `maximum`, and adds float32 and float64 in the order that happens. The functions that the guide lists
[among scatters](guide.md#scatters) take every element type: they are made of this node and of elementwise ones, and have
the same result in each run. `sinter/codegen/graph/scatters/scatter_node.hpp` has what the node holds. C calls it
`sinter_builder_scatter`.

| node | operands | in C++ | meaning |
|---|---|---|---|
| `scatter` | array, indices, updates | `scatter_add`, `segment_sum`, `bincount`, `histogram`, `compress`, `x(i) = v` | The array, whose elements at positions along an axis are combined with the updates. |

## Rows in order

The positions by which rows of unsigned keys are in order. The functions that the guide lists
[among sorts](guide.md#sorts-largest-elements-medians-and-quantiles) take every element type, but some no complex ones: they make
keys of elements, and gather at the positions. `sinter/codegen/graph/order/argsort_node.hpp` has what the node holds. C calls what
is made of it `sinter_builder_argsort` and so on.

| node | operands | in C++ | meaning |
|---|---|---|---|
| `argsort` | keys | `argsort`, `sort`, `top_k`, `median`, `quantile`, `unique`, `rng::permutation` | The positions, uint32, by which the keys of each row of the last axis, uint32 or uint64, are in order; equal ones stay in theirs. |

)";

std::string page() {
  const std::span<const operation_facts> all = operations().subspan(structural_operations);
  const auto first_reduction =
      std::ranges::find_if(all, [](const operation_facts& row) { return is_reduction(row.op); });
  const auto first_scan =
      std::ranges::find_if(all, [](const operation_facts& row) { return is_scan(row.op); });
  const std::span reductions(first_reduction, first_scan), scans(first_scan, all.end());
  return R"(# Operations

`tests/graph/operations_page_test.cpp` generates this page from the table of operations,
`sinter/codegen/graph/operations.def`: change the table, not this page. A column of a type gives the type of the result
if all operands have the column's type; a dash means that the operation refuses it. Operands of different types are
promoted first, by NumPy 2's rules.

## Elementwise operations

)" + table_of(element_operations()) +
         R"(
## Reductions

Along the named axes, or along all if none is named. The guide's other reductions (means, variances, norms and others)
are composed of these.

)" + table_of(reductions) +
         R"(
## Scans

Along one axis: combine each element with all before it.

)" + table_of(scans) +
         R"(
)" + about_parts +
         R"(## Loops, choices and combines

These run bodies: functions that are recorded as part of the one around them, and are elementwise. A body has the
operations of the first table, conversions, functions of users, and bodies of its own. The guide says how
[loops and choices](guide.md#loops-and-branches-in-a-kernel) and
[reductions and scans](guide.md#reductions-and-scans-of-your-own) are used,
`sinter/codegen/graph/bodies/graph_bodies.hpp` what their nodes hold.

| in C++ | node | meaning |
|---|---|---|
| `repeat(count, state…, body)` | `repeat` | The states after `count` iterations, which is one integer for all elements. |
| `repeat_while(condition, state…, body)` | `repeat_while` | The states once the condition holds no more, for each element by itself. |
| `when(condition, then, otherwise)` | `when` | The results of one of two bodies, for each element. |
| `reduce(combine, identities, values, options…)` | `reduce` | What the elements of several values combine to, along axes. |
| `scan(combine, identities, values, axis<A>)` | `scan` | What each element and all before it combine to, along one axis. |

The type of a state is that of `where(condition, state, next)`; that of a result of `when` follows from both sides in the
same way, that of a value of `reduce` and `scan` from its identity, its elements and what these combine to.
)";
}

}  // namespace

TEST_CASE("the page of operations is what the table says") {
  const std::string path = path_beside_or("operations.md", SINTER_OPERATIONS_PAGE);
  const std::string text = page();
  const char* const wish = std::getenv("SINTER_UPDATE_OPERATIONS");
  if (wish != nullptr && std::string_view(wish) == "1") write_file(path, text);
  CHECK_MESSAGE(
      read_file(path) == text,
      "docs/operations.md differs from the table: write it anew with\n  SINTER_UPDATE_OPERATIONS=1 ctest "
      "--test-dir build -R '^operations_page$'");
  for (const operation_facts& row : operations()) {
    if (is_part(row.op))
      CHECK_MESSAGE(text.find("| `" + std::string(row.name) + "` |") != std::string::npos, row.name);
    if (is_structural(row.op)) continue;
    CHECK_MESSAGE(!row.documentation.empty(), row.name);
    CHECK_MESSAGE(text.find("| `" + std::string(row.name) + "` |") != std::string::npos, row.name);
  }
}

}  // namespace sinter::test
