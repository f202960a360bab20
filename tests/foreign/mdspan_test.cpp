// std::span, and types with the members of std::mdspan, as operands.
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "message_of.hpp"

#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#define SINTER_TEST_HAS_CUDA_MDSPAN 1
#else
#define SINTER_TEST_HAS_CUDA_MDSPAN 0
#endif

using namespace sinter;
using sinter::test::throws_with;

namespace mine {

/// The members of std::mdspan with layout_stride, of which rank, strides and whether there are any are given.
template <class T, std::size_t Rank, class Reference = T&>
struct mdspan {
  using reference = Reference;
  using numbers = std::array<unsigned, Rank>;
  struct extents_type {
    numbers values;
    unsigned extent(std::size_t axis) const { return values[axis]; }
  };
  struct mapping_type {
    std::array<int, Rank> strides;
    bool strided = true;
    int stride(std::size_t axis) const { return strides[axis]; }
    bool is_strided() const { return strided; }
  };

  static constexpr std::size_t rank() { return Rank; }
  T* const& data_handle() const { return data; }
  const extents_type& extents() const { return shape; }
  const mapping_type& mapping() const { return layout; }

  T* data;
  extents_type shape;
  mapping_type layout;
};

/// Has an as_view of its own, which is used.
struct described_span : mdspan<float, 1> {};
inline view<const float, 1> as_view(const described_span& from) { return {from.data, {1}}; }

}  // namespace mine

namespace {
const auto doubled = fuse([](auto x) { return x * 2; });
}  // namespace

TEST_SUITE("mdspan") {
  TEST_CASE("a span is an operand of rank 1, and a target") {
    std::vector<float> elements{1, 2, 3};
    const std::span<float> all(elements);
    const std::span<const float> read(elements);
    CHECK(doubled(read).to_vector() == std::vector<float>{2, 4, 6});
    doubled.into(all)(read);
    CHECK(elements == std::vector<float>{2, 4, 6});
    CHECK(doubled(std::span<float, 3>(elements.data(), 3)).to_vector() == std::vector<float>{4, 8, 12});
    CHECK(doubled(std::span<float>()).size() == 0);
    const array<float, 1> ones = full<float>({3}, 1, device::cpu());
    CHECK(evaluate(ones + read).to_vector() == std::vector<float>{3, 5, 7});
    CHECK(any_view(read).read_only());
    CHECK(any_view(all).rank() == 1);
    array<float, 1> made = read;
    CHECK(made.to_vector() == elements);
    static_assert(!operand<std::span<any_view>> && !operand<std::span<std::string>>);
  }

  TEST_CASE("an mdspan is an operand with its strides") {
    float elements[] = {1, 2, 3, 4, 5, 6};
    const mine::mdspan<float, 2> rows{elements, {{2, 3}}, {{3, 1}}}, columns{elements, {{3, 2}}, {{1, 3}}};
    CHECK(doubled(rows).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(doubled(columns).to_vector() == std::vector<float>{2, 8, 4, 10, 6, 12});
    const mine::mdspan<const float, 2> backwards{elements + 5, {{2, 3}}, {{-3, -1}}};
    CHECK(doubled(backwards).to_vector() == std::vector<float>{12, 10, 8, 6, 4, 2});
    CHECK(any_view(backwards).read_only());
    doubled.into(rows)(rows);
    CHECK(elements[5] == 12);
    const mine::mdspan<float, 0> one{elements, {}, {}};
    CHECK(doubled(one).to_vector() == std::vector<float>{4});
  }

  TEST_CASE("an mdspan that computes its elements is no operand") {
    static_assert(operand<mine::mdspan<float, 2>> && operand<mine::mdspan<const int, 3>>);
    static_assert(!operand<mine::mdspan<float, 2, float>>);
    static_assert(!operand<mine::mdspan<std::string, 1>>);
  }

  TEST_CASE("an mdspan without strides is refused") {
    float elements[] = {1, 2};
    mine::mdspan<float, 1> odd{elements, {{2}}, {{1}, false}};
    CHECK(throws_with<shape_error>("its mapping has no strides", [&] { (void)doubled(odd); }));
  }

  TEST_CASE("a type with an as_view of its own keeps to that") {
    float elements[] = {1, 2};
    const mine::described_span x{{elements, {{2}}, {{1}}}};
    CHECK(doubled(x).to_vector() == std::vector<float>{2});
  }

  TEST_CASE("spans of another device's memory say so") {
    float elements[] = {1, 2};
    const std::span<float> x(elements);
    CHECK(as_view(x, device::cuda(1)).device() == device::cuda(1));
    const mine::mdspan<float, 1> y{elements, {{2}}, {{1}}};
    CHECK(as_view(y, device::cuda()).device() == device::cuda(0));
    CHECK(doubled(as_view(y, device::cpu())).to_vector() == std::vector<float>{2, 4});
  }

  TEST_CASE("strides in bytes become strides in elements, or are refused") {
    struct pixel {
      float r, g, b;
      unsigned char tag;
    };
    pixel pixels[2] = {{1, 2, 3, 0}, {4, 5, 6, 0}};
    const view<float, 2> x(&pixels[0].r, {2, 3}, byte_strides<float>(sizeof(pixel), sizeof(float)));
    CHECK(doubled(x).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(byte_strides<const double>(-16, 8) == shape<2>(-2, 1));
    CHECK(throws_with<shape_error>("6 is no multiple of the 4 bytes of float32",
                                   [] { (void)byte_strides<float>(6, 4); }));
  }

#if SINTER_TEST_HAS_CUDA_MDSPAN
  TEST_CASE("cuda::std::mdspan is an operand") {
    float elements[] = {1, 2, 3, 4, 5, 6};
    const cuda::std::mdspan<float, cuda::std::dextents<int, 2>> rows(elements, 2, 3);
    const cuda::std::mdspan<const float, cuda::std::extents<std::size_t, 3, 2>, cuda::std::layout_left>
        columns(elements);
    CHECK(doubled(rows).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(doubled(columns).to_vector() == std::vector<float>{2, 8, 4, 10, 6, 12});
    CHECK(any_view(columns).read_only());
    const cuda::std::mdspan<float, cuda::std::extents<int>> one(elements + 1);
    CHECK(doubled(one).to_vector() == std::vector<float>{4});
  }
#endif
}
