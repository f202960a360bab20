// None of these is inlined or vectorised by the compiler, and those that most kernels have are not tuned
// either: they took 16 of 50 ms of compiling a kernel with sin and exp. Loops over rows run along the longer
// axis; what is a vector is written as one.

#include <sinter/codegen/print/cpu/cpu_helpers.hpp>

#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

// "64" in these texts is one or the other
static_assert(cpu_step == 64 && cpu_cache_line_bytes == 64);

constexpr std::string_view preamble =
    R"text(static inline float float_from_bits(unsigned int bits) { return __builtin_bit_cast(float, bits); }
static inline double double_from_bits(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
#define APART __attribute__((noinline, minsize))
#define SIMPLE _Pragma("clang loop vectorize(disable) unroll(disable)")
#define BRIEF _Pragma("clang loop vectorize(disable) unroll_count(4)")
)text";

struct helper_text {
  std::string_view name, text;
};

constexpr helper_text helpers[] = {
    {"pack_elements",
     R"(template <class T> APART static const T* pack_elements(T* to, const T* from, long long n) {
  SIMPLE for (long long i = 0; i < 64; ++i) to[i] = from[i < n ? i : n - 1];
  return to;
}
)"},
    // eight elements at a time where steps are short; no load reaches beyond the first or the last element
    {"pack_row",
     R"(template <class T> __attribute__((noinline)) static void pack_row(T* to, const T* from, long long step, long long n) {
  typedef T eight __attribute__((ext_vector_type(8)));
  struct __attribute__((packed, may_alias)) unaligned { eight value; };
  long long i = 0;
  if (step == 1)
    SIMPLE for (; i + 8 <= n; i += 8) ((unaligned*)(to + i))->value = ((const unaligned*)(from + i))->value;
  if (step == -1)
    SIMPLE for (; i + 8 <= n; i += 8) {
      const eight a = ((const unaligned*)(from - i - 7))->value;
      ((unaligned*)(to + i))->value = __builtin_shufflevector(a, a, 7, 6, 5, 4, 3, 2, 1, 0);
    }
  if (step == 2)
    SIMPLE for (; i + 9 <= n; i += 8) {
      const eight a = ((const unaligned*)(from + 2 * i))->value, b = ((const unaligned*)(from + 2 * i + 8))->value;
      ((unaligned*)(to + i))->value = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    }
  if (step == -2)
    SIMPLE for (; i + 9 <= n; i += 8) {
      const eight a = ((const unaligned*)(from - 2 * i - 15))->value, b = ((const unaligned*)(from - 2 * i - 7))->value;
      ((unaligned*)(to + i))->value = __builtin_shufflevector(a, b, 15, 13, 11, 9, 7, 5, 3, 1);
    }
  if (step == 3)
    SIMPLE for (; i + 9 <= n; i += 8) {
      const eight a = ((const unaligned*)(from + 3 * i))->value, b = ((const unaligned*)(from + 3 * i + 8))->value;
      const eight c = ((const unaligned*)(from + 3 * i + 16))->value;
      ((unaligned*)(to + i))->value = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, -1, -1), c, 0, 1, 2, 3, 4, 5, 10, 13);
    }
  from += i * step;
  BRIEF for (; i < n; ++i, from += step) to[i] = *from;
}
)"},
    {"surround",
     R"(template <class T> APART static void surround(T* buffer, long long n) {
  const T first = buffer[0], last = buffer[n - 1];
  SIMPLE for (long long i = 0; i < 64; ++i) buffer[i - 64] = first, buffer[n + i] = last;
}
)"},
    // three rounds of interleaving transpose a block of eight rows of eight; the last blocks overlap
    {"transpose",
     R"(#define FROM(i) ((const unaligned*)(from + (x + i) * step + y))->value
#define TO(i) ((unaligned*)(to + (y + i) * side + x))->value
#define LOWER(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
template <class T> APART static void transpose(T* to, const T* from, long long step, long long height, long long width, long long side) {
  typedef T eight __attribute__((ext_vector_type(8)));
  struct __attribute__((packed, may_alias)) unaligned { eight value; };
  if (width < 8 || height < 8) {
    SIMPLE for (long long y = 0; y < height; ++y)
      SIMPLE for (long long x = 0; x < width; ++x) to[y * side + x] = from[x * step + y];
    return;
  }
  SIMPLE for (long long left = 0; left < width; left += 8)
    SIMPLE for (long long top = 0; top < height; top += 8) {
      const long long x = left + 8 < width ? left : width - 8, y = top + 8 < height ? top : height - 8;
      const eight r0 = FROM(0), r1 = FROM(1), r2 = FROM(2), r3 = FROM(3), r4 = FROM(4), r5 = FROM(5), r6 = FROM(6), r7 = FROM(7);
      const eight s0 = LOWER(r0, r4), s1 = UPPER(r0, r4), s2 = LOWER(r1, r5), s3 = UPPER(r1, r5),
                  s4 = LOWER(r2, r6), s5 = UPPER(r2, r6), s6 = LOWER(r3, r7), s7 = UPPER(r3, r7);
      const eight t0 = LOWER(s0, s4), t1 = UPPER(s0, s4), t2 = LOWER(s1, s5), t3 = UPPER(s1, s5),
                  t4 = LOWER(s2, s6), t5 = UPPER(s2, s6), t6 = LOWER(s3, s7), t7 = UPPER(s3, s7);
      const eight u0 = LOWER(t0, t4), u1 = UPPER(t0, t4), u2 = LOWER(t1, t5), u3 = UPPER(t1, t5),
                  u4 = LOWER(t2, t6), u5 = UPPER(t2, t6), u6 = LOWER(t3, t7), u7 = UPPER(t3, t7);
      TO(0) = u0; TO(1) = u1; TO(2) = u2; TO(3) = u3; TO(4) = u4; TO(5) = u5; TO(6) = u6; TO(7) = u7;
    }
}
)"},
    {"widen",
     R"(template <class T> APART static void widen(T* tile, long long height, long long n, long long width) {
  SIMPLE for (long long i = 1; i <= 64; ++i) tile[-i] = tile[0];
  SIMPLE for (; height > 0; --height, tile += width)
    SIMPLE for (long long x = n; x < width; ++x) tile[x] = tile[n - 1];
}
)"},
    {"put", R"(typedef float line __attribute__((vector_size(64)));
typedef float unaligned_line __attribute__((vector_size(64), aligned(1)));
template <class T> APART static void put(T* to, const T* from, long long n, long long streaming) {
  constexpr long long lanes = 64 / sizeof(T);
  long long i = 0;
  if (streaming != 0 && ((unsigned long long)to & 63) == 0)
    SIMPLE for (; i + lanes <= n; i += lanes) __builtin_nontemporal_store(*(const unaligned_line*)(from + i), (line*)(to + i));
  SIMPLE for (; i < n; ++i) to[i] = from[i];
}
)"},
    {"put_whole",
     R"(template <int all, class T> static inline __attribute__((always_inline)) void put_whole(T* to, const T* from, long long n, long long streaming) {
  constexpr int lines = all * sizeof(T) / 64;
  if (lines == 0 || n != all || streaming == 0 || ((unsigned long long)to & 63) != 0) return put(to, from, n, streaming);
  for (int i = 0; i < lines; ++i) __builtin_nontemporal_store(((const unaligned_line*)from)[i], (line*)to + i);
}
)"},
    {"store_past",
     R"(template <class V> static inline __attribute__((always_inline)) void store_past(void* to, V value) {
  typedef V line __attribute__((aligned(sizeof(V) < 64 ? sizeof(V) : 64)));
  __builtin_nontemporal_store(value, (line*)to);
}
)"},
    // whole vectors are written; what reaches into the next row is overwritten by it
    {"repeat_rows",
     R"(template <class T> __attribute__((noinline)) static void repeat_rows(T* to, const T* from, long long, long long across, long long height, long long width) {
  typedef T eight __attribute__((ext_vector_type(8)));
  struct __attribute__((packed, may_alias)) unaligned { eight value; };
  SIMPLE for (; height > 0; --height, from += across, to += width) {
    const eight all = *from;
    ((unaligned*)to)->value = all;
    SIMPLE for (long long x = 8; x < width; x += 8) ((unaligned*)(to + x))->value = all;
  }
}
)"},
    {"gather_rows",
     R"(template <class T> __attribute__((noinline)) static void gather_rows(T* to, const T* from, long long along, long long across, long long height, long long width) {
  SIMPLE for (long long x = 0; x < width; ++x) {
    const T* element = from + x * along;
    T* place = to + x;
    BRIEF for (long long y = 0; y < height; ++y, element += across, place += width) *place = *element;
  }
}
)"},
    {"scatter_rows",
     R"(template <class T> __attribute__((noinline)) static void scatter_rows(const T* from, T* to, long long along, long long across, long long height, long long width) {
  SIMPLE for (long long x = 0; x < width; ++x) {
    T* place = to + x * along;
    const T* element = from + x;
    BRIEF for (long long y = 0; y < height; ++y, place += across, element += width) *place = *element;
  }
}
)"},
    {"count_rows",
     R"(__attribute__((noinline)) static void count_rows(long long* to, long long position, long long along, long long across, long long height, long long width) {
  SIMPLE for (long long x = 0; x < width; ++x)
    BRIEF for (long long y = 0; y < height; ++y) to[y * width + x] = position + y * across + x * along;
}
)"},
    {"shared_offset",
     R"(template <int count, class D> static inline long long shared_offset(const D (&by)[count], const long long (&strides)[count], long long position) {
  long long offset = 0;
  SIMPLE for (int i = 0; i < count; ++i) {
    const long long rest = position / by[i].value;
    offset += (position - rest * by[i].value) * strides[i];
    position = rest;
  }
  return offset;
}
)"},
};

/// What vectors of eight do for other elements.
constexpr helper_text complex_helpers[] = {
    {"repeat_rows",
     R"(template <class T> __attribute__((noinline)) static void repeat_rows(complex<T>* to, const complex<T>* from, long long, long long across, long long height, long long width) {
  for (; height > 0; --height, from += across, to += width)
    for (long long x = 0; x < width; ++x) to[x] = *from;
}
)"},
    {"transpose",
     R"(template <class T> APART static void transpose(complex<T>* to, const complex<T>* from, long long step, long long height, long long width, long long side) {
  for (long long x = 0; x < width; ++x)
    for (long long y = 0; y < height; ++y) to[y * side + x] = from[x * step + y];
}
)"},
    {"pack_row",
     R"(template <class T> __attribute__((noinline)) static void pack_row(complex<T>* to, const complex<T>* from, long long step, long long n) {
  for (long long i = 0; i < n; ++i) to[i] = from[i * step];
}
)"},
};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string cpu_preamble() { return std::string(preamble); }

std::string cpu_helpers(std::span<const std::string_view> called) {
  const bool puts_whole = contains(called, "put_whole");
  std::string text;
  for (const helper_text& at : helpers)
    if (contains(called, at.name) || (at.name == "put" && puts_whole)) text += at.text;
  return text;
}

std::string cpu_complex_helpers(std::span<const std::string_view> called) {
  std::string text;
  for (const helper_text& at : complex_helpers)
    if (contains(called, at.name)) text += at.text;
  return text;
}

}  // namespace sinter::inline v0::codegen
