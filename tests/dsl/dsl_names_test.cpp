// Every public name with `using namespace sinter`, beside the names of the C and C++ libraries and, in a .cu
// file, of CUDA.
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include <doctest/doctest.h>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

constexpr bool is_defined(type_rule rule, int arity, operand_type x) {
  return arity == 1   ? apply_rule(rule, x).valid
         : arity == 2 ? apply_rule(rule, x, x).valid
                      : apply_rule(rule, x, x, x).valid;
}

// The functions of the table, by unqualified names.
#define SINTER_CALL_1(name) [[maybe_unused]] auto result = name(x);
#define SINTER_CALL_2(name) [[maybe_unused]] auto result = name(x, x);
#define SINTER_CALL_3(name) [[maybe_unused]] auto result = name(x, x, x);

template <class Element, class Operand>
void call_functions_of_table(const Operand& x) {
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation)       \
  if constexpr (is_defined(type_rule::rule, arity, operand_type{element_type_of<Element>})) { \
    SINTER_CALL_##arity(name)                                                                 \
  }
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
}

// Reductions: every row of the table, then the functions composed of them.
template <class Operand>
void call_reductions(const Operand& x) {
#define SINTER_REDUCTION(name, rule, combine, start, documentation) \
  {                                                                 \
    [[maybe_unused]] auto along_all = name(x);                      \
    [[maybe_unused]] auto along_one = name(x, axis<1>);             \
    [[maybe_unused]] auto kept = name(x, keepdims, axis<0, -1>);    \
  }
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
#define SINTER_SCAN(name, rule, combine, start, documentation)              \
  {                                                                         \
    [[maybe_unused]] auto along_one = name(x, axis<1>) + name(x, axis<-2>); \
  }
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
  [[maybe_unused]] auto moments = mean(x) + var(x, ddof(1)) + stddev(x, axis<0, 1>, only_where(x > 0));
  [[maybe_unused]] auto of_numbers = nanmean(x) + nanvar(x) + nanstddev(x) + nansum(x) + nanprod(x);
  [[maybe_unused]] auto places = nanargmax(x) + nanargmin(x) + count_nonzero(x);
  [[maybe_unused]] auto norms = norm(x) + norm<1>(x) + norm<inf>(x) + norm<-inf>(x) + norm<double, 3>(x);
  [[maybe_unused]] auto exponentials = logsumexp(x) + softmax(x, axis<1>) + log_softmax<double>(x, axis<0>);
}

template <class Operand>
void call_other_functions(const Operand& x) {
  [[maybe_unused]] auto aliases =
      abs(x) + asin(x) + acos(x) + atan(x) + asinh(x) + acosh(x) + atanh(x) + atan2(x, x) + pow(x, 2);
  [[maybe_unused]] auto constants = x + inf + nan + pi + e + euler_gamma - inf;
  [[maybe_unused]] auto scalars = x * literal(2) + scalar<double>(2) + 2 + 2.5f + 2.5 + true + std::size_t{2};
  [[maybe_unused]] auto converted = astype<double>(x) + astype<bfloat16>(x) + astype<bool>(x);
  [[maybe_unused]] auto places = coordinate<0>(x) + extent<1>(x) + coordinate<-1>(x);
  [[maybe_unused]] auto views = transpose(x) + permute<1, 0>(x) + flip<0>(x) + flip<0, 1>(x);
  [[maybe_unused]] auto together = concatenate<0>(x, x) + concatenate<-1>(x, x, x);
  [[maybe_unused]] auto stacked = stack<0>(x, x) + stack<-1>(x, x);
  [[maybe_unused]] auto padded =
      pad(x, axis<0>, 1, 2, boundary::edge) + pad(x, axis<0>, 1, 2, boundary::wrap) +
      pad(x, axis<0>, 1, 2, boundary::reflect) + pad(x, axis<-1>, 1, 2, boundary::constant(1));
  [[maybe_unused]] auto again = roll(x, 1, axis<0>) + repeat_elements(x, 2, axis<1>) + tile(x, 2, 2);
  [[maybe_unused]] auto triangles = tril(x) + triu(x, 1) + diag(diag(x)) + diag(diag(x, 1), 1);
  [[maybe_unused]] auto windows =
      sliding_window<0, -1>(x, 2, extent<0>(x)) + sliding_window<1>(x, 2)(newaxis);
  [[maybe_unused]] auto chosen = select(x > 0, x, x < 0, -x, 1);
  [[maybe_unused]] auto reshaped = reshape(x, 2, -1) + broadcast_to(flatten(x), 1, 2) + squeeze(x, axis<0>) +
                                   expand_dims(x, axis<0>) + moveaxis<0, 1>(x) + x(ellipsis, 0);
  [[maybe_unused]] auto indexed = x(all(), newaxis, 0) + x(slice(1, end), slice(end, -1)) + x(slice(2), 1) +
                                  x(slice(end, end, -1), slice(0, end, 2)) + x(1L, std::size_t{0});
}

}  // namespace

TEST_SUITE("dsl_names") {
  TEST_CASE("every function resolves unqualified for values, arrays, views and expressions") {
    const array<float, 2> x = zeros<float>({2, 3});
    const array<int, 2> n = zeros<int>({2, 3});
    call_functions_of_table<float>(x);
    call_functions_of_table<float>(x(all()));
    call_functions_of_table<float>(x + 1);
    call_functions_of_table<int>(n);
    call_reductions(x);
    call_reductions(n(all()));
    call_reductions(x + 1);
    const array<float, 2> square = ones<float>({3, 3});
    call_other_functions(square);
    call_other_functions(square(all()));
    call_other_functions(square + square);
    const auto recorded = fuse([](auto a, auto b, auto c) {
      call_functions_of_table<float>(a);
      call_functions_of_table<int>(b);
      call_reductions(a);
      call_reductions(b);
      call_other_functions(c);
      return a;
    });
    CHECK(recorded(x, n, square).size() == 6);
  }

  TEST_CASE("the names of classes, creators and tags do not clash") {
    using std::vector;
    const array<double, 1> a = full<double>({3}, 1.5);
    const array<double, 1> b = linspace<double>(0, 1, 3);
    array<int, 1> c = arange<int>(3);
    array<long, 1> d = arange<long>(3, 0, -1);
    view<int, 1> v = c;
    const view<const double, 1> w = a;
    any_view any = a;
    any_array owned = a.copy();
    const device where = device::cpu();
    const stream on = stream::default_of(where);
    const event mark(on);
    const schedule chosen{};
    const shape<2> extents{2, std::size_t{3}};
    const arithmetic_mode mode = arithmetic_mode::strict;
    const element_type type = element_type::float32;
    const float16 half_number(1.5);
    const bfloat16 other_half(1.5f);
    auto function = fuse("named", [](auto x) { return x; });
    [[maybe_unused]] fused<std::function<value<float, 1>(value<float, 1>)>>* fused_pointer = nullptr;
    [[maybe_unused]] value<weak<float>, 0>* value_pointer = nullptr;
    [[maybe_unused]] const auto one_axis = axis<1>;
    [[maybe_unused]] const auto two_axes = axis<0, -1>;
    [[maybe_unused]] const auto kept = keepdims;
    [[maybe_unused]] const auto adapted = as_view(v);
    synchronize(where);
    v = 1;
    c(0) = 5;
    CHECK(devices().size() >= 1);
    CHECK(function(a).size() == 3);
    CHECK(function.strict().fast()(w).size() == 3);
    CHECK(evaluate(a + b).size() == 3);
    CHECK(any.rank() == 1);
    CHECK(owned.size() == 3);
    CHECK(extents.product() == 6);
    CHECK(mode != arithmetic_mode::fast);
    CHECK(size_of(type) == 4);
    CHECK(float(half_number) == float(other_half));
    CHECK(to_string(chosen).size() > 0);
    CHECK(d.size() == 3);
  }

  TEST_CASE("the C library's functions still serve numbers") {
    const double angle = 0.5;
    CHECK(sin(angle) == std::sin(angle));
    CHECK(fmod(5.5, 2.0) == std::fmod(5.5, 2.0));
    CHECK(hypot(3.0, 4.0) == std::hypot(3.0, 4.0));
    CHECK(std::isnan(nan("")));
    CHECK(abs(-2) == 2);
    CHECK(std::max(1, 2) == 2);
    CHECK(std::norm(std::complex<double>(3, 4)) == 25);
    const std::vector<int> numbers{1, 2, 3};
    CHECK(*(std::end(numbers) - 1) == 3);
  }

#if defined(__CUDACC__)
  TEST_CASE("CUDA's 16-bit types are elements") {
    const array<__half, 1> h = array<__half, 1>::from({__float2half(1.5f), __float2half(2.0f)}, {2});
    const array<__nv_bfloat16, 1> b = array<__nv_bfloat16, 1>::from({__float2bfloat16(1.5f)}, {1});
    const array<__half, 1> doubled = fuse([](auto x) { return x * 2; })(h);
    CHECK(__half2float(doubled.to_vector()[1]) == 4.0f);
    CHECK(evaluate((h * scalar<float16>(2) + h(slice(0, 1)))(0)).size() == 1);
    CHECK(b.size() == 1);
  }
#endif
}
