# A target that sinter_check() is called for shows what is found as it is built, and with ERROR is not built. Needs `sinter`,
# the folder of the sources, `include`, `command`, `module`, `compiler`, `generator`, `build`, the folder to build in, and
# `clang_tidy` where there is one: a target that has it already loads the module.
cmake_minimum_required(VERSION 3.25)

# configure(STATUS TEXT OPTION …): configures anew. The status is 0 or 1, and what CMake says contains the text.
function(configure expected text)
  file(REMOVE_RECURSE ${build})
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${generator} -S ${sinter}/tests/check/target -B ${build}
    -D sinter=${sinter} -D include=${include} -D SINTER_CHECK_COMMAND=${command} -D clang_tidy=${clang_tidy}
    -D CMAKE_CXX_COMPILER=${compiler} ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL expected OR NOT output MATCHES "${text}")
    message(SEND_ERROR "configuring with ${ARGN} returned ${status}; expected ${expected} and '${text}':\n${output}")
  endif()
endfunction()

# expect(TARGET BUILDS FINDS): builds the target, and compares.
function(expect target builds finds)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target ${target}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  set(built OFF)
  if(status EQUAL 0)
    set(built ON)
  endif()
  set(found OFF)
  if(output MATCHES "`gain` is read once.*sinter-global-in-stateless-lambda|100 times.*sinter-unrolled-loop")
    set(found ON)
  endif()
  if(NOT "${built};${found}" STREQUAL "${builds};${finds}")
    message(SEND_ERROR "${target}: built: ${built}, found: ${found}; expected ${builds}, ${finds}:\n${output}")
  endif()
endfunction()

configure(1 "it is checked already" -D SINTER_CHECK_MODULE=${module} -D twice=ON)
if(clang_tidy)
  configure(0 "there is no libsinter_check.so")
endif()
configure(0 "" -D SINTER_CHECK_MODULE=${module} -D SINTER_CHECK_TARGETS=OFF)
expect(refused ON OFF)
configure(0 "" -D SINTER_CHECK_MODULE=${module})
expect(shown ON ON)
expect(refused OFF ON)
expect(left_out ON OFF)
expect(long_loops OFF ON)
expect(longer_loops ON OFF)
if(clang_tidy)
  expect(by_clang_tidy OFF ON)
endif()
