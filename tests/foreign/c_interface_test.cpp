// The C interface, sinter/sinter.h: results against plain loops, statuses, and messages.
#include <sinter/sinter.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;

namespace {

/// x * 2 + y over float32 of rank 2.
owned<sinter_function> scaled_sum() {
  const auto builder = new_builder();
  const sinter_value x = input(builder, sinter_float32, 2), y = input(builder, sinter_float32, 2);
  sinter_value two = 0;
  REQUIRE(sinter_builder_integer(builder.get(), 2, &two) == sinter_ok);
  return finished(builder, {apply(builder, "add", {apply(builder, "multiply", {x, two}), y})});
}

}  // namespace

TEST_SUITE("the C interface") {
  TEST_CASE("a graph of named operations computes what a loop does, into a tensor and into a new array") {
    const auto function = scaled_sum();
    elements<float> x({3, 5}), y({1, 5}), into({3, 5});
    const std::vector<sinter_operand> operands{x.operand(), y.operand()}, targets{into.operand()};
    const auto made = called(function, arguments_of(operands));
    const sinter_arguments with_target = arguments_of(operands, targets);
    CHECK(sinter_prepare(function.get(), &with_target) == sinter_ok);
    CHECK(sinter_call(function.get(), &with_target, nullptr, 0) == sinter_ok);
    std::vector<float> expected;
    for (std::size_t i = 0; i < 15; ++i) expected.push_back(x.values[i] * 2 + y.values[i % 5]);
    CHECK(into.values == expected);
    CHECK(read<float>(made.get()) == expected);
  }

  TEST_CASE("an array that a call made is an operand and a target of the next call") {
    const auto function = scaled_sum();
    elements<float> x({2, 3});
    const std::vector<sinter_operand> operands{x.operand(), x.operand()};
    const auto made = called(function, arguments_of(operands));
    const std::vector<sinter_operand> again{{nullptr, made.get()}, x.operand()}, into{{nullptr, made.get()}};
    const sinter_arguments in_place = arguments_of(again, into);
    CHECK(sinter_call(function.get(), &in_place, nullptr, 0) == sinter_ok);
    std::vector<float> expected;
    for (const float value : x.values) expected.push_back(value * 3 * 2 + value);
    CHECK(read<float>(made.get()) == expected);
  }

  TEST_CASE("strides and an offset are those of the tensor") {
    const auto function = scaled_sum();
    elements<float> memory({4, 6}), y({1, 1});
    std::int64_t shape[] = {2, 3}, strides[] = {12, 2};
    sinter_tensor every_other = memory.tensor;
    every_other.shape = shape;
    every_other.strides = strides;
    every_other.byte_offset = sizeof(float);
    const std::vector<sinter_operand> operands{{&every_other, nullptr}, y.operand()};
    std::vector<float> expected;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        expected.push_back(memory.values[1 + 12 * i + 2 * j] * 2 + y.values[0]);
    CHECK(read<float>(called(function, arguments_of(operands)).get()) == expected);
  }

  TEST_CASE("scalars are parameters: real, signed and unsigned, weak and strong") {
    const auto builder = new_builder(sinter_strict);
    const sinter_value x = input(builder, sinter_float64, 1);
    sinter_value weak = 0, strong = 0, natural = 0;
    CHECK(sinter_builder_parameter(builder.get(), sinter_float64, 1, &weak) == sinter_ok);
    CHECK(sinter_builder_parameter(builder.get(), sinter_int32, 0, &strong) == sinter_ok);
    CHECK(sinter_builder_parameter(builder.get(), sinter_uint64, 0, &natural) == sinter_ok);
    const sinter_value product = apply(builder, "multiply", {x, weak});
    const auto function =
        finished(builder, {apply(builder, "add", {apply(builder, "add", {product, strong}), natural})});
    std::size_t operands = 0, scalars = 0, results = 0;
    CHECK(sinter_function_counts(function.get(), &operands, &scalars, &results) == sinter_ok);
    CHECK((operands == 1 && scalars == 3 && results == 1));
    CHECK(sinter_function_counts(function.get(), nullptr, nullptr, nullptr) == sinter_ok);
    elements<double> numbers({7});
    const std::vector<sinter_operand> list{numbers.operand()};
    const std::vector<sinter_scalar> given{sinter_of_real(0.5), sinter_of_integer(-3), sinter_of_unsigned(9)};
    sinter_arguments arguments = arguments_of(list);
    arguments.scalars = given.data();
    arguments.scalar_count = given.size();
    std::vector<double> expected;
    for (const double value : numbers.values) expected.push_back(value * 0.5 - 3 + 9);
    CHECK(read<double>(called(function, arguments).get()) == expected);

    const std::vector<sinter_scalar> too_large{given[0], sinter_of_integer(std::int64_t{1} << 40), given[2]};
    arguments.scalars = too_large.data();
    sinter_array* none = nullptr;
    CHECK_FAILS(sinter_call(function.get(), &arguments, &none, 1), sinter_type_error,
                "scalar 1 is 1099511627776, and its parameter is of type int32: it does not fit");
    const std::vector<sinter_scalar> real{given[0], sinter_of_real(1.5), given[2]};
    arguments.scalars = real.data();
    CHECK_FAILS(sinter_call(function.get(), &arguments, &none, 1), sinter_type_error, "scalar 1 is 1.5");
    const std::vector<sinter_scalar> unknown{{7, {}}, given[1], given[2]};
    arguments.scalars = unknown.data();
    CHECK_FAILS(sinter_call(function.get(), &arguments, &none, 1), sinter_invalid_argument,
                "scalar 0 is of kind 7");
    arguments.scalars = nullptr;
    CHECK_FAILS(sinter_call(function.get(), &arguments, &none, 1), sinter_invalid_argument,
                "the list of scalars is a null pointer");
    arguments.scalar_count = 1;
    CHECK_FAILS(sinter_call(function.get(), &arguments, &none, 1), sinter_type_error, "takes 3 scalars");
    CHECK(none == nullptr);
  }

  TEST_CASE("literals, casts, reductions and scans are what loops compute") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_int32, 2);
    sinter_value half = 0, real = 0, along_rows = 0, along_all = 0, kept = 0, scanned = 0, none = 0;
    CHECK(sinter_builder_cast(builder.get(), x, sinter_float64, &real) == sinter_ok);
    CHECK(sinter_builder_real(builder.get(), 0.5, &half) == sinter_ok);
    const sinter_value halves = apply(builder, "multiply", {real, half});
    const int32_t last = -1, first = 0;
    CHECK(sinter_builder_reduce(builder.get(), "sum", halves, &last, 1, 0, &along_rows) == sinter_ok);
    CHECK(sinter_builder_reduce(builder.get(), "max", halves, nullptr, 0, 0, &along_all) == sinter_ok);
    CHECK(sinter_builder_reduce(builder.get(), "min", halves, &first, 1, 1, &kept) == sinter_ok);
    CHECK(sinter_builder_reduce(builder.get(), "max", halves, &first, 0, 0, &none) == sinter_ok);
    CHECK(sinter_builder_scan(builder.get(), "cumsum", halves, -1, &scanned) == sinter_ok);
    const auto function = finished(builder, {along_rows, along_all, kept, none, scanned});
    elements<std::int32_t> numbers({3, 4});
    const std::vector<sinter_operand> list{numbers.operand()};
    const sinter_arguments arguments = arguments_of(list);
    sinter_array* made[5] = {};
    REQUIRE(sinter_call(function.get(), &arguments, made, 5) == sinter_ok);
    std::vector<double> sums(3), columns(4, 100), all, scans;
    double largest = -100;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        const double value = numbers.values[4 * i + j] * 0.5;
        sums[i] += value;
        scans.push_back(sums[i]);
        columns[j] = std::min(columns[j], value);
        largest = std::max(largest, value);
        all.push_back(value);
      }
    CHECK(read<double>(made[0]) == sums);
    CHECK(read<double>(made[1]) == std::vector<double>{largest});
    CHECK(read<double>(made[2]) == columns);
    CHECK(read<double>(made[3]) == all);
    CHECK(read<double>(made[4]) == scans);
    sinter_tensor of_kept{};
    CHECK(sinter_array_tensor(made[2], &of_kept) == sinter_ok);
    CHECK((of_kept.ndim == 2 && of_kept.shape[0] == 1 && of_kept.shape[1] == 4));
    for (sinter_array* each : made) sinter_array_destroy(each);
  }

  TEST_CASE("functions of two results are two operations by name") {
    const auto of = [](const char* name) {
      const auto builder = new_builder();
      return finished(builder, {apply(builder, name, {input(builder, sinter_float32, 1)})});
    };
    elements<float> x({3});
    const std::vector<sinter_operand> operands{x.operand()};
    const auto mantissa = called(of("frexp_mantissa"), arguments_of(operands));
    const auto exponent = called(of("frexp_exponent"), arguments_of(operands));
    CHECK(read<float>(mantissa.get()) == std::vector<float>{-0.5f, -0.75f, -0.5f});
    CHECK(read<std::int32_t>(exponent.get()) == std::vector<std::int32_t>{3, 2, 2});
  }

  TEST_CASE("views, permutations, coordinates and extents move and count as NumPy's do") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_int64, 2);
    sinter_value turned = 0, part = 0, row = 0, position = 0, extent = 0;
    const int32_t exchanged[] = {-1, 0};
    CHECK(sinter_builder_permute(builder.get(), x, exchanged, 2, &turned) == sinter_ok);
    const sinter_index_item items[] = {{sinter_slice, SINTER_ABSENT, SINTER_ABSENT, -1},
                                       {sinter_newaxis, 0, 0, 0},
                                       {sinter_slice, 1, SINTER_ABSENT, 2}};
    CHECK(sinter_builder_view(builder.get(), x, items, 3, &part) == sinter_ok);
    const sinter_index_item second{sinter_index, 1, 0, 0};
    CHECK(sinter_builder_view(builder.get(), x, &second, 1, &row) == sinter_ok);
    CHECK(sinter_builder_coordinate(builder.get(), x, 1, &position) == sinter_ok);
    CHECK(sinter_builder_extent(builder.get(), x, -1, &extent) == sinter_ok);
    const auto function = finished(builder, {turned, part, row, position, extent});
    elements<std::int64_t> numbers({2, 4});
    const std::vector<sinter_operand> list{numbers.operand()};
    const sinter_arguments arguments = arguments_of(list);
    sinter_array* made[5] = {};
    REQUIRE(sinter_call(function.get(), &arguments, made, 5) == sinter_ok);
    const auto& v = numbers.values;
    using numbers64 = std::vector<std::int64_t>;
    CHECK(read<std::int64_t>(made[0]) == numbers64{v[0], v[4], v[1], v[5], v[2], v[6], v[3], v[7]});
    CHECK(read<std::int64_t>(made[1]) == numbers64{v[5], v[7], v[1], v[3]});
    CHECK(read<std::int64_t>(made[2]) == numbers64{v[4], v[5], v[6], v[7]});
    CHECK(read<std::int64_t>(made[3]) == numbers64{0, 1, 2, 3, 0, 1, 2, 3});
    CHECK(read<std::int64_t>(made[4]) == numbers64{4});
    for (sinter_array* each : made) sinter_array_destroy(each);
  }

  TEST_CASE("one function is called, and functions are built, by several threads at once") {
    const auto shared = scaled_sum();
    std::vector<int> wrong(8);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        const std::string name = "no_such_" + std::to_string(t);
        for (int round = 0; round < 20; ++round) {
          sinter_builder* builder = nullptr;
          sinter_value x = 0, result = 0;
          sinter_function* function = nullptr;
          wrong[t] += sinter_builder_create(sinter_standard, &builder) != sinter_ok;
          wrong[t] += sinter_builder_input(builder, sinter_float32, 2, &x) != sinter_ok;
          // each thread has its own message
          wrong[t] += sinter_builder_apply(builder, name.c_str(), &x, 1, &result) != sinter_invalid_argument;
          wrong[t] += std::string_view(sinter_last_message()).find(name) == std::string_view::npos;
          wrong[t] += sinter_builder_apply(builder, t % 2 == 0 ? "negative" : "square", &x, 1, &result);
          wrong[t] += sinter_builder_output(builder, result) + sinter_builder_finish(builder, &function);
          sinter_builder_destroy(builder);
          elements<float> numbers({5, 3}), into({5, 3});
          const std::vector<sinter_operand> one{numbers.operand()}, two{numbers.operand(), numbers.operand()};
          const std::vector<sinter_operand> target{into.operand()};
          const sinter_arguments own = arguments_of(one, target), common = arguments_of(two, target);
          wrong[t] += sinter_call(function, &own, nullptr, 0);
          for (std::size_t i = 0; i < 15; ++i)
            wrong[t] +=
                into.values[i] != (t % 2 == 0 ? -numbers.values[i] : numbers.values[i] * numbers.values[i]);
          wrong[t] += sinter_call(shared.get(), &common, nullptr, 0);
          for (std::size_t i = 0; i < 15; ++i) wrong[t] += into.values[i] != 3 * numbers.values[i];
          sinter_function_destroy(function);
        }
      });
    for (std::thread& each : threads) each.join();
    CHECK(wrong == std::vector<int>(8));
  }

  TEST_CASE("texts show the graph and how a call runs") {
    const auto builder = new_builder(sinter_fast);
    CHECK(sinter_builder_name(builder.get(), "twice") == sinter_ok);
    const sinter_value x = input(builder, sinter_float32, 1);
    const auto function = finished(builder, {apply(builder, "add", {x, x})});
    const char* text = nullptr;
    CHECK(sinter_function_text(function.get(), &text) == sinter_ok);
    CHECK(std::string_view(text).starts_with("twice fast\n"));
    elements<float> numbers({100});
    const std::vector<sinter_operand> list{numbers.operand()};
    sinter_arguments arguments = arguments_of(list);
    CHECK(sinter_explain(function.get(), &arguments, &text) == sinter_ok);
    CHECK(std::string_view(text).find("add(n0, n0)") != std::string_view::npos);
    arguments.shape_generic = 1;
    CHECK(read<float>(called(function, arguments).get())[3] == 2 * numbers.values[3]);
  }

  TEST_CASE("a builder goes on after a function was made of it") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1);
    const auto first = finished(builder, {apply(builder, "square", {x})});
    const auto second = finished(builder, {x});
    std::size_t results = 0;
    CHECK(sinter_function_counts(first.get(), nullptr, nullptr, &results) == sinter_ok);
    CHECK(results == 1);
    CHECK(sinter_function_counts(second.get(), nullptr, nullptr, &results) == sinter_ok);
    CHECK(results == 2);
  }
}

TEST_SUITE("the C interface's arrays") {
  TEST_CASE("an array is written, read and seen as a tensor of each type") {
    const std::int64_t extents[] = {2, 3};
    for (sinter_element_type type = sinter_boolean; type <= sinter_complex128; ++type) {
      sinter_array* made = nullptr;
      REQUIRE(sinter_array_create(type, 2, extents, cpu, &made) == sinter_ok);
      const owned<sinter_array> array(made);
      sinter_tensor tensor{};
      REQUIRE(sinter_array_tensor(made, &tensor) == sinter_ok);
      const std::size_t bytes = 6u * tensor.dtype.bits / 8;
      std::vector<unsigned char> written(bytes, 1), got(bytes);
      CHECK(sinter_array_write(made, written.data(), bytes) == sinter_ok);
      CHECK(sinter_array_read(made, got.data(), bytes) == sinter_ok);
      CHECK(got == written);
      CHECK((tensor.shape[1] == 3 && tensor.strides[0] == 3 && tensor.device.device_type == sinter_cpu));
      // the tensor is an operand of that type
      const auto builder = new_builder();
      const auto function = finished(builder, {input(builder, type, 2)});
      const std::vector<sinter_operand> list{{&tensor, nullptr}};
      CHECK(called(function, arguments_of(list)) != nullptr);
      CHECK_FAILS(sinter_array_read(made, got.data(), bytes + 1), sinter_invalid_argument, "bytes, not");
    }
  }

  TEST_CASE("a tensor for DLPack owns its array until its deleter is called") {
    elements<float> x({2, 2});
    const std::vector<sinter_operand> operands{x.operand(), x.operand()};
    owned<sinter_array> made = called(scaled_sum(), arguments_of(operands));
    sinter_managed_tensor* tensor = nullptr;
    REQUIRE(sinter_array_to_dlpack(made.release(), &tensor) == sinter_ok);
    CHECK(static_cast<const float*>(tensor->dl_tensor.data)[3] == 3 * x.values[3]);
    CHECK((tensor->dl_tensor.ndim == 2 && tensor->dl_tensor.shape[0] == 2));
    tensor->deleter(tensor);
  }

  TEST_CASE("an array without elements or axes is read and written") {
    const std::int64_t none = 0;
    sinter_array* made = nullptr;
    REQUIRE(sinter_array_create(sinter_float32, 1, &none, cpu, &made) == sinter_ok);
    CHECK(sinter_array_read(made, nullptr, 0) == sinter_ok);
    CHECK(sinter_array_write(made, nullptr, 0) == sinter_ok);
    sinter_array_destroy(made);
    REQUIRE(sinter_array_create(sinter_float32, 0, nullptr, cpu, &made) == sinter_ok);
    const float written = 3;
    float got = 0;
    CHECK(sinter_array_write(made, &written, sizeof written) == sinter_ok);
    CHECK(sinter_array_read(made, &got, sizeof got) == sinter_ok);
    CHECK(got == 3);
    sinter_array_destroy(made);
  }

  TEST_CASE("shapes, types and devices that no array has are refused") {
    sinter_array* made = nullptr;
    const std::int64_t negative = -1;
    std::vector<std::int64_t> many(33, 1);
    CHECK_FAILS(sinter_array_create(sinter_float32, 1, &negative, cpu, &made), sinter_shape_error, "-1");
    CHECK_FAILS(sinter_array_create(sinter_float32, 33, many.data(), cpu, &made), sinter_shape_error,
                "rank 33");
    CHECK_FAILS(sinter_array_create(sinter_float32, -1, many.data(), cpu, &made), sinter_shape_error,
                "rank -1");
    CHECK_FAILS(sinter_array_create(15, 1, many.data(), cpu, &made), sinter_invalid_argument, "type 15");
    CHECK_FAILS(sinter_array_create(sinter_float32, 1, many.data(), {10, 0}, &made), sinter_device_error,
                "device of type 10");
    CHECK_FAILS(sinter_array_create(sinter_float32, 1, many.data(), {sinter_cuda, -1}, &made),
                sinter_device_error, "CUDA device -1");
    const std::int64_t huge = std::int64_t{1} << 60;
    CHECK_FAILS(sinter_array_create(sinter_float32, 1, &huge, cpu, &made), sinter_out_of_memory,
                "sinter_array_create: ");
    CHECK(made == nullptr);
  }
}
