#pragma once
// What the operating system tells of the processor and the memory.

#include <sinter/codegen/target/cpu_levels.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::runtime {

/// The processor's own name, "" where the system does not tell.
std::string processor_name();
/// Bytes of the last-level cache.
std::uint64_t last_level_cache_bytes();
/// Bytes of the widest vector register that this process may use: 64, 32 or 16.
unsigned vector_register_bytes();
/// What code for exactly this processor depends on, as text: two processors with equal text run each other's
/// code, and compilers tune for them alike.
std::string processor_features();
/// The features of levels of processors that this process may use; none on another family of processors.
cpu_features processor_feature_set();
/// Processors that this process may run on.
unsigned usable_processors();
/// Bytes of physical memory, and of it what could be had now.
std::uint64_t physical_memory_bytes();
std::uint64_t available_memory_bytes();

/// The folder of the file that this code was loaded from: libsinter's, or the program's where it is linked
/// in. "" where the system cannot tell, and for a program with rights of another, whose name may be anything.
std::string folder_of_this_library();

/// Fresh zeroed pages that begin at a multiple of the size of a huge page, which the system is asked to use.
/// nullptr when there are none to be had.
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* data, std::size_t bytes) noexcept;
/// Where map_pages() begins.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace sinter::runtime
