// A second copy, in one process, of the code that loads compiled code: built from the library's own source
// into a module that shares nothing with the first.
#include <cstddef>
#include <string_view>

#include <sinter/runtime/posix/loaded_object.hpp>

using sinter::runtime::loaded_object;

extern "C" {
[[gnu::visibility("default")]] void* second_copy_open(const char* bytes, std::size_t size) {
  return new loaded_object(std::string_view(bytes, size));
}
[[gnu::visibility("default")]] void* second_copy_symbol(const void* object, const char* name) {
  return static_cast<const loaded_object*>(object)->symbol(name);
}
[[gnu::visibility("default")]] void second_copy_close(void* object) {
  delete static_cast<loaded_object*>(object);
}
}
