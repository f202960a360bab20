# Fails where a library shows anything of Sinter, or of what Sinter is linked with: it shows `shown`, and templates of the
# standard library over types of the language, which any two libraries share. Needs `nm` and `library`.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${nm} --dynamic --defined-only --format=posix ${library}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
list(TRANSFORM symbols REPLACE " .*" "")
list(FILTER symbols EXCLUDE REGEX "^_ZN?K?(St|9__gnu_cxx)")
if(NOT symbols STREQUAL "${shown};" AND NOT symbols STREQUAL shown)
  message(FATAL_ERROR "${library} is to show ${shown}, and shows ${symbols}")
endif()
execute_process(COMMAND ${nm} --dynamic --defined-only ${library} OUTPUT_VARIABLE all COMMAND_ERROR_IS_FATAL ANY)
if(all MATCHES "6sinter")
  message(FATAL_ERROR "${library} shows names of Sinter: ${all}")
endif()
