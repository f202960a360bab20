#pragma once
// DLPack 1.x's own header, in a namespace: Debian's header declares structs of the same names. CMake tells
// where the header lies (SINTER_TEST_DLPACK_1), and which tests stand for it where there is none.

#include <cstddef>
#include <cstdint>

#if defined(SINTER_TEST_DLPACK_1)
namespace dlpack_1 {
#include <dlpack/dlpack.h>
}
#endif
