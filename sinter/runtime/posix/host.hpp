#pragma once
// Properties of the processor and the memory, from the operating system.

#include <sinter/codegen/target/cpu_cache_share.hpp>
#include <sinter/codegen/target/cpu_levels.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::inline v0::runtime {

/// The processor's name, "" if unknown.
std::string processor_name();
/// The last-level cache of one processor, and how many processors share it.
shared_cache last_level_cache();
/// Bytes of the widest vector register that this process may use: 64, 32 or 16.
unsigned vector_register_bytes();
/// Everything that code for exactly this processor depends on, as text: processors with equal text can run
/// each other's code, and compilers tune for them equally.
std::string processor_features();
/// The processor-level features that this process may use; empty on other processor families.
cpu_features processor_feature_set();
/// Processors that this process may run on.
unsigned usable_processors();
/// Bytes of physical memory: total and available.
std::uint64_t physical_memory_bytes();
std::uint64_t available_memory_bytes();

/// The folder of the file that contains this code: that of libsinter, or of the program if it is linked
/// statically. "" if unknown, and in a privileged program, whose name its caller chooses.
std::string folder_of_this_library();

/// New zeroed pages that start at a multiple of the huge page size, with a request for huge pages. nullptr on
/// failure.
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* data, std::size_t bytes) noexcept;
/// The alignment of map_pages().
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace sinter::inline v0::runtime
