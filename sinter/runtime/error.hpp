#pragma once
#include <sinter/codegen/base/error.hpp>
