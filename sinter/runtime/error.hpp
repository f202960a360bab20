#pragma once
// Threads: an exception may be copied and read on any thread; copies share their texts.
// Throws: nothing. But where the host has no memory, any function of Sinter's that is not noexcept may throw
// std::bad_alloc: other headers do not repeat it.
#include <sinter/codegen/base/error.hpp>
