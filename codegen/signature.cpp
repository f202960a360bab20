#include <sinter/codegen/choose.hpp>
#include <sinter/codegen/signature.hpp>

#include <cstring>

namespace sinter {
namespace {

void append(std::string& bytes, std::uint64_t value) {
  char raw[8];
  std::memcpy(raw, &value, sizeof raw);
  bytes.append(raw, sizeof raw);
}

/// What is linked takes part by its content; what is called through an address, which is an argument, does
/// not.
void append_external(std::string& bytes, const instruction& at, const target_facts& target,
                     const external_function& called) {
  std::uint64_t types = static_cast<std::uint64_t>(called.result);
  types |= static_cast<std::uint64_t>(called.arity) << 8;
  for (unsigned i = 0; i < called.arity; ++i)
    types |= static_cast<std::uint64_t>(called.arguments[i]) << (16 + 8 * i);
  const bool by_pointer = at.by_pointer && target.kind == target_kind::host;
  append(bytes, types | static_cast<std::uint64_t>(by_pointer) << 48);
  append(bytes, called.name.size());
  bytes += called.name;
  if (by_pointer) return;
  const bool cuda = target.kind == target_kind::cuda;
  for (const std::uint64_t word : cuda ? called.cuda_content : called.host_content) append(bytes, word);
}

}  // namespace

void write_signature(const nest& body, std::span<const external_function* const> externals,
                     const schedule& chosen, bool argument_block, const launch_overlap& overlap,
                     const target_facts& target, arithmetic_mode mode, std::string_view name,
                     std::string& bytes) {
  bytes.clear();
  append(bytes, static_cast<std::uint64_t>(emitter_version));
  append(bytes,
         static_cast<std::uint64_t>(target.kind) | static_cast<std::uint64_t>(target.architecture) << 8 |
             static_cast<std::uint64_t>(mode) << 40 | static_cast<std::uint64_t>(argument_block) << 48 |
             static_cast<std::uint64_t>(overlap.waits) << 49 |
             static_cast<std::uint64_t>(overlap.releases) << 50);
  append(bytes, static_cast<std::uint64_t>(chosen.order) | static_cast<std::uint64_t>(chosen.streaming) << 8 |
                    static_cast<std::uint64_t>(chosen.whole_rows) << 9 |
                    static_cast<std::uint64_t>(chosen.staged) << 10 |
                    static_cast<std::uint64_t>(chosen.tile) << 16 |
                    static_cast<std::uint64_t>(chosen.vector) << 32 |
                    static_cast<std::uint64_t>(chosen.steps) << 48);
  append(bytes, static_cast<std::uint64_t>(chosen.rows_per_thread) |
                    static_cast<std::uint64_t>(chosen.threads_along) << 16 |
                    static_cast<std::uint64_t>(chosen.threads_across) << 32 |
                    static_cast<std::uint64_t>(body.rank) << 48);
  append(bytes, body.accesses.size() | static_cast<std::uint64_t>(body.body.size()) << 32);
  append(bytes, body.reduced | static_cast<std::uint64_t>(body.phases) << 32 |
                    static_cast<std::uint64_t>(body.split + 1) << 48 |
                    static_cast<std::uint64_t>(chosen.kept) << 56 |
                    static_cast<std::uint64_t>(chosen.scalar_loads) << 57);
  append(bytes, chosen.cluster | static_cast<std::uint64_t>(chosen.shared_steps) << 16);
  for (const access& at : body.accesses) {
    std::uint64_t patterns = 0;
    for (unsigned axis = 0; axis < body.rank; ++axis)
      patterns |= static_cast<std::uint64_t>(at.pattern(axis)) << (2 * axis);
    append(bytes, static_cast<std::uint64_t>(at.what) | static_cast<std::uint64_t>(at.type) << 8 |
                      static_cast<std::uint64_t>(is_linear(at, body)) << 16 | patterns << 24);
    append(bytes, at.group | static_cast<std::uint64_t>(at.base) << 32);
    append(bytes, at.shift | static_cast<std::uint64_t>(at.row_shift) << 16);
  }
  for (const instruction& at : body.body) {
    append(bytes,
           static_cast<std::uint64_t>(at.op) | static_cast<std::uint64_t>(at.type) << 8 |
               static_cast<std::uint64_t>(at.compute) << 16 | static_cast<std::uint64_t>(at.arity) << 24 |
               static_cast<std::uint64_t>(at.fused) << 32 | static_cast<std::uint64_t>(at.per_element) << 40 |
               static_cast<std::uint64_t>(at.phase) << 48 | static_cast<std::uint64_t>(at.negated) << 33 |
               static_cast<std::uint64_t>(at.exclusive) << 34);
    for (unsigned a = 0; a < at.arity; ++a) append(bytes, at.arguments[a]);
    append(bytes, at.payload);
    if (at.op == operation::external) append_external(bytes, at, target, *externals[at.payload]);
  }
  append(bytes, body.stores.size());
  for (const store& at : body.stores) append(bytes, at.value | static_cast<std::uint64_t>(at.target) << 32);
  bytes += name;
}

std::string signature_for(std::string_view signature, int architecture) {
  constexpr std::size_t target_word = 8;
  constexpr std::uint64_t bits_of_architecture = std::uint64_t{0xffffffff} << 8;
  std::string other(signature);
  std::uint64_t word = 0;
  std::memcpy(&word, other.data() + target_word, sizeof word);
  word = (word & ~bits_of_architecture) | static_cast<std::uint64_t>(architecture) << 8;
  std::memcpy(other.data() + target_word, &word, sizeof word);
  return other;
}

std::string signature_without_name(std::string_view signature, std::string_view name) {
  return std::string(signature.substr(0, signature.size() - name.size()));
}

}  // namespace sinter
