# Thresholds stand in one table, and facts of hardware in target/: elsewhere in the rooms that choose schedules, cut
# rows and build loops no size is written as a number. Comments and messages may have them. Needs `root`, the folder that holds sinter/.
set(sizes "16|24|32|48|64|96|128|192|256|384|512|768|1024|2048|4096|8192|16384|32768|65536")
set(count 0)
file(GLOB files RELATIVE ${root}
  ${root}/sinter/codegen/schedule/*.cpp ${root}/sinter/codegen/schedule/*.hpp
  ${root}/sinter/codegen/schedule/choose/*.cpp ${root}/sinter/codegen/schedule/choose/*.hpp
  ${root}/sinter/codegen/schedule/model/*.cpp ${root}/sinter/codegen/schedule/model/*.hpp
  ${root}/sinter/codegen/segment/*.cpp ${root}/sinter/codegen/segment/*.hpp)
file(GLOB_RECURSE loops RELATIVE ${root}
  ${root}/sinter/codegen/loops/statements/*.?pp ${root}/sinter/codegen/loops/build/*.?pp
  ${root}/sinter/codegen/loops/passes/*.?pp)
list(APPEND files ${loops})
foreach(file IN LISTS files)
  # The tables themselves, and the schedule: data, whose fields have defaults.
  if(file MATCHES "/(thresholds\\.[ch]pp|loop_thresholds\\.hpp|model_tables\\.hpp|gpu_rates\\.[ch]pp|schedule\\.hpp)$")
    continue()
  endif()
  math(EXPR count "${count} + 1")
  file(READ ${root}/${file} text)
  string(REGEX REPLACE "[][;]" "," text "${text}")  # lines are a list of CMake's
  string(REPLACE "\n" ";" lines "${text}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "\"[^\"]*\"" "" code "${line}")
    string(REGEX REPLACE "//.*" "" code "${code}")
    if(" ${code} " MATCHES "[^A-Za-z0-9_.'](${sizes})[^A-Za-z0-9_.']" OR code MATCHES "1 << [0-9][0-9]?")
      message(SEND_ERROR "${file} has a size in it that sinter/codegen/schedule/thresholds.hpp, graph/graph_limits.hpp or "
        "target/ should name: ${line}")
    endif()
  endforeach()
endforeach()
if(count LESS 60)
  message(SEND_ERROR "only ${count} files were found under ${root}/sinter/codegen")
endif()
