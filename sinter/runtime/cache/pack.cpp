#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {
namespace {

// Header: magic, version of the format, version of the emitter (0: several, or no entries); length without
// the signature, number of entries, offset, size and digest of the list of contents, size and digest of the
// tunings; the index, one row per entry, ascending; xxHash3-128 of the header so far. Then the entries in the
// order of the index, the list of contents, the tunings, and xxHash3-128 of everything before. A signature
// may follow: magic, public key, Ed25519 of the header, which contains a digest of everything else.
constexpr std::string_view magic("sintpk\x1a\n", 8), signature_magic("sintsg\x1a\n", 8);
constexpr std::uint32_t format_version = 3;
constexpr std::size_t row_bytes = 72;
constexpr std::size_t contents_digest_at = 8 + 2 * sizeof(std::uint32_t) + 4 * sizeof(std::uint64_t),
                      tunings_digest_at = contents_digest_at + sizeof(pack_digest) + sizeof(std::uint64_t),
                      header_bytes = tunings_digest_at + sizeof(pack_digest);
constexpr std::size_t signature_bytes = 8 + sizeof(pack_public_key) + sizeof(pack_signature);
constexpr std::uint64_t max_entries = std::uint64_t{1} << 32;

template <std::size_t Bytes>
void put_array(byte_writer& to, const std::array<std::uint8_t, Bytes>& from) {
  to.bytes.append(reinterpret_cast<const char*>(from.data()), from.size());
}

template <std::size_t Bytes>
void take_array(std::string_view from, std::array<std::uint8_t, Bytes>& to) {
  from.copy(reinterpret_cast<char*>(to.data()), to.size());
}

/// A prefix that keeps a pack's signature from being valid for anything else.
std::string signed_message(std::string_view head) { return "sinter pack\n" + std::string(head); }

std::string target_of(const cache_entry& entry) {
  const std::optional<key_parts> parts = parts_of(entry.key_content);
  if (!parts) return "?";
  return parts->target.starts_with("cpu ") ? "cpu" : std::string(parts->target);
}

std::string line_of(const cache_key& key, const cache_entry& entry) {
  std::string images;
  for (const code_image& each : entry.images) {
    if (!images.empty()) images += ", ";
    images += to_string(each.format);
    if (each.architecture != 0) images += fmt::format(" {}", each.architecture);
    images += fmt::format(" {} bytes", each.bytes.size());
  }
  return fmt::format("{}  {}  {}  {}  {}  {}\n", to_string(key), entry.kernel, target_of(entry),
                     entry.compiler, entry.schedule, images);
}

struct packed_entry {
  std::string bytes, line;
  std::uint32_t emitter = 0;
};

std::uint32_t emitter_of(const cache_entry& entry) {
  const std::optional<key_parts> parts = parts_of(entry.key_content);
  return parts ? static_cast<std::uint32_t>(emitter_of(*parts)) : 0;
}

packed_entry packed(std::string bytes, const cache_key& key, const cache_entry& entry) {
  return {std::move(bytes), line_of(key, entry), emitter_of(entry)};
}

/// The version of a pack's emitter, of those of its entries.
std::uint32_t common_emitter(const std::set<std::uint32_t>& emitters) {
  return emitters.size() == 1 ? *emitters.begin() : 0;
}

std::string write(const std::map<cache_key, packed_entry>& entries, std::string_view tunings) {
  std::string contents;
  std::set<std::uint32_t> emitters;
  for (const auto& [key, entry] : entries) {
    contents += entry.line;
    emitters.insert(entry.emitter);
  }
  byte_writer all;
  const std::uint64_t first = header_bytes + entries.size() * row_bytes + checksum_bytes;
  std::uint64_t end = first;
  for (const auto& [key, entry] : entries) end += entry.bytes.size();
  all.bytes = magic;
  all.put(format_version);
  all.put(common_emitter(emitters));
  all.put(end + contents.size() + tunings.size() + checksum_bytes);
  all.put(static_cast<std::uint64_t>(entries.size()));
  all.put(end);
  all.put(static_cast<std::uint64_t>(contents.size()));
  put_array(all, digest_of(contents));
  all.put(static_cast<std::uint64_t>(tunings.size()));
  put_array(all, digest_of(tunings));
  std::uint64_t offset = first;
  for (const auto& [key, entry] : entries) {
    for (const std::uint64_t word :
         {key.identity, key.high, key.low, offset, static_cast<std::uint64_t>(entry.bytes.size())})
      all.put(word);
    put_array(all, digest_of(entry.bytes));
    offset += entry.bytes.size();
  }
  put_checksum(all);
  all.bytes.reserve(static_cast<std::size_t>(end) + contents.size() + tunings.size() + checksum_bytes);
  for (const auto& [key, entry] : entries) all.bytes += entry.bytes;
  all.bytes += contents;
  all.bytes += tunings;
  put_checksum(all);
  return std::move(all.bytes);
}

}  // namespace

// ---- opening ----

std::shared_ptr<pack> pack::open(const std::string& path, std::span<const pack_public_key> trusted,
                                 std::string& fault) {
  const std::shared_ptr<pack> made(new pack);
  made->name_ = "pack " + path;
  if (fault = made->file_.open(path); !fault.empty()) return nullptr;
  made->given_ = made->file_.size();
  return finish(made, trusted, fault);
}

std::shared_ptr<pack> pack::open_part(const std::string& path, std::uint64_t offset, std::uint64_t size,
                                      std::span<const pack_public_key> trusted, std::string& fault) {
  const std::shared_ptr<pack> made(new pack);
  made->name_ = "pack in " + path;
  if (fault = made->file_.open(path); !fault.empty()) return nullptr;
  made->begin_ = offset;
  made->given_ = size;
  return finish(made, trusted, fault);
}

std::shared_ptr<pack> pack::open_bytes(std::string_view bytes, std::string name,
                                       std::span<const pack_public_key> trusted, std::string& fault) {
  const std::shared_ptr<pack> made(new pack);
  made->name_ = std::move(name);
  made->memory_ = bytes;
  made->given_ = bytes.size();
  return finish(made, trusted, fault);
}

std::shared_ptr<pack> pack::finish(std::shared_ptr<pack> made, std::span<const pack_public_key> trusted,
                                   std::string& fault) {
  fault = made->read_head();
  if (fault.empty()) fault = made->read_signature();
  if (fault.empty()) fault = made->trust(trusted);
  return fault.empty() ? std::move(made) : nullptr;
}

std::string pack::read_at(std::uint64_t offset, std::uint64_t size, std::string& bytes) const {
  if (offset > given_ || size > given_ - offset) return "it was cut short";
  if (file_) return file_.read(begin_ + offset, size, bytes);
  bytes = memory_.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  return {};
}

std::string pack::read_head() {
  std::string header;
  if (given_ < header_bytes) return "it is no pack";
  if (std::string reason = read_at(0, header_bytes, header); !reason.empty()) return reason;
  if (!header.starts_with(magic)) return "it is no pack";
  byte_reader from(std::string_view(header).substr(magic.size()));
  if (const auto version = from.take<std::uint32_t>(); version != format_version)
    return fmt::format(
        "it is a pack of format {}, and this version of Sinter reads format {}: build it again", version,
        format_version);
  emitter_ = from.take<std::uint32_t>();
  length_ = from.take<std::uint64_t>();
  const auto count = from.take<std::uint64_t>();
  contents_offset_ = from.take<std::uint64_t>();
  contents_size_ = from.take<std::uint64_t>();
  tunings_size_ = byte_reader(std::string_view(header).substr(tunings_digest_at - sizeof(std::uint64_t)))
                      .take<std::uint64_t>();
  if (length_ != given_ && length_ + signature_bytes != given_)
    return fmt::format("it has {} bytes and says {}: it was cut short, or something was added", given_,
                       length_);
  // these sums cannot wrap: every term is below the given length
  if (count > max_entries || count * row_bytes > given_) return "its header is damaged";
  const std::uint64_t first = header_bytes + count * row_bytes + checksum_bytes;
  if (contents_offset_ > given_ || contents_size_ > given_ || tunings_size_ > given_ ||
      first > contents_offset_ ||
      contents_offset_ + contents_size_ + tunings_size_ + checksum_bytes != length_)
    return "its header is damaged";
  std::string checksum;
  if (std::string reason = read_at(0, first - checksum_bytes, head_); !reason.empty()) return reason;
  if (std::string reason = read_at(first - checksum_bytes, checksum_bytes, checksum); !reason.empty())
    return reason;
  if (!is_checksum(checksum, head_)) return "its index is damaged";
  count_ = static_cast<std::size_t>(count);
  std::uint64_t offset = first;
  for (std::size_t i = 0; i < count_; ++i) {
    const pack_row at = row(i);
    if (at.offset != offset || at.size > contents_offset_ - offset || (i > 0 && row(i - 1).key >= at.key))
      return "its index is damaged";
    offset += at.size;
  }
  return offset == contents_offset_ ? std::string() : "its index is damaged";
}

std::string pack::read_signature() {
  if (given_ != length_) {
    std::string block;
    if (std::string reason = read_at(length_, signature_bytes, block); !reason.empty()) return reason;
    if (!block.starts_with(signature_magic)) return "what follows it is no signature";
    take_array(std::string_view(block).substr(signature_magic.size()), signer_.emplace().bytes);
    take_array(std::string_view(block).substr(signature_magic.size() + sizeof(pack_public_key)), signature_);
  }
  return {};
}

std::string pack::trust(std::span<const pack_public_key> trusted) {
  if (trusted.empty()) return {};
  if (!signer_) return "it is not signed, and only packs signed by a key that is trusted are used";
  if (std::find(trusted.begin(), trusted.end(), *signer_) == trusted.end())
    return fmt::format("it is signed by {}, which is not a key that is trusted", to_string(*signer_));
  if (!is_signature(signature_, signed_message(head_), *signer_)) return "its signature is not right";
  trusted_ = true;
  return {};
}

// ---- reading ----

pack_row pack::row(std::size_t index) const {
  const std::string_view raw = std::string_view(head_).substr(header_bytes + index * row_bytes, row_bytes);
  byte_reader from(raw);
  pack_row made;
  for (std::uint64_t* word : {&made.key.identity, &made.key.high, &made.key.low, &made.offset, &made.size})
    *word = from.take<std::uint64_t>();
  take_array(raw.substr(row_bytes - sizeof made.digest), made.digest);
  return made;
}

store_answer pack::get(const cache_key& key) {
  std::size_t low = 0, high = count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (row(middle).key < key)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == count_) return {};
  const pack_row at = row(low);
  return at.key == key ? read(at) : store_answer();
}

store_answer pack::read(const pack_row& at) const {
  store_answer answer;
  answer.fault = read_at(at.offset, at.size, answer.bytes);
  if (answer.fault.empty() && trusted_ && digest_of(answer.bytes) != at.digest)
    answer.fault = "an entry is not what was signed";
  answer.found = answer.fault.empty();
  if (!answer.found) answer.bytes.clear();
  return answer;
}

store_answer pack::put(const cache_key&, std::string_view) {
  store_answer answer;
  answer.fault = "a pack is never changed";
  return answer;
}

store_answer pack::contents() const {
  store_answer answer;
  answer.fault = read_at(contents_offset_, contents_size_, answer.bytes);
  answer.found = answer.fault.empty();
  return answer;
}

store_answer pack::tunings() {
  store_answer answer;
  if (tunings_size_ == 0) return answer;
  answer.fault = read_at(contents_offset_ + contents_size_, tunings_size_, answer.bytes);
  if (answer.fault.empty() && !has_digest(answer.bytes, tunings_digest_at))
    answer.fault = "its tunings are damaged";
  answer.found = answer.fault.empty();
  if (!answer.found) answer.bytes.clear();
  return answer;
}

bool pack::has_digest(std::string_view bytes, std::size_t at) const {
  return std::memcmp(digest_of(bytes).data(), head_.data() + at, sizeof(pack_digest)) == 0;
}

std::vector<std::string> pack::check() const {
  std::vector<std::string> faults;
  std::string all, contents;
  std::set<std::uint32_t> emitters;
  if (std::string reason = read_at(0, length_, all); !reason.empty()) return {reason};
  if (!has_checksum(all)) faults.emplace_back("its checksum does not fit");
  for (std::size_t i = 0; i < count_; ++i) {
    const pack_row at = row(i);
    const std::string_view bytes =
        std::string_view(all).substr(static_cast<std::size_t>(at.offset), static_cast<std::size_t>(at.size));
    cache_entry entry;
    const entry_fault fault = decode(bytes, "", entry);
    if (fault != entry_fault::none)
      faults.push_back(fmt::format("entry {}: {}", to_string(at.key), describe(fault)));
    else if (key_of(entry.key_content) != at.key)
      faults.push_back(fmt::format("entry {}: {}", to_string(at.key), describe(entry_fault::other_key)));
    else if (digest_of(bytes) != at.digest)
      faults.push_back(fmt::format("entry {}: its digest does not fit", to_string(at.key)));
    contents += line_of(at.key, entry);
    emitters.insert(emitter_of(entry));
  }
  if (common_emitter(emitters) != emitter_)
    faults.emplace_back("its header names another emitter version than its entries");
  if (std::string_view(all).substr(static_cast<std::size_t>(contents_offset_),
                                   static_cast<std::size_t>(contents_size_)) != contents ||
      !has_digest(contents, contents_digest_at))
    faults.emplace_back("its list of contents is not that of its entries");
  if (!has_digest(std::string_view(all).substr(static_cast<std::size_t>(contents_offset_ + contents_size_),
                                               static_cast<std::size_t>(tunings_size_)),
                  tunings_digest_at))
    faults.emplace_back("its tunings are damaged");
  if (signer_ && !is_signature(signature_, signed_message(head_), *signer_))
    faults.push_back(fmt::format("the signature of {} is not right", to_string(*signer_)));
  return faults;
}

// ---- making ----

cache_entry reproducible(cache_entry entry) {
  entry.compile_milliseconds = 0;
  entry.log.clear();
  return entry;
}

std::string make_pack(std::span<const cache_entry> entries, std::string_view tunings) {
  std::map<cache_key, packed_entry> sorted;
  for (const cache_entry& each : entries) {
    const cache_key key = key_of(each.key_content);
    if (!sorted.contains(key)) sorted[key] = packed(encode(reproducible(each)), key, each);
  }
  return write(sorted, tunings);
}

namespace {

/// The lines of a pack's tunings that are new: the union of the lines of two is what both say.
void add_lines(std::string_view text, std::set<std::string, std::less<>>& known, std::string& to) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (known.emplace(text.substr(0, end)).second) to.append(text.substr(0, end)) += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string merge_packs(std::span<const std::shared_ptr<pack>> packs) {
  std::map<cache_key, packed_entry> sorted;
  std::set<std::string, std::less<>> lines;
  std::string tunings;
  for (const std::shared_ptr<pack>& from : packs) {
    const store_answer tuned = from->tunings();
    if (!tuned.fault.empty())
      throw device_error(fmt::format("{} cannot be merged: {}", from->name(), tuned.fault));
    add_lines(tuned.bytes, lines, tunings);
    for (std::size_t i = 0; i < from->size(); ++i) {
      const pack_row at = from->row(i);
      if (sorted.contains(at.key)) continue;
      store_answer answer = from->read(at);
      cache_entry entry;
      const entry_fault fault = answer.found ? decode(answer.bytes, "", entry) : entry_fault::none;
      if (!answer.found || fault != entry_fault::none || key_of(entry.key_content) != at.key)
        throw device_error(fmt::format("{} cannot be merged, its entry {} is damaged: {}", from->name(),
                                       to_string(at.key),
                                       answer.found ? describe(fault) : answer.fault.c_str()));
      sorted[at.key] = packed(std::move(answer.bytes), at.key, entry);
    }
  }
  return write(sorted, tunings);
}

std::string sign_pack(std::string_view bytes, const pack_secret_key& by) {
  std::string fault;
  if (pack::open_bytes(bytes, "pack", {}, fault) == nullptr)
    throw device_error("this cannot be signed: " + fault);
  byte_reader from(bytes.substr(magic.size() + 2 * sizeof(std::uint32_t)));
  const auto length = static_cast<std::size_t>(from.take<std::uint64_t>());
  const std::shared_ptr<pack> whole = pack::open_bytes(bytes.substr(0, length), "pack", {}, fault);
  if (whole == nullptr) throw device_error("this cannot be signed: " + fault);
  if (const std::vector<std::string> faults = whole->check(); !faults.empty())
    throw device_error("a pack that is damaged is not signed: " + faults.front());
  byte_writer made;
  made.bytes = bytes.substr(0, length);
  const std::size_t head = header_bytes + whole->size() * row_bytes;
  const pack_signature signature = sign(signed_message(bytes.substr(0, head)), by);
  made.bytes += signature_magic;
  put_array(made, public_key_of(by).bytes);
  put_array(made, signature);
  return std::move(made.bytes);
}

}  // namespace sinter::inline v0::runtime
