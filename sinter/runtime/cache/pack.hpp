#pragma once
// Packs: many cache entries in one read-only file that ships with a program.

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

namespace sinter::inline v0::runtime {

/// The position of one entry in a pack.
struct pack_row {
  cache_key key;
  std::uint64_t offset = 0, size = 0;
  pack_digest digest{};
};

/// An open pack: a file, a part of a file, or memory. Opening reads the index and checks it. An entry is read
/// on request, in a time almost independent of the number of entries, and its reader checks it like any
/// entry. Nothing depends on the file's location.
class pack final : public entry_store {
 public:
  /// Opens a pack. Returns nullptr, with the reason in `fault`, if it cannot be read or is damaged, or if
  /// there are `trusted` keys and none of them signed it. With trusted keys, entries are checked against the
  /// signature too.
  static std::shared_ptr<pack> open(const std::string& path, std::span<const pack_public_key> trusted,
                                    std::string& fault);
  /// A pack in `size` bytes of a file, starting at `offset`.
  static std::shared_ptr<pack> open_part(const std::string& path, std::uint64_t offset, std::uint64_t size,
                                         std::span<const pack_public_key> trusted, std::string& fault);
  /// A pack in memory that must stay valid.
  static std::shared_ptr<pack> open_bytes(std::string_view bytes, std::string name,
                                          std::span<const pack_public_key> trusted, std::string& fault);

  std::string name() const override { return name_; }
  store_answer get(const cache_key& key) override;
  /// Always fails: packs are read-only.
  store_answer put(const cache_key& key, std::string_view bytes) override;
  store_answer tunings() override;

  std::size_t size() const { return count_; }
  /// The version of the emitter that wrote all kernels, as the header says; 0 if they are of several
  /// versions, or if there are none.
  std::uint32_t emitter() const { return emitter_; }
  pack_row row(std::size_t index) const;
  store_answer read(const pack_row& at) const;
  /// A readable list of its content: one line per entry, in the order of the rows.
  store_answer contents() const;
  /// Requires one of these keys, if there are any, as the signer; entries are checked against the signature
  /// from now on. Returns the reason why the pack cannot be used, or "". Safe while others read.
  std::string trust(std::span<const pack_public_key> trusted);
  /// The signer that the pack claims; check() verifies it.
  const std::optional<pack_public_key>& signed_by() const { return signer_; }
  /// Reads and checks everything. Returns the faults.
  std::vector<std::string> check() const;

 private:
  pack() = default;
  static std::shared_ptr<pack> finish(std::shared_ptr<pack> made, std::span<const pack_public_key> trusted,
                                      std::string& fault);
  bool has_digest(std::string_view bytes, std::size_t at) const;
  std::string read_at(std::uint64_t offset, std::uint64_t size, std::string& bytes) const;
  std::string read_head();
  std::string read_signature();

  std::string name_;
  random_access_file file_;
  std::string_view memory_;              ///< used if there is no file
  std::uint64_t begin_ = 0, given_ = 0;  ///< the range in the file
  std::uint64_t length_ = 0;             ///< without the signature
  std::uint64_t contents_offset_ = 0, contents_size_ = 0, tunings_size_ = 0;
  std::size_t count_ = 0;
  std::uint32_t emitter_ = 0;
  std::string head_;  ///< header and index, as stored
  std::optional<pack_public_key> signer_;
  pack_signature signature_{};
  std::atomic<bool> trusted_ = false;  ///< a trusted key signed the header
};

/// An entry without the parts that differ between compiles: times, and the compiler's log.
cache_entry reproducible(cache_entry entry);

/// A pack of entries, and of tunings as text (tuned/tuning_file.hpp; "": none): the same bytes for the same
/// entries, in any order. Of several with one key the first is used.
std::string make_pack(std::span<const cache_entry> entries, std::string_view tunings = {});
/// Merges packs. Of entries with one key, the first pack's entry is used; tunings are united. Throws
/// device_error if a pack is damaged.
std::string merge_packs(std::span<const std::shared_ptr<pack>> packs);
/// Adds a signature to a pack's bytes, replacing an existing one. Throws device_error if they are not a pack.
std::string sign_pack(std::string_view bytes, const pack_secret_key& by);

}  // namespace sinter::inline v0::runtime
