# Memory of threads has one owner, codegen/base/thread_memory.hpp, and no static object of the library is destroyed:
# destructors of a program's objects may compute after any of them. Needs `root`, the folder that holds sinter/, `nm` and
# `list`, a file that sets `objects`.
cmake_minimum_required(VERSION 3.25)
# Pointers and flags, which nothing destroys; the objects below show that. The CPU compiler's library registers nothing
# at exit (clang/exit_handlers.cpp).
set(trivial background/compile_pool.cpp base/environment_state.cpp cpu/executor.cpp clang/recovery.cpp posix/log.cpp)
file(GLOB_RECURSE files RELATIVE ${root} ${root}/sinter/*.cpp ${root}/sinter/*.hpp)
foreach(file IN LISTS files)
  string(REGEX REPLACE "^sinter/runtime/" "" name ${file})
  if(file MATCHES "^sinter/codegen/base/thread_memory\\.[ch]pp$" OR name IN_LIST trivial)
    continue()
  endif()
  file(READ ${root}/${file} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  if(text MATCHES "(^|[^a-z_])thread_local[^a-z_]")
    message(SEND_ERROR "${file} has thread_local memory: sinter/codegen/base/thread_memory.hpp has what to use instead")
  endif()
endforeach()
include(${list})
foreach(object IN LISTS objects)
  execute_process(COMMAND ${nm} --undefined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(symbols MATCHES " (__cxa_atexit|__cxa_thread_atexit)\n")
    message(SEND_ERROR "${object} calls ${CMAKE_MATCH_1}(): one of its objects is destroyed with the process or a thread; "
      "make it with new, or keep it in thread_memory")
  endif()
endforeach()
