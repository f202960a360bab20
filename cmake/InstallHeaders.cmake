# Which headers are installed, and installing them. Run by `cmake --install` and by each build for its own include/, so
# that what is installed follows what the headers include when that is done. Needs `from`, the folder that the build includes <sinter/...> from, and `to`.
#
# A header is installed unless it is of the inside, or includes one that is, at whatever distance: how the runtime speaks
# to its targets and to the system is nobody else's business.
set(inside "^sinter/(runtime/(cuda|cpu|posix|clang|command)|codegen/math)/")

file(GLOB_RECURSE headers RELATIVE ${from} ${from}/sinter/*.hpp ${from}/sinter/*.def)
set(kept "")
foreach(header IN LISTS headers)
  if(header MATCHES "${inside}")
    set(inner_${header} ${header})
    continue()
  endif()
  list(APPEND kept ${header})
  file(STRINGS ${from}/${header} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  set(included_${header} "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+).*" "\\1" file "${line}")
    if(line MATCHES "\"")
      cmake_path(GET header PARENT_PATH folder)
      cmake_path(APPEND folder "${file}" OUTPUT_VARIABLE file)
      cmake_path(NORMAL_PATH file)
    endif()
    list(APPEND included_${header} ${file})
  endforeach()
endforeach()

# inner_${header}: the chain of includes that leads inside.
set(again ON)
while(again)
  set(again OFF)
  foreach(header IN LISTS kept)
    foreach(file IN LISTS included_${header})
      if(DEFINED inner_${file})
        set(inner_${header} "${header} includes ${inner_${file}}")
        list(REMOVE_ITEM kept ${header})
        set(again ON)
        break()
      endif()
    endforeach()
  endforeach()
endwhile()

foreach(header IN LISTS headers)
  if(header MATCHES "^sinter/((dsl|dsl/detail)/)?[a-z_]+\\.hpp$" AND DEFINED inner_${header})
    message(FATAL_ERROR "a program cannot include what it is meant to: ${inner_${header}}, which is not installed")
  endif()
endforeach()

foreach(header IN LISTS kept)
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL ${from}/${header} DESTINATION ${to}/${folder} TYPE FILE MESSAGE_NEVER)
endforeach()
