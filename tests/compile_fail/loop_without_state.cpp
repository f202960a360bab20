// expect only: a loop has at least one state
#include <sinter/sinter.hpp>
using namespace sinter;

auto use() {
  return repeat(3, [](auto i) { return i; });
}
