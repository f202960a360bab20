#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/cache/directory_store.hpp>
#include <sinter/runtime/cache/entry.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr const char* lock_file = "locks";

std::string shard_of(const cache_key& key) { return to_string(key).substr(0, 2); }
std::string file_of(const cache_key& key) {
  const std::string name = to_string(key);
  return name.substr(0, 2) + "/" + name;
}

file_answer publish(const folder& in, const std::string& file, std::string_view bytes,
                    std::uint64_t capacity) {
  unpublished_file temporary;
  const file_answer room = make_room(in, file, bytes.size(), capacity, temporary);
  return room ? temporary.publish(bytes) : room;
}

}  // namespace

directory_store::directory_store(std::string path, folder_access access, std::uint64_t capacity)
    : path_(std::move(path)), access_(access), capacity_(capacity) {}

std::string directory_store::name() const {
  return (access_ == folder_access::own ? "cache directory " : "shared cache directory ") + path_;
}

std::shared_ptr<const folder> directory_store::opened(bool create, std::string& fault) {
  {
    const std::lock_guard lock(guard_);
    if (folder_) return folder_;
  }
  // without the lock: a file system may be slow, and a fork waits for the lock
  folder made;
  const file_answer answer = folder::open(path_, access_, create, made);
  if (!answer) {
    if (create || !answer.missing()) fault = answer.describe(path_);
    return nullptr;
  }
  auto kept = std::make_shared<const folder>(std::move(made));
  const std::lock_guard lock(guard_);
  if (!folder_) folder_ = std::move(kept);
  return folder_;
}

std::shared_ptr<const folder> directory_store::reopened(bool create, std::string& fault) {
  {
    const std::lock_guard lock(guard_);
    folder_.reset();
  }
  return opened(create, fault);
}

store_answer directory_store::get(const cache_key& key) {
  store_answer answer;
  std::shared_ptr<const folder> in = opened(false, answer.fault);
  if (in == nullptr) return answer;
  const std::string file = file_of(key);
  file_facts facts;
  file_answer read = in->read(file, largest_entry, answer.bytes, facts);
  // another process may have removed and recreated the whole directory
  if (read.missing() && !in->is_at(path_)) {
    if (in = reopened(false, answer.fault); in == nullptr) return answer;
    read = in->read(file, largest_entry, answer.bytes, facts);
  }
  if (!read) {
    if (!read.missing()) answer.fault = read.describe(path_ + "/" + file);
    return answer;
  }
  answer.found = true;
  if (std::abs(std::time(nullptr) - facts.modified) > seconds_between_touches) in->touch(file);
  return answer;
}

store_answer directory_store::put(const cache_key& key, std::string_view bytes) {
  store_answer answer;
  if (bytes.size() > largest_entry || bytes.size() > capacity_) {
    answer.fault = name() + " has no room for an entry of " + std::to_string(bytes.size()) +
                   " bytes: its bound is " + std::to_string(capacity_);
    return answer;
  }
  std::shared_ptr<const folder> in = opened(true, answer.fault);
  if (in == nullptr) return answer;
  const std::string file = file_of(key);
  file_answer published = publish(*in, file, bytes, capacity_);
  // another process removed the whole directory
  if (!published && published.missing() && !in->is_at(path_)) {
    if (in = reopened(true, answer.fault); in == nullptr) return answer;
    published = publish(*in, file, bytes, capacity_);
  }
  answer.stored = static_cast<bool>(published);
  if (!published) answer.fault = published.describe(path_);
  return answer;
}

file_answer directory_store::lock(const cache_key& key, const lock_wait& wait, byte_lock& to) {
  std::string fault;
  const std::shared_ptr<const folder> in = opened(true, fault);
  if (in == nullptr) return {ENOENT, "opening"};
  return byte_lock::acquire(*in, lock_file, key.low, wait, to);
}

std::vector<cache_key> directory_store::relatives(const cache_key& key) {
  std::vector<cache_key> found;
  std::string fault;
  if (const std::shared_ptr<const folder> in = opened(false, fault)) {
    std::vector<file_facts> files;
    in->list(shard_of(key), files);
    for (const file_facts& file : files)
      if (const auto other = parse_key(file.name); other && other->identity == key.identity && *other != key)
        found.push_back(*other);
  }
  return found;
}

std::vector<directory_store::listed> directory_store::list() {
  std::vector<listed> all;
  std::string fault;
  const std::shared_ptr<const folder> in = opened(false, fault);
  if (in == nullptr) return all;
  for (const std::string& shard : in->folders()) {
    std::vector<file_facts> files;
    in->list(shard, files);
    for (file_facts& file : files)
      if (const auto key = parse_key(file.name)) all.push_back({*key, std::move(file)});
  }
  return all;
}

file_answer directory_store::remove(const cache_key& key) {
  std::string fault;
  const std::shared_ptr<const folder> in = opened(false, fault);
  if (in == nullptr) return {ENOENT, "opening"};
  return in->remove(file_of(key));
}

usage_scan directory_store::prune(std::uint64_t bytes) {
  std::string fault;
  const std::shared_ptr<const folder> in = opened(false, fault);
  if (in == nullptr) return {};
  return remove_least_recently_used(*in, bytes, bytes);
}

}  // namespace sinter::inline v0::runtime
