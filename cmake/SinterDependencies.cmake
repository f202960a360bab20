# The libraries that are compiled into libsinter: archives where there are any, so that a program need not have them. A
# static libsinter cannot hold them and brings them along to the final link: its package looks for them with this file.
include_guard(GLOBAL)

# sinter_find_archive(name header prefix NAMES...): sinter::name, and ${prefix}_INCLUDE and ${prefix}_LIBRARY.
function(sinter_find_archive name header prefix)
  find_path(${prefix}_INCLUDE ${header})
  find_library(${prefix}_LIBRARY NAMES ${ARGN})
  mark_as_advanced(${prefix}_INCLUDE ${prefix}_LIBRARY)
  if(NOT ${prefix}_INCLUDE OR NOT ${prefix}_LIBRARY)
    list(APPEND sinter_missing ${name})
    set(sinter_missing ${sinter_missing} PARENT_SCOPE)
    return()
  endif()
  # Seen everywhere: also where a project that adds this one as a folder links.
  add_library(sinter::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(sinter::${name} PROPERTIES
    IMPORTED_LOCATION ${${prefix}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${${prefix}_INCLUDE})
endfunction()

# Those that were not found.
set(sinter_missing "")
sinter_find_archive(zstd zstd.h SINTER_ZSTD libzstd.a zstd)
sinter_find_archive(hiredis hiredis/hiredis.h SINTER_HIREDIS libhiredis.a hiredis)
sinter_find_archive(sodium sodium.h SINTER_SODIUM libsodium.a sodium)
