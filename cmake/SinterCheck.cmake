# sinter_check(target
#   [ERROR]                   what is found fails the build; without it, it is shown
#   [CHECKS pattern …]        as clang-tidy takes them, sinter-* unless given: -sinter-discarded-result leaves one out
#   [MAX_ITERATIONS number])  iterations up to which a C++ loop may unroll, 64 unless given
#
# Runs sinter-check on each source of the target that is compiled, with the flags that it is compiled with. A change of a
# source or of a header that it includes so has it checked again. It is CMake's property CXX_CLANG_TIDY: a target that
# has one already keeps it, and its clang-tidy, of version 19, loads the checks as a module. With
# SINTER_CHECK_TARGETS=OFF the function does nothing; with a note, too, where sinter-check is not installed.
option(SINTER_CHECK_TARGETS "Have sinter_check(target) check the sources of the target" ON)

function(sinter_check target)
  cmake_parse_arguments(check "ERROR" "MAX_ITERATIONS" "CHECKS" ${ARGN})
  if(check_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sinter_check(${target}): '${check_UNPARSED_ARGUMENTS}' is none of ERROR, CHECKS, MAX_ITERATIONS")
  endif()
  if(NOT SINTER_CHECK_TARGETS)
    return()
  endif()
  # In a build of Sinter itself they are targets, which the target then waits for.
  if(TARGET sinter_check_command)
    set(command $<TARGET_FILE:sinter_check_command>)
    set(module $<TARGET_FILE:sinter_check>)
    add_dependencies(${target} sinter_check_command sinter_check)
  else()
    # This file is installed in lib/cmake/sinter, or in a folder of lib for an architecture.
    cmake_path(SET above NORMALIZE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../..)
    find_program(SINTER_CHECK_COMMAND sinter-check HINTS ${above}/../bin ${above}/../../bin)
    find_library(SINTER_CHECK_MODULE NAMES libsinter_check.so HINTS ${above})
    mark_as_advanced(SINTER_CHECK_COMMAND SINTER_CHECK_MODULE)
    set(command ${SINTER_CHECK_COMMAND})
    set(module ${SINTER_CHECK_MODULE})
  endif()
  if(NOT command)
    message(STATUS "sinter_check(${target}): there is no sinter-check, so nothing is checked; it has a package of its own")
    return()
  endif()

  get_target_property(tidy ${target} CXX_CLANG_TIDY)
  set(checks sinter-* ${check_CHECKS})
  list(JOIN checks "," checks)
  if(tidy)
    if(check_MAX_ITERATIONS)
      message(FATAL_ERROR "sinter_check(${target}): it has a clang-tidy of its own, which reads "
        "sinter-unrolled-loop.MaxIterations from .clang-tidy; leave MAX_ITERATIONS out")
    endif()
    # clang-tidy takes each option once.
    set(more checks=${checks})
    if(check_ERROR)
      list(APPEND more warnings-as-errors=sinter-*)
    endif()
    foreach(words IN LISTS more)
      string(REGEX REPLACE "=.*" "" name ${words})
      string(REGEX REPLACE "^[^=]*=" "" patterns ${words})
      if("${tidy}" MATCHES "(^|;)--?${name}=")
        list(TRANSFORM tidy APPEND ",${patterns}" REGEX "^--?${name}=")
      else()
        list(APPEND tidy --${words})
      endif()
    endforeach()
    list(APPEND tidy --load=${module})
  else()
    set(tidy ${command} --checks=${checks})
    if(check_MAX_ITERATIONS)
      list(APPEND tidy --max-iterations=${check_MAX_ITERATIONS})
    endif()
    if(NOT check_ERROR)
      list(APPEND tidy --exit-zero)
    endif()
  endif()
  set_property(TARGET ${target} PROPERTY CXX_CLANG_TIDY "${tidy}")
endfunction()
