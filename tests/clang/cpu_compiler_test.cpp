// The library that compiles C++ text to a loadable object (runtime/clang).
#include <doctest/doctest.h>
#include <elf.h>
#include <pthread.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cpu_compiler_fixture.hpp"

using namespace cpu_compiler_test;

namespace {

struct elf_facts {
  std::vector<std::string> exported, undefined;
  int needed_libraries = 0;
};

template <typename type>
type read_at(const std::string& bytes, std::size_t offset) {
  type value;
  REQUIRE(offset + sizeof(type) <= bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof(type));
  return value;
}

// The dynamic symbols and needed libraries of an ELF object.
elf_facts read_elf(const std::string& bytes) {
  elf_facts facts;
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  REQUIRE(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);
  REQUIRE(header.e_type == ET_DYN);
  auto section_at = [&](std::size_t index) {
    return read_at<Elf64_Shdr>(bytes, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (std::size_t index = 0; index < header.e_shnum; ++index) {
    const Elf64_Shdr section = section_at(index);
    if (section.sh_type == SHT_DYNAMIC) {
      for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Dyn)) {
        facts.needed_libraries += read_at<Elf64_Dyn>(bytes, section.sh_offset + at).d_tag == DT_NEEDED;
      }
    }
    if (section.sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr names = section_at(section.sh_link);
    for (std::size_t at = sizeof(Elf64_Sym); at < section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(bytes, section.sh_offset + at);
      std::string name = bytes.data() + names.sh_offset + symbol.st_name;
      (symbol.st_shndx == SHN_UNDEF ? facts.undefined : facts.exported).push_back(std::move(name));
    }
  }
  return facts;
}

// Compiles, checks that the object has no dependencies, and loads it.
loaded compile_and_load(const std::string& source, const settings& how = {}) {
  const compiled result = compile(source, how);
  INFO(result.log);
  REQUIRE(result.status == SINTER_CPU_COMPILER_OK);
  const elf_facts facts = read_elf(result.object);
  CHECK(facts.undefined.empty());
  CHECK(facts.needed_libraries == 0);
  return loaded(result.object);
}

// Bit patterns that expose errors: every exponent, few and many fraction bits, and the special values.
template <typename type, typename bits_type>
std::vector<type> interesting_values(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<type> values = {type(0),
                              -type(0),
                              type(1),
                              std::numeric_limits<type>::denorm_min(),
                              std::numeric_limits<type>::max(),
                              std::numeric_limits<type>::infinity(),
                              std::numeric_limits<type>::quiet_NaN(),
                              std::numeric_limits<type>::min(),
                              type(0.5),
                              type(-2.5)};
  while (static_cast<int>(values.size()) < count) {
    auto bits = static_cast<bits_type>(random());
    if (random() % 3 == 0) bits &= static_cast<bits_type>(~bits_type(0)) << (sizeof(bits_type) * 4);
    const type value = std::bit_cast<type>(bits);
    values.push_back(value);
    // Pairs of values of ordinary size, which random bits rarely give.
    values.push_back(static_cast<type>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-60));
  }
  return values;
}

template <typename type>
bool same(type a, type b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(type)) == 0;
}

}  // namespace

TEST_CASE("cpu compiler: compiles, loads and runs") {
  CHECK(axpy_works());
  const elf_facts facts = read_elf(compile(axpy_source).object);
  CHECK(facts.undefined.empty());
  CHECK(facts.needed_libraries == 0);
  CHECK(facts.exported == std::vector<std::string>{"axpy"});
}

TEST_CASE("cpu compiler: names itself and the host") {
  CHECK(std::string(get_compiler().version()).starts_with("clang 19."));
  CHECK(std::string(get_compiler().host_cpu()).size() > 2);
  CHECK(std::string(get_compiler().host_features()).find("+sse2") != std::string::npos);
}

TEST_CASE("cpu compiler: equal input gives equal bytes, on every thread") {
  const std::string expected = compile(axpy_source).object;
  CHECK(compile(axpy_source).object == expected);
  std::vector<std::string> objects(4);
  std::vector<std::thread> threads;
  for (std::string& object : objects)
    threads.emplace_back([&object] { object = compile(axpy_source).object; });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& object : objects) CHECK(object == expected);
}

TEST_CASE("cpu compiler: concurrent compiles of different kernels") {
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&wrong, t] {
      for (int round = 0; round < 5; ++round) {
        const int value = static_cast<int>(t) * 100 + round;
        const compiled result = compile("extern \"C\" int f() { return " + std::to_string(value) + "; }");
        wrong[t] += result.status != 0 || loaded(result.object).get<int()>("f")() != value;
        wrong[t] += compile("int f( {").status != SINTER_CPU_COMPILER_COMPILE_ERROR;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int count : wrong) CHECK(count == 0);
}

TEST_CASE("cpu compiler: errors are told and leave nothing behind") {
  SUBCASE("in the source") {
    const compiled result = compile("extern \"C\" int f() {\n  return unknown_name;\n}\n");
    CHECK(result.status == SINTER_CPU_COMPILER_COMPILE_ERROR);
    CHECK(result.object.empty());
    CHECK(result.log.find("kernel_under_test.cpp:2:10: error: use of undeclared identifier") !=
          std::string::npos);
  }
  SUBCASE("an include finds nothing, on any machine") {
    const compiled result = compile("#include <stddef.h>\n");
    CHECK(result.status == SINTER_CPU_COMPILER_COMPILE_ERROR);
    CHECK(result.log.find("file not found") != std::string::npos);
  }
  SUBCASE("in an option") {
    const compiled result = compile("", {.options = {"-no-such-option"}});
    CHECK(result.status == SINTER_CPU_COMPILER_COMPILE_ERROR);
    CHECK(result.log.find("-no-such-option") != std::string::npos);
  }
  SUBCASE("in the processor's name") {
    CHECK(compile("", {.cpu = "no-such-cpu"}).status == SINTER_CPU_COMPILER_COMPILE_ERROR);
  }
  SUBCASE("while linking") {
    const compiled result = compile("extern \"C\" int missing(); extern \"C\" int f() { return missing(); }");
    CHECK(result.status == SINTER_CPU_COMPILER_LINK_ERROR);
    CHECK(result.object.empty());
    CHECK(result.log.find("undefined symbol: missing") != std::string::npos);
    CHECK(result.log.find("/proc/") == std::string::npos);
  }
  SUBCASE("of the interface's version") {
    sinter_cpu_compile_request request{};
    request.abi_version = SINTER_CPU_COMPILER_ABI + 1;
    sinter_cpu_compile_result result{};
    CHECK(get_compiler().compile(&request, &result) == SINTER_CPU_COMPILER_FATAL_ERROR);
    CHECK(std::string(result.log).find("version") != std::string::npos);
    get_compiler().release(&result);
  }
  CHECK(axpy_works());
}

TEST_CASE("cpu compiler: a fatal error inside LLVM is a status, and the process lives") {
  for (int round = 0; round < 3; ++round) {
    const compiled result = compile("#pragma clang __debug llvm_fatal_error\n");
    CHECK(result.status == SINTER_CPU_COMPILER_FATAL_ERROR);
    CHECK(result.log.find("fatal error inside LLVM") != std::string::npos);
  }
  // An error in the code generator: 64-bit code for a processor without it.
  const compiled result =
      compile("extern \"C\" int f() { return 1; }", {.cpu = "x86-64", .features = "-64bit"});
  CHECK(result.status == SINTER_CPU_COMPILER_FATAL_ERROR);
  CHECK(result.log.find("64-bit code") != std::string::npos);
  CHECK(axpy_works());
}

TEST_CASE("cpu compiler: what a fatal error left on its stack is there when the next compile comes upon it") {
  // LLVM's lists contain objects on the abandoned stack; the C library caches one stack and unmaps others.
  for (int round = 0; round < 3; ++round) {
    const compiled result =
        compile("extern \"C\" int f() { return 1; }", {.cpu = "x86-64", .features = "-64bit"});
    CHECK(result.status == SINTER_CPU_COMPILER_FATAL_ERROR);
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { right += axpy_works() ? 1 : 0; });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 4);
  }
}

TEST_CASE("cpu compiler: the program's signal handlers stay its own") {
  CHECK(axpy_works());
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGINT, SIGTERM, SIGUSR1}) {
    struct sigaction before{}, after{};
    REQUIRE(sigaction(number, nullptr, &before) == 0);
    compile("#pragma clang __debug llvm_fatal_error\n");
    REQUIRE(sigaction(number, nullptr, &after) == 0);
    CHECK((before.sa_handler == after.sa_handler));
    Dl_info owner{};
    const bool ours = dladdr(reinterpret_cast<void*>(after.sa_handler), &owner) != 0 &&
                      owner.dli_fname != nullptr &&
                      std::string(owner.dli_fname).find("sinter_cpu_compiler") != std::string::npos;
    CHECK(!ours);
  }
}

TEST_CASE("cpu compiler: loops are vectorised") {
  const compiled result = compile(axpy_source, {.options = {"-Rpass=loop-vectorize"}});
  CHECK(result.status == 0);
  CHECK(result.log.find("vectorized loop") != std::string::npos);
}

TEST_CASE("cpu compiler: nothing is contracted, and IEEE results are kept") {
  const auto kernel = compile_and_load(R"(
    extern "C" float multiply_add(float a, float b, float c) { return a * b + c; }
    extern "C" float add_zero(float a) { return a + 0.0f; }
    extern "C" float subtract_self(float a) { return a - a; }
    extern "C" float halve(float a) { return a * 0.5f; }
    extern "C" bool ordered(float a) { return a == a; })");
  const float a = 1.0f + 0x1p-12f, c = -(1.0f + 0x1p-11f);
  CHECK(kernel.get<float(float, float, float)>("multiply_add")(a, a, c) == 0.0f);
  CHECK(!std::signbit(kernel.get<float(float)>("add_zero")(-0.0f)));
  CHECK(std::isnan(kernel.get<float(float)>("subtract_self")(HUGE_VALF)));
  CHECK(kernel.get<float(float)>("halve")(0x1p-148f) == 0x1p-149f);
  CHECK(!kernel.get<bool(float)>("ordered")(std::nanf("")));
}

TEST_CASE("cpu compiler: fills, copies and large structs need no C library") {
  const auto kernel = compile_and_load(R"(
    struct block { char bytes[5000]; };
    extern "C" void fill(unsigned char* to, long n) { for (long i = 0; i < n; ++i) to[i] = 0; }
    extern "C" void copy(float* __restrict to, const float* __restrict from, long n) {
      for (long i = 0; i < n; ++i) to[i] = from[i];
    }
    extern "C" void assign(block* to, const block* from) { *to = *from; }
    extern "C" void clear(block* to) { *to = block{}; }
    extern "C" void copy_bytes(void* to, const void* from, unsigned long n) { __builtin_memcpy(to, from, n); }
    extern "C" void move_bytes(void* to, const void* from, unsigned long n) { __builtin_memmove(to, from, n); }
    extern "C" int compare(const void* a, const void* b, unsigned long n) { return __builtin_memcmp(a, b, n); })");
  std::vector<unsigned char> from(5000), to(5000, 1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7);
  kernel.get<void(void*, const void*)>("assign")(to.data(), from.data());
  CHECK(to == from);
  kernel.get<void(void*)>("clear")(to.data());
  CHECK(to == std::vector<unsigned char>(5000));
  kernel.get<void(void*, const void*, unsigned long)>("copy_bytes")(to.data(), from.data(), 4999);
  CHECK(std::memcmp(to.data(), from.data(), 4999) == 0);
  CHECK(to[4999] == 0);
  auto move = kernel.get<void(void*, const void*, unsigned long)>("move_bytes");
  for (std::size_t shift : {1u, 33u, 2000u}) {
    std::vector<unsigned char> expected = from, moved = from;
    std::memmove(expected.data() + shift, expected.data(), 2500);
    move(moved.data() + shift, moved.data(), 2500);
    CHECK(moved == expected);
    std::memmove(expected.data(), expected.data() + shift, 2500);
    move(moved.data(), moved.data() + shift, 2500);
    CHECK(moved == expected);
  }
  auto compare = kernel.get<int(const void*, const void*, unsigned long)>("compare");
  CHECK(compare("abc", "abd", 3) < 0);
  CHECK(compare("abd", "abc", 3) > 0);
  CHECK(compare("abc", "abd", 2) == 0);
  kernel.get<void(unsigned char*, long)>("fill")(to.data(), 5000);
  CHECK(to == std::vector<unsigned char>(5000));
}

/// How many results of fmod and fma differ from the C library's. `unit` is the rounding error of 1.
template <class Number, class Two, class Three>
int wrong_of_two_and_three(const std::vector<Number>& values, Two fmod, Three fma, Number unit) {
  int wrong = 0;
  for (const Number a : values)
    for (const Number b : values) {
      wrong += !same(fmod(a, b), std::fmod(a, b));
      for (const Number c : values) wrong += !same(fma(a, b, c), std::fma(a, b, c));
      // Cancellation, which unrelated values do not cause.
      for (const Number c : {-a * b, std::nextafter(-a * b, Number(0)), a * b * unit, a * b * -unit / 2})
        wrong += !same(fma(a, b, c), std::fma(a, b, c));
    }
  return wrong;
}

TEST_CASE("cpu compiler: what an old processor lacks is supplied, correctly rounded") {
  const auto kernel = compile_and_load(R"(
    extern "C" double fma64(double a, double b, double c) { return __builtin_fma(a, b, c); }
    extern "C" float fma32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
    extern "C" double fmod64(double a, double b) { return __builtin_fmod(a, b); }
    extern "C" float fmod32(float a, float b) { return __builtin_fmodf(a, b); }
    #define ROUNDINGS(name) \
      extern "C" double name##64(double a) { return __builtin_##name(a); } \
      extern "C" float name##32(float a) { return __builtin_##name##f(a); }
    ROUNDINGS(floor) ROUNDINGS(ceil) ROUNDINGS(trunc) ROUNDINGS(round) ROUNDINGS(rint) ROUNDINGS(nearbyint)
    ROUNDINGS(roundeven))",
                                       {.options = {}, .cpu = "x86-64"});
  auto fma64 = kernel.get<double(double, double, double)>("fma64");
  auto fma32 = kernel.get<float(float, float, float)>("fma32");
  auto fmod64 = kernel.get<double(double, double)>("fmod64");
  auto fmod32 = kernel.get<float(float, float)>("fmod32");
  const auto doubles = interesting_values<double, std::uint64_t>(60, 1);
  const auto floats = interesting_values<float, std::uint32_t>(60, 2);
  CHECK(wrong_of_two_and_three(doubles, fmod64, fma64, 0x1p-53) == 0);
  CHECK(wrong_of_two_and_three(floats, fmod32, fma32, 0x1p-24f) == 0);
  auto check = [&](const std::string& name, double (*wide)(double), float (*narrow)(float)) {
    INFO(name);
    auto function64 = kernel.get<double(double)>((name + "64").c_str());
    auto function32 = kernel.get<float(float)>((name + "32").c_str());
    int different = 0;
    for (double a : interesting_values<double, std::uint64_t>(5000, 3)) {
      for (double scale : {1.0, 64.0}) different += !same(function64(a * scale), wide(a * scale));
    }
    for (float a : interesting_values<float, std::uint32_t>(5000, 4)) {
      for (float scale : {1.0f, 64.0f}) different += !same(function32(a * scale), narrow(a * scale));
    }
    for (double a : {0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, -0.3}) {
      different += !same(function64(a), wide(a));
      different += !same(function32(static_cast<float>(a)), narrow(static_cast<float>(a)));
    }
    CHECK(different == 0);
  };
  check("floor", [](double a) { return std::floor(a); }, [](float a) { return std::floor(a); });
  check("ceil", [](double a) { return std::ceil(a); }, [](float a) { return std::ceil(a); });
  check("trunc", [](double a) { return std::trunc(a); }, [](float a) { return std::trunc(a); });
  check("round", [](double a) { return std::round(a); }, [](float a) { return std::round(a); });
  check("rint", [](double a) { return std::rint(a); }, [](float a) { return std::rint(a); });
  check("nearbyint", [](double a) { return std::nearbyint(a); }, [](float a) { return std::nearbyint(a); });
  check("roundeven", [](double a) { return std::rint(a); }, [](float a) { return std::rint(a); });
}

TEST_CASE("cpu compiler: narrow floating point, with and without the processor's help") {
  const std::string source = R"(
    extern "C" unsigned short half_of_float(float a) { return __builtin_bit_cast(unsigned short, (_Float16)a); }
    extern "C" unsigned short half_of_double(double a) { return __builtin_bit_cast(unsigned short, (_Float16)a); }
    extern "C" unsigned short bf16_of_float(float a) { return __builtin_bit_cast(unsigned short, (__bf16)a); }
    extern "C" unsigned short bf16_of_double(double a) { return __builtin_bit_cast(unsigned short, (__bf16)a); }
    extern "C" float float_of_half(unsigned short a) { return (float)__builtin_bit_cast(_Float16, a); })";
  const auto plain = compile_and_load(source, {.options = {}, .cpu = "x86-64"});
  const auto modern = compile_and_load(source, {.options = {}, .cpu = "x86-64-v3"});
  // The value of a float16 pattern, from its definition.
  auto meaning = [](unsigned bits) {
    const double sign = bits & 0x8000 ? -1.0 : 1.0, low = bits & 0x3ff;
    const int field = static_cast<int>(bits >> 10 & 31);
    if (field == 31) return low != 0 ? std::nan("") : sign * HUGE_VAL;
    return field != 0 ? sign * std::ldexp(1024 + low, field - 25) : sign * std::ldexp(low, -24);
  };
  auto widen = plain.get<float(unsigned short)>("float_of_half");
  auto from_float = plain.get<unsigned short(float)>("half_of_float");
  auto from_double = plain.get<unsigned short(double)>("half_of_double");
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto narrow = static_cast<unsigned short>(bits);
    const double value = meaning(bits);
    wrong += !same(static_cast<double>(widen(narrow)), value);
    if (std::isnan(value)) continue;
    wrong += from_float(static_cast<float>(value)) != narrow;
    // Ties round to even; a value slightly beyond a tie rounds to the nearer neighbour, which double rounding
    // would miss.
    if ((bits & 0x7fff) < 0x7bff) {
      const double tie = (value + meaning(bits + 1)) / 2;
      wrong += from_double(tie) != (bits & 1 ? bits + 1 : bits);
      wrong += from_double(std::nextafter(tie, value)) != bits;
      wrong += from_double(std::nextafter(tie, meaning(bits + 1))) != bits + 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(from_double(65520.0) == 0x7c00);
  CHECK(from_double(65519.99) == 0x7bff);

  if (__builtin_cpu_supports("avx2") &&
      std::string(get_compiler().host_features()).find("+f16c") != std::string::npos) {
    auto is_nan = [](unsigned bits, unsigned infinity) { return (bits & 0x7fff) > infinity; };
    for (float a : interesting_values<float, std::uint32_t>(20000, 5)) {
      for (const char* name : {"half_of_float", "bf16_of_float"}) {
        const unsigned x = plain.get<unsigned short(float)>(name)(a),
                       y = modern.get<unsigned short(float)>(name)(a);
        wrong += x != y && !std::isnan(a);
        wrong += is_nan(x, name[0] == 'h' ? 0x7c00 : 0x7f80) != std::isnan(a);
      }
    }
  }
  auto bf16 = plain.get<unsigned short(float)>("bf16_of_float");
  for (float a : interesting_values<float, std::uint32_t>(20000, 6)) {
    if (std::isnan(a)) continue;
    const auto bits = std::bit_cast<std::uint32_t>(a);
    wrong += bf16(a) != static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  CHECK(wrong == 0);
}

TEST_CASE("cpu compiler: 128-bit division") {
  const auto kernel = compile_and_load(R"(
    extern "C" void divide(const __int128* a, const __int128* b, __int128* q, __int128* r) { *q = *a / *b; *r = *a % *b; }
    extern "C" void divide_unsigned(const unsigned __int128* a, const unsigned __int128* b, unsigned __int128* q,
                                    unsigned __int128* r) { *q = *a / *b; *r = *a % *b; })");
  __extension__ typedef __int128 wide;
  __extension__ typedef unsigned __int128 unsigned_wide;
  auto divide = kernel.get<void(const wide*, const wide*, wide*, wide*)>("divide");
  auto divide_unsigned =
      kernel.get<void(const unsigned_wide*, const unsigned_wide*, unsigned_wide*, unsigned_wide*)>(
          "divide_unsigned");
  std::mt19937_64 random(7);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto a = static_cast<unsigned_wide>(random()) << 64 | random();
    const unsigned_wide b = (static_cast<unsigned_wide>(random()) << 64 | random()) >> (random() % 127) | 1;
    unsigned_wide q = 0, r = 0;
    divide_unsigned(&a, &b, &q, &r);
    wrong += q != a / b || r != a % b;
    const auto sa = static_cast<wide>(a), sb = static_cast<wide>(b);
    wide sq = 0, sr = 0;
    divide(&sa, &sb, &sq, &sr);
    wrong += sq != sa / sb || sr != sa % sb;
  }
  CHECK(wrong == 0);
}

TEST_CASE("cpu compiler: a deep expression and a caller with a small stack") {
  std::string source = "extern \"C\" int f(int x) { return x";
  for (int i = 0; i < 2000; ++i) source += " + x";
  source += "; }";
  const auto kernel = compile_and_load(source);
  CHECK(kernel.get<int(int)>("f")(2) == 4002);

  // 64 KB is far less than Clang needs; the library uses its own stack.
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 64 * 1024) == 0);
  bool worked = false;
  pthread_t thread;
  auto body = [](void* result) -> void* {
    *static_cast<bool*>(result) = axpy_works();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, body, &worked) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(worked);
}
