// Runs programs through Sinter's run-time builder (serve_programs.hpp). Usage: sinter_differential_driver
// cpu|cuda. Uses public headers only, as a user's program does.
#include <exception>
#include <iostream>

#include "device_memory.hpp"
#include "run_program.hpp"
#include "serve_programs.hpp"

int main(int count, char** arguments) {
  try {
    differential::choose_device(count > 1 ? arguments[1] : "cpu");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return differential::serve_programs(differential::run_program);
}
