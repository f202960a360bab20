// The C interface, sinter/sequences.h: calls recorded, replayed and changed, and what is refused.
#include <sinter/sequences.h>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;

namespace {

using floats = std::vector<float>;

struct destroys_sequence {
  void operator()(sinter_sequence* handle) const { sinter_sequence_destroy(handle); }
};

std::unique_ptr<sinter_sequence, destroys_sequence> new_sequence() {
  sinter_sequence* made = nullptr;
  REQUIRE(sinter_sequence_create(cpu, &made) == sinter_ok);
  return std::unique_ptr<sinter_sequence, destroys_sequence>(made);
}

/// a * x, with a parameter a.
owned<sinter_function> scaling() {
  const auto builder = new_builder();
  const sinter_value x = input(builder, sinter_float32, 1);
  const sinter_value a = made(sinter_builder_parameter, builder, sinter_float32, 0);
  return finished(builder, {apply(builder, "multiply", {a, x})});
}

/// Arguments of the function above, which borrow from this.
struct scaled {
  std::vector<sinter_operand> operands, into;
  sinter_scalar a;
  sinter_arguments arguments;
  scaled(float by, const elements<float>& x) : operands{x.operand()}, a(sinter_of_real(by)) { refer(); }
  scaled(float by, const elements<float>& x, const elements<float>& y)
      : operands{x.operand()}, into{y.operand()}, a(sinter_of_real(by)) {
    refer();
  }
  scaled(const scaled&) = delete;

 private:
  void refer() {
    arguments = arguments_of(operands, into);
    arguments.scalars = &a;
    arguments.scalar_count = 1;
  }
};

}  // namespace

TEST_SUITE("the C interface's sequences") {
  TEST_CASE("calls are replayed in the order of their memory, and changed between replays") {
    const auto times = scaling();
    const auto steps = new_sequence();
    elements<float> x({3}), other({3}), y({3}), z({3}), longer({4});
    x.values = {1, 2, 3};
    other.values = {5, 6, 7};
    size_t first = 7, second = 7;
    const scaled to_y(2, x, y), to_z(10, y, z);
    REQUIRE(sinter_sequence_add(steps.get(), times.get(), &to_y.arguments, &first) == sinter_ok);
    REQUIRE(sinter_sequence_add(steps.get(), times.get(), &to_z.arguments, &second) == sinter_ok);
    CHECK(first == 0);
    CHECK(second == 1);
    REQUIRE(sinter_sequence_run(steps.get(), nullptr) == sinter_ok);
    CHECK(z.values == floats{20, 40, 60});
    const scaled changed(3, other), refused(3, longer);
    REQUIRE(sinter_sequence_change(steps.get(), first, times.get(), &changed.arguments) == sinter_ok);
    CHECK_FAILS(sinter_sequence_change(steps.get(), first, times.get(), &refused.arguments),
                sinter_shape_error, "operand 0 is (4)");
    REQUIRE(sinter_sequence_run(steps.get(), nullptr) == sinter_ok);
    CHECK(z.values == floats{150, 180, 210});
    const char* text = nullptr;
    REQUIRE(sinter_sequence_explain(steps.get(), &text) == sinter_ok);
    CHECK(std::string(text).find(", after 0\n") != std::string::npos);
  }

  TEST_CASE("a number that chooses a part of an array stays, and the step with it") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1);
    const sinter_value by = made(sinter_builder_parameter, builder, sinter_int64, 0);
    const auto rolled = finished(
        builder, {made(sinter_builder_extended, builder, x, 0, sinter_extend_wrap, by, integer(builder, 3))});
    const auto steps = new_sequence();
    elements<float> of({3}), to({3});
    of.values = {1, 2, 3};
    scaled call(0, of, to), change(0, of);
    call.a = sinter_of_integer(1);
    change.a = sinter_of_integer(2);
    REQUIRE(sinter_sequence_add(steps.get(), rolled.get(), &call.arguments, nullptr) == sinter_ok);
    CHECK_FAILS(sinter_sequence_change(steps.get(), 0, rolled.get(), &change.arguments), sinter_shape_error,
                "scalar 0 is 2, and was 1");
    REQUIRE(sinter_sequence_run(steps.get(), nullptr) == sinter_ok);
    CHECK(to.values == floats{2, 3, 1});
  }

  TEST_CASE("null pointers, targets of changes and steps that are not there are refused") {
    const auto times = scaling(), same = scaling();
    const auto steps = new_sequence();
    elements<float> x({3}), y({3});
    const scaled call(2, x, y), change(2, x);
    CHECK_FAILS(sinter_sequence_create(cpu, nullptr), sinter_invalid_argument,
                "the pointer for the sequence");
    CHECK_FAILS(sinter_sequence_add(nullptr, times.get(), &call.arguments, nullptr), sinter_invalid_argument,
                "the sequence");
    CHECK_FAILS(sinter_sequence_add(steps.get(), times.get(), &change.arguments, nullptr), sinter_shape_error,
                "1 results");
    REQUIRE(sinter_sequence_add(steps.get(), times.get(), &call.arguments, nullptr) == sinter_ok);
    CHECK_FAILS(sinter_sequence_change(steps.get(), 0, times.get(), &call.arguments), sinter_invalid_argument,
                "names targets");
    CHECK_FAILS(sinter_sequence_change(steps.get(), 1, times.get(), &change.arguments),
                sinter_invalid_argument, "no step of this function");
    CHECK(sinter_sequence_change(steps.get(), 0, same.get(), &change.arguments) == sinter_ok);
  }

  TEST_CASE("a change gives all operands, and no stream, workspace or order") {
    const auto times = scaling();
    const auto steps = new_sequence();
    elements<float> x({3}), y({3});
    x.values = {1, 2, 3};
    const scaled call(2, x, y);
    REQUIRE(sinter_sequence_add(steps.get(), times.get(), &call.arguments, nullptr) == sinter_ok);
    const auto refuses = [&](const sinter_arguments& arguments, sinter_status status, const char* why) {
      CHECK_FAILS(sinter_sequence_change(steps.get(), 0, times.get(), &arguments), status, why);
    };
    const scaled change(7, x);
    sinter_arguments fewer = change.arguments;
    fewer.operand_count = 0;
    refuses(fewer, sinter_type_error, "takes 1 operands, and the change has 0");
    const std::vector<sinter_operand> two{x.operand(), x.operand()};
    sinter_arguments more = change.arguments;
    more.operands = two.data();
    more.operand_count = 2;
    refuses(more, sinter_type_error, "takes 1 operands, and the change has 2");
    sinter_arguments ordered = change.arguments;
    ordered.assume_ordered = 1;
    refuses(ordered, sinter_invalid_argument, "a change names a stream, a workspace or assume_ordered");
    float memory[16];
    sinter_arguments with_workspace = change.arguments;
    with_workspace.workspace = memory;
    with_workspace.workspace_bytes = sizeof memory;
    refuses(with_workspace, sinter_invalid_argument, "a change names a stream, a workspace");
    sinter_stream* made_stream = nullptr;
    REQUIRE(sinter_stream_create(cpu, &made_stream) == sinter_ok);
    const owned<sinter_stream> on(made_stream);
    sinter_arguments on_stream = change.arguments;
    on_stream.stream = on.get();
    refuses(on_stream, sinter_invalid_argument, "a change names a stream");
    REQUIRE(sinter_sequence_run(steps.get(), nullptr) == sinter_ok);
    CHECK(y.values == floats{2, 4, 6});
  }
}
