// A library with late objects of its own, which lifetime_program.cpp opens and closes.

#include "late_object.hpp"

using namespace sinter::test;

namespace {
late_object<4> global;
thread_local late_object<5> of_thread;
}  // namespace

extern "C" {

[[gnu::visibility("default")]] void lifetime_use();
[[gnu::visibility("default")]] void lifetime_expect();

void lifetime_use() {
  of_thread.when = "thread";
  compute<0>("before", counted(short_length));
  global.when = "library";
}

// Computes nothing before the library ends.
void lifetime_expect() { global.when = "library"; }

}  // extern "C"
