#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <thread>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/host.hpp>

namespace sinter::inline v0::runtime {
namespace {

// The value of a "key : value" line of a file in /proc.
std::string value_in(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

// "32768K" of /sys and "32768 kB" of /proc as bytes; 0 for anything else.
std::uint64_t parse_size(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const char* unit = std::from_chars(text.data(), end, value).ptr;
  while (unit != end && *unit == ' ') ++unit;
  if (unit == end) return value;
  return *unit == 'K' || *unit == 'k' ? value << 10 : *unit == 'M' ? value << 20 : value;
}

}  // namespace

std::string processor_name() { return value_in("/proc/cpuinfo", "model name"); }

shared_cache last_level_cache() {
  for (const char* index : {"3", "2"}) {
    const std::string folder = std::string("/sys/devices/system/cpu/cpu0/cache/index") + index;
    std::ifstream size(folder + "/size"), processors(folder + "/shared_cpu_list");
    std::string text, list;
    if (!(size >> text) || parse_size(text) == 0) continue;
    processors >> list;
    return {parse_size(text), std::max(1u, count_listed(list))};
  }
  if (const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE); level3 > 0)
    return {static_cast<std::uint64_t>(level3), std::max(1u, std::thread::hardware_concurrency())};
  return {std::uint64_t{32} << 20, std::max(1u, std::thread::hardware_concurrency())};
}

unsigned vector_register_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

std::string processor_features() {
  std::string text;
#if defined(__x86_64__)
  // Family and model, features, and the registers that the system saves. Values that differ between the
  // processors of one machine (their numbers) are left out.
  constexpr unsigned system_may_change = 1u << 27 | 1u << 31;  // OSXSAVE, and whether there is a hypervisor
  const auto add = [&text](unsigned word) { text += fmt::format("{:08x} ", word); };
  text = "x86-64 ";
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d) != 0) add(b);  // the start of the vendor's name
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
    add(a & ~0xfu);  // without the stepping
    add(c & ~system_may_change);
    add(d);
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    add(b);
    add(c);
    add(d);
  }
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) {
    add(a);
    add(d);
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0) add(c);
  add(vector_register_bytes());
  text.pop_back();
#else
  text = value_in("/proc/cpuinfo", "CPU part") + " " + value_in("/proc/cpuinfo", "Features");
#endif
  return text;
}

#if defined(__x86_64__)
namespace {

enum class cpuid_word : std::uint8_t { c1, b7, extended_c1 };
struct cpuid_row {
  cpu_feature feature;
  cpuid_word word;
  unsigned bit;
};
// Intel's and AMD's manuals, CPUID leaves 1, 7 and 0x80000001.
constexpr cpuid_row cpuid_rows[] = {
    {cpu_feature::sse3, cpuid_word::c1, 0},          {cpu_feature::ssse3, cpuid_word::c1, 9},
    {cpu_feature::fma, cpuid_word::c1, 12},          {cpu_feature::cmpxchg16b, cpuid_word::c1, 13},
    {cpu_feature::sse4_1, cpuid_word::c1, 19},       {cpu_feature::sse4_2, cpuid_word::c1, 20},
    {cpu_feature::movbe, cpuid_word::c1, 22},        {cpu_feature::popcnt, cpuid_word::c1, 23},
    {cpu_feature::avx, cpuid_word::c1, 28},          {cpu_feature::f16c, cpuid_word::c1, 29},
    {cpu_feature::bmi1, cpuid_word::b7, 3},          {cpu_feature::avx2, cpuid_word::b7, 5},
    {cpu_feature::bmi2, cpuid_word::b7, 8},          {cpu_feature::avx512f, cpuid_word::b7, 16},
    {cpu_feature::avx512dq, cpuid_word::b7, 17},     {cpu_feature::avx512cd, cpuid_word::b7, 28},
    {cpu_feature::avx512bw, cpuid_word::b7, 30},     {cpu_feature::avx512vl, cpuid_word::b7, 31},
    {cpu_feature::lahf, cpuid_word::extended_c1, 0}, {cpu_feature::lzcnt, cpuid_word::extended_c1, 5},
};

/// The register files that the system saves, from XCR0.
unsigned saved_registers(unsigned c1) {
  constexpr unsigned system_uses_xsave = 1u << 27;
  if ((c1 & system_uses_xsave) == 0) return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

cpu_features processor_feature_set() {
  unsigned words[3] = {}, a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) words[0] = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) words[1] = b;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0) words[2] = c;
  constexpr unsigned of_avx = 0x6, of_avx512 = 0xe6;
  const unsigned saved = saved_registers(words[0]);
  cpu_features found{cpu_feature::x86_64};
  for (const cpuid_row& row : cpuid_rows) {
    const unsigned needed = row.feature >= cpu_feature::avx512f ? of_avx512
                            : row.feature == cpu_feature::avx || row.feature == cpu_feature::avx2 ||
                                    row.feature == cpu_feature::fma || row.feature == cpu_feature::f16c
                                ? of_avx
                                : 0;
    if ((words[static_cast<std::size_t>(row.word)] >> row.bit & 1) != 0 && (saved & needed) == needed)
      found.add(row.feature);
  }
  return found;
}
#else
cpu_features processor_feature_set() { return {}; }
#endif

unsigned usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  const unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? count : 1;
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t available_memory_bytes() { return parse_size(value_in("/proc/meminfo", "MemAvailable")); }

std::string folder_of_this_library() {
  Dl_info found{};
  link_map* object = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&folder_of_this_library), &found,
              reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 ||
      found.dli_fname == nullptr || object == nullptr)
    return {};
  // For the program itself, the loader has the name that the caller of exec() chose.
  if (object->l_name[0] == '\0' && runs_with_rights_of_another()) return {};
  const std::string path = found.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

void* map_pages(std::size_t bytes) noexcept {
  // Maps more than needed, then unmaps the parts before the first huge page boundary and after the end.
  const std::size_t padded = bytes + huge_page_bytes;
  if (padded < bytes) return nullptr;
  void* const raw = mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = round_up(begin, huge_page_bytes);
  const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t end = round_up(aligned + bytes, page);
  if (aligned > begin) munmap(raw, aligned - begin);
  if (begin + padded > end) munmap(reinterpret_cast<void*>(end), begin + padded - end);
  void* const data = reinterpret_cast<void*>(aligned);
  madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

void unmap_pages(void* data, std::size_t bytes) noexcept { munmap(data, bytes); }

}  // namespace sinter::inline v0::runtime
