# Runs `program` with the word `scenario`: it must end well, and the destructors of `done` must have computed, in this
# order.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${program} ${scenario} TIMEOUT 50
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${scenario} ended with ${result}")
endif()
string(REGEX MATCHALL "[a-z]+: all: done" found "${output}")
list(TRANSFORM found REPLACE ": all: done" "")
string(REPLACE "," ";" done "${done}")
if(NOT found STREQUAL done)
  message(FATAL_ERROR "the destructors of ${found} computed, not those of ${done}")
endif()
