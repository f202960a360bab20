// A process forks while its other threads are inside the library: the child, which has only the forking
// thread, continues to work.

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/host_array.hpp"
#include "../support/process/temporary_folder.hpp"
#include "cache_entries.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cache/redis_store.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/cpu/host_memory.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/object/extern_function.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/posix/fork.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

/// The exit code of a child forked now that runs `work`; -1 if it did not finish in time.
int exit_code_of_child(const std::function<int()>& work, std::chrono::seconds patience) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(work());
  const auto until = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

external_signature of_two_floats() {
  external_signature types;
  types.arity = 1;
  types.result = types.arguments[0] = element_type::float32;
  return types;
}

/// Uses every structure of the library that threads share and that needs no compiler, with content that
/// depends on `number`.
void use_everything(kernel_cache& cache, int number) {
  const std::string name = "forked_" + std::to_string(number);
  const int kernel = number % 50;
  cache.distrust(content_of(1000 + kernel));
  cache.find_or_compile({content_of(kernel), "kernel", 13000}, [&] { return entry_of(kernel, 100); });
  const function_handle called = axpy_function(name.c_str());
  static constexpr std::int64_t extent = 16, stride = 1;
  constexpr array_layout vector{
      .type = element_type::float32, .rank = 1, .extents = &extent, .strides = &stride, .alignment = 256};
  const array_layout inputs[] = {vector, vector};
  const scalar a = bits_of(2.0f);
  record_request(recorded_graph(called), inputs, {}, {&a, 1}, target_kind::cpu, nullptr);
  device_source source;
  source.cuda = "// " + name;
  intern_external(of_two_floats(), "called", source, 0);
  warn_once(name, "a warning that nobody hears");
  static_cast<void>(cache_statistics_now());
  void* const small = host_allocate(4096);
  host_free(small, 4096);
  void* const large = host_allocate(std::size_t{4} << 20);
  host_free(large, std::size_t{4} << 20);
}

/// A server that accepts connections and never answers.
class silent_server {
 public:
  silent_server() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(socket_, 16) == 0);
    REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    address_.host = "127.0.0.1";
    address_.port = ntohs(address.sin_port);
  }
  silent_server(const silent_server&) = delete;
  silent_server& operator=(const silent_server&) = delete;
  ~silent_server() { ::close(socket_); }
  const redis_address& address() const { return address_; }

 private:
  int socket_;
  redis_address address_;
};

}  // namespace

TEST_CASE("the child of a fork goes on, whatever the threads of its parent were doing") {
  const temporary_folder root;
  const log_hook before = set_log_hook(nullptr);
  record_to(root / "recording");
  kernel_cache::layers layers;
  layers.own = std::make_shared<directory_store>(root / "cache", folder_access::own, std::uint64_t{1} << 30);
  layers.patience = std::chrono::milliseconds(20);  // a child may inherit the lock of a compile
  kernel_cache cache(layers);
  std::atomic<bool> stop{false};
  std::atomic<int> number{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!stop) use_everything(cache, ++number);
    });
  int wrong = 0;
  for (int fork = 0; fork < 150 && wrong == 0; ++fork)
    wrong += exit_code_of_child(
                 [&] {
                   for (int i = 0; i < 5; ++i) use_everything(cache, 1'000'000 + fork * 10 + i);
                   const auto got = cache.find_or_compile({content_of(1), "kernel", 13000},
                                                          [] { return entry_of(1, 100); });
                   return got.entry.images == entry_of(1, 100).images ? 0 : 1;
                 },
                 std::chrono::seconds(20)) != 0;
  stop = true;
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
  record_to("");
  set_log_hook(before);
}

TEST_CASE(
    "what a thread of the parent compiles or loads holds the child of a fork up no more than its parent") {
  renewed_mutex work;
  std::atomic<bool> begun{false}, stop{false};
  std::thread working([&] {
    const std::lock_guard lock(work.own());
    begun = true;
    while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!begun) std::this_thread::yield();
  const int exit_code = exit_code_of_child(
      [&] {
        std::mutex& renewed = work.own();
        const std::lock_guard lock(renewed);
        return &work.own() == &renewed ? 0 : 1;
      },
      std::chrono::seconds(10));
  CHECK(exit_code == 0);
  CHECK_FALSE(work.own().try_lock());
  stop = true;
  working.join();
}

TEST_CASE("the child of a fork does not wait for what its parent asks of a Redis server") {
  const silent_server server;
  redis_store store(server.address());
  std::thread asking([&] { store.get(key_of(1)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it waits for two seconds
  const int exit_code =
      exit_code_of_child([&] { return store.get(key_of(2)).found ? 1 : 0; }, std::chrono::seconds(10));
  asking.join();
  CHECK(exit_code == 0);
}

}  // namespace sinter::test
