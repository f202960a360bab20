#include <fmt/format.h>

#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/segment/stage_purpose.hpp>

#include <array>
#include <cstddef>

namespace sinter::inline v0 {
namespace {

/// One row per stage_part, in its order.
struct part_words {
  const char* does;
  bool finishes;  ///< the part completes the work: results, or values computed ahead
};
constexpr std::array<part_words, 6> parts{{
    {"", true},
    {"pieces of {kind}s", false},
    {"combined from pieces", true},
    {"totals of the pieces of a scan", false},
    {"starts of the pieces of a scan", false},
    {"in pieces that go on from their starts", true},
}};

/// One row per stage_reason, in its order.
struct reason_words {
  const char *on_gpu, *on_cpu;
};
constexpr const char* past_another_loop = "since another reduction loops past it, or along other axes";
constexpr const char* any_layout =
    "since shape-generic kernels have the same stages whatever the extents are";
constexpr const char* too_long =
    "since one kernel of all operations would be too long to compile: cut after {weight} operations, the "
    "most "
    "that a kernel has (an addition counts as one, most functions as {function}, a sine as {sine}; all of "
    "them "
    "once more for each reduction or scan of another one's results)";
constexpr const char* many_values =
    "since positions multiply: one kernel would compute more than {values} values for each element";
constexpr const char* recomputed =
    "since its users would compute it at several positions, which takes longer than storing and reading it";
constexpr const char* moved_twice =
    "since its elements are padded, repeated or reshaped a second time, and no single rule says where they "
    "lie then";
constexpr const char* index_of_rows =
    "since it is an index of whole rows, which is read once for each of them when it is stored";
constexpr const char* updated = "since it is written at positions that are values";
constexpr const char* base_of_scatter = "since the next stage updates it in place";
constexpr const char* ordered = "since its rows are sorted in memory";
constexpr const char* keys_of_rows = "since the next stage sorts rows by it";
constexpr const char* read_in_body = "since a body takes elements of it at indices";
constexpr reason_words reasons[] = {
    {"", ""},
    {past_another_loop, past_another_loop},
    {"since {rows} would be {blocks}, too few for {processors} multiprocessors",
     "since {rows} of {length} elements cannot keep all threads busy"},
    {"since {kind}s of {length} elements do not fit the chip, and would be read once more for each loop over "
     "them",
     "since {kind}s of {length} elements do not stay in the cache, and would be read once more for each loop "
     "over them"},
    {any_layout, any_layout},
    {too_long, too_long},
    {many_values, many_values},
    {recomputed, recomputed},
    {read_in_body, read_in_body},
    {index_of_rows, index_of_rows},
    {moved_twice, moved_twice},
    {"",
     "since the innermost of the axes reduced is too short for vectors: its elements and the columns beside "
     "them are lanes"},
    {updated, updated},
    {base_of_scatter, base_of_scatter},
    {ordered, ordered},
    {keys_of_rows, keys_of_rows},
};

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string describe(const stage_purpose& purpose, const target_facts& target) {
  const part_words& part = parts[static_cast<std::size_t>(purpose.part)];
  const reason_words& reason = reasons[static_cast<std::size_t>(purpose.reason)];
  const char* kind = purpose.columns ? "column" : "row";
  const char* finished = purpose.reason == stage_reason::results ? "results" : "made ahead";
  std::string text;
  for (const char* words :
       {part.finishes ? finished : "", part.does, is_gpu(target.kind) ? reason.on_gpu : reason.on_cpu})
    if (*words != 0) text += (text.empty() ? "" : ", ") + std::string(words);
  return fmt::format(
      fmt::runtime(text), fmt::arg("kind", kind), fmt::arg("length", purpose.length),
      fmt::arg("rows", counted(purpose.rows, kind)), fmt::arg("blocks", counted(purpose.blocks, "block")),
      fmt::arg("processors", target.multiprocessors), fmt::arg("weight", max_nest_work),
      fmt::arg("values", max_nest_values), fmt::arg("function", static_cast<int>(operation_weight::function)),
      fmt::arg("sine", static_cast<int>(operation_weight::trigonometry)));
}

}  // namespace sinter::inline v0
