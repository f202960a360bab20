// Fast paths of functions are taken for all elements of a loop, and again without them if a test fails.

#include <doctest/doctest.h>

#include "../support/lowered_statement.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/loops/passes/lower/speculate_fast_paths.hpp>

namespace sinter::test {
namespace {

using namespace codegen;

/// %0 is an element, and each further instruction one of these functions of it.
kernel_description functions(std::initializer_list<operation> all, const target_facts& target,
                             const schedule& chosen = {}) {
  graph_builder b;
  const graph_value x = b.input(element_type::float32, 1);
  for (const operation op : all) b.output(b.apply(op, {x}));
  return kernel_of(b.recorded(), {1000}, target, chosen);
}

/// A loop over four elements that evaluates the instructions 1 … `count`, and stores what each gives.
class element_loop : public loop_writer {
 public:
  using loop_writer::loop_writer;
  statement& open_elements(bool speculative = true) {
    statement& loop = open_count(loop_kind::unrolled, "e", 4);
    loop.speculative = speculative;
    return loop;
  }
  expression value(int i) { return name("v", i); }
  void evaluate(int i) {
    let(value_of(element_type::float32), value(i),
        expressions().make(expression_kind::evaluate, {name("x")[name("e")]}, i));
  }
};
std::string speculated(const kernel_description& kernel, const std::function<void(element_loop&)>& write) {
  loop_tree tree;
  element_loop out(tree);
  write(out);
  (is_gpu(kernel.target) ? speculate_several_fast_paths : speculate_fast_paths)(kernel, tree);
  return to_string(tree);
}

TEST_CASE("a loop is evaluated by fast paths with their tests at its end, or else as it was") {
  const kernel_description kernel = functions({operation::sin, operation::exp}, cpu_facts());
  CHECK(speculated(kernel, [](element_loop& out) {
          out.open_elements();
          out.evaluate(1);
          out.evaluate(2);
          out.assign(out.name("y")[out.name("e")], out.value(1) + out.value(2));
          out.close();
          out.perform(out.call("after", {}));
        }) == R"(speculate
  for e from 0 while e < 4, unrolled
    let v1: float32 value = fast %1(x[e])
    let v2: float32 value = %2(x[e])
    y[e] = v1 + v2
    require fast path of %1 takes (x[e])
otherwise
  for e from 0 while e < 4, unrolled
    let v1: float32 value = %1(x[e])
    let v2: float32 value = %2(x[e])
    y[e] = v1 + v2
after()
)");
}

TEST_CASE("a value that is assigned may take a fast path, too") {
  const kernel_description kernel = functions({operation::sqrt}, cuda_facts());
  CHECK(speculated(kernel, [](element_loop& out) {
          out.open_elements();
          out.assign(out.name("y"), out.expressions().make(expression_kind::evaluate, {out.name("x")}, 1));
        }) == R"(speculate
  for e from 0 while e < 4, unrolled
    y = fast %1(x)
    require fast path of %1 takes (x)
otherwise
  for e from 0 while e < 4, unrolled
    y = %1(x)
)");
}

TEST_CASE("elements are combined once, behind the loops, from what waits in temporaries") {
  const kernel_description kernel = functions({operation::sin}, cpu_facts());
  const std::string text = speculated(kernel, [](element_loop& out) {
    out.open_elements();
    out.evaluate(1);
    statement combine{.kind = statement_kind::combine, .instruction = 7};
    combine.target = out.name("sum7")[out.name("e")];
    combine.value = out.value(1);
    out.open_guard(out.name("e") < out.name("left"));
    out.add(combine);
    out.close();
    out.assign(out.name("y")[out.name("e")], out.value(1));
    out.close();
    out.perform(out.call("after", {}));
  });
  CHECK(text == R"(var term1[4]: float32 value
speculate
  for e from 0 while e < 4, unrolled
    let v1: float32 value = fast %1(x[e])
    term1[e] = v1
    y[e] = v1
    require fast path of %1 takes (x[e])
otherwise
  for e from 0 while e < 4, unrolled
    let v1: float32 value = %1(x[e])
    term1[e] = v1
    y[e] = v1
for e from 0 while e < 4, unrolled
  if e < left
    combine %7 sum7[e] with term1[e]
after()
)");
}

TEST_CASE("what two combines take up waits once") {
  const kernel_description kernel = functions({operation::sin}, cpu_facts());
  const std::string text = speculated(kernel, [](element_loop& out) {
    out.open_elements();
    out.evaluate(1);
    for (const std::uint32_t reduction : {7u, 8u}) {
      statement combine{.kind = statement_kind::combine, .instruction = reduction};
      combine.target = out.name("sum", std::int64_t{reduction});
      combine.value = out.value(1);
      out.add(combine);
    }
  });
  CHECK(text.find("var term1[4]") == text.rfind("var term1[4]"));
  CHECK(text.find("    term1[e] = v1\n    term1") == std::string::npos);
  CHECK(text.ends_with("  combine %7 sum7 with term1[e]\n  combine %8 sum8 with term1[e]\n"));
}

TEST_CASE("loops inside other statements are found, each by itself") {
  const kernel_description kernel = functions({operation::sin}, cpu_facts());
  const std::string text = speculated(kernel, [](element_loop& out) {
    out.open_guard(out.name("whole"));
    out.open_elements();
    out.evaluate(1);
    out.close();
    out.reopen();
    out.open_elements();
    out.evaluate(1);
    out.close();
    out.close();
  });
  CHECK(text.starts_with("if whole\n  speculate\n"));
  CHECK(text.find("else\n  speculate\n") != std::string::npos);
}

TEST_CASE("a loop that may not run twice, and one without fast paths, stay as they are") {
  const kernel_description kernel = functions({operation::sin, operation::exp}, cpu_facts());
  const std::string once = speculated(kernel, [](element_loop& out) {
    out.open_elements(false);
    out.evaluate(1);
  });
  CHECK(once == "for e from 0 while e < 4, unrolled\n  let v1: float32 value = %1(x[e])\n");
  const std::string without = speculated(kernel, [](element_loop& out) {
    out.open_elements();
    out.evaluate(2);
  });
  CHECK(without == "for e from 0 while e < 4, unrolled, may speculate\n  let v2: float32 value = %2(x[e])\n");
}

TEST_CASE("a GPU's thread with several positions takes fast paths from three on") {
  const auto all = {operation::log, operation::reciprocal, operation::sqrt};
  const auto evaluates = [&](int count, const schedule& chosen) {
    return speculated(functions(all, cuda_facts(), chosen),
                      [&](element_loop& out) {
                        out.open_elements();
                        for (int i = 1; i <= count; ++i) out.evaluate(i);
                      })
        .starts_with("speculate\n");
  };
  schedule several;
  several.steps = 2;
  CHECK_FALSE(evaluates(2, several));
  CHECK(evaluates(3, several));
  CHECK(evaluates(1, {}));
}

}  // namespace
}  // namespace sinter::test
