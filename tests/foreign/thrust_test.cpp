// Thrust's vectors and ranges as operands and targets, and arrays as Thrust's ranges (sinter/thrust.hpp),
// with Thrust's device system on the CPU. examples/neighbours/thrust_vectors.cpp has it on a GPU.
#include <sinter/thrust.hpp>

#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/universal_vector.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "message_of.hpp"

using namespace sinter;
using sinter::test::message_of;

static_assert(THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP);

namespace {

const auto doubled = fuse([](auto x) { return 2 * x; });

template <class T>
auto viewed(T& object) {
  return foreign_tensor<std::remove_const_t<T>>::as_view(object);
}

}  // namespace

TEST_CASE("Thrust's vectors are operands of rank 1 and targets") {
  thrust::host_vector<float> host(3, 1.5f);
  thrust::device_vector<float> on_device = host;
  thrust::universal_vector<float> universal(3);
  static_assert(std::is_same_v<decltype(viewed(on_device)), view<float, 1>>);
  CHECK(viewed(on_device).data() == thrust::raw_pointer_cast(on_device.data()));
  doubled.into(on_device)(host);
  CHECK(on_device[2] == 3);
  doubled.into(universal)(on_device);
  CHECK(universal[0] == 6);
  CHECK(doubled(universal).to_vector() == std::vector<float>{12, 12, 12});
  thrust::device_vector<bool> flags(2);
  fuse([](auto x) { return x > 0; }).into(flags)(std::span<const float>(std::vector<float>{1, -1}));
  CHECK(flags[0]);
  CHECK(!flags[1]);
}

TEST_CASE("elements of a const vector of Thrust's are const") {
  const thrust::device_vector<int> numbers(4, 7);
  static_assert(std::is_same_v<decltype(viewed(numbers)), view<const int, 1>>);
  CHECK(doubled(numbers).to_vector() == std::vector<int>{14, 14, 14, 14});
}

TEST_CASE("ranges of Thrust's are views") {
  thrust::device_vector<float> x(5);
  for (std::size_t i = 0; i < 5; ++i) x[i] = static_cast<float>(i);
  const auto middle = as_view(x.begin() + 1, x.end() - 1);
  static_assert(std::is_same_v<decltype(middle), const view<float, 1>>);
  CHECK(middle.to_vector() == std::vector<float>{1, 2, 3});
  doubled.into(middle)(middle);
  CHECK(x[3] == 6);
  const thrust::device_ptr<float> first = x.data();
  CHECK(as_view(first, first + 2).size() == 2);
  CHECK(as_view(x.cbegin(), x.cend()).data() == thrust::raw_pointer_cast(x.data()));
  CHECK(as_view(first, first).size() == 0);
}

TEST_CASE("arrays are ranges of Thrust's, on a stream's policy") {
  array<float, 2> x = array<float, 2>::from({{3, 1, 2}, {6, 5, 4}}, device::cpu());
  const stream order = stream::create(device::cpu());
  thrust::sort(thrust_policy(order), thrust_begin(x), thrust_end(x));
  CHECK(x.to_vector() == std::vector<float>{1, 2, 3, 4, 5, 6});
  const array<float, 2>& read_only = x;
  static_assert(std::is_same_v<decltype(thrust_begin(read_only)), thrust::device_ptr<const float>>);
  CHECK(thrust::reduce(thrust_policy(order), thrust_begin(read_only), thrust_end(read_only)) == 21);
  CHECK(thrust::reduce(thrust_begin(x(1, all())), thrust_end(x(1, all()))) == 15);
}

TEST_CASE("what Thrust's device system cannot reach is refused") {
  array<float, 2> x = ones<float>({2, 3}, device::cpu());
  CHECK(message_of([&] { (void)thrust_begin(x(all(), 1)); }).find("say x.copy()") != std::string::npos);
  const view<float, 1> elsewhere(x.data(), {6}, device::cuda());
  CHECK(message_of([&] { (void)thrust_begin(elsewhere); }).find("the elements are on a GPU") !=
        std::string::npos);
  const stream other = stream::default_of(device::cuda());
  CHECK(message_of([&] { (void)thrust_policy(other); }).find("the stream is a GPU's") != std::string::npos);
}
