#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ranges>
#include <utility>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/runtime/background/compile_watch.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/base/refused_code.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/sort/packed_headers.hpp>
#include <sinter/runtime/sort/sort_kernels.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr const char* entry_name = "sinter_sort_tile_rows";

void require_headers() {
  if (has_sort_kernels()) return;
  throw device_error(
      "sorting on an NVIDIA GPU needs the headers of CCCL 3, and this library was built without them: build "
      "it "
      "with -DSINTER_CCCL=ON where the CUDA toolkit 13 is installed (package cuda-cccl-13-0), or sort on the "
      "CPU");
}

std::string source_for(unsigned key_bytes) {
  return fmt::format("#define SINTER_SORT_KEY {}\n#include <sort_kernels.cuh>\n",
                     key_bytes == 4 ? "unsigned" : "unsigned long long");
}

std::string name_for(unsigned key_bytes) { return fmt::format("sort_rows_u{}", 8 * key_bytes); }

object_code compile_sort_kernels(unsigned key_bytes, int wanted) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  unpacked_headers unpacked;
  unpack(packed_sort_headers(), unpacked);
  const std::string source = source_for(key_bytes), name = name_for(key_bytes), file = name + ".cu";
  const compile_watcher::watched watched(process_compile_watcher(), name, unpacked.storage.size());
  const cuda_architecture architecture = compiled_architecture(wanted);
  nvrtc_result compiled =
      compile_cuda(require_nvrtc(), {source, file.c_str(), entry_name, unpacked.headers}, architecture);
  object_facts facts;
  facts.log = std::move(compiled.log);
  facts.compiler = fmt::format("nvrtc {}.{}", nvrtc_version() / 1000, nvrtc_version() % 1000 / 10);
  facts.registers = compiled.resources.registers;
  facts.shared_bytes = compiled.resources.shared_bytes;
  facts.compile_milliseconds = std::chrono::duration<double, std::milli>(clock::now() - begin).count();
  std::vector<code_image> images;
  images.push_back({architecture.code == cuda_code::cubin ? code_format::cubin : code_format::ptx,
                    architecture.number, std::move(compiled.code)});
  return object_code(std::move(images), entry_name, std::move(facts), "compiled");
}

cache_entry entry_of_sort(const object_code& compiled, unsigned key_bytes) {
  kernel_text text;
  text.source = source_for(key_bytes);
  cache_entry entry = entry_of(compiled, text, {});
  entry.schedule.clear();
  return entry;
}

/// The kernel whose name contains all of these parts.
std::string kernel_with(const std::vector<std::string>& entries,
                        std::initializer_list<std::string_view> parts) {
  for (const std::string& entry : entries)
    if (std::all_of(parts.begin(), parts.end(),
                    [&](std::string_view part) { return entry.find(part) != std::string::npos; }))
      return entry;
  throw refused_code(fmt::format("the code that sorts rows has no kernel '{}'", fmt::join(parts, "...")));
}

}  // namespace

// The template's arguments in the kernel's mangled name are "Li256ELi9E...".
sort_numbers sort_numbers_of(const code_image& image) {
  sort_numbers numbers;
  const std::string name = kernel_with(entries_of(image), {"numbers_of_policies"});
  std::size_t at = 0;
  for (int* number : {&numbers.short_row_threads, &numbers.short_row_items, &numbers.tile_threads,
                      &numbers.tile_items, &numbers.onesweep_radix_bits, &numbers.histogram_threads,
                      &numbers.exclusive_sum_threads, &numbers.onesweep_threads, &numbers.onesweep_items,
                      &numbers.segmented_threads, &numbers.segmented_radix_bits,
                      &numbers.other_segmented_threads, &numbers.other_segmented_radix_bits}) {
    at = name.find("Li", at);
    if (at == name.npos) break;
    at += 2;
    std::from_chars(name.data() + at, name.data() + name.size(), *number);
  }
  if (numbers.other_segmented_radix_bits <= 0)
    throw refused_code(fmt::format("the code that sorts rows does not name its policies: '{}'", name));
  return numbers;
}

sort_kernel_names sort_kernel_names_of(const code_image& image) {
  const std::vector<std::string> entries = entries_of(image);
  return {.short_rows = kernel_with(entries, {"sinter_sort_short_rows"}),
          .tile_rows = kernel_with(entries, {"sinter_sort_tile_rows"}),
          .positions = kernel_with(entries, {"sinter_write_positions"}),
          .histogram = kernel_with(entries, {"DeviceRadixSortHistogramKernel"}),
          .exclusive_sum = kernel_with(entries, {"DeviceRadixSortExclusiveSumKernel"}),
          .onesweep = kernel_with(entries, {"DeviceRadixSortOnesweepKernel"}),
          .segmented = kernel_with(entries, {"DeviceSegmentedRadixSortKernel", "Lb0E"}),
          .other_segmented = kernel_with(entries, {"DeviceSegmentedRadixSortKernel", "Lb1E"})};
}

bool has_sort_kernels() { return packed_sort_headers().size != 0; }

std::string sort_key_content(unsigned key_bytes, int architecture) {
  // The text is fixed but for the key's type: what it includes stands for it.
  static const content_hash headers = hash_of_content(
      {reinterpret_cast<const char*>(packed_sort_headers().bytes), packed_sort_headers().size});
  byte_writer signature;
  signature.put(static_cast<std::uint64_t>(emitter_version));
  signature.put_text(fmt::format("{} {:016x}{:016x}", name_for(key_bytes), headers.high, headers.low));
  return key_content({.signature = signature.bytes,
                      .target = fmt::format("cuda {}", architecture),
                      .options = fmt::format("{}", fmt::join(default_nvrtc_options(), " ")),
                      .linked = {}});
}

cache_entry compile_sort_entry(unsigned key_bytes, int architecture) {
  require_headers();
  cache_entry entry = entry_of_sort(compile_sort_kernels(key_bytes, architecture), key_bytes);
  entry.key_content = sort_key_content(key_bytes, architecture);
  return entry;
}

made_kernel make_sort_kernels(unsigned key_bytes, int architecture, int cuda_version) {
  require_headers();
  object_code compiled;
  const std::shared_ptr<kernel_cache> cache = current_cache();
  const kernel_request wanted{sort_key_content(key_bytes, architecture), name_for(key_bytes), cuda_version,
                              [&] {
                                std::vector<std::string> older;
                                const std::vector<int> known = known_architectures();
                                for (const int each : std::views::reverse(known))
                                  if (each < architecture) older.push_back(sort_key_content(key_bytes, each));
                                return older;
                              }};
  kernel_cache::obtained got = cache->find_or_compile(wanted, [&] {
    compiled = compile_sort_kernels(key_bytes, architecture);
    return entry_of_sort(compiled, key_bytes);
  });
  made_kernel made;
  made.code = compiled ? compiled : code_of(got.entry, got.where);
  made.found = got.found;
  made.key_content = wanted.content;
  return made;
}

}  // namespace sinter::inline v0::runtime
