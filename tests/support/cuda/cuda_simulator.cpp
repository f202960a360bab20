#include "cuda_simulator.hpp"

#include "../../clang/cpu_compiler_fixture.hpp"
#include "cuda_simulator_text.hpp"

#include <sys/mman.h>

#include <ucontext.h>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string_view>
#include <utility>

// Saves the callee-saved registers on the fiber's stack, and switches to another stack.
extern "C" void sinter_test_switch(void** from, void* to);
asm(R"(
.text
.type sinter_test_switch, @function
sinter_test_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size sinter_test_switch, .-sinter_test_switch
)");

namespace sinter::test {
namespace {

constexpr std::byte unwritten{0xa5};
constexpr int warp = static_cast<int>(warp_threads(target_kind::cuda));
constexpr std::size_t stack_bytes = 128 * 1024;

struct place {
  unsigned x = 0, y = 0, z = 0;
};
struct thread_place {
  place thread, block;
};

/// The counterpart of simulator_prelude's sim_host.
struct cpu_functions {
  void (*barrier)(int);
  std::uint32_t (*shuffle)(int, std::uint32_t, int);
  void (*arrive)();
  void (*wait)();
  void* (*map)(const void*, int);
  void (*copy)(void*, const void*);
  void (*wait_for_copies)();
  void (*fault)(const char*, const void*);
  double (*math)(const char*, double, double);
};

/// A C library function, by name.
double math(const char* wanted, double x, double y) {
  struct row {
    std::string_view name;
    double (*one)(double);
  };
  static constexpr row rows[] = {
      {"exp", std::exp},     {"exp2", std::exp2},   {"expm1", std::expm1}, {"log", std::log},
      {"log2", std::log2},   {"log10", std::log10}, {"log1p", std::log1p}, {"sin", std::sin},
      {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},   {"acos", std::acos},
      {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},   {"tanh", std::tanh},
      {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh}, {"cbrt", std::cbrt},
      {"erf", std::erf},     {"erfc", std::erfc}};
  const std::string_view name = wanted;
  if (name == "atan2") return std::atan2(x, y);
  if (name == "pow") return std::pow(x, y);
  if (name == "hypot") return std::hypot(x, y);
  for (const row& at : rows)
    if (at.name == name) return at.one(x);
  return std::numeric_limits<double>::quiet_NaN();
}

enum class waits : std::uint8_t { nothing, block, warp, cluster, ended };

struct fiber {
  void* stack_pointer = nullptr;
  thread_place where{};
  unsigned block = 0;   ///< in the cluster
  unsigned number = 0;  ///< in the block
  waits state = waits::nothing;
  bool begun = false;
  int line = 0, kind = 0, by = 0;
  std::uint32_t value = 0;
  unsigned arrivals = 0, cluster_waits = 0;
  std::vector<std::pair<void*, const void*>> copies;
};

class machine;
thread_local machine* running = nullptr;

/// The multiprocessors: one cluster at a time.
class machine {
 public:
  machine(const stage& launched, const cpu_compiler_test::loaded& code, const void* block, thread_order order)
      : launched_(launched), block_(block), order_(order) {
    run_ = code.get<void(const void*)>("sim_run");
    current_ = reinterpret_cast<const thread_place**>(code.get<void>("sim_current"));
    shared_begin_ = reinterpret_cast<std::byte*>(code.get<char*()>("sim_shared_begin")());
    shared_bytes_ = static_cast<std::size_t>(
        reinterpret_cast<std::byte*>(code.get<char*()>("sim_shared_end")()) - shared_begin_);
    static constexpr cpu_functions functions{
        [](int line) { running->barrier(line); },
        [](int kind, std::uint32_t value, int by) { return running->shuffle(kind, value, by); },
        [] { running->arrive(); },
        [] { running->wait_for_cluster(); },
        [](const void* here, int to) { return running->map(here, to); },
        [](void* to, const void* from) { running->copy(to, from); },
        [] { running->wait_for_copies(); },
        [](const char* what, const void*) { running->fault(what); },
        math};
    *reinterpret_cast<const cpu_functions**>(code.get<void>("sim_functions")) = &functions;
    threads_ = launched.threads_along * launched.threads_across;
    cluster_ = std::max(1u, launched.cluster);
    stacks_bytes_ = stack_bytes * threads_ * cluster_;
    void* mapped = mmap(nullptr, stacks_bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    stacks_ = static_cast<std::byte*>(mapped);
  }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine() { munmap(stacks_, stacks_bytes_); }

  void launch() {
    running = this;
    const std::int64_t clusters = launched_.tiles / cluster_;
    for (std::int64_t i = 0; i < clusters && fault_.empty(); ++i)
      run_cluster(static_cast<unsigned>(order_ == thread_order::upward ? i : clusters - 1 - i));
    running = nullptr;
    if (!fault_.empty()) throw simulated_fault(fault_);
  }

  [[noreturn]] void fault(const std::string& what) {
    const place at = now_->where.thread, in = now_->where.block;
    if (fault_.empty())
      fault_ = what + " (thread " + std::to_string(at.x) + ", " + std::to_string(at.y) + " of block " +
               std::to_string(in.x) + ")";
    leave(waits::ended);
    __builtin_unreachable();
  }

 private:
  // called by fibers

  void leave(waits state) {
    now_->state = state;
    sinter_test_switch(&now_->stack_pointer, scheduler_);
  }
  void barrier(int line) {
    now_->line = line;
    leave(waits::block);
  }
  std::uint32_t shuffle(int kind, std::uint32_t value, int by) {
    now_->kind = kind;
    now_->value = value;
    now_->by = by;
    leave(waits::warp);
    return now_->value;
  }
  void arrive() {
    if (now_->arrivals != now_->cluster_waits) fault("arrives at the cluster's barrier twice");
    ++now_->arrivals;
  }
  void wait_for_cluster() {
    if (now_->arrivals != now_->cluster_waits + 1) fault("waits at the cluster's barrier before it arrives");
    leave(waits::cluster);
  }
  void* map(const void* here, int to) {
    if (to < 0 || static_cast<unsigned>(to) >= cluster_) fault("names a block that the cluster has not");
    const auto begin = fibers_.begin() + to * static_cast<std::ptrdiff_t>(threads_);
    const auto end = begin + static_cast<std::ptrdiff_t>(threads_);
    if (std::any_of(begin, end, [&](const fiber& at) { return !at.begun; }))
      fault("reaches into a block that may not have begun");
    if (std::all_of(begin, end, [](const fiber& at) { return at.state == waits::ended; }))
      fault("reaches into a block that has left");
    const auto offset = static_cast<const std::byte*>(here) - shared_begin_;
    if (offset < 0 || static_cast<std::size_t>(offset) >= shared_bytes_)
      fault("maps an address that is not in shared memory");
    if (static_cast<unsigned>(to) == now_->block) return shared_begin_ + offset;
    return images_[static_cast<unsigned>(to)].data() + offset;
  }
  void copy(void* to, const void* from) {
    if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
      fault("a copy of 16 bytes is not aligned");
    now_->copies.emplace_back(to, from);
  }
  void wait_for_copies() {
    for (const auto& [to, from] : now_->copies) std::memcpy(to, from, 16);
    now_->copies.clear();
  }

  static void begin() {
    machine& on = *running;
    on.run_(on.block_);
    if (!on.now_->copies.empty()) on.fault("ends with copies on their way");
    on.leave(waits::ended);
    __builtin_unreachable();
  }

  // the scheduler

  void prepare(fiber& made, std::byte* stack) {
    auto* top = reinterpret_cast<void**>(stack + stack_bytes - 64);
    *--top = nullptr;  // where a function expects its return address
    *--top = reinterpret_cast<void*>(&begin);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    made.stack_pointer = top;
  }

  void resume(fiber& at) {
    at.begun = true;
    at.state = waits::nothing;
    now_ = &at;
    *current_ = &at.where;
    sinter_test_switch(&scheduler_, at.stack_pointer);
  }

  void run_cluster(unsigned number) {
    fibers_.assign(std::size_t{threads_} * cluster_, {});
    for (unsigned i = 0; i < fibers_.size(); ++i) {
      fiber& at = fibers_[i];
      at.block = i / threads_;
      at.number = i % threads_;
      at.where.thread = {at.number % launched_.threads_along, at.number / launched_.threads_along, 0};
      at.where.block = {number * cluster_ + at.block, 0, 0};
      prepare(at, stacks_ + i * stack_bytes);
    }
    images_.assign(cluster_, std::vector<std::byte>(shared_bytes_, unwritten));
    while (fault_.empty()) {
      bool moved = false, all_ended = true;
      for (unsigned i = 0; i < cluster_ && fault_.empty(); ++i)
        moved |= run_block(order_ == thread_order::upward ? i : cluster_ - 1 - i);
      if (!fault_.empty()) return;
      for (const fiber& at : fibers_) all_ended &= at.state == waits::ended;
      if (all_ended) return;
      moved |= release_cluster();
      if (!moved) fault_ = "threads wait for what never comes: " + describe_waiting();
    }
  }

  std::span<fiber> threads_of(unsigned block) {
    return std::span(fibers_).subspan(std::size_t{block} * threads_, threads_);
  }

  /// Runs a block's threads until all of them wait for other blocks.
  bool run_block(unsigned block) {
    const std::span<fiber> threads = threads_of(block);
    std::memcpy(shared_begin_, images_[block].data(), shared_bytes_);
    bool moved_at_all = false;
    for (bool moved = true; moved && fault_.empty();) {
      moved = false;
      for (std::size_t i = 0; i < threads.size() && fault_.empty(); ++i) {
        fiber& at = threads[order_ == thread_order::upward ? i : threads.size() - 1 - i];
        if (at.state != waits::nothing) continue;
        resume(at);
        moved = true;
      }
      if (!fault_.empty()) break;
      moved |= release_warps(threads);
      moved |= release_barrier(threads);
      moved_at_all |= moved;
    }
    std::memcpy(images_[block].data(), shared_begin_, shared_bytes_);
    return moved_at_all;
  }

  bool release_warps(std::span<fiber> threads) {
    bool released = false;
    for (std::size_t first = 0; first < threads.size(); first += warp) {
      const std::span<fiber> together =
          threads.subspan(first, std::min<std::size_t>(warp, threads.size() - first));
      const auto waiting = std::count_if(together.begin(), together.end(),
                                         [](const fiber& at) { return at.state == waits::warp; });
      if (waiting == 0 || static_cast<std::size_t>(waiting) < together.size()) continue;
      std::uint32_t values[warp];
      for (std::size_t thread = 0; thread < together.size(); ++thread)
        values[thread] = together[thread].value;
      for (std::size_t thread = 0; thread < together.size(); ++thread) {
        fiber& at = together[thread];
        if (at.kind != together[0].kind) {
          fault_ = "threads of a warp exchange values in different ways";
          return true;
        }
        const auto own = static_cast<int>(thread);
        int from = at.kind == 0 ? own ^ at.by : at.kind == 1 ? own - at.by : at.by & (warp - 1);
        if (from < 0 || from >= warp) from = own;
        at.value = static_cast<std::size_t>(from) < together.size() ? values[from] : 0xa5a5a5a5u;
        at.state = waits::nothing;
      }
      released = true;
    }
    return released;
  }

  bool release_barrier(std::span<fiber> threads) {
    const auto waiting = std::count_if(threads.begin(), threads.end(),
                                       [](const fiber& at) { return at.state == waits::block; });
    if (waiting == 0 || static_cast<std::size_t>(waiting) < threads.size()) return false;
    for (fiber& at : threads) {
      if (at.line != threads[0].line) {
        fault_ = "threads of a block wait at different barriers";
        return true;
      }
      at.state = waits::nothing;
    }
    return true;
  }

  bool release_cluster() {
    if (!std::all_of(fibers_.begin(), fibers_.end(),
                     [](const fiber& at) { return at.state == waits::cluster; }))
      return false;
    for (fiber& at : fibers_) {
      ++at.cluster_waits;
      at.state = waits::nothing;
    }
    return true;
  }

  std::string describe_waiting() const {
    std::map<std::string, std::size_t> counts;
    for (const fiber& at : fibers_)
      ++counts[at.state == waits::block     ? "at line " + std::to_string(at.line) + "'s barrier"
               : at.state == waits::warp    ? std::string("to exchange values in a warp")
               : at.state == waits::cluster ? std::string("for the cluster")
                                            : std::string("for nothing, having ended")];
    std::string text;
    for (const auto& [where, count] : counts)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + where;
    return text;
  }

  const stage& launched_;
  const void* block_;
  thread_order order_;
  void (*run_)(const void*) = nullptr;
  const thread_place** current_ = nullptr;
  std::byte* shared_begin_ = nullptr;
  std::size_t shared_bytes_ = 0, stacks_bytes_ = 0;
  std::byte* stacks_ = nullptr;
  unsigned threads_ = 0, cluster_ = 1;
  std::vector<fiber> fibers_;
  std::vector<std::vector<std::byte>> images_;  ///< each block's shared memory while it is not running
  fiber* now_ = nullptr;
  void* scheduler_ = nullptr;
  std::string fault_;
};

// ---- guard pages ----

struct sigaction previous_handlers[2];
thread_local const void* touched = nullptr;

/// Runs on the fiber's own stack, and nothing returns to it.
void report_touched() {
  running->fault("reaches memory that is no array's, at " +
                 std::to_string(reinterpret_cast<std::uintptr_t>(touched)));
}

void on_signal(int number, siginfo_t* about, void* context) {
  if (running == nullptr) {
    sigaction(number, &previous_handlers[number == SIGSEGV ? 0 : 1], nullptr);
    return;
  }
  touched = about->si_addr;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RSP] = ((registers[REG_RSP] - 512) & ~greg_t{15}) - 8;
  registers[REG_RIP] = reinterpret_cast<greg_t>(&report_touched);
}

/// Signal handlers during kernels of any thread.
class signal_guard {
 public:
  signal_guard() {
    const std::scoped_lock lock(mutex());
    if (users()++ == 0) {
      struct sigaction action{};
      action.sa_sigaction = on_signal;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(SIGSEGV, &action, &previous_handlers[0]);
      sigaction(SIGBUS, &action, &previous_handlers[1]);
    }
    stack_t mine{};
    mine.ss_sp = stack_.data();
    mine.ss_size = stack_.size();
    sigaltstack(&mine, &other_);
  }
  ~signal_guard() {
    sigaltstack(&other_, nullptr);
    const std::scoped_lock lock(mutex());
    if (--users() != 0) return;
    sigaction(SIGSEGV, &previous_handlers[0], nullptr);
    sigaction(SIGBUS, &previous_handlers[1], nullptr);
  }
  signal_guard(const signal_guard&) = delete;
  signal_guard& operator=(const signal_guard&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static int& users() {
    static int count = 0;
    return count;
  }
  std::vector<char> stack_ = std::vector<char>(64 * 1024);
  stack_t other_{};
};

}  // namespace

void simulate_kernel(const stage& launched, const kernel_text& text, const std::vector<std::uint64_t>& block,
                     thread_order order) {
  if (launched.tiles == 0) return;
  const std::string source = text_for_cpu(text, launched);
  const cpu_compiler_test::compiled code = cpu_compiler_test::compile(source, {.options = {"-O1", "-w"}});
  if (code.status != SINTER_CPU_COMPILER_OK) throw std::runtime_error(code.log + text.source);
  const cpu_compiler_test::loaded object(code.object);
  const signal_guard guard;
  machine(launched, object, block.data(), order).launch();
}

}  // namespace sinter::test
