#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/runtime/dispatch/stage_compiles.hpp>

using namespace sinter;
using namespace sinter::runtime;

namespace {

std::vector<stage> stages_of(std::initializer_list<const char*> signatures) {
  std::vector<stage> made(signatures.size());
  std::size_t i = 0;
  for (const char* signature : signatures) {
    made[i].signature = signature;
    made[i++].tiles = 1;
  }
  return made;
}

/// Makes kernels whose keys are the signatures, and none until open().
class gate {
 public:
  kernel_handle make(const stage& lowered) {
    std::unique_lock lock(guard_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    if (lowered.signature == "wrong") throw std::runtime_error("wrong");
    auto made = std::make_shared<kernel>();
    made->key = lowered.signature;
    return made;
  }
  void open() {
    const std::lock_guard lock(guard_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_until_begun(int count) {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return begun_ >= count; });
  }
  int begun() {
    const std::lock_guard lock(guard_);
    return begun_;
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  int begun_ = 0;
  bool open_ = false;
};

}  // namespace

TEST_CASE("later stages of a call are compiled side by side, equal kernels once") {
  compile_pool pool;
  pool.set_threads(2);
  gate made;
  const std::vector<stage> stages = stages_of({"own", "first", "first", "own", "second"});
  stage_compiles beside(stages, [&](const stage& lowered) { return made.make(lowered); }, pool);
  beside.share_from(1);
  beside.share_from(1);
  made.wait_until_begun(2);  // both at once: neither ends before the gate opens
  made.open();
  const kernel_handle first = beside.take(1), second = beside.take(4);
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(first->key == "first");
  CHECK(second->key == "second");
  CHECK(beside.take(2) == nullptr);
  CHECK(beside.take(3) == nullptr);
  CHECK(made.begun() == 2);
}

TEST_CASE("a stage that no thread has begun is the caller's, and no thread begins it later") {
  compile_pool pool;
  pool.set_threads(1);
  gate made;
  const std::vector<stage> stages = stages_of({"own", "first", "second"});
  {
    stage_compiles beside(stages, [&](const stage& lowered) { return made.make(lowered); }, pool);
    beside.share_from(1);
    made.wait_until_begun(1);
    CHECK(beside.take(2) == nullptr);
    made.open();
    CHECK(beside.take(1) != nullptr);
  }
  pool.stop();
  CHECK(made.begun() == 1);
}

TEST_CASE("nothing is handed over while every kernel is found") {
  compile_pool pool;
  gate made;
  const std::vector<stage> stages = stages_of({"own", "first"});
  {
    stage_compiles beside(stages, [&](const stage& lowered) { return made.make(lowered); }, pool);
    CHECK(beside.take(0) == nullptr);
    CHECK(beside.take(1) == nullptr);
  }
  CHECK(pool.statistics().begun == 0);
  CHECK(pool.statistics().threads == 0);
}

TEST_CASE("a failed stage throws where its kernel is taken, and not before") {
  compile_pool pool;
  pool.set_threads(2);
  gate made;
  const std::vector<stage> stages = stages_of({"own", "wrong", "second"});
  made.open();
  stage_compiles beside(stages, [&](const stage& lowered) { return made.make(lowered); }, pool);
  beside.share_from(1);
  made.wait_until_begun(2);
  CHECK(beside.take(2) != nullptr);
  CHECK_THROWS_WITH_AS(beside.take(1), "wrong", std::runtime_error);
}
