#pragma once
// The version of the library. The build reads it from here.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing.

#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0
// Two steps, so that the argument is expanded before it becomes text.
#define SINTER_VERSION_TEXT_OF_(number) #number
#define SINTER_VERSION_TEXT_OF(number) SINTER_VERSION_TEXT_OF_(number)
/// "0.1.0".
#define SINTER_VERSION_TEXT                    \
  SINTER_VERSION_TEXT_OF(SINTER_VERSION_MAJOR) \
  "." SINTER_VERSION_TEXT_OF(SINTER_VERSION_MINOR) "." SINTER_VERSION_TEXT_OF(SINTER_VERSION_PATCH)
/// 10000 * major + 100 * minor + patch, for #if.
#define SINTER_VERSION (10000 * SINTER_VERSION_MAJOR + 100 * SINTER_VERSION_MINOR + SINTER_VERSION_PATCH)
