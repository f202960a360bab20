# Makes what the release after a change of the ABI would be: the library and its headers with the next number, in the
# folder `to`. Its sources would take minutes to compile, and the number is all that would differ in the objects, where it
# stands in mangled names of the same length: it is changed there. Needs
#   list      a file that sets `objects`, the library's
#   include   the folder of installed headers
#   compiler, number (of this library), exports (its version script), libraries (that it is linked with)
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

math(EXPR other "${number} + 1")
string(LENGTH "v${number}" length)
string(LENGTH "v${other}" other_length)
if(NOT length EQUAL other_length)
  message(FATAL_ERROR "v${other} is longer than v${number}: names cannot be exchanged in objects")
endif()
file(REMOVE_RECURSE ${to})
file(MAKE_DIRECTORY ${to}/lib)

include(${list})
list(JOIN objects "\n" lines)
file(WRITE ${to}/objects "${lines}\n")
run(${compiler} -r -nostdlib -fno-lto -o ${to}/sinter.o @${to}/objects)
run(sed -i "s/6sinter${length}v${number}/6sinter${length}v${other}/g" ${to}/sinter.o)
file(READ ${exports} script)
string(REPLACE "SINTER_${number} {" "SINTER_${other} {" script "${script}")
file(WRITE ${to}/exports.map "${script}")
run(${compiler} -shared -fno-lto -o ${to}/lib/libsinter.so.${other} ${to}/sinter.o ${libraries}
  -Wl,-soname,libsinter.so.${other} -Wl,--version-script=${to}/exports.map -Wl,-z,defs)
file(REMOVE ${to}/sinter.o ${to}/objects)

file(GLOB_RECURSE headers RELATIVE ${include} ${include}/sinter/*)
foreach(header IN LISTS headers)
  file(READ ${include}/${header} text)
  string(REPLACE "sinter::inline v${number}" "sinter::inline v${other}" text "${text}")
  file(WRITE ${to}/include/${header} "${text}")
endforeach()
