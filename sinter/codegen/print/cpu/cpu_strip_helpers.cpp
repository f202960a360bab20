// Whole strips of contiguous elements are transposed in registers:
// - rows of 2 to 4 elements that lie beside each other are as many vectors of eight, which are zipped
// - rows of 5 to 7 elements are moved as eight, with the first ones of the next row
// - longer rows are moved by square blocks, the last of which may overlap the one before. A block has eight
//   elements a side, or four of eight bytes each: registers of 32 bytes hold no more
// All other strips are moved element by element.

#include <sinter/codegen/print/cpu/cpu_strip_helpers.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view eights =
    R"(template <class T> using eight_of __attribute__((ext_vector_type(8))) = T;
template <class T> struct __attribute__((packed, may_alias)) unaligned_eight { eight_of<T> value; };
template <class T> static inline __attribute__((always_inline)) eight_of<T> load_eight(const T* from) { return ((const unaligned_eight<T>*)from)->value; }
template <class T> static inline __attribute__((always_inline)) void store_eight(T* to, eight_of<T> value) { ((unaligned_eight<T>*)to)->value = value; }
template <class T> static inline __attribute__((always_inline)) void transposed(eight_of<T>* a) {
  eight_of<T> b[8];
  for (int i = 0; i < 8; i += 2) {
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += i % 4 == 0 ? 1 : 3) {
    a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    a[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < 8; ++i) a[i] = b[i];
}
)";

constexpr std::string_view blocks =
    R"(template <class T> using block_row __attribute__((ext_vector_type(sizeof(T) == 8 ? 4 : 8))) = T;
template <class T> struct __attribute__((packed, may_alias)) unaligned_row { block_row<T> value; };
template <class T> static inline __attribute__((always_inline)) void transpose_block(block_row<T>* a) {
  if constexpr (sizeof(T) == 8) {
    block_row<T> b[4];
    for (int i = 0; i < 2; ++i) {
      b[2 * i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 0, 4, 2, 6);
      b[2 * i + 1] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 1, 5, 3, 7);
    }
    for (int i = 0; i < 2; ++i) {
      a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 4, 5);
      a[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 6, 7);
    }
  } else {
    transposed<T>(a);
  }
}
)";

constexpr std::string_view unzip =
    R"(template <int length, class T> static inline __attribute__((always_inline)) void unzip(eight_of<T>* a) {
  if constexpr (length == 3) {
    const eight_of<T> x = a[0], y = a[1], z = a[2];
    a[0] = __builtin_shufflevector(__builtin_shufflevector(x, y, 0, 3, 6, 9, 12, 15, -1, -1), z, 0, 1, 2, 3, 4, 5, 10, 13);
    a[1] = __builtin_shufflevector(__builtin_shufflevector(x, y, 1, 4, 7, 10, 13, -1, -1, -1), z, 0, 1, 2, 3, 4, 8, 11, 14);
    a[2] = __builtin_shufflevector(__builtin_shufflevector(x, y, 2, 5, 8, 11, 14, -1, -1, -1), z, 0, 1, 2, 3, 4, 9, 12, 15);
  } else {
    for (int half = 1; half < length; half *= 2)
      for (int i = 0; i < length; i += 2) {
        const eight_of<T> x = a[i], y = a[i + 1];
        a[i] = __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14);
        a[i + 1] = __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
        if (i == 2 && half == 1) { const eight_of<T> even = a[2]; a[2] = a[1]; a[1] = even; }
      }
    if constexpr (length == 4) { const eight_of<T> odd = a[1]; a[1] = a[2]; a[2] = odd; }
  }
}
)";

constexpr std::string_view zip =
    R"(template <int length, class T> static inline __attribute__((always_inline)) void zip(eight_of<T>* a) {
  if constexpr (length == 3) {
    const eight_of<T> x = a[0], y = a[1], z = a[2];
    a[0] = __builtin_shufflevector(__builtin_shufflevector(x, y, 0, 8, -1, 1, 9, -1, 2, 10), z, 0, 1, 8, 3, 4, 9, 6, 7);
    a[1] = __builtin_shufflevector(__builtin_shufflevector(x, y, -1, 3, 11, -1, 4, 12, -1, 5), z, 10, 1, 2, 11, 4, 5, 12, 7);
    a[2] = __builtin_shufflevector(__builtin_shufflevector(x, y, 13, -1, 6, 14, -1, 7, 15, -1), z, 0, 13, 2, 3, 14, 5, 6, 15);
  } else {
    if constexpr (length == 4) { const eight_of<T> x = a[1]; a[1] = a[2]; a[2] = x; }
    for (int half = 1; half < length; half *= 2) {
      if (half == 2) { const eight_of<T> x = a[1]; a[1] = a[2]; a[2] = x; }
      for (int i = 0; i < length; i += 2) {
        const eight_of<T> x = a[i], y = a[i + 1];
        a[i] = __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
        a[i + 1] = __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
      }
    }
  }
}
)";

constexpr std::string_view fetch_lines =
    R"(template <class T> static inline __attribute__((always_inline)) void fetch_lines(const T* from, long long n) {
  SIMPLE for (long long i = 0; i < n; i += 64 / sizeof(T)) __builtin_prefetch(from + i);
}
)";

constexpr std::string_view pack_strip =
    R"(template <int lanes, int length, class T> __attribute__((noinline)) static void pack_strip(T* to, const T* from, long long across, long long along, long long left, long long count) {
  constexpr int side = sizeof(T) == 8 ? 4 : 8;
  const long long n = length != 0 ? length : count;
  if (length > 1 && length < (side == 4 ? 4 : 5) && along == 1 && across == n && left == lanes) {
    SIMPLE for (int l = 0; l < lanes; l += 8, from += 8 * n) {
      eight_of<T> a[length + 1];
      fetch_lines(from + lanes * n, 8 * n);
      for (int i = 0; i < length; ++i) a[i] = load_eight<T>(from + 8 * i);
      unzip<length, T>(a);
      for (int i = 0; i < length; ++i) store_eight<T>(to + i * lanes + l, a[i]);
    }
  } else if (length > 4 && length < side && along == 1 && across >= n && left == lanes) {
    SIMPLE for (int l = 0; l < lanes; l += 8) {
      eight_of<T> a[8];
      if (across == n) fetch_lines(from + lanes * n, 8 * n);
      for (int i = 0; i < 7; ++i, from += across) a[i] = load_eight<T>(from);
      if (l + 8 < lanes) a[7] = load_eight<T>(from);
      else for (int i = 0; i < n; ++i) a[7][i] = from[i];
      from += across;
      transposed<T>(a);
      for (int i = 0; i < n; ++i) store_eight<T>(to + i * lanes + l, a[i]);
    }
  } else if (along == 1 && n >= side) {
    SIMPLE for (long long l = 0; l < lanes; l += side) {
      const T* rows[side];
      if (across == n) fetch_lines(from + lanes * n, side * n);
      for (int i = 0; i < side; ++i) {
        rows[i] = from;
        if (l + i + 1 < left) from += across;
      }
      SIMPLE for (long long r = 0; r < n; r = r + side < n && r + 2 * side > n ? n - side : r + side) {
        block_row<T> a[side];
        for (int i = 0; i < side; ++i) a[i] = ((const unaligned_row<T>*)(rows[i] + r))->value;
        transpose_block<T>(a);
        for (int i = 0; i < side; ++i) ((unaligned_row<T>*)(to + (r + i) * lanes + l))->value = a[i];
      }
    }
  } else if (across == 1 && left == lanes) {
    SIMPLE for (long long r = 0; r < n; ++r)
      for (int l = 0; l < lanes; l += 8) store_eight<T>(to + r * lanes + l, load_eight<T>(from + r * along + l));
  } else {
    SIMPLE for (long long l = 0; l < lanes; ++l)
      BRIEF for (long long r = 0; r < n; ++r) to[r * lanes + l] = from[(l < left ? l : left - 1) * across + r * along];
  }
}
)";

// What a row of 5 to 7 elements writes beyond its end is overwritten by the next one; the last row of a strip
// writes nothing there, because another thread may have written the next strip.
constexpr std::string_view unpack_strip =
    R"(template <int lanes, int length, class T> __attribute__((noinline)) static void unpack_strip(const T* from, T* to, long long across, long long along, long long left, long long count) {
  constexpr int side = sizeof(T) == 8 ? 4 : 8;
  const long long n = length != 0 ? length : count;
  if (length > 1 && length < (side == 4 ? 4 : 5) && along == 1 && across == n && left == lanes) {
    SIMPLE for (int l = 0; l < lanes; l += 8, to += 8 * n) {
      eight_of<T> a[length + 1];
      for (int i = 0; i < length; ++i) a[i] = load_eight<T>(from + i * lanes + l);
      zip<length, T>(a);
      for (int i = 0; i < length; ++i) store_eight<T>(to + 8 * i, a[i]);
    }
  } else if (length > 4 && length < side && along == 1 && across == n && left == lanes) {
    SIMPLE for (int l = 0; l < lanes; l += 8) {
      eight_of<T> a[8];
      for (int i = 0; i < n; ++i) a[i] = load_eight<T>(from + i * lanes + l);
      for (int i = n; i < 8; ++i) a[i] = a[0];
      transposed<T>(a);
      for (int i = 0; i < 7; ++i, to += n) store_eight<T>(to, a[i]);
      if (l + 8 < lanes) store_eight<T>(to, a[7]);
      else for (int i = 0; i < n; ++i) to[i] = a[7][i];
      to += n;
    }
  } else if (along == 1 && n >= side) {
    SIMPLE for (long long l = 0; l < left; l += side, to += side * across)
      SIMPLE for (long long r = 0; r < n; r = r + side < n && r + 2 * side > n ? n - side : r + side) {
        block_row<T> a[side];
        for (int i = 0; i < side; ++i) a[i] = ((const unaligned_row<T>*)(from + (r + i) * lanes + l))->value;
        transpose_block<T>(a);
        T* row = to + r;
        for (int i = 0; i < side; ++i, row += across)
          if (l + i < left) ((unaligned_row<T>*)row)->value = a[i];
      }
  } else if (across == 1 && left == lanes) {
    SIMPLE for (long long r = 0; r < n; ++r)
      for (int l = 0; l < lanes; l += 8) store_eight<T>(to + r * along + l, load_eight<T>(from + r * lanes + l));
  } else {
    SIMPLE for (long long l = 0; l < left; ++l)
      BRIEF for (long long r = 0; r < n; ++r) to[l * across + r * along] = from[r * lanes + l];
  }
}
)";

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string cpu_strip_helpers(std::span<const std::string_view> called) {
  const bool packs = contains(called, "pack_strip"), unpacks = contains(called, "unpack_strip");
  std::string text;
  if (packs || unpacks) text.append(eights).append(blocks);
  if (packs) text.append(fetch_lines).append(unzip).append(pack_strip);
  if (unpacks) text.append(zip).append(unpack_strip);
  return text;
}

}  // namespace sinter::inline v0::codegen
