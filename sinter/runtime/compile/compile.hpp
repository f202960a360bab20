#pragma once
// From kernel text to object code, by the compiler of the target.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <cstdint>
#include <string_view>

namespace sinter::inline v0::runtime {

/// The effort of a compile. Both give the same bits, because no compiler contracts anything; NaNs may differ
/// in their bits.
enum class compile_effort : std::uint8_t {
  optimised,
  quick,  ///< faster to compile, slower to run
};

/// Compiles a kernel's text for a target. For the CPU it compiles for this processor or for the one named
/// (compile_cpu). Needs no device. Throws compile_error, or device_error if the compiler is missing. The log
/// hook is told of a compile that takes more than two seconds, while it runs.
object_code compile_kernel(const kernel_text& text, const target_facts& target,
                           compile_effort effort = compile_effort::optimised,
                           std::string_view processor = {});

/// How NVRTC compiles for a compute capability (90 for 9.0): a cubin for the exact architecture or, if that
/// is newer than this NVRTC, PTX for the newest one before it, which the driver translates. Throws
/// no_compiler if NVRTC no longer knows such old ones.
cuda_architecture compiled_architecture(int wanted);

/// Opens the target's compiler. Opening takes the system's loader lock, which the destructors of a library
/// hold (dlclose()); compiling does not take it, on any thread. Throws device_error if the compiler is
/// missing.
void open_compiler(const target_facts& target);

/// The same kernel as readable text: PTX for a GPU, assembly for the CPU. Throws what compile_kernel()
/// throws.
std::string listing_of_kernel(const kernel_text& text, const target_facts& target);

}  // namespace sinter::inline v0::runtime
