#pragma once
// CHECK_FAILS: a call of the C interface fails with a status and a message.

#include <doctest/doctest.h>

#include <sinter/sinter.h>

#include <string>

namespace sinter::test {

/// The message of a call that fails with that status; else the status that it gave.
inline std::string message_of(sinter_status wanted, sinter_status status) {
  if (status != wanted) return std::string("the status was ") + sinter_status_name(status);
  return sinter_last_message();
}
}  // namespace sinter::test

#define CHECK_FAILS(call, wanted, words)                                \
  do {                                                                  \
    const std::string message = sinter::test::message_of(wanted, call); \
    INFO(message);                                                      \
    CHECK(message.find(words) != std::string::npos);                    \
  } while (false)
