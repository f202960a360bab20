// expect: dispatch: the function returns results of different types
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const any_view& x) {
  return dispatch<float, double>(x, []<class T>() { return T(1); });
}
