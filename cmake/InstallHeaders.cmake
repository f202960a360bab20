# Which headers are installed, and installing them. Run by `cmake --install` and by each build for its own include/, so
# that what is installed follows what the headers include when that is done. Needs `from`, the folder that the build
# includes <sinter/...> from, and `to`.
#
# Installed are the headers that programs include, and what those include. What such a header declares, libsinter.so
# exports (sinter/codegen/base/export.hpp).
cmake_minimum_required(VERSION 3.25)
set(public "^sinter/((sinter|order|products|scatters|sequences|stencils)\\.h$|([a-z_]+|dsl/[a-z_]+|runtime/[a-z_]+|codegen/lowering|codegen/graph/graph_builder|codegen/target/cpu_levels|runtime/cache/cache|runtime/pack/pack_builder)\\.hpp$)")
# How the runtime speaks to its targets and to the system, and how the pass works, is nobody else's business.
set(inside "^sinter/(runtime/(cuda|cpu|posix|clang|command)|codegen/(math|loops|simplify|reference))/")

file(GLOB_RECURSE headers RELATIVE ${from} ${from}/sinter/*.hpp ${from}/sinter/*.h)
list(FILTER headers INCLUDE REGEX "${public}")
set(installed "")
while(headers)
  list(POP_FRONT headers header)
  if(header IN_LIST installed)
    continue()
  endif()
  list(APPEND installed ${header})
  file(STRINGS ${from}/${header} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]sinter/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+).*" "\\1" file "${line}")
    if(file MATCHES "${inside}")
      message(FATAL_ERROR "${header} is for programs, and includes ${file}, which is not installed")
    endif()
    list(APPEND headers ${file})
  endforeach()
endwhile()

foreach(header IN LISTS installed)
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL ${from}/${header} DESTINATION ${to}/${folder} TYPE FILE MESSAGE_NEVER)
endforeach()
