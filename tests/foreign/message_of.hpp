#pragma once
// What an error says.

#include <sinter/runtime/error.hpp>

#include <string>

namespace sinter::test {

/// The message of the sinter::error that `function` throws; "" if it throws none.
template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return {};
}

/// Whether it throws an E whose message has `words`.
template <class E, class Function>
bool throws_with(const char* words, Function&& function) {
  try {
    function();
  } catch (const E& thrown) {
    return std::string(thrown.what()).find(words) != std::string::npos;
  }
  return false;
}

}  // namespace sinter::test
