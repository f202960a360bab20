// A program that links two libraries with a Sinter inside each.
#include <cstdio>

extern "C" int user_1();
extern "C" int user_2();

int main() {
  const int first = user_1(), second = user_2(), again = user_1();
  if (first == 31 && second == 32 && again == 31) return 0;
  std::printf("the libraries answered %d, %d and %d\n", first, second, again);
  return 1;
}
