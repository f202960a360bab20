# A question about GPUs is asked as one (is_gpu(), warp_threads()), so that another kind of GPU is a row of
# facts(target_kind). Needs `root`. Only these files of codegen name CUDA itself: its facts, its forms of users'
# functions, its device functions and its printer.
cmake_minimum_required(VERSION 3.25)
set(allowed target/target.hpp target/known_devices.cpp kernel/finish_stage.cpp math/instruction_function.cpp print/emit.cpp)
file(GLOB_RECURSE sources RELATIVE ${root}/sinter/codegen ${root}/sinter/codegen/*.cpp ${root}/sinter/codegen/*.hpp)
if(NOT sources)
  message(FATAL_ERROR "there are no sources in ${root}/sinter/codegen")
endif()
foreach(source IN LISTS sources)
  file(STRINGS ${root}/sinter/codegen/${source} lines REGEX "target_kind::cuda")
  if(lines AND NOT source IN_LIST allowed)
    message(SEND_ERROR "${source} asks for CUDA, where it may mean any GPU: ${lines}")
  elseif(source IN_LIST allowed AND NOT lines)
    message(SEND_ERROR "${source} does not name CUDA any more: take it out of this list")
  endif()
endforeach()
