// Trees that no builder and no pass may make, and what is said of them.

#include <doctest/doctest.h>

#include <sinter/codegen/loops/statements/loop_writer.hpp>
#include <sinter/codegen/loops/verify/verify_loops.hpp>

#include <array>

namespace sinter::test {
namespace {

using namespace codegen;

constexpr value_type number = value_of(element_type::float32);

/// A kernel for a GPU with blocks of 64 by 4 threads, whose statements a test writes.
struct tree_of_test {
  loop_tree tree;
};
struct written_tree : private tree_of_test, public loop_writer {
  kernel_description kernel;

  written_tree() : loop_writer(tree) {
    kernel.target = target_kind::cuda;
    kernel.chosen.threads_along = 64;
    kernel.chosen.threads_across = 4;
  }
  std::string fault() const { return fault_of(kernel, tree); }
  expression along() { return expressions().make(expression_kind::thread, {}, 0); }
  expression across() { return expressions().make(expression_kind::thread, {}, 1); }
  void share(expression buffer) { variable(number, buffer).space = memory_space::shared; }
  statement& open_loop(std::string_view variable, expression from, operand end, loop_step step,
                       expression by = {}) {
    statement loop{.kind = statement_kind::loop, .loop = loop_kind::serial, .step_by = step};
    loop.type = narrow_index_type;
    loop.target = name(variable);
    loop.begin = from;
    loop.end = end.in(expressions());
    loop.step = by;
    return open(loop);
  }
};

}  // namespace

TEST_CASE("a name that is not declared where it is used is a fault") {
  written_tree out;
  out.open_count(loop_kind::serial, "i", 4);
  out.let(index_type, out.name("inside"), out.name("i") + 1);
  out.close();
  CHECK(out.fault().empty());
  out.let(index_type, out.name("outside"), out.name("inside"));
  CHECK(out.fault() == "inside is used where it is not declared");
}

TEST_CASE("a name that is used in front of its declaration is a fault") {
  written_tree out;
  out.variable(number, out.name("sum"));
  out.assign(out.name("sum"), out.name("late"));
  out.variable(number, out.name("late"));
  CHECK(out.fault() == "late is used where it is not declared");
}

TEST_CASE("a name that is declared twice in one scope is a fault") {
  written_tree out;
  out.let(index_type, out.name("x"), out.integer(1));
  out.open_scope();
  out.let(index_type, out.name("x"), out.integer(2));
  out.close();
  CHECK(out.fault().empty());
  out.let(index_type, out.name("x"), out.integer(3));
  CHECK(out.fault() == "x is declared twice in one scope");
}

TEST_CASE("an argument that the kernel does not have is a fault") {
  written_tree out;
  out.let(index_type, out.name("n"), out.name("a.e7"));
  CHECK(out.fault() == "a.e7 is no field of the argument block");
}

TEST_CASE("a constant subscript beyond the declared extent is a fault, for each subscript") {
  struct row {
    int first, second;
    const char* fault;
  };
  for (const auto& [first, second, fault] : {row{1, 2, ""}, row{2, 0, "in[2] reaches 2 of 2 elements"},
                                             row{0, 3, "in[0][3] reaches 3 of 3 elements"}}) {
    written_tree out;
    out.variable(number, out.name("in")[2][3]);
    out.assign(out.name("in")[first][second], out.integer(0));
    CHECK(out.fault() == fault);
  }
}

TEST_CASE("a lane beyond those of a vector is a fault") {
  for (const int lane : {3, 4}) {
    written_tree out;
    out.variable(vector_of(storage_of(element_type::float32), 4), out.name("in")[2]);
    out.assign(lane_of(out.name("in")[1], lane), out.integer(0));
    CHECK(out.fault() == (lane == 3 ? "" : "in[1].4 reaches 4 of 4 lanes"));
  }
}

TEST_CASE("a loop over registers that ends beyond their extent is a fault") {
  for (const int count : {4, 5}) {
    written_tree out;
    out.variable(number, out.name("sum")[4]);
    out.open_count(loop_kind::unrolled, "e", count);
    out.increase(out.name("sum")[out.name("e")], out.integer(1));
    CHECK(out.fault() == (count == 4 ? "" : "sum[e] reaches 4 of 4 elements"));
  }
}

TEST_CASE("bounds of loops are known by what their variables do") {
  struct row {
    loop_step step;
    int from, end, by, extent;
    const char* fault;
  };
  // downward loops go on while the variable is at least `end`, the others while it is below
  for (const row& at : {row{loop_step::by_amount, 0, 8, 3, 7, ""},
                        row{loop_step::by_amount, 0, 8, 3, 6, "v[i] reaches 6 of 6 elements"},
                        row{loop_step::doubled, 1, 12, 0, 9, ""},
                        row{loop_step::doubled, 1, 12, 0, 8, "v[i] reaches 8 of 8 elements"},
                        row{loop_step::down_by_one, 3, 0, 0, 4, ""},
                        row{loop_step::down_by_one, 4, 0, 0, 4, "v[i] reaches 4 of 4 elements"},
                        row{loop_step::down_by_one, 3, -1, 0, 4, "v[i] reaches -1 of 4 elements"},
                        row{loop_step::halved, 8, 1, 0, 8, "v[i] reaches 8 of 8 elements"}}) {
    written_tree out;
    out.variable(number, out.name("v")[at.extent]);
    const expression i = out.name("i");
    out.open_loop("i", out.integer(at.from), at.end, at.step, at.by != 0 ? out.integer(at.by) : expression{});
    out.assign(out.name("v")[i], out.integer(0));
    CHECK(out.fault() == at.fault);
  }
}

TEST_CASE("threads of the launch count as bounds, taken apart or not") {
  written_tree out;
  out.share(out.name("part")[4][2]);
  const expression part = out.name("part");
  out.assign(part[out.across()][out.along() / 32], out.integer(0));
  CHECK(out.fault().empty());
  out.assign(part[out.across()][out.along() / 16], out.integer(0));
  CHECK(out.fault() == "part[thread across][thread along / 16] reaches 3 of 2 elements");
}

TEST_CASE("what guards and choices say of an index is believed") {
  written_tree out;
  out.variable(number, out.name("v")[4]);
  const expression v = out.name("v"), i = out.name("i");
  out.open_count(loop_kind::serial, "i", 8);
  out.open_guard(i < 4);
  out.assign(v[i], out.integer(0));
  out.reopen();
  out.assign(v[i - 4], out.integer(0));
  out.close();
  out.assign(v[0], choose(i >= 4, out.integer(0), v[i]));
  out.open_guard(i > 0 && v[0] < v[i]);  // the second is looked at for 1 to 7
  CHECK(out.fault() == "v[i] reaches 7 of 4 elements");
}

TEST_CASE("an index of which nothing is known, and what has no declared extent, are taken as right") {
  written_tree out;
  out.variable(number, out.name("v")[4]);
  out.variable(narrow_index_type, out.name("i"), out.integer(7));
  out.assign(out.name("i"), out.integer(1));
  out.assign(out.name("v")[out.name("i")], out.integer(0));
  out.let(pointer_to(number), out.name("q"), out.name("v"));
  out.assign(out.name("q")[100], out.integer(0));
  CHECK(out.fault().empty());
}

TEST_CASE("a barrier in a guard is a fault") {
  written_tree out;
  out.open_guard(out.integer(1) < 2);
  out.barrier(thread_scope::block);
  out.close();
  CHECK(out.fault() == "a barrier stands in a guard: threads may not reach it");
}

TEST_CASE("what the threads of a block combine or scan in a guard is a fault; a warp, or a thread, may") {
  for (const statement_kind kind : {statement_kind::finish, statement_kind::scan})
    for (const thread_scope scope :
         {thread_scope::thread, thread_scope::warp, thread_scope::block, thread_scope::cluster}) {
      written_tree out;
      out.open_guard(out.integer(1) < 2);
      out.add({.kind = kind, .scope = scope});
      out.close();
      CHECK(out.fault() == (scope < thread_scope::block
                                ? ""
                                : "threads of a block are combined in a guard: some may not reach it"));
    }
}

TEST_CASE("a barrier in a loop whose iterations follow from the thread is a fault, directly or by a name") {
  const std::string differs =
      "a barrier stands in a loop whose iterations differ among threads: some may not reach it";
  for (const bool is_uniform : {true, false})
    for (const bool is_named : {true, false}) {
      written_tree out;
      expression from = is_uniform ? out.integer(0) : out.along();
      if (is_named) {
        out.let(narrow_index_type, out.name("x0"), from);
        from = out.name("x0") + 1;
      }
      out.open_loop("x", from, 1000, loop_step::by_amount, out.integer(64));
      out.barrier(thread_scope::block);
      CHECK(out.fault() == (is_uniform ? "" : differs));
    }
}

TEST_CASE("a variable that changes under a guard of some threads differs among them") {
  written_tree out;
  out.variable(narrow_index_type, out.name("end"), out.integer(1));
  out.open_guard(out.along() == 0);
  out.assign(out.name("end"), out.integer(2));
  out.close();
  out.open_loop("i", out.integer(0), out.name("end"), loop_step::by_one);
  out.barrier(thread_scope::block);
  CHECK(out.fault() ==
        "a barrier stands in a loop whose iterations differ among threads: some may not reach it");
}

TEST_CASE("what other threads wrote to shared memory is read after a barrier") {
  for (const bool waits : {true, false}) {
    written_tree out;
    out.share(out.name("part")[4][64]);
    out.variable(number, out.name("sum"));
    out.assign(out.name("part")[out.across()][out.along()], out.integer(1));
    if (waits) out.barrier(thread_scope::block);
    out.open_count(loop_kind::unrolled, "w", 4);
    out.increase(out.name("sum"), out.name("part")[out.name("w")][out.along()]);
    CHECK(out.fault() ==
          (waits ? "" : "part[w][thread along] is read without a barrier after it is written"));
  }
}

TEST_CASE("what other threads read from shared memory is written after a barrier") {
  for (const bool waits : {true, false}) {
    written_tree out;
    out.share(out.name("part")[64]);
    out.variable(number, out.name("sum"), out.name("part")[0]);
    if (waits) out.barrier(thread_scope::block);
    out.kernel.chosen.threads_across = 1;
    out.assign(out.name("part")[out.along()], out.name("sum"));
    CHECK(out.fault() == (waits ? "" : "part[thread along] is written without a barrier after it is read"));
  }
}

TEST_CASE("a thread needs no barrier for a place of its own") {
  written_tree out;
  out.share(out.name("part")[4][64]);
  const expression own = out.name("part")[out.across()][out.along()];
  out.assign(own, out.integer(1));
  out.increase(own, out.integer(1));
  CHECK(out.fault().empty());
  out.share(out.name("row")[4]);  // which the threads along have in common
  out.assign(out.name("row")[out.across()], out.integer(1));
  out.variable(number, out.name("sum"), out.name("row")[out.across()]);
  CHECK(out.fault() == "row[thread across] is read without a barrier after it is written");
}

TEST_CASE("what one branch writes is not read by the other, but by what follows") {
  written_tree out;
  out.share(out.name("part")[64]);
  out.variable(number, out.name("sum"));
  out.open_guard(out.name("last") < 1);
  out.assign(out.name("part")[out.along()], out.integer(1));
  out.reopen();
  out.assign(out.name("sum"), out.name("part")[0]);
  out.close();
  CHECK(out.fault().empty());
  out.increase(out.name("sum"), out.name("part")[0]);
  CHECK(out.fault() == "part[0] is read without a barrier after it is written");
}

TEST_CASE("a barrier in a loop that threads leave at different times is a fault") {
  for (const bool differs : {false, true}) {
    written_tree out;
    statement loop{.kind = statement_kind::loop};
    loop.type = narrow_index_type;
    loop.target = out.name("i");
    loop.begin = out.integer(0);
    out.open(loop);
    out.leave_unless(out.name("i") < (differs ? out.along() : out.integer(4)));
    out.barrier(thread_scope::block);
    out.close();
    CHECK(out.fault().starts_with(differs ? "a barrier stands in a loop whose iterations differ" : ""));
    CHECK(out.fault().empty() != differs);
  }
}

TEST_CASE("a state that becomes what another state was is a fault: states change one after the other") {
  for (const bool swaps : {false, true}) {
    written_tree out;
    const expression a = out.name("a"), b = out.name("b"), old_a = out.name("old_a");
    out.variable(number, a, out.integer(0));
    out.variable(number, b, out.integer(1));
    statement loop{.kind = statement_kind::loop, .loop = loop_kind::carried};
    loop.type = index_type;
    loop.target = out.name("i");
    loop.begin = out.integer(0);
    loop.end = out.integer(4);
    loop.states = out.expressions().list(std::array{a, b});
    const statement_id opened = out.id_of(out.open(loop));
    out.let(number, old_a, a);
    out[opened].next_states = out.expressions().list(std::array{a + b, swaps ? a : old_a});
    out.close();
    CHECK(out.fault() == (swaps ? "b becomes what a was, which has changed by then" : ""));
  }
}

TEST_CASE("what a loop's states become may be declared in its body") {
  written_tree out;
  const expression a = out.name("a");
  out.variable(number, a, out.integer(0));
  statement loop{.kind = statement_kind::loop, .loop = loop_kind::carried};
  loop.target = out.name("i");
  loop.begin = out.integer(0);
  loop.end = out.integer(4);
  loop.states = out.expressions().list(std::array{a});
  const statement_id opened = out.id_of(out.open(loop));
  SUBCASE("declared") { out.let(number, out.name("next"), a + 1); }
  out[opened].next_states = out.expressions().list(std::array{out.name("next")});
  out.close();
  const bool is_declared = out[opened].body != no_statement;
  CHECK(out.fault() == (is_declared ? "" : "next is used where it is not declared"));
}

}  // namespace sinter::test
