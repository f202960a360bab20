#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <utility>
#include <vector>

#include <sinter/runtime/cache/redis_store.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr timeval patience_to_connect{0, 500'000}, patience_to_answer{2, 0};
constexpr std::chrono::seconds pause_after_failure{10};

struct release {
  void operator()(redisContext* connected) const { redisFree(connected); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using context_handle = std::unique_ptr<redisContext, release>;
using reply_handle = std::unique_ptr<redisReply, release>;

std::string name_of(const cache_key& key) { return "sinter:" + to_string(key); }

}  // namespace

std::string redis_absence_reason() { return {}; }

class redis_store::connection {
 public:
  explicit connection(const redis_address& to) : address_(to) {}

  /// Sends one command and returns its answer; nullptr with the reason on failure. Retries once if an open
  /// connection was closed.
  reply_handle ask(std::initializer_list<std::string_view> command, std::string& fault) {
    const std::lock_guard lock(guard_);
    for (const bool again : {true, false}) {
      const bool was_open = opened_ != nullptr;
      if (!open(fault)) return nullptr;
      if (reply_handle reply = send(command, fault)) return reply;
      disconnect();
      if (!was_open || !again) break;
    }
    failed_at_ = std::chrono::steady_clock::now();
    return nullptr;
  }

  /// Closes the parent's connection in the child of a fork. Another thread of the parent may have been using
  /// it at the fork, so only its socket may be touched.
  void close_in_child() {
    if (const int socket = socket_.load(std::memory_order_relaxed); socket >= 0) ::close(socket);
  }

 private:
  bool open(std::string& fault) {
    if (opened_ != nullptr) return true;
    if (failed_at_ && std::chrono::steady_clock::now() - *failed_at_ < pause_after_failure) {
      fault = last_fault_;
      return false;
    }
    opened_.reset(redisConnectWithTimeout(address_.host.c_str(), address_.port, patience_to_connect));
    if (opened_ == nullptr || opened_->err != 0) return refuse(fault);
    socket_.store(opened_->fd, std::memory_order_relaxed);
    redisSetTimeout(opened_.get(), patience_to_answer);
    if (!address_.password.empty()) {
      const reply_handle reply = address_.user.empty()
                                     ? send({"AUTH", address_.password}, fault)
                                     : send({"AUTH", address_.user, address_.password}, fault);
      if (reply == nullptr) return refuse(fault);
    }
    if (address_.database != 0 && send({"SELECT", std::to_string(address_.database)}, fault) == nullptr)
      return refuse(fault);
    failed_at_.reset();
    return true;
  }

  bool refuse(std::string& fault) {
    if (fault.empty()) fault = opened_ == nullptr ? "out of memory" : opened_->errstr;
    last_fault_ = fault;
    disconnect();
    failed_at_ = std::chrono::steady_clock::now();
    return false;
  }

  void disconnect() {
    socket_.store(-1, std::memory_order_relaxed);
    opened_.reset();
  }

  reply_handle send(std::initializer_list<std::string_view> command, std::string& fault) {
    std::vector<const char*> parts;
    std::vector<std::size_t> sizes;
    for (const std::string_view part : command) {
      parts.push_back(part.data());
      sizes.push_back(part.size());
    }
    reply_handle reply(static_cast<redisReply*>(
        redisCommandArgv(opened_.get(), static_cast<int>(parts.size()), parts.data(), sizes.data())));
    if (reply == nullptr) fault = last_fault_ = opened_->errstr;
    if (reply != nullptr && reply->type == REDIS_REPLY_ERROR) {
      fault = last_fault_ = std::string(reply->str, reply->len);
      return nullptr;
    }
    return reply;
  }

  const redis_address& address_;
  std::mutex guard_;
  context_handle opened_;
  std::atomic<int> socket_ = -1;  ///< of `opened_`, while it is certainly open
  std::optional<std::chrono::steady_clock::time_point> failed_at_;
  std::string last_fault_;
};

redis_store::redis_store(redis_address at)
    : address_(std::move(at)),
      connection_(std::make_shared<connection>(address_)),
      generation_(fork_generation()) {}
redis_store::~redis_store() {
  if (generation_ != fork_generation()) own_connection();  // the parent's connection stays open
}

std::shared_ptr<redis_store::connection> redis_store::own_connection() {
  const std::lock_guard lock(guard_);
  if (generation_ != fork_generation()) {
    generation_ = fork_generation();
    connection_->close_in_child();
    new std::shared_ptr<connection>(
        std::move(connection_));  // never destroyed: another thread may hold its lock
    connection_ = std::make_shared<connection>(address_);
  }
  return connection_;
}

std::string redis_store::name() const { return fmt::format("redis://{}:{}", address_.host, address_.port); }

store_answer redis_store::get(const cache_key& key) {
  store_answer answer;
  const reply_handle reply = own_connection()->ask({"GET", name_of(key)}, answer.fault);
  if (reply == nullptr || reply->type != REDIS_REPLY_STRING) return answer;
  answer.found = true;
  answer.fault.clear();
  answer.bytes.assign(reply->str, reply->len);
  return answer;
}

store_answer redis_store::put(const cache_key& key, std::string_view bytes) {
  store_answer answer;
  answer.stored = own_connection()->ask({"SET", name_of(key), bytes}, answer.fault) != nullptr;
  if (answer.stored) answer.fault.clear();
  return answer;
}

}  // namespace sinter::inline v0::runtime
