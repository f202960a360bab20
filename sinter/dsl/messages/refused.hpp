#pragma once
// Functions that are deleted for a reason that the first line of the compiler's message gives. Clang prints
// the text. g++ and nvcc print the function's signature, so a type in it is named after the text.

#if defined(__clang__) && __cpp_deleted_function >= 202403L
// The standard has reasons from C++26 on. Clang knows them in earlier ones too, with a warning.
#define SINTER_REFUSED(reason)                                                                         \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc++26-extensions\"") delete ( \
      reason)_Pragma("clang diagnostic pop")
#else
#define SINTER_REFUSED(reason) delete
#endif

namespace sinter::inline v0::detail {

struct say_x_copy_to_copy_an_array {};
struct name_the_array_before_viewing_it {};

}  // namespace sinter::inline v0::detail
