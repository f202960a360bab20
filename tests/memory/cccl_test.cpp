// The types of CCCL: memory resources and pools, streams, mdspan.
#include <doctest/doctest.h>

#include <sinter/version.hpp>

#include "../support/needs.hpp"

#if __has_include(<cuda/version>)
#include <cuda/version>
#endif

#if defined(CCCL_VERSION) && CCCL_VERSION >= 3002000

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <sinter/cccl.hpp>

#include <cuda/memory_pool>
#include <cuda/std/mdspan>

#include "../order/ordered_call.hpp"

using namespace sinter;

namespace {

const device cpu = device::cpu(), gpu = device::cuda(0);

/// What the copies of a resource share.
struct tally {
  int live = 0, copies = 0;
  std::size_t alignment = 0;
  void* stream = nullptr;
};

/// Models cuda::mr::resource. The memory is the host's, which the fake driver takes for a GPU's.
template <class... Properties>
struct resource_of_test {
  std::shared_ptr<tally> counts = std::make_shared<tally>();

  void* allocate(cuda::stream_ref on, std::size_t bytes, std::size_t alignment) {
    counts->stream = on.get();
    return allocate_sync(bytes, alignment);
  }
  void deallocate(cuda::stream_ref on, void* data, std::size_t bytes, std::size_t alignment) {
    counts->stream = on.get();
    deallocate_sync(data, bytes, alignment);
  }
  void* allocate_sync(std::size_t bytes, std::size_t alignment) {
    ++counts->live;
    counts->alignment = alignment;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void deallocate_sync(void* data, std::size_t, std::size_t) {
    --counts->live;
    std::free(data);
  }
  bool operator==(const resource_of_test& other) const { return counts == other.counts; }
  template <class Property>
    requires(std::is_same_v<Property, Properties> || ...)
  friend void get_property(const resource_of_test&, Property) noexcept {}
};
using for_both = resource_of_test<cuda::mr::device_accessible, cuda::mr::host_accessible>;
using for_gpus = resource_of_test<cuda::mr::device_accessible>;

static_assert(cuda::mr::resource<for_both>);
// A pool asks the CUDA runtime for its memory, so it is compiled here and runs where there is a GPU.
[[maybe_unused]] memory_resource pool_as_memory(cuda::device_memory_pool& pool) { return from_cccl(pool); }
[[maybe_unused]] memory_resource pool_as_memory(cuda::device_memory_pool_ref pool) { return from_cccl(pool); }
static_assert(!std::is_copy_constructible_v<cuda::device_memory_pool>);

}  // namespace

TEST_CASE("a resource of CCCL gives memory aligned to 256, and is kept as long as that lives") {
  std::shared_ptr<tally> counts;
  array<float, 1> kept;
  {
    for_both mine;
    counts = mine.counts;
    kept = array<float, 1>({100}, cpu, from_cccl(mine));
  }
  CHECK(counts->live == 1);
  CHECK(counts->alignment == 256);
  CHECK(counts.use_count() == 2);
  kept = array<float, 1>();
  CHECK(counts->live == 0);
  CHECK(counts.use_count() == 1);
}

TEST_CASE("resource_ref and any_resource are resources, and the one that cannot be copied is borrowed") {
  for_both mine;
  cuda::mr::resource_ref<cuda::mr::device_accessible, cuda::mr::host_accessible> reference(mine);
  cuda::mr::any_resource<cuda::mr::device_accessible, cuda::mr::host_accessible> any(mine);
  struct immovable : for_both {
    immovable() = default;
    immovable(const immovable&) = delete;
    bool operator==(const immovable& other) const { return counts == other.counts; }
  } fixed;
  {
    const array<float, 1> first({4}, cpu, from_cccl(reference)), second({4}, cpu, from_cccl(any)),
        third({4}, cpu, from_cccl(fixed));
    CHECK(mine.counts->live == 2);
    CHECK(fixed.counts->live == 1);
  }
  CHECK(mine.counts->live == 0);
  CHECK(fixed.counts->live == 0);
}

TEST_CASE("memory of GPUs alone is refused for the CPU") {
  try {
    set_memory_resource(cpu, from_cccl(for_gpus()));
    FAIL("nothing was thrown");
  } catch (const device_error& thrown) {
    CHECK(std::string(thrown.what()).find("the host can use") != std::string::npos);
  }
}

TEST_CASE("on a GPU the resource gets the stream of the call, and streams go both ways") {
  fake_cuda fake;
  for_gpus mine;
  const stream own = stream::create(gpu);
  const cuda::stream_ref theirs = to_cccl(own);
  CHECK(theirs.get() == own.native());
  const std::string calls = fake.all_calls();
  const stream back = from_cccl(theirs, gpu);
  CHECK(fake.all_calls() == calls);
  CHECK(back.native() == own.native());
  CHECK(back.where() == gpu);
  CHECK_THROWS_AS(to_cccl(stream::default_of(cpu)), device_error);
  {
    const buffer made(gpu, 64, back, from_cccl(mine));
    CHECK(mine.counts->live == 1);
    CHECK(mine.counts->stream == own.native());
  }
  CHECK(mine.counts->live == 0);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("cuda::std::mdspan of these headers is an operand") {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const cuda::std::mdspan<float, cuda::std::dextents<int, 2>> theirs(numbers.data(), 2, 3);
  auto twice = fuse([](auto x) { return 2 * x; });
  CHECK(twice(theirs).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
}

#else

TEST_CASE("CCCL's types (their headers were not there when this was built)") {
  sinter::test::lacks(sinter::test::need::cccl,
                      "no headers of CCCL 3.2 or later: ./bootstrap differential installs them");
}

#endif
