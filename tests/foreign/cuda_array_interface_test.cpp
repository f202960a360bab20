// The CUDA Array Interface, from its fields. On the CPU it is NumPy's array interface, which is computed
// with.
#include <sinter/complex.hpp>
#include <sinter/cuda_array_interface.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "../support/cuda/fake_cuda.hpp"
#include "message_of.hpp"

using namespace sinter;
using sinter::test::throws_with;

namespace {

struct six {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t extents[2] = {2, 3}, strides[2] = {12, 4};
  cuda_array_interface tensor{
      .shape = extents, .typestr = "<f4", .data = elements, .strides = strides, .where = device::cpu()};
};

element_type type_of(const char* typestr) {
  static const std::int64_t none = 0;
  return any_view(cuda_array_interface{.shape = {&none, 1}, .typestr = typestr}).type();
}

const auto doubled = fuse([](auto x) { return x * 2; });

}  // namespace

TEST_SUITE("cuda_array_interface") {
  TEST_CASE("the elements are borrowed, with strides in bytes or without") {
    six x;
    CHECK(as_view<float, 2>(x.tensor).data() == x.elements);
    CHECK(doubled(as_view<float, 2>(x.tensor)).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
    x.strides[0] = -12;
    x.tensor.data = x.elements + 3;
    CHECK(doubled(as_view<float, 2>(x.tensor)).to_vector() == std::vector<float>{8, 10, 12, 2, 4, 6});
    x.tensor.strides.reset();
    x.tensor.data = x.elements;
    CHECK(as_view<float, 2>(x.tensor).strides() == shape<2>(3, 1));
    CHECK(dispatch<double, float>(x.tensor, []<class T>() { return sizeof(T); }) == 4);
  }

  TEST_CASE("every type string that is an element type of Sinter is that one") {
    struct row {
      const char* text;
      element_type type;
    };
    const row rows[] = {
        {"|b1", element_type::boolean},   {"|i1", element_type::int8},        {"<i2", element_type::int16},
        {"<i4", element_type::int32},     {"<i8", element_type::int64},       {"|u1", element_type::uint8},
        {"<u2", element_type::uint16},    {"<u4", element_type::uint32},      {"<u8", element_type::uint64},
        {"<f2", element_type::float16},   {"<f4", element_type::float32},     {"<f8", element_type::float64},
        {"<c8", element_type::complex64}, {"<c16", element_type::complex128}, {"<b1", element_type::boolean},
        {"=f4", element_type::float32}};
    for (const row& each : rows) CHECK(type_of(each.text) == each.type);
  }

  TEST_CASE("complex numbers and booleans are computed with") {
    std::complex<float> z[] = {{1, 2}, {3, 4}};
    bool flags[] = {true, false};
    const std::int64_t two = 2;
    const cuda_array_interface turned{
        .shape = {&two, 1}, .typestr = "<c8", .data = z, .where = device::cpu()};
    const cuda_array_interface mask{
        .shape = {&two, 1}, .typestr = "|b1", .data = flags, .where = device::cpu()};
    const auto chosen = fuse([](auto m, auto x) { return where(m, x * 2, 0); });
    CHECK(chosen(as_view<bool, 1>(mask), as_view<std::complex<float>, 1>(turned)).to_vector() ==
          std::vector<std::complex<float>>{{2, 4}, {0, 0}});
  }

  TEST_CASE("other types are refused by name, big-endian ones with advice") {
    CHECK(throws_with<type_error>("\">f4\" is big-endian: swap", [] { type_of(">f4"); }));
    CHECK(throws_with<type_error>("does not say the byte order", [] { type_of("|f4"); }));
    for (const char* text : {"<f16", "<c32", "<i3", "|V2", "<M8", "|S4", "|O8", "<b4", "<f99999999999"})
      CHECK(throws_with<type_error>("no element type for", [&] { type_of(text); }));
    for (const char* text : {"", "<", "<f", "f4", "<f4x", "float32"})
      CHECK(throws_with<type_error>("is no byte order, kind and size", [&] { type_of(text); }));
  }

  TEST_CASE("strides that are no multiple of the element are refused where they count") {
    six x;
    x.strides[0] = 14;
    CHECK(throws_with<shape_error>("14 is no multiple of the 4 bytes of float32",
                                   [&] { (void)any_view(x.tensor); }));
    x.extents[0] = 1;
    CHECK(doubled(as_view<float, 2>(x.tensor)).to_vector() == std::vector<float>{2, 4, 6});
    x.extents[0] = 0;
    x.strides[1] = 5;
    x.tensor.data = nullptr;
    CHECK(doubled(as_view<float, 2>(x.tensor)).size() == 0);
  }

  TEST_CASE("a read-only tensor gives const elements only") {
    six x;
    x.tensor.read_only = true;
    CHECK_THROWS_AS((void)(as_view<float, 2>(x.tensor)), type_error);
    CHECK(as_view<const float, 2>(x.tensor).size() == 6);
  }

  TEST_CASE("shapes that are none are refused") {
    six x;
    x.tensor.strides = std::span<const std::int64_t>(x.strides, 1);
    CHECK(throws_with<shape_error>("shape (2, 3) and the strides (12,)", [&] { (void)any_view(x.tensor); }));
    x.tensor.strides.reset();
    x.extents[1] = -3;
    CHECK(throws_with<shape_error>("(2, -3) has a negative extent", [&] { (void)any_view(x.tensor); }));
    x.extents[1] = 3;
    x.tensor.data = nullptr;
    CHECK(throws_with<shape_error>("data is a null pointer", [&] { (void)any_view(x.tensor); }));
    const std::vector<std::int64_t> ones(33, 1);
    x.tensor.shape = ones;
    CHECK(throws_with<shape_error>("33 axes", [&] { (void)any_view(x.tensor); }));
    x.tensor.shape = {};
    x.tensor.data = x.elements;
    CHECK(doubled(as_view<float, 0>(x.tensor)).to_vector() == std::vector<float>{2});
  }

  TEST_CASE("stream 0 is refused, no stream orders nothing") {
    six x;
    x.tensor.stream = 0;
    CHECK(throws_with<device_error>("its stream is 0", [&] { (void)any_view(x.tensor); }));
    const stream cpu = stream::default_of(device::cpu());
    CHECK(throws_with<device_error>("its stream is 0", [&] { order_after(x.tensor, cpu); }));
    x.tensor.stream.reset();
    order_after(x.tensor, cpu);
    x.tensor.stream = 1;
    CHECK(throws_with<device_error>("the consumer is the CPU", [&] { order_after(x.tensor, cpu); }));
  }

  TEST_CASE("a consumer waits for the producer's stream with one event, for its own with none") {
    fake_cuda fake;
    const stream made = stream::create(device::cuda()), producer = stream::create(device::cuda());
    six x;
    x.tensor.where = device::cuda();
    const auto events = [&](std::uintptr_t handle, const stream& consumer) {
      x.tensor.stream = handle;
      const auto before = fake.calls("cuEventRecord"), waits = fake.calls("cuStreamWaitEvent");
      order_after(x.tensor, consumer);
      const auto recorded = fake.calls("cuEventRecord") - before;
      CHECK(fake.calls("cuStreamWaitEvent") - waits == recorded);
      return recorded;
    };
    const stream legacy = stream::default_of(device::cuda());
    const auto handle_of = [](const stream& of) { return reinterpret_cast<std::uintptr_t>(of.native()); };
    CHECK(events(handle_of(producer), made) == 1);
    CHECK(events(handle_of(made), made) == 0);
    CHECK(events(1, legacy) == 0);
    CHECK(events(1, made) == 1);
    CHECK(events(2, legacy) == 1);
    CHECK(events(handle_of(producer), legacy) == 1);
    CHECK(fake.calls("cuStreamSynchronize") == 0);
  }
}
