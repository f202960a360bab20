#pragma once
// The functions that emitted kernels may call, as C++ text. A kernel's text includes only those it uses, so
// nothing here is ever compiled by an ordinary build: the tables are data, and codegen stays pure.
//
// A name is an operation and a type suffix (exp_f32, floor_divide_i64). Text takes and returns the suffix's
// C++ spelling: bool, signed char, short, int, long long and their unsigned forms, float, double,
// complex<float>, complex<double> (complex_text.hpp).
//
// How the texts must be compiled for the stated accuracy to hold:
//   host  clang, -ffp-contract=off -fno-math-errno, with FMA, SSE4.1 and F16C at least (x86-64-v3). They call
//         nothing, branch on nothing, and give the same bits in a vector lane and in a scalar tail.
//   cuda  NVRTC, --fmad=false --ftz=false --prec-div=true --prec-sqrt=true (fast mode chooses approximations
//   by
//         name, not by flags), sm_80 or later, no headers.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::codegen {

/// A function that emitted kernels may call; its text is included only in kernels that use it.
struct device_function {
  std::string_view name;  ///< "exp_f32": operation, '_', type suffix
  std::string_view
      text;  ///< the definition without a qualifier; the emitter puts device_function_prefix() before it
  std::string_view uses;  ///< space-separated names of other device functions it calls

  /// Set where most arguments allow a much cheaper evaluation (trigonometric range reduction). `near_name` is
  /// a function of the same type that gives the same bits wherever `near_test`, a function of the same
  /// arguments to bool, holds. A CPU loop may test a block of arguments first and run the near form over the
  /// whole block.
  std::string_view near_name = {};
  std::string_view near_test = {};
};

enum class text_target : std::uint8_t { common, cuda, host };
enum class text_mode : std::uint8_t { standard, fast };  ///< strict arithmetic uses standard

/// All functions written for one target and mode alone; `find_device_function` looks through several of
/// these.
std::span<const device_function> device_functions(text_target, text_mode);

/// The function `name` for target cuda or host: the fast text if the mode asks and there is one, else the
/// target's standard text, else the common text. Null where there is none.
const device_function* find_device_function(std::string_view name, text_target, text_mode);

/// Functions used by `roots`, transitively, definitions before uses, each once; the order depends only on the
/// arguments. Throws std::out_of_range, naming the function, where one does not exist.
std::vector<const device_function*> collect_device_functions(std::span<const std::string_view> roots,
                                                             text_target, text_mode);

/// What stands before each text: "__device__ __forceinline__ " or its host equivalent.
std::string_view device_function_prefix(text_target);

/// Largest error of a function in units in the last place of the result type, over all arguments unless a
/// comment in accuracy.cpp says otherwise. Functions without a row are exact or correctly rounded.
struct accuracy {
  std::string_view name;
  double host_ulp;
  double cuda_ulp;
};
std::span<const accuracy> accuracies();

}  // namespace sinter::codegen
