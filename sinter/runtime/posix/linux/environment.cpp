#include <sys/auxv.h>

#include <cstdlib>

#include <sinter/runtime/posix/environment.hpp>

namespace sinter::inline v0::runtime {

bool runs_with_rights_of_another() noexcept { return getauxval(AT_SECURE) != 0; }

std::string environment_value(const char* name) {
  if (runs_with_rights_of_another()) return {};
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace sinter::inline v0::runtime
