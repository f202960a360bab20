# From nothing to a program that has its recording packed: the first build has none, a run writes it, the next build
# packs it, and a build after that has nothing to do. A script, so that ctest needs no shell.
function(run)
  cmake_parse_arguments(arg "FAILS" "PRINTS" "COMMAND" ${ARGN})
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  list(JOIN arg_COMMAND " " line)
  if((result AND NOT arg_FAILS) OR (NOT result AND arg_FAILS))
    message(FATAL_ERROR "ended with ${result}: ${line}\n${text}")
  endif()
  if(arg_PRINTS AND NOT text MATCHES "${arg_PRINTS}")
    message(FATAL_ERROR "did not print ${arg_PRINTS}: ${line}\n${text}")
  endif()
endfunction()
file(REMOVE_RECURSE ${folder})
file(COPY ${source}/ DESTINATION ${folder}/source)
set(record ${folder}/source/app.record)
set(build COMMAND ${CMAKE_COMMAND} --build ${folder}/build)
set(without_compilers ${CMAKE_COMMAND} -E env SINTER_CACHE=off SINTER_NVRTC=/nonexistent
  SINTER_CPU_COMPILER=/nonexistent ${folder}/build/app)

run(PRINTS "app.record is not there yet" COMMAND ${CMAKE_COMMAND} -S ${folder}/source -B ${folder}/build
  -G ${generator} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Debug -D SINTER_LIBRARY=${library}
  -D SINTER_INCLUDE=${include} -D SINTER_COMMAND=${command} -D SINTER_PACK=${pack})
run(${build})
run(FAILS COMMAND ${without_compilers})
run(COMMAND ${CMAKE_COMMAND} -E env SINTER_CACHE=off SINTER_RECORD=${record} ${folder}/build/app)
run(${build} PRINTS "[1-9][0-9]* kernels of 1 functions and calls")
run(COMMAND ${without_compilers})
# A recording that is taken away is left out again.
file(REMOVE ${record})
run(${build} PRINTS "app.record is not there yet")
run(FAILS COMMAND ${without_compilers})
