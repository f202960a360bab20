#pragma once
// How functions of the C interface fail: an exception inside becomes a status and the thread's message.

#include <sinter/sinter.h>
#include <sinter/codegen/base/error.hpp>

#include <string>

namespace sinter::inline v0::c {

/// A null pointer, an unknown name, a number out of range, or a value of another builder.
class invalid_argument : public error {
 public:
  using error::error;
};

/// Keeps the message of the exception that is being handled, after the function's name, and gives its status.
sinter_status note_failure(const char* function) noexcept;
/// Keeps a text until the thread asks for another.
const char* keep_text(std::string text);
[[noreturn]] void throw_null(const char* what);

/// Runs `body`, the whole of the function of that name.
template <class Body>
sinter_status guarded(const char* function, const Body& body) noexcept {
  try {
    body();
    return sinter_ok;
  } catch (...) {
    return note_failure(function);
  }
}

/// What a pointer points to. Throws if it is null: "`what` is a null pointer".
template <class T>
T& checked(T* pointer, const char* what) {
  if (pointer == nullptr) throw_null(what);
  return *pointer;
}

}  // namespace sinter::inline v0::c
