// Memory goes back after its last reader, in the order of a stream.
#include <doctest/doctest.h>

#include <vector>

#include <sinter/runtime/error.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "ordered_call.hpp"

using namespace sinter;
using namespace sinter::runtime;
using namespace sinter::test;

TEST_CASE("results, copies and memory that goes back keep the order of streams") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "returned_memory_order");
  const stream first = stream::create(cuda), second = stream::create(cuda);
  std::vector<float> host(1024);
  for (int round = 0; round < 3; ++round) {
    result made = axpy.fresh(first);
    axpy.read(made);
    axpy(second);
    axpy.read_own();
    made.storage.release();  // which the second stream reads
    result again = axpy.fresh(second);
    copy_bytes({host.data(), device::cpu()}, {again.storage.data(), cuda, again.storage.record()}, 4096,
               stream::default_of(cuda));
    buffer moved = std::move(again.storage);
    axpy(first);
  }
  CHECK(fake.calls("cuMemFreeAsync") == 6);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("memory that one stream made and another read goes back without making the first wait") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "returned_memory_apart"), other(fake, "returned_memory_apart");
  ordered_call more(fake, "returned_memory_apart");
  const stream first = stream::create(cuda), second = stream::create(cuda), third = stream::create(cuda);
  for (const bool two_readers : {false, true}) {
    result made = axpy.fresh(first);
    other.read(made);
    other(second);
    more(third);
    if (two_readers) more.read(made);
    if (two_readers) more(third);
    made.storage.release();
    CHECK(!fake.follows(first, second));
    CHECK(!fake.follows(first, third));
    CHECK(!fake.follows(second, third));
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a program's own resource gets memory back on the stream it was made on, which lives as long") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  struct following {
    std::vector<void*> made_on, freed_on;
    void* allocate(std::size_t, const stream& on) {
      made_on.push_back(on.native());
      return reinterpret_cast<void*>(std::size_t{256} * made_on.size());
    }
    void deallocate(void*, std::size_t, const stream& on) noexcept { freed_on.push_back(on.native()); }
  } mine;
  ordered_call axpy(fake, "returned_memory_own");
  set_memory_resource(cuda, &mine);
  {
    const stream other = stream::create(cuda);
    buffer memory, of_default(cuda, 64, stream::default_of(cuda));
    {
      const stream own = stream::create(cuda);
      memory = buffer(cuda, 4096, own);
    }
    const buffer latest(cuda, 64, other);
    CHECK(fake.calls("cuStreamDestroy_v2") == 0);
    axpy.inputs[0].data = memory.data();
    axpy.inputs[0].record = memory.record();
    axpy(other);
    const int waits = fake.calls("cuStreamWaitEvent");
    memory.release();
    CHECK(fake.calls("cuStreamWaitEvent") == waits + 1);  // the stream that made it waits for the reader
    of_default.release();
    CHECK(mine.freed_on == std::vector<void*>{mine.made_on[1], nullptr});
    CHECK(fake.calls("cuStreamDestroy_v2") == 1);
    foreign_stream theirs(fake);
    buffer of_theirs(cuda, 64, theirs.borrowed());
    forget(theirs.borrowed());
    theirs.destroy();
  }
  CHECK(mine.freed_on.size() == 4);
  set_memory_resource(cuda, nullptr);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("memory that is freed while its user is captured goes back after the capture") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "returned_memory_capture");
  const stream own = stream::create(cuda);
  result of_own = axpy.fresh(own), of_default = axpy.fresh(stream::default_of(cuda));
  axpy.prepare_on(own);
  axpy.read(of_own);
  axpy.prepare_on(own);
  const int before = fake.calls("cuMemFreeAsync");
  {
    capture_scope capture(fake, own);
    axpy(own);
    of_default.storage.release();  // nothing that is captured uses it
    CHECK(fake.calls("cuMemFreeAsync") == before + 1);
    of_own.storage.release();
    axpy.read_own();
    axpy(own);
    CHECK(fake.calls("cuMemFreeAsync") == before + 1);
  }
  axpy(own);
  CHECK(fake.calls("cuMemFreeAsync") == before + 2);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("memory is taken from a pool of Sinter's own, which keeps what is freed") {
  fake_cuda fake(2);
  for (int round = 0; round < 3; ++round)
    for (const device where : {cuda, device::cuda(1)})
      const buffer made(where, 64, stream::default_of(where));
  CHECK(fake.calls("cuMemPoolCreate") == 2);
  CHECK(fake.calls("cuMemPoolSetAttribute") == 2);  // each its own
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == 6);
  CHECK_IN_ORDER(fake);
}
