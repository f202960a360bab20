// Reads programs from the standard input, runs each through Sinter's run-time builder and writes an answer to
// the standard output. Usage: sinter_differential_driver cpu|cuda. Uses public headers only, as a user's
// program does.
#include <exception>
#include <iostream>

#include "read_program.hpp"
#include "run_program.hpp"
#include "write_results.hpp"

int main(int count, char** arguments) {
  std::ios::sync_with_stdio(false);
  try {
    differential::choose_device(count > 1 ? arguments[1] : "cpu");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  for (;;) {
    differential::program source;
    std::string answer;
    try {
      if (!differential::read_program(std::cin, source)) return 0;
      answer = differential::run_program(source);
    } catch (const std::exception&) {
      answer = differential::describe_exception();
    }
    std::cout.write(answer.data(), static_cast<std::streamsize>(answer.size()));
    std::cout.flush();
  }
}
