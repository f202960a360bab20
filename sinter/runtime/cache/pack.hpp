#pragma once
// Packs: many entries of a cache as one file that is shipped with a program and only read there.

#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/cache/entry_store.hpp>
#include <sinter/runtime/cache/pack_signature.hpp>
#include <sinter/runtime/posix/random_access_file.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

/// Where one entry of a pack is.
struct pack_row {
  cache_key key;
  std::uint64_t offset = 0, size = 0;
  pack_digest digest{};
};

/// A pack that is open: of a file, of a part of one, or in memory. Opening reads the index and checks that it
/// is whole; an entry is read when it is asked for, in a time that hardly grows with how many there are, and
/// whoever uses it checks it as any entry. Nothing here depends on where the file lies.
class pack final : public entry_store {
 public:
  /// Opens a pack. nullptr, and why in `fault`, where it cannot be read or is damaged; and where there are
  /// `trusted` keys, if none of those has signed it: then entries, too, are checked against the signature.
  static std::shared_ptr<pack> open(const std::string& path, std::span<const pack_public_key> trusted,
                                    std::string& fault);
  /// Of a pack that is `size` bytes of a file from `offset` on.
  static std::shared_ptr<pack> open_part(const std::string& path, std::uint64_t offset, std::uint64_t size,
                                         std::span<const pack_public_key> trusted, std::string& fault);
  /// Of bytes that stay where they are.
  static std::shared_ptr<pack> open_bytes(std::string_view bytes, std::string name,
                                          std::span<const pack_public_key> trusted, std::string& fault);

  std::string name() const override { return name_; }
  store_answer get(const cache_key& key) override;
  /// Refused: a pack is never changed.
  store_answer put(const cache_key& key, std::string_view bytes) override;

  std::size_t size() const { return count_; }
  pack_row row(std::size_t index) const;
  store_answer read(const pack_row& at) const;
  /// What it has, for people: a line for each entry, in the order of the rows.
  store_answer contents() const;
  /// Has one of these keys, if there are any, be the one that signed it; as when it was opened, entries are
  /// checked against the signature from now on. Why it is not to be used, or "". Safe while others read.
  std::string trust(std::span<const pack_public_key> trusted);
  /// Who signed it, so it says; check() tells whether that is so.
  const std::optional<pack_public_key>& signed_by() const { return signer_; }
  /// Reads everything. What is wrong, or nothing.
  std::vector<std::string> check() const;

 private:
  pack() = default;
  static std::shared_ptr<pack> finish(std::shared_ptr<pack> made, std::span<const pack_public_key> trusted,
                                      std::string& fault);
  std::string read_at(std::uint64_t offset, std::uint64_t size, std::string& bytes) const;
  std::string read_head();
  std::string read_signature();

  std::string name_;
  random_access_file file_;
  std::string_view memory_;              ///< where there is no file
  std::uint64_t begin_ = 0, given_ = 0;  ///< the part of the file
  std::uint64_t length_ = 0;             ///< without the signature
  std::uint64_t contents_offset_ = 0, contents_size_ = 0;
  std::size_t count_ = 0;
  std::string head_;  ///< header and index, as they are in the file
  std::optional<pack_public_key> signer_;
  pack_signature signature_{};
  std::atomic<bool> trusted_ = false;  ///< a key that is trusted signed what is in the head
};

/// An entry without what differs from one compile to the next: times, and what the compiler had to say.
cache_entry reproducible(cache_entry entry);

/// A pack of entries: the same bytes for the same entries, in whatever order they come. Of several with one
/// key the first is taken.
std::string make_pack(std::span<const cache_entry> entries);
/// One pack of several. Of entries with one key that of the first pack is taken. Throws device_error for a
/// pack that is damaged.
std::string merge_packs(std::span<const std::shared_ptr<pack>> packs);
/// The pack, whose bytes these are, with a signature; one that it had is replaced. Throws device_error if
/// they are no pack.
std::string sign_pack(std::string_view bytes, const pack_secret_key& by);

}  // namespace sinter::runtime
