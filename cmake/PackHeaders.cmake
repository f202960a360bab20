# Packs a header, and all that it includes under NVRTC, into a C++ file: an array of zstd-compressed bytes that
# sinter/runtime/sort/packed_headers.hpp declares. Run with -P; needs
#   compiler  a C++ compiler, whose preprocessor lists the headers
#   root      the folder that contains the included headers; empty: the array is empty
#   header    the header that includes them
#   to        the C++ file
cmake_minimum_required(VERSION 3.25)
cmake_path(GET to PARENT_PATH folder)
cmake_path(GET header FILENAME header_name)
set(size 0)
set(bytes "")
if(root)
  # The macros that NVRTC has, and none of those by which headers recognise other compilers: so conditions take the same
  # branches. Headers that are not under the root are none that NVRTC has; -MG passes over them.
  execute_process(
    COMMAND ${compiler} -x c++ -std=c++17 -U__GNUC__ -U__clang__ -D__CUDACC_RTC__ -D__CUDACC__ -D__EDG__
      -D__CUDACC_VER_MAJOR__=13 -D__CUDACC_VER_MINOR__=0 -D__CUDACC_VER_BUILD__=0 -D__CUDA_ARCH__=900
      -nostdinc -isystem ${root} -M -MG ${header}
    OUTPUT_VARIABLE rule ERROR_VARIABLE messages RESULT_VARIABLE status)
  string(REGEX REPLACE "[ \t\r\n\\]+" ";" files "${rule}")
  list(FILTER files INCLUDE REGEX "^/")
  cmake_path(ABSOLUTE_PATH header)
  list(REMOVE_ITEM files ${header})
  list(SORT files)
  list(LENGTH files count)
  if(count LESS 100)
    message(FATAL_ERROR "only ${count} headers were found in ${root} by ${compiler}, which ended with ${status}: ${messages}")
  endif()
  # Each header: its name, its size in bytes, its text.
  set(packed ${folder}/packed_headers)
  file(WRITE ${packed} "")
  foreach(file IN LISTS header files)
    if(file STREQUAL header)
      set(name ${header_name})
    else()
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${root} OUTPUT_VARIABLE name)
    endif()
    file(SIZE ${file} size)
    file(READ ${file} text)
    file(APPEND ${packed} "${name}\n${size}\n")
    file(APPEND ${packed} "${text}")
  endforeach()
  file(SIZE ${packed} size)
  # The level is the highest that every CMake accepts.
  file(ARCHIVE_CREATE OUTPUT ${packed}.zst PATHS ${packed} FORMAT raw COMPRESSION Zstd COMPRESSION_LEVEL 9)
  file(READ ${packed}.zst bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
else()
  set(bytes "0")
endif()
file(WRITE ${to} "// Made by cmake/PackHeaders.cmake.
#include <sinter/runtime/sort/packed_headers.hpp>

namespace sinter::inline v0::runtime {
namespace {
constexpr unsigned char bytes[] = {
${bytes}};
}  // namespace

packed_headers packed_sort_headers() { return {bytes, ${size} == 0 ? 0 : sizeof bytes, ${size}}; }

}  // namespace sinter::inline v0::runtime
")
