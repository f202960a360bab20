# Configures, builds and runs a project, as a script so that ctest needs no shell.
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(result)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "failed (${result}): ${line}")
  endif()
endfunction()
run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D APP_LANGUAGE=${language}
  -D CMAKE_${language}_COMPILER=${compiler} ${options})
run(${CMAKE_COMMAND} --build ${build} --parallel 2)
if(EXISTS ${build}/app)
  set(ENV{LD_LIBRARY_PATH} "$ENV{PROGRAM_LIBRARIES}:$ENV{LD_LIBRARY_PATH}")
  if(options MATCHES "APP_PACKED=ON")
    set(ENV{SINTER_CPU_COMPILER} /nonexistent)  # what runs comes out of the pack
  endif()
  run(${build}/app)
endif()
