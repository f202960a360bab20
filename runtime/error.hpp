#pragma once
#include <sinter/codegen/error.hpp>
