// Tensors of other libraries as operands: the trait foreign_tensor, and typed views of tensors whose type is
// known at run time.
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "../support/count_allocations.hpp"
#include "message_of.hpp"

using namespace sinter;
using sinter::test::message_of;

namespace other {

/// Known through the trait only; its library has no as_view.
struct matrix {
  std::vector<float> elements;
  std::int64_t rows = 0, columns = 0;
};
template <class E>
struct column {
  std::vector<E> elements;
};
/// Known through both: the trait is used.
struct twice {
  std::vector<float> by_trait, by_name;
};
inline view<const float, 1> as_view(const twice& from) {
  return {from.by_name.data(), {from.by_name.size()}};
}
/// Its as_view returns a reference to a view that it holds.
struct holder {
  view<float, 1> elements;
};
inline const view<float, 1>& as_view(const holder& from) { return from.elements; }
/// Typed at run time.
struct tensor {
  void* data;
  bool is_double;
  std::vector<std::int64_t> extents;
  bool read_only = false;
};

}  // namespace other

template <>
struct sinter::foreign_tensor<other::matrix> {
  static view<float, 2> as_view(other::matrix& from) {
    return {from.elements.data(), {from.rows, from.columns}};
  }
  static view<const float, 2> as_view(const other::matrix& from) {
    return {from.elements.data(), {from.rows, from.columns}};
  }
};
template <class E>
struct sinter::foreign_tensor<other::column<E>> {
  static view<const E, 1> as_view(const other::column<E>& from) {
    return {from.elements.data(), {from.elements.size()}};
  }
};
template <>
struct sinter::foreign_tensor<other::twice> {
  static view<const float, 1> as_view(const other::twice& from) {
    return {from.by_trait.data(), {from.by_trait.size()}};
  }
};
template <>
struct sinter::foreign_tensor<other::tensor> {
  static any_view as_any_view(const other::tensor& from) {
    std::vector<std::int64_t> strides(from.extents.size(), 1);
    for (std::size_t axis = strides.size(); axis-- > 1;)
      strides[axis - 1] = strides[axis] * from.extents[axis];
    return {from.data,     from.is_double ? element_type::float64 : element_type::float32,
            from.extents,  strides,
            device::cpu(), from.read_only};
  }
};

namespace {

const auto doubled = fuse([](auto x) { return x * 2; });

std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>(i);
  return made;
}

}  // namespace

TEST_SUITE("foreign_tensor") {
  TEST_CASE("a tensor with the trait is an operand, a target and an array's source") {
    other::matrix m{numbers(6), 2, 3};
    const other::matrix& read = m;
    CHECK(doubled(m).to_vector() == std::vector<float>{0, 2, 4, 6, 8, 10});
    CHECK(doubled(read).shape() == shape<2>(2, 3));
    CHECK(doubled(other::matrix{{1, 2}, 1, 2}).to_vector() == std::vector<float>{2, 4});
    doubled.into(m)(read);
    CHECK(m.elements == std::vector<float>{0, 2, 4, 6, 8, 10});
    const array<float, 2> ones = full<float>({2, 3}, 1, device::cpu());
    CHECK(evaluate(ones + m).to_vector() == std::vector<float>{1, 3, 5, 7, 9, 11});
    CHECK(array<float, 2>(read).to_vector() == m.elements);
    CHECK(transpose(m).shape() == shape<2>(3, 2));
    CHECK(flip<1>(read).to_vector() == std::vector<float>{4, 2, 0, 10, 8, 6});
    CHECK(evaluate(sum(m, axis<1>)).to_vector() == std::vector<float>{6, 24});
    CHECK(any_view(read).read_only());
    CHECK_FALSE(any_view(m).read_only());
  }

  TEST_CASE("the trait is specialised for a template, and for both kinds of scalars of it") {
    const other::column<double> x{{1, 2}};
    const other::column<int> n{{3, 4}};
    CHECK(doubled(x).to_vector() == std::vector<double>{2, 4});
    CHECK(doubled(n).to_vector() == std::vector<int>{6, 8});
  }

  TEST_CASE("the trait goes before a function as_view, and a reference to a view is as good as a view") {
    CHECK(doubled(other::twice{{1, 2}, {5}}).to_vector() == std::vector<float>{2, 4});
    std::vector<float> elements{1, 2, 3};
    other::holder held{{elements.data(), {3}}};
    CHECK(doubled(held).to_vector() == std::vector<float>{2, 4, 6});
    CHECK(evaluate(sinter::sqrt(held) * held).size() == 3);
  }

  TEST_CASE("a call with a foreign tensor allocates no more than one with a view") {
    other::matrix m{numbers(6), 2, 3}, to{numbers(6), 2, 3};
    const auto call = doubled.into(to);
    call(m);
    const allocation_counter counted;
    call(m);
    CHECK(counted.count() == 0);
  }

  TEST_CASE("a tensor of run-time type gives typed views") {
    std::vector<double> elements{1, 2, 3, 4, 5, 6};
    const other::tensor t{elements.data(), true, {2, 3}};
    const view<double, 2> x = as_view<double, 2>(t);
    CHECK(x.data() == elements.data());
    CHECK(doubled(x).to_vector() == std::vector<double>{2, 4, 6, 8, 10, 12});
    CHECK(any_view(t).type() == element_type::float64);
    CHECK(as_view<const double, 2>(any_view(t)).size() == 6);
    const any_array owned = array<double, 2>(x);
    CHECK(as_view<double, 2>(owned).shape() == x.shape());
    array<float, 1> typed({4});
    CHECK(as_view<float, 1>(typed).data() == typed.data());
    const auto product = [](graph_builder& builder, std::span<const graph_value> values) {
      builder.output(builder.apply(operation::multiply, values));
    };
    CHECK(evaluate({t, 2}, product)[0].view().to<const double, 2>().to_vector()[5] == 12);
  }

  TEST_CASE("a typed view of another type, rank or right is refused, and the message says what to write") {
    std::vector<double> elements{1, 2, 3, 4, 5, 6};
    const other::tensor t{elements.data(), true, {2, 3}}, fixed{elements.data(), true, {2, 3}, true};
    CHECK_THROWS_AS((as_view<float, 2>(t)), type_error);
    CHECK(message_of([&] { (void)as_view<float, 2>(t); }) ==
          "as_view<float32, 2>: the tensor's elements are float64: say as_view<float64, 2>, or choose with "
          "dispatch<Types...>(tensor, f)");
    CHECK_THROWS_AS((as_view<double, 1>(t)), shape_error);
    CHECK(message_of([&] { (void)as_view<double, 1>(t); }) ==
          "as_view<float64, 1>: the tensor's shape is (2, 3): say as_view<float64, 2>");
    CHECK_THROWS_AS((as_view<double, 2>(fixed)), type_error);
    CHECK(message_of([&] { (void)as_view<double, 2>(fixed); }) ==
          "as_view<float64, 2>: the tensor is read only: say as_view<const float64, 2>");
    CHECK(as_view<const double, 2>(fixed).size() == 6);
  }

  TEST_CASE("dispatch calls with the element type, and names the types that it has") {
    std::vector<double> elements{1, 2, 3, 4, 5, 6};
    const other::tensor wide{elements.data(), true, {6}};
    std::vector<float> narrow_elements{1, 2};
    const other::tensor narrow{narrow_elements.data(), false, {2}};
    const auto sum_of = [](const other::tensor& t) {
      return dispatch<float, double>(t, [&]<class T>() {
        return static_cast<double>(evaluate(sum(as_view<T, 1>(t), axis<0>)).to_vector()[0]);
      });
    };
    CHECK(sum_of(wide) == 21);
    CHECK(sum_of(narrow) == 3);
    int calls = 0;
    dispatch<std::int32_t, float>(any_view(narrow), [&]<class T>() { calls += sizeof(T) == 4; });
    CHECK(calls == 1);
    CHECK_THROWS_AS((dispatch<float, int>(wide, [&]<class T>() { ++calls; })), type_error);
    CHECK(message_of([&] { dispatch<float, int>(wide, [&]<class T>() { ++calls; }); }) ==
          "dispatch<float32, int32>: the tensor's elements are float64: name that type, too, or convert the "
          "tensor");
    CHECK(calls == 1);
  }

  TEST_CASE("what is no tensor stays none") {
    static_assert(operand<other::matrix> && operand<other::holder> && operand<std::span<float>>);
    static_assert(!operand<other::tensor> && any_tensor<other::tensor> && any_tensor<const other::tensor&>);
    static_assert(!operand<std::vector<float>> && !any_tensor<std::vector<float>>);
    static_assert(!any_tensor<int*> && !any_tensor<std::string>);
  }
}
