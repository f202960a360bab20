// Names that the guide's code blocks may use without declaring them.
#pragma once

#include <sinter/builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/environment.hpp>
#include <sinter/profile.hpp>
#include <sinter/rng.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include <oneapi/tbb/task_arena.h>

#include "foreign_library.hpp"

using namespace sinter;

/// An empty working directory, so that no block reads what another version's run has left.
class empty_folder {
 public:
  empty_folder() {
    std::filesystem::create_directories(path_);
    std::filesystem::current_path(path_);
  }
  empty_folder(const empty_folder&) = delete;
  empty_folder& operator=(const empty_folder&) = delete;
  ~empty_folder() {
    std::filesystem::current_path(path_.parent_path());
    std::filesystem::remove_all(path_);
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("sinter-guide-" + std::to_string(::getpid()));
};

struct operands {
  array<float, 1> x = linspace<float>(-1, 1, 6);
  array<float, 1> y = linspace<float>(0, 3, 6);
  array<float, 2> m = ones<float>({4, 6});
  array<int, 1> k = arange<int>(6);
};
