// A library with late objects of its own, which lifetime_program.cpp opens and closes.

#include "late_object.hpp"

using namespace sinter::test;

namespace {
late_object<4> global;
thread_local late_object<5> of_thread;
}  // namespace

extern "C" [[gnu::visibility("default")]] void lifetime_use();
extern "C" void lifetime_use() {
  of_thread.when = "thread";
  compute<0>("before", counted(short_length));
  global.when = "library";
}
