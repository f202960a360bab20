# The libraries that are compiled into libsinter: archives where there are any, so that a program need not have them. A
# static libsinter cannot hold them and brings them along to the final link: its package looks for them with this file.
include_guard(GLOBAL)

# Whether a shared library can hold an archive: Debian 12's libzstd.a is not position-independent.
function(sinter_is_position_independent library result)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -shared -nostdlib -o /dev/null -Wl,--whole-archive ${library} -Wl,--no-whole-archive
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# sinter_find_archive(name header prefix shared NAMES...): sinter::name, and ${prefix}_INCLUDE and ${prefix}_LIBRARY.
# What a user links a static libsinter into may be a shared library: then an archive that cannot be in one gives way to
# the library `shared`.
function(sinter_find_archive name header prefix shared)
  find_path(${prefix}_INCLUDE ${header})
  find_library(${prefix}_LIBRARY NAMES ${ARGN})
  if(sinter_is_static AND ${prefix}_LIBRARY MATCHES "\\.a$")
    sinter_is_position_independent(${${prefix}_LIBRARY} fits)
    if(NOT fits)
      message(STATUS "sinter: ${${prefix}_LIBRARY} is not position-independent; the shared ${shared} is linked instead")
      find_library(${prefix}_SHARED_LIBRARY NAMES ${shared})
      mark_as_advanced(${prefix}_SHARED_LIBRARY)
      set(${prefix}_LIBRARY ${${prefix}_SHARED_LIBRARY})
    endif()
  endif()
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

# In the package only a static libsinter reads this file.
set(sinter_is_static ON)
if(PROJECT_NAME STREQUAL "sinter" AND BUILD_SHARED_LIBS)
  set(sinter_is_static OFF)
endif()
# Those that are needed and were not found.
set(sinter_missing "")
sinter_find_archive(zstd zstd.h SINTER_ZSTD zstd libzstd.a zstd)

# sinter_find_optional(wish option without name header prefix shared NAMES...): sinter_find_archive() as far as the
# variable `wish` says, and then ON or OFF in that variable. AUTO does without what is not found, and says so.
macro(sinter_find_optional wish option without)
  if(NOT "${${wish}}" STREQUAL "OFF")
    set(sinter_missing_before "${sinter_missing}")
    sinter_find_archive(${ARGN})
    if("${sinter_missing}" STREQUAL "${sinter_missing_before}")
      set(${wish} ON)
    elseif("${${wish}}" STREQUAL "AUTO")
      set(${wish} OFF)
      set(sinter_missing "${sinter_missing_before}")
      message(STATUS "sinter: ${without} (${option})")
    endif()
  endif()
endmacro()
sinter_find_optional(sinter_redis_cache SINTER_REDIS_CACHE "hiredis was not found; this build shares no cache by Redis"
  hiredis hiredis/hiredis.h SINTER_HIREDIS hiredis libhiredis.a hiredis)
sinter_find_optional(sinter_signed_packs SINTER_SIGNED_PACKS "libsodium was not found; this build signs no packs"
  sodium sodium.h SINTER_SODIUM sodium libsodium.a sodium)
