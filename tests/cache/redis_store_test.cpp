// A real Redis server, started by the test on its own port.

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/optional_parts.hpp"
#include "../support/process/temporary_folder.hpp"
#include "cache_entries.hpp"

#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cache/redis_store.hpp>
#include <sinter/runtime/log.hpp>

#include <chrono>
#include <csignal>
#include <thread>

namespace sinter::test {

using namespace runtime;

namespace {

/// A free port, assigned by the system.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

class redis_server {
 public:
  explicit redis_server(int port, const std::string& password = "") : port_(port) {
    const std::string number = std::to_string(port);
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execlp("redis-server", "redis-server", "--port", number.c_str(), "--bind", "127.0.0.1", "--save", "",
               "--appendonly", "no", "--logfile", "/dev/null", "--dir", folder_.path().c_str(),
               password.empty() ? nullptr : "--requirepass", password.c_str(), nullptr);
      ::_exit(127);
    }
  }
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;
  ~redis_server() { stop(); }
  void stop() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  bool runs() const { return process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == 0; }
  redis_address address() const { return {"127.0.0.1", port_, "", "", 0}; }

  /// Waits until the server answers.
  void await(const redis_address& at) const {
    for (int i = 0; i < 500; ++i) {
      REQUIRE_MESSAGE(runs(), "redis-server did not start");
      redis_store probe(at);
      if (probe.get(key_of(0)).fault.empty()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    FAIL("redis-server does not answer");
  }

 private:
  temporary_folder folder_;
  int port_;
  pid_t process_ = 0;
};

bool lacks_redis() {
  if (lacks_hiredis()) return true;
  const bool here = std::system("redis-server --version > /dev/null 2>&1") == 0;
  return lacks(need::redis, here ? "" : "there is no redis-server: install the package of that name");
}

/// Listens on a port, never answers, and counts connections.
class listener {
 public:
  explicit listener(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    const int yes = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(socket_, 16) == 0);
  }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener() { ::close(socket_); }
  int connections() const {
    int count = 0;
    for (int one = -1; (one = ::accept(socket_, nullptr, nullptr)) >= 0; ++count) ::close(one);
    return count;
  }

 private:
  int socket_;
};

}  // namespace

TEST_CASE("an address says host, port, who asks and which database") {
  const auto plain = parse_redis_address("redis://cache.example");
  REQUIRE(plain);
  CHECK(plain->host == "cache.example");
  CHECK(plain->port == 6379);
  const auto full = parse_redis_address("redis://me:se:cret@[::1]:7000/3");
  REQUIRE(full);
  CHECK(full->host == "::1");
  CHECK(full->port == 7000);
  CHECK(full->user == "me");
  CHECK(full->password == "se:cret");
  CHECK(full->database == 3);
  for (const char* wrong : {"", "redis://", "http://host", "redis://host:port", "redis://host:99999",
                            "redis://host/x", "redis://user@host"})
    CHECK_FALSE(parse_redis_address(wrong));
}

TEST_CASE("entries are kept on a Redis server and found by others") {
  if (lacks_redis()) return;
  const redis_server server(free_port());
  server.await(server.address());
  redis_store one(server.address()), other(server.address());
  CHECK_FALSE(one.get(key_of(1)).found);
  const std::string bytes = encode(entry_of(1, 100'000));
  CHECK(one.put(key_of(1), bytes).stored);
  CHECK(other.get(key_of(1)).bytes == bytes);
  CHECK_FALSE(other.get(key_of(2)).found);
}

TEST_CASE("a kernel that one machine compiled serves another through Redis") {
  if (lacks_redis()) return;
  const redis_server server(free_port());
  server.await(server.address());
  const auto ask = [&] {
    kernel_cache::layers layers;
    layers.shared = std::make_shared<redis_store>(server.address());
    kernel_cache cache(layers);
    return cache.find_or_compile({content_of(1), "kernel", 13000}, [] { return entry_of(1); }).found;
  };
  CHECK(ask() == cache_layer::compiled);
  CHECK(ask() == cache_layer::shared);
}

TEST_CASE("a server that wants a password gets it, and refuses who has none") {
  if (lacks_redis()) return;
  redis_address at{"127.0.0.1", free_port(), "", "word", 0};
  const redis_server server(at.port, "word");
  server.await(at);
  redis_store knows(at);
  CHECK(knows.put(key_of(1), "bytes").stored);
  redis_store does_not(redis_address{"127.0.0.1", at.port, "", "", 0});
  const store_answer answer = does_not.get(key_of(1));
  CHECK_FALSE(answer.found);
  CHECK_FALSE(answer.fault.empty());
}

TEST_CASE("a server that dies costs a miss, and one that is not there no wait after the first") {
  if (lacks_redis()) return;
  redis_server server(free_port());
  server.await(server.address());
  redis_store store(server.address());
  REQUIRE(store.put(key_of(1), "bytes").stored);
  server.stop();
  const store_answer answer = store.get(key_of(1));
  CHECK_FALSE(answer.found);
  CHECK_FALSE(answer.fault.empty());
  const listener instead(server.address().port);
  for (int i = 0; i < 3; ++i) REQUIRE_FALSE(store.put(key_of(i), "bytes").stored);
  CHECK(instead.connections() == 0);  // for some time no request is sent
}

TEST_CASE("the child of a fork has a connection of its own") {
  if (lacks_redis()) return;
  const redis_server server(free_port());
  server.await(server.address());
  redis_store store(server.address());
  for (int i = 0; i < 20; ++i) REQUIRE(store.put(key_of(i), std::to_string(i)).stored);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  int wrong = 0;
  for (int round = 0; round < 50; ++round)
    for (int i = 0; i < 20; ++i) wrong += store.get(key_of(i)).bytes != std::to_string(i);
  if (child == 0) ::_exit(wrong == 0 ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(wrong == 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

}  // namespace sinter::test
