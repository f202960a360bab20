# A target that sinter_check() is called for shows what is found as it is built, and with ERROR is not built. Needs `sinter`,
# the folder of the sources, `include`, `command`, `module`, `compiler`, `generator`, `build`, the folder to build in, and
# `clang_tidy` where there is one: a target that has it already loads the module.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${build})
execute_process(COMMAND ${CMAKE_COMMAND} -G ${generator} -S ${sinter}/tests/check/target -B ${build}
  -D sinter=${sinter} -D include=${include} -D SINTER_CHECK_COMMAND=${command} -D SINTER_CHECK_MODULE=${module} -D clang_tidy=${clang_tidy} -D CMAKE_CXX_COMPILER=${compiler}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# expect(TARGET BUILDS FINDS): builds the target, and compares.
function(expect target builds finds)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target ${target}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  set(built OFF)
  if(status EQUAL 0)
    set(built ON)
  endif()
  set(found OFF)
  if(output MATCHES "`gain` is read once.*sinter-global-in-stateless-lambda")
    set(found ON)
  endif()
  if(NOT "${built};${found}" STREQUAL "${builds};${finds}")
    message(SEND_ERROR "${target}: built: ${built}, found: ${found}; expected ${builds}, ${finds}:\n${output}")
  endif()
endfunction()
expect(shown ON ON)
expect(refused OFF ON)
expect(left_out ON OFF)
if(clang_tidy)
  expect(by_clang_tidy OFF ON)
endif()
