#pragma once
// The functions that emitted kernels may call, as C++ text. A kernel's text includes only those it uses. The
// tables are data: no build of the library compiles them.
//
// A name is an operation and a type suffix (exp_f32, floor_divide_i64). Arguments and results have the
// suffix's C++ type: bool, signed char, short, int, long long and their unsigned forms, float, double,
// complex<float>, complex<double> (complex_text.hpp).
//
// The stated accuracy holds if the texts are compiled like this:
// - CPU: Clang, -ffp-contract=off -fno-math-errno, with at least FMA, SSE4.1 and F16C (x86-64-v3). The texts
//   call no library, have no branches, and give the same bits in a vector lane and in a scalar tail.
// - CUDA: NVRTC, --fmad=false --ftz=false --prec-div=true --prec-sqrt=true, sm_80 or later, no headers. Fast
//   mode calls approximations by name and needs no flags.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

/// A function that emitted kernels may call; its text is included only in kernels that use it.
struct device_function {
  std::string_view name;  ///< "exp_f32": operation, '_', type suffix
  std::string_view text;  ///< the definition; the emitter puts device_function_prefix() before it
  std::string_view uses;  ///< space-separated names of other device functions it calls

  /// Set where most arguments allow a much cheaper evaluation, a fast path (trigonometric range reduction).
  /// `fast_name` is a function of the same type that gives the same bits wherever `fast_test`, a function of
  /// the same arguments, returns true. A CPU loop may test a piece of arguments first and run the fast path
  /// over the whole piece.
  std::string_view fast_name = {};
  std::string_view fast_test = {};
};

enum class text_target : std::uint8_t { common, cuda, cpu };
enum class text_mode : std::uint8_t { standard, fast };  ///< strict arithmetic uses standard

/// All functions that are specific to one target and mode; find_device_function() searches several of these
/// sets.
std::span<const device_function> device_functions(text_target, text_mode);

/// The function `name` for a target: the fast text in fast mode if there is one, else the target's standard
/// text, else the common text. nullptr if there is none.
const device_function* find_device_function(std::string_view name, text_target, text_mode);

/// All functions that `roots` use, transitively: definitions before uses, each once. The order depends only
/// on the arguments. Throws std::out_of_range with the function's name if one does not exist.
std::vector<const device_function*> collect_device_functions(std::span<const std::string_view> roots,
                                                             text_target, text_mode);

/// The qualifiers before each text: "__device__ __forceinline__ " or their CPU equivalent.
std::string_view device_function_prefix(text_target);

/// The largest error of a function, in units in the last place of the result type, over all arguments unless
/// a comment in accuracy.cpp says otherwise. Functions without a row are exact or correctly rounded.
struct accuracy {
  std::string_view name;
  double cpu_ulp;
  double cuda_ulp;
};
std::span<const accuracy> accuracies();

}  // namespace sinter::inline v0::codegen
