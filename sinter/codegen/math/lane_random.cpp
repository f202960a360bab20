// Philox4x32-10 for lanes side by side: one block for each distinct counter of them, where they are near each
// other. Blocks are computed as lanes of vectors of their own, a fourth as many.

#include <sinter/codegen/math/lane_text.hpp>

namespace sinter::inline v0::codegen {
namespace {

// LANES, SUFFIX, WORDS, LONGS, INLINE: see below. Words of the blocks lie in memory, from which lanes take
// theirs.
constexpr std::string_view blocks_text =
    R"(typedef unsigned long long blocks_SUFFIX __attribute__((vector_size(2 * LANES)));
typedef unsigned long long block_pairs_SUFFIX __attribute__((vector_size(4 * LANES), may_alias, aligned(4)));
INLINEvoid philox_blocks_SUFFIX(unsigned long long first, unsigned long long seed, unsigned long long sequence, unsigned int* words) {
  blocks_SUFFIX a;
#pragma clang loop unroll(full)
  for (int e = 0; e < LANES / 4; ++e) a[e] = first + (unsigned long long)e;
  blocks_SUFFIX b = a >> 32, c, d;
#pragma clang loop unroll(full)
  for (int e = 0; e < LANES / 4; ++e) {
    c[e] = sequence & 0xffffffff;
    d[e] = sequence >> 32;
  }
  unsigned int k = (unsigned int)seed, l = (unsigned int)(seed >> 32);
#pragma clang loop unroll(full)
  for (int round = 0; round < 10; ++round) {
    const blocks_SUFFIX p = (a & 0xffffffff) * 0xD2511F53ull, q = (c & 0xffffffff) * 0xCD9E8D57ull;
    a = (q >> 32) ^ b ^ (unsigned long long)k;
    b = q;
    c = (p >> 32) ^ d ^ (unsigned long long)l;
    d = p;
    k += 0x9E3779B9u;
    l += 0xBB67AE85u;
  }
  const blocks_SUFFIX low = (a & 0xffffffff) | b << 32, high = (c & 0xffffffff) | d << 32;
  block_pairs_SUFFIX all;
#pragma clang loop unroll(full)
  for (int e = 0; e < LANES / 4; ++e) {
    all[2 * e] = low[e];
    all[2 * e + 1] = high[e];
  }
  *(block_pairs_SUFFIX*)words = all;
}
)";

constexpr std::string_view lanes_text =
    R"(static __attribute__((noinline)) void philox_block_SUFFIX(unsigned long long block, unsigned long long seed, unsigned long long sequence, unsigned int* words) {
  unsigned int a = (unsigned int)block, b = (unsigned int)(block >> 32), c = (unsigned int)sequence, d = (unsigned int)(sequence >> 32);
  unsigned int k = (unsigned int)seed, l = (unsigned int)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    philox_round_u32(a, b, c, d, k, l);
    k += 0x9E3779B9u;
    l += 0xBB67AE85u;
  }
  words[0] = a;
  words[1] = b;
  words[2] = c;
  words[3] = d;
}
static __attribute__((noinline)) WORDS random_word_far_SUFFIX(LONGS index, LONGS seed, LONGS sequence) {
  WORDS all;
#pragma clang loop unroll(disable)
  for (int e = 0; e < LANES; ++e) all[e] = random_word_u64(index[e], seed[e], sequence[e]);
  return all;
}
INLINEWORDS random_word_u64_SUFFIX(LONGS index, LONGS seed, LONGS sequence) {
  LONGS step;
#pragma clang loop unroll(full)
  for (int e = 0; e < LANES; ++e) step[e] = (unsigned long long)e;
  const unsigned long long first = index[0] & ~3ull, from = index[0] & 3ull;
  const LONGS start = index - step;
  const bool one_stream = __builtin_reduce_or((seed ^ seed[0]) | (sequence ^ sequence[0])) == 0;
  const bool in_order = __builtin_reduce_or(start ^ start[0]) == 0;
  alignas(64) unsigned int words[2 * LANES];
  WORDS all;
  if (one_stream && in_order) {
    philox_blocks_SUFFIX(first >> 2, seed[0], sequence[0], words);
    if (from == 0) return *(const WORDS_at*)words;
    philox_block_SUFFIX((first >> 2) + LANES / 4, seed[0], sequence[0], words + LANES);
    return *(const WORDS_at*)&words[from];
  }
  const LONGS offset = index - first;
  const unsigned long long reach = __builtin_reduce_or(offset);
  if (!one_stream || reach >= 2 * LANES) return random_word_far_SUFFIX(index, seed, sequence);
  philox_blocks_SUFFIX(first >> 2, seed[0], sequence[0], words);
  if (reach >= LANES) philox_blocks_SUFFIX((first >> 2) + LANES / 4, seed[0], sequence[0], words + LANES);
  if (__builtin_reduce_or((offset - from) ^ (step & ~1ull)) == 0) {
    const unsigned int* const at = words + from;
#pragma clang loop unroll(full)
    for (int e = 0; e < LANES; ++e) all[e] = at[e & ~1];
    return all;
  }
  if (__builtin_reduce_or((offset - from) ^ step * 2) == 0) {
    const unsigned int* const at = words + from;
#pragma clang loop unroll(full)
    for (int e = 0; e < LANES; ++e) all[e] = at[2 * e];
    return all;
  }
#pragma clang loop unroll(full)
  for (int e = 0; e < LANES; ++e) all[e] = words[offset[e]];
  return all;
}
)";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::string lane_translator::made_by_blocks() {
  scalar_functions_.emplace_back("random_word_u64");
  std::string text = std::string(blocks_text) + std::string(lanes_text);
  replace_all(text, "SUFFIX", suffix_);
  replace_all(text, "WORDS", use_type({'u', 4}));
  replace_all(text, "LONGS", use_type({'u', 8}));
  replace_all(text, "INLINE", device_function_prefix(text_target::cpu));
  replace_all(text, "LANES", lanes_);
  return text;
}

}  // namespace sinter::inline v0::codegen
