// A kernel's description decides its text and the layout of its argument block, and its bytes are the
// signature: it contains everything that text may depend on, and nothing that belongs to a launch.

#include <doctest/doctest.h>

#include "../support/drawn/random_rows.hpp"
#include "../support/reduction_graphs.hpp"
#include "../support/sweep/sweep_program.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/sinter.hpp>

#include <map>
#include <tuple>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32, f64 = element_type::float64;

/// A stage with the parts of a call that emit() does not receive.
struct described_stage {
  std::string name;
  stage made;
  target_facts target;
  arithmetic_mode mode = arithmetic_mode::standard;
  std::string kernel_name;

  std::string signature() const {
    kernel_description described;
    describe_kernel(made, target, mode, kernel_name, described);
    std::string bytes;
    write_signature(described, bytes);
    return bytes;
  }
};

void add_stages(const std::string& name, const graph& recorded, const std::vector<layout>& arrays,
                std::vector<described_stage>& all, std::span<const std::uint64_t> scalars = {}) {
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (const bool general : {false, true}) {
      const lowered_call lowered = general ? lower_general(recorded, arrays, target, {}, scalars)
                                           : lower(recorded, arrays, target, {}, scalars);
      for (std::size_t i = 0; i < lowered.stage_count; ++i)
        all.push_back(
            {name + (general ? ", general" : ""), lowered.stages[i], target, recorded.mode, recorded.name});
    }
}

graph stencil() {
  graph_builder b;
  b.restart();
  const graph_value u = b.input(f32, 2);
  const std::vector<view_item> up{slice(0, -2), slice(1, -1)}, down{slice(2, 1000), slice(1, -1)};
  b.output(b.apply(operation::add, {b.view(u, up), b.view(u, down)}));
  return b.recorded();
}

graph with_constants_and_scalars() {
  graph_builder b;
  b.restart();
  const graph_value x = b.input(f32, 2);
  const graph_value length = b.cast(b.extent(x, 1), f32), a = b.parameter(f32);
  b.output(b.apply(operation::add, {b.apply(operation::multiply, {a, x}), length}));
  b.output(b.apply(operation::multiply, {x, b.cast(b.coordinate(x, 0), f32)}));
  b.recorded().name = "named";
  return b.recorded();
}

graph sum_of_everything() {
  graph_builder b;
  b.restart();
  b.output(b.reduce(operation::sum, b.input(f32, 1), 1u));
  return b.recorded();
}

graph scanned(unsigned axis) {
  graph_builder b;
  b.restart();
  b.output(b.scan(operation::cumsum, b.input(f32, 2), axis));
  return b.recorded();
}

const std::vector<described_stage>& stages() {
  static const std::vector<described_stage> all = [] {
    std::vector<described_stage> made;
    const std::vector<layout> matrix{contiguous({300, 500})};
    add_stages("softmax", softmax_over(2u), matrix, made);
    add_stages("largest of columns", reduction_of(operation::argmax, 1u), matrix, made);
    add_stages("sum in pieces", sum_of_everything(), {contiguous({1 << 26})}, made);
    add_stages("scan of rows", scanned(1), matrix, made);
    add_stages("scan in pieces", scanned(1), {contiguous({2, 1 << 20})}, made);
    add_stages("stencil", stencil(), {contiguous({302, 502})}, made);
    const std::uint64_t scalar = 0x40200000;
    add_stages("constants and scalars", with_constants_and_scalars(), matrix, made, {&scalar, 1});
    const graph pair = sum_of({{f32, 2}, {f32, 2}});
    add_stages("short rows", pair, {contiguous({5000, 3}), contiguous({5000, 1})}, made);
    add_stages("transposed", pair, {contiguous({300, 500}), transposed({300, 500})}, made);
    for (std::uint64_t seed = 0; seed < 12; ++seed)
      add_stages("seed " + std::to_string(seed), simplify(random_rows(seed, 2, 2, 4 + seed)),
                 std::vector(2, contiguous({37, 130}, f64)), made);
    return made;
  }();
  return all;
}

template <class Enumerator>
Enumerator other(Enumerator value) {
  return static_cast<Enumerator>(static_cast<int>(value) == 0 ? 1 : 0);
}

using change = std::pair<std::string, std::function<void(described_stage& at)>>;

void add_changes_of_accesses(const described_stage& at, std::vector<change>& all) {
  for (std::size_t i = 0; i < at.made.body.accesses.size(); ++i) {
    const auto add = [&](const char* name, auto mutate) {
      all.push_back({"access " + std::to_string(i) + ": " + name,
                     [i, mutate](auto& s) { mutate(s.made.body.accesses[i]); }});
    };
    add("what", [](access& a) { a.what = other(a.what); });
    add("type", [](access& a) { a.type = other(a.type); });
    add("base", [](access& a) { ++a.base; });
    add("shift", [](access& a) { ++a.shift; });
    add("row shift", [](access& a) { ++a.row_shift; });
    add("group", [](access& a) { ++a.group; });
    for (unsigned axis = 0; axis < at.made.body.rank; ++axis)
      for (const std::int64_t stride : {0, 1, 5}) {
        access changed = at.made.body.accesses[i];
        changed.strides[axis] = stride;
        changed.strided &= ~(1u << axis);
        if (changed.pattern(axis) == at.made.body.accesses[i].pattern(axis)) continue;
        add("pattern", [changed](access& a) { a = changed; });
      }
  }
}

void add_changes_of_instructions(const described_stage& at, std::vector<change>& all) {
  for (std::size_t i = 0; i < at.made.body.body.size(); ++i) {
    const instruction& from = at.made.body.body[i];
    const auto add = [&](const char* name, auto mutate) {
      all.push_back({"instruction " + std::to_string(i) + ": " + name,
                     [i, mutate](auto& s) { mutate(s.made.body.body[i]); }});
    };
    add("operation", [](instruction& a) { a.op = other(a.op); });
    add("type", [](instruction& a) { a.type = other(a.type); });
    add("compute", [](instruction& a) { a.compute = other(a.compute); });
    add("phase", [](instruction& a) { ++a.phase; });
    add("per element", [](instruction& a) { a.per_element ^= true; });
    add("fused", [](instruction& a) { a.fused ^= true; });
    add("negated", [](instruction& a) { a.negated ^= true; });
    add("exclusive", [](instruction& a) { a.exclusive ^= true; });
    add("arity", [](instruction& a) { a.arity = a.arity == 3 ? 2 : a.arity + 1; });
    for (unsigned a = 0; a < from.arity; ++a)
      add("argument", [a](instruction& made) { ++made.arguments[a]; });
    if (from.arity == 0) add("payload", [](instruction& a) { ++a.payload; });
  }
}

/// Everything that text or a key may depend on, each changed separately.
std::vector<change> changes_of_facts(const described_stage& at) {
  std::vector<change> all{
      {"target", [](auto& s) { s.target.kind = other(s.target.kind); }},
      {"architecture", [](auto& s) { ++s.target.architecture; }},
      {"mode", [](auto& s) { s.mode = other(s.mode); }},
      {"name", [](auto& s) { s.kernel_name += "x"; }},
      {"argument block", [](auto& s) { s.made.argument_block ^= true; }},
      {"overlap.waits", [](auto& s) { s.made.overlap.waits ^= true; }},
      {"overlap.releases", [](auto& s) { s.made.overlap.releases ^= true; }},
      {"order", [](auto& s) { s.made.chosen.order = other(s.made.chosen.order); }},
      {"rank", [](auto& s) { s.made.body.extents[s.made.body.rank++] = 7; }},
      {"reduced", [](auto& s) { s.made.body.reduced ^= 1; }},
      {"phases", [](auto& s) { ++s.made.body.phases; }},
      {"split", [](auto& s) { ++s.made.body.split; }},
      {"stores", [](auto& s) { s.made.body.stores.push_back(s.made.body.stores.back()); }},
      {"instructions", [](auto& s) { s.made.body.body.push_back(s.made.body.body.back()); }},
      {"accesses", [](auto& s) { s.made.body.accesses.push_back(s.made.body.accesses.back()); }}};
  for (auto schedule::* const member :
       {&schedule::vector, &schedule::steps, &schedule::rows_per_thread, &schedule::threads_along,
        &schedule::threads_across, &schedule::tile, &schedule::cluster, &schedule::shared_steps})
    all.push_back({"a number of the schedule", [member](auto& s) { ++(s.made.chosen.*member); }});
  for (auto schedule::* const member :
       {&schedule::resident, &schedule::scalar_loads, &schedule::staged, &schedule::whole_rows})
    all.push_back({"a flag of the schedule", [member](auto& s) { s.made.chosen.*member ^= true; }});
  add_changes_of_accesses(at, all);
  add_changes_of_instructions(at, all);
  for (std::size_t i = 0; i < at.made.body.stores.size(); ++i) {
    all.push_back({"store's value", [i](auto& s) { ++s.made.body.stores[i].value; }});
    all.push_back({"store's target", [i](auto& s) { ++s.made.body.stores[i].target; }});
  }
  return all;
}

/// The values that belong to a launch.
std::vector<change> changes_of_data(const described_stage& at) {
  std::vector<change> all{{"whole", [](auto& s) { s.made.body.whole += 3; }},
                          {"streaming", [](auto& s) { s.made.chosen.streaming ^= true; }},
                          {"eviction", [](auto& s) { s.made.chosen.reads = other(s.made.chosen.reads); }},
                          {"cache", [](auto& s) { s.target.cache_bytes += 3; }},
                          {"a constant", [](auto& s) { s.made.body.constants.push_back(3); }},
                          {"tiles", [](auto& s) { s.made.tiles += 3; }}};
  for (std::size_t i = 0; i < at.made.body.accesses.size(); ++i) {
    const auto add = [&](const char* name, auto mutate) {
      all.push_back({"access " + std::to_string(i) + ": " + name,
                     [i, mutate](auto& s) { mutate(s.made.body.accesses[i]); }});
    };
    add("offset", [](access& a) { a.offset += 3; });
    add("array", [](access& a) { a.array += 3; });
    add("place", [](access& a) { a.place = other(a.place); });
    for (unsigned axis = 0; axis < at.made.body.rank; ++axis)
      if (at.made.chosen.order != loop_order::flat &&
          at.made.body.accesses[i].pattern(axis) == step_pattern::strided)
        add("stride",
            [axis](access& a) { a.strides[axis] = a.strides[axis] == 1 ? 1 : a.strides[axis] + 7; });
  }
  for (unsigned axis = 0; axis < at.made.body.rank; ++axis)
    if (at.made.chosen.order != loop_order::flat)
      all.push_back({"extent", [axis](auto& s) { s.made.body.extents[axis] += 3; }});
  return all;
}

unsigned slots_of(const argument_field& field) {
  using kind = argument_field::kind;
  if (field.what == kind::divisor || field.what == kind::row) return 3;
  if (field.what == kind::divisors) return 3 * field.axis;
  return 1;
}

}  // namespace

TEST_CASE("a kernel with a constant that nothing reads is no other kernel") {
  auto x = array<float, 2>::from(std::vector<float>(40, 2), {40, 1}, device::cpu());
  const auto scaled = fuse([](auto v) { return argmax(v * astype<float>(extent<0>(v)), axis<1>); });
  const auto plain = fuse([](auto v) { return argmax(v, axis<1>); });
  auto first = array<std::int64_t, 1>::from(std::vector<std::int64_t>(40, -1), {40}, device::cpu());
  auto second = array<std::int64_t, 1>::from(std::vector<std::int64_t>(40, -1), {40}, device::cpu());
  scaled.into(first)(x);
  plain.into(second)(x);
  CHECK(first.to_vector() == std::vector<std::int64_t>(40, 0));
  CHECK(second.to_vector() == std::vector<std::int64_t>(40, 0));
}

TEST_CASE("every fact that text or a key depends on is in the signature") {
  for (const described_stage& at : stages()) {
    const std::string before = at.signature();
    CHECK_MESSAGE(before == at.made.signature, at.name);
    for (const auto& [name, apply] : changes_of_facts(at)) {
      described_stage changed = at;
      apply(changed);
      if (changed.signature() == before) FAIL_CHECK(at.name << ": " << name);
    }
  }
}

TEST_CASE("what a launch brings is not in the signature") {
  for (const described_stage& at : stages()) {
    const std::string before = at.signature();
    for (const auto& [name, apply] : changes_of_data(at)) {
      described_stage changed = at;
      apply(changed);
      if (changed.signature() != before) FAIL_CHECK(at.name << ": " << name);
    }
  }
}

TEST_CASE("a signature is read back as the description that it was written from") {
  for (const described_stage& at : stages()) {
    const std::optional<kernel_description> described = read_signature(at.made.signature);
    REQUIRE_MESSAGE(described.has_value(), at.name);
    std::string again;
    write_signature(*described, again);
    CHECK_MESSAGE(again == at.made.signature, at.name);
    CHECK(read_signature(signature_for(at.made.signature, 70))->architecture == 70);
    CHECK(read_signature(signature_without_name(at.made.signature))->name.empty());
  }
}

TEST_CASE("changed bytes are refused, or are the signature of another kernel") {
  for (const described_stage& at : {stages().front(), stages().back()})
    for (std::size_t i = 0; i < at.made.signature.size(); ++i)
      for (const char bit : {char{1}, char{2}, char{16}, static_cast<char>(128)}) {
        std::string changed = at.made.signature;
        changed[i] = static_cast<char>(changed[i] ^ bit);
        const std::optional<kernel_description> described = read_signature(changed);
        if (!described) continue;
        std::string again;
        write_signature(*described, again);
        CHECK(again == changed);
      }
}

TEST_CASE("stages of one signature have one text and argument blocks of one layout") {
  std::map<std::string, std::pair<std::string, std::vector<argument_slot::source>>> known;
  std::size_t met_again = 0;
  const auto meet = [&](const std::string& name, const stage& made) {
    std::vector<argument_slot::source> sources;
    for (const argument_slot& slot : made.arguments) {
      // arrays of the call and of its workspace are both pointers
      using enum argument_slot::source;
      const bool pointer = slot.from == output_pointer || slot.from == workspace;
      sources.push_back(pointer ? input_pointer : slot.from);
    }
    const std::optional<kernel_description> described = read_signature(made.signature);
    REQUIRE(described.has_value());
    std::vector<argument_field> fields;
    list_arguments(*described, fields);
    std::size_t slots = 0;
    for (const argument_field& field : fields) slots += slots_of(field);
    CHECK_MESSAGE(slots == made.arguments.size(), name);
    const auto [found, is_new] = known.try_emplace(made.signature, emit(made).source, sources);
    if (is_new) return;
    ++met_again;
    CHECK_MESSAGE(found->second.first == emit(made).source, name);
    CHECK_MESSAGE(found->second.second == sources, name);
  };
  for (const described_stage& at : stages()) meet(at.name, at.made);
  const std::vector<shape> shapes{{40, 1}, {1, 40}, {40, 2}, {7, 300}, {64, 64}, {3, 5}};
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const shape& extents = shapes[seed % shapes.size()];
    const graph made = simplify(random_rows(seed / 3, 2, 2, 2 + seed % 5));
    program_options options;
    options.nodes = 8 + seed % 12;
    options.reductions = seed % 2 == 0;
    const random_program program = make_program(seed, options);
    const graph simple = simplify(program.recorded);
    std::vector<layout> arrays;
    for (std::size_t i = 0; i < program.extents.size(); ++i)
      arrays.push_back(contiguous(program.extents[i], program.recorded.inputs[i].type));
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      const lowered_call rows = lower(made, std::vector(2, contiguous(extents, f64)), target);
      for (std::size_t i = 0; i < rows.stage_count; ++i)
        meet("rows of seed " + std::to_string(seed), rows.stages[i]);
      const lowered_call other_call = lower(simple, arrays, target, {}, program.scalars);
      for (std::size_t i = 0; i < other_call.stage_count; ++i)
        meet("program of seed " + std::to_string(seed), other_call.stages[i]);
    }
  }
  CHECK(met_again > 100);
}

}  // namespace sinter::test
