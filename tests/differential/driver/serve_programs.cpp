#include "serve_programs.hpp"

#include <exception>
#include <iostream>

#include "read_program.hpp"
#include "write_results.hpp"

namespace differential {

int serve_programs(const std::function<std::string(program&)>& run) {
  std::ios::sync_with_stdio(false);
  for (;;) {
    program source;
    std::string answer;
    try {
      if (!read_program(std::cin, source)) return 0;
      answer = run(source);
    } catch (const std::exception&) {
      answer = describe_exception();
    }
    std::cout.write(answer.data(), static_cast<std::streamsize>(answer.size()));
    std::cout.flush();
  }
}

}  // namespace differential
