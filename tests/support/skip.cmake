# For what a build left out: "skipped", or a failure where $SINTER_EXPECT names the need, as support/needs.hpp has it.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" expected "$ENV{SINTER_EXPECT}")
if(need IN_LIST expected)
  message(FATAL_ERROR "SINTER_EXPECT says that there is '${need}', and there is none: ${why}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "skipped, without ${need}: 1 (${why})")
