// The schedule: public data, and the schedules that a caller may force.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>

#include <random>
#include <string>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

/// The message of the type_error that forcing a schedule throws; empty if it throws none.
std::string refusal(const schedule& forced, const std::vector<layout>& inputs, const target_facts& target) {
  const graph recorded = sum_of({{f32, static_cast<unsigned>(inputs[0].extents.size())},
                                 {f32, static_cast<unsigned>(inputs[1].extents.size())}});
  try {
    lower(recorded, inputs, target, {}, {}, &forced);
    return {};
  } catch (const type_error& failure) {
    return failure.what();
  }
}
bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const std::vector<layout> line{contiguous({1000}), contiguous({1000})};
const std::vector<layout> grid{contiguous({300, 1000}), transposed({300, 1000})};

TEST_CASE("of a field that is given twice the last value counts") {
  CHECK(parse_schedule("rows vector=4 steps=2 vector=8").vector == 8);
  CHECK(!parse_schedule("rows resident=1 kept=0").resident);
}

TEST_CASE("former spellings of a schedule's fields are read, and the present ones are written") {
  const schedule former = parse_schedule("row_reduction vector=4 kept=1 whole_rows=1");
  CHECK(former == parse_schedule("row_reduction vector=4 resident=1 whole_rows=1"));
  CHECK(former.resident);
  const std::string written = to_string(former);
  CHECK(written.find(" resident=1") != std::string::npos);
  CHECK(written.find("kept") == std::string::npos);
  CHECK_FALSE(parse_schedule("row_reduction kept=0").resident);
  CHECK_THROWS_AS(parse_schedule("row_reduction kept=2"), type_error);
}

TEST_CASE("a schedule printed and parsed is the same schedule") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    schedule made;
    made.order = static_cast<loop_order>(random() % 3);
    made.vector = static_cast<std::uint16_t>(random());
    made.steps = static_cast<std::uint16_t>(random());
    made.rows_per_thread = static_cast<std::uint16_t>(random());
    made.threads_along = static_cast<std::uint16_t>(random());
    made.threads_across = static_cast<std::uint16_t>(random());
    made.tile = static_cast<std::uint16_t>(random());
    made.streaming = random() % 2 != 0;
    made.whole_rows = random() % 2 != 0;
    made.staged = random() % 2 != 0;
    made.reads = static_cast<eviction>(random() % 3);
    CHECK(parse_schedule(to_string(made)) == made);
  }
  CHECK(to_string(schedule{})
            .starts_with("rows vector=1 steps=1 rows_per_thread=1 threads_along=256 threads_across=1 tile=0 "
                         "cluster=1 shared_steps=0 "
                         "streaming=0"));
}

TEST_CASE("schedules are ordered and compared as data") {
  schedule wide;
  wide.vector = 4;
  CHECK(schedule{} < wide);
  CHECK(schedule{} != wide);
}

TEST_CASE("each loop order has its row in the table, and reduces or does not") {
  for (std::size_t i = 0; i < loop_orders.size(); ++i) {
    const auto order = static_cast<loop_order>(i);
    CHECK(facts_of(order).order == order);
    CHECK(is_known(order));
    CHECK(parse_schedule(facts_of(order).name).order == order);
  }
  CHECK_FALSE(is_known(static_cast<loop_order>(loop_orders.size())));
  CHECK_FALSE(is_reduction_order(loop_order::rows));
  CHECK_FALSE(is_reduction_order(loop_order::flat));
  CHECK(is_reduction_order(loop_order::row_reduction));
  CHECK(is_reduction_order(loop_order::column_reduction));
}

TEST_CASE("what is no schedule is refused with the word at fault and what it may stand for") {
  const std::string all_fields =
      "Fields: vector, steps, rows_per_thread, threads_along, threads_across, tile, cluster, shared_steps, "
      "private_updates, tasks, streaming, whole_rows, resident, scalar_loads, staged, reads";
  const std::string all_orders =
      "A schedule begins with one of: rows, flat, tiled, row_reduction, column_reduction";
  const struct {
    std::string text, message;
  } refused[]{
      {"", "the text is empty; write it as to_string prints it, for example \"rows vector=1"},
      {"columns", "\"columns\" is no loop order. " + all_orders},
      {"row_reduktion vector=4", "did you mean \"row_reduction\"? " + all_orders},
      {"vector=4", "\"vector=4\" is no loop order. " + all_orders},
      {"rows vectr=4", "\"vectr\" is no field; did you mean \"vector\"? " + all_fields},
      {"rows threads=4", "\"threads\" is no field; did you mean \"threads_along\"? " + all_fields},
      {"rows colour=3", "\"colour\" is no field. " + all_fields},
      {"rows vector", "the field \"vector\" has no value: write \"vector=…\""},
      {"rows =4", "\"\" is no field. " + all_fields},
      {"rows vector=", "\"vector=\": \"\" is no whole number from 0 to 65535"},
      {"rows vector=four", "\"vector=four\": \"four\" is no whole number from 0 to 65535"},
      {"rows vector=4x", "\"vector=4x\": \"4x\" is no whole number from 0 to 65535"},
      {"rows vector=-1", "\"vector=-1\": \"-1\" is no whole number from 0 to 65535"},
      {"rows vector=70000", "\"vector=70000\": \"70000\" is no whole number from 0 to 65535"},
      {"rows staged=2", "\"staged=2\": a flag is 0 or 1"},
      {"rows kept=2", "\"kept=2\": a flag is 0 or 1"},
      {"rows staged=true", "\"staged=true\": a flag is 0 or 1"},
      {"rows reads=lats",
       "\"lats\" is no eviction of reads; did you mean \"last\"? Evictions: normal, last, first"},
      {"rows reads=0", "\"0\" is no eviction of reads. Evictions: normal, last, first"},
      {"rows  vector=4", "there are two spaces in a row: separate fields by one"},
      {"rows \x1b[2Jvector=4", "\"?[2Jvector\" is no field"},
  };
  for (const auto& [text, message] : refused) {
    CAPTURE(text);
    try {
      parse_schedule(text);
      FAIL("accepted");
    } catch (const type_error& failure) {
      const std::string said = failure.what();
      CAPTURE(said);
      CHECK(said.starts_with("not a schedule: "));
      CHECK(mentions(said, message));
    }
  }
}

TEST_CASE("on the CPU the one schedule of a reduction is printed, and can be forced as printed") {
  graph_builder b;
  b.restart();
  b.output(b.reduce(operation::sum, b.input(f32, 2), 1u << 1, false));
  const graph recorded = b.recorded();
  const std::vector<layout> arrays{contiguous({300, 1000})};
  const schedule usual = lower(recorded, arrays, cpu_facts()).stages[0].chosen;
  schedule other = usual;
  other.threads_along = static_cast<std::uint16_t>(usual.threads_along + 1);
  std::string said;
  try {
    lower(recorded, arrays, cpu_facts(), {}, {}, &other);
  } catch (const type_error& failure) {
    said = failure.what();
  }
  CAPTURE(said);
  CHECK(mentions(said, "on the CPU reductions have one schedule"));
  const std::string before = ": say \"";
  const std::size_t at = said.find(before);
  REQUIRE(at != std::string::npos);
  const std::string printed = said.substr(at + before.size(), said.size() - at - before.size() - 1);
  CHECK(printed == to_string(usual));
  const schedule given = parse_schedule(printed);
  CHECK_NOTHROW(lower(recorded, arrays, cpu_facts(), {}, {}, &given));
}

TEST_CASE("the chosen schedule of every layout may be forced and gives the same kernel") {
  const std::vector<std::pair<unsigned, std::vector<layout>>> cases{
      {1, line},
      {2, grid},
      {2, {contiguous({300, 7}), transposed({300, 7})}},
      {0, {contiguous({}), contiguous({})}}};
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (const auto& [rank, arrays] : cases) {
      const graph recorded = sum_of({{f32, rank}, {f32, rank}});
      const stage free = lower(recorded, arrays, target).stages[0];
      const stage forced = lower(recorded, arrays, target, {}, {}, &free.chosen).stages[0];
      CHECK(forced.signature == free.signature);
      CHECK(forced.tiles == free.tiles);
      CHECK(text_of(forced) == text_of(free));
    }
}

TEST_CASE("a forced schedule that the kernel cannot run is refused with the reason") {
  const target_facts cuda = cuda_facts(), cpu = cpu_facts();
  const auto with = [](auto change) {
    schedule made;
    change(made);
    return made;
  };
  CHECK(refusal(schedule{}, line, cuda).empty());
  for (const target_facts& target : {cuda, cpu}) {
    CHECK(mentions(refusal(with([](schedule& s) { s.order = static_cast<loop_order>(77); }), line, target),
                   "(77)"));
    CHECK(mentions(refusal(with([](schedule& s) { s.reads = static_cast<eviction>(9); }), line, target),
                   "no such eviction"));
  }
  CHECK(mentions(refusal(with([](schedule& s) { s.steps = 0; }), line, cuda), "at least 1"));
  CHECK(mentions(refusal(with([](schedule& s) { s.threads_along = 0; }), line, cpu), "at least 1"));
  CHECK(mentions(refusal(with([](schedule& s) { s.vector = 3; }), line, cuda), "vector must be"));
  CHECK(mentions(refusal(with([](schedule& s) { s.vector = 32; }), line, cuda), "vector must be"));
  CHECK(mentions(refusal(with([](schedule& s) { s.threads_along = 2048; }), line, cuda), "1024 threads"));
  CHECK(mentions(refusal(with([](schedule& s) { s.threads_along = s.threads_across = 65535; }), line, cuda),
                 "1024 threads"));
  CHECK(mentions(refusal(with([](schedule& s) { s.tile = 32; }), line, cuda), "tile=0"));
  CHECK(mentions(refusal(with([](schedule& s) { s.vector = 4; }), line, cpu), "vector=1"));

  const std::vector<layout> odd{unaligned(contiguous({1000})), contiguous({1000})};
  CHECK(mentions(refusal(with([](schedule& s) { s.vector = 4; }), odd, cuda), "not aligned"));

  const auto tiled = [](std::uint16_t tile, std::uint16_t vector, std::uint16_t along, std::uint16_t across,
                        std::uint16_t rows) {
    return schedule{.order = loop_order::tiled,
                    .vector = vector,
                    .rows_per_thread = rows,
                    .threads_along = along,
                    .threads_across = across,
                    .tile = tile};
  };
  CHECK(refusal(tiled(64, 4, 16, 16, 4), grid, cuda).empty());
  CHECK(mentions(refusal(tiled(64, 4, 16, 16, 4), line, cuda), "two axes"));
  schedule two_steps = tiled(64, 4, 16, 16, 4);
  two_steps.steps = 2;
  CHECK(mentions(refusal(two_steps, grid, cuda), "steps=1"));
  CHECK(mentions(refusal(tiled(64, 4, 16, 16, 2), grid, cuda), "both sides"));
  CHECK(mentions(refusal(tiled(128, 4, 32, 16, 8), grid, cuda), "48 KiB"));
}

TEST_CASE("a schedule for axes that the nest does not have is refused on both targets") {
  const std::vector<layout> one{contiguous({}), contiguous({})};
  schedule flat;
  flat.order = loop_order::flat;
  const schedule tiled{.order = loop_order::tiled,
                       .rows_per_thread = 16,
                       .threads_along = 64,
                       .threads_across = 4,
                       .tile = 64};
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    CHECK(mentions(refusal(flat, one, target), "needs"));
    CHECK(mentions(refusal(tiled, line, target), "two axes"));
  }
  // threads across a single axis would repeat work
  schedule across;
  across.threads_across = 2;
  across.threads_along = 128;
  CHECK(mentions(refusal(across, line, cuda_facts()), "across"));
  // a CPU tile is on the stack
  const schedule huge{
      .order = loop_order::tiled, .rows_per_thread = 4096, .threads_along = 4096, .tile = 4096};
  CHECK(mentions(refusal(huge, grid, cpu_facts()), "1 to 128"));
  const schedule none{.order = loop_order::tiled, .rows_per_thread = 64, .threads_along = 64, .tile = 0};
  CHECK(mentions(refusal(none, grid, cpu_facts()), "1 to 128"));
}

TEST_CASE("what only reductions do is refused of pointwise kernels on both targets") {
  const std::vector<void (*)(schedule&)> changes{
      [](schedule& s) { s.cluster = 2; },         [](schedule& s) { s.cluster = 0; },
      [](schedule& s) { s.shared_steps = 1; },    [](schedule& s) { s.resident = true; },
      [](schedule& s) { s.scalar_loads = true; }, [](schedule& s) { s.staged = true; }};
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (const loop_order order : {loop_order::rows, loop_order::flat})
      for (const auto change : changes) {
        schedule made;
        made.order = order;
        CHECK(refusal(made, line, target).empty());
        change(made);
        INFO(to_string(made));
        CHECK(mentions(refusal(made, line, target),
                       "say cluster=1 shared_steps=0 resident=0 scalar_loads=0 staged=0"));
      }
}

TEST_CASE("the chosen schedule of every type and layout is one that may be forced") {
  const target_facts target = cuda_facts();
  for (const element_type_facts& type : element_types)
    for (const shape& extents : {shape{300, 4096}, shape{300, 4097}, shape{64, 128}, shape{17, 19},
                                 shape{5000, 3}, shape{3, 5000}, shape{1, 77}, shape{1, 1}}) {
      const layout whole = contiguous(extents, type.type), transposed_array = transposed(extents, type.type);
      const layout row = contiguous({1, extents[1]}, type.type),
                   column = contiguous({extents[0], 1}, type.type);
      const layout spread = strided(extents, {2 * extents[1] + 2, 2}, type.type);
      const std::vector<std::vector<layout>> pairs{{whole, whole},
                                                   {unaligned(whole), whole},
                                                   {whole, row},
                                                   {whole, column},
                                                   {row, column},
                                                   {whole, transposed_array},
                                                   {transposed_array, transposed_array},
                                                   {whole, spread},
                                                   {spread, transposed_array}};
      const graph recorded = sum_of({{type.type, 2}, {type.type, 2}});
      for (const std::vector<layout>& arrays : pairs)
        for (const unsigned attempt : {0u, 1u})
          for (const std::vector<layout>& outputs : {std::vector<layout>{}, {spread}, {transposed_array}}) {
            const schedule chosen =
                lower(recorded, arrays, target, outputs, {}, nullptr, attempt).stages[0].chosen;
            INFO(type.name, " ", to_string(chosen));
            CHECK_NOTHROW(lower(recorded, arrays, target, outputs, {}, &chosen));
            CHECK(chosen.threads_along * chosen.threads_across % 32 == 0);
          }
    }
}

TEST_CASE("tiles of many transposed operands fit shared memory, or there are none") {
  for (const std::size_t operands : {2u, 22u, 23u, 40u}) {
    const std::vector<layout> arrays(operands, transposed({300, 400}, element_type::float64));
    graph_builder b;
    graph_value sum = b.input(element_type::float64, 2);
    for (std::size_t i = 1; i < operands; ++i)
      sum = b.apply(operation::add, std::array{sum, b.input(element_type::float64, 2)});
    b.output(sum);
    const layout row_major = contiguous({300, 400}, element_type::float64);
    const lowered_call lowered = lower(b.recorded(), arrays, cuda_facts(), {row_major});
    INFO(operands, ": ", to_string(lowered.stages[0].chosen));
    CHECK((lowered.stages[0].chosen.order == loop_order::tiled) == (operands < 23));
    CHECK_NOTHROW(lower(b.recorded(), arrays, cuda_facts(), {row_major}, {}, &lowered.stages[0].chosen));
  }
}

TEST_CASE("division by multiplication is exact for every divisor and dividend of the width") {
  std::mt19937_64 random(11);
  for (const int width : {32, 64}) {
    // as in emitted text: dividends have one bit less than the width
    const auto divide = [&](std::uint64_t n, const divisor& by) {
      const auto high =
          static_cast<std::uint64_t>((static_cast<unsigned __int128>(n) * by.multiplier) >> width);
      return (high + n) >> by.shift;
    };
    std::vector<std::uint64_t> values;
    for (int bit = 0; bit < width - 1; ++bit) {
      const std::uint64_t power = std::uint64_t{1} << bit;
      for (const std::uint64_t near : {power - 1, power, power + 1}) values.push_back(near);
    }
    for (int i = 0; i < 300; ++i)
      values.push_back((random() >> (65 - width)) >> random() % static_cast<unsigned>(width));
    values.push_back((std::uint64_t{1} << (width - 1)) - 1);
    std::size_t wrong = 0;
    for (const std::uint64_t by : values) {
      if (by == 0) continue;
      const divisor made = make_divisor(static_cast<std::int64_t>(by), width);
      if (width == 32) wrong += made.multiplier >> 32 != 0;
      for (const std::uint64_t n : values) {
        wrong += divide(n, made) != n / by;
        const std::uint64_t multiple = n / by * by;  // where the quotient steps
        wrong += divide(multiple, made) != n / by;
        if (multiple != 0) wrong += divide(multiple - 1, made) != n / by - 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a given schedule of columns serves an array without columns") {
  graph_builder b;
  b.restart();
  b.output(b.reduce(operation::sum, b.input(f32, 2), 1u, true));
  const graph recorded = b.recorded();
  schedule columns;
  columns.order = loop_order::column_reduction;
  columns.threads_along = 32;
  columns.threads_across = 8;
  CHECK(lower(recorded, {contiguous({1000, 0})}, cuda_facts(), {}, {}, &columns).stages[0].tiles == 0);
}

TEST_CASE("every kernel fills the device when there is work enough") {
  const target_facts target = cuda_facts();
  const graph recorded = sum_of({{f32, 2}, {f32, 2}});
  for (const auto& arrays :
       std::vector<std::vector<layout>>{{contiguous({1 << 26, 4}), strided({1 << 26, 4}, {5, 1})},
                                        {contiguous({4, 1 << 26}), strided({4, 1 << 26}, {(1 << 26) + 1, 1})},
                                        {contiguous({1 << 14, 1 << 14}), transposed({1 << 14, 1 << 14})}}) {
    const stage made = lower(recorded, arrays, target).stages[0];
    const std::int64_t threads = made.tiles * made.threads_along * made.threads_across;
    CHECK(threads >= std::int64_t{target.multiprocessors} * target.threads_per_multiprocessor * 8);
    CHECK(made.threads_along * made.threads_across >= 64);  // 32 blocks then fill a multiprocessor
  }
}

}  // namespace
}  // namespace sinter::test
