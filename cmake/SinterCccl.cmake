# Packs the headers of CCCL that the kernels for sorting include into the library (sinter/runtime/sort).
include_guard(GLOBAL)
set(SINTER_CCCL AUTO CACHE STRING "Sorting on GPUs, which needs the headers of CCCL 3 to build: ON, OFF, or AUTO (if found)")
set_property(CACHE SINTER_CCCL PROPERTY STRINGS AUTO ON OFF)

# sinter_pack_cccl(target): adds the packed headers to a target of the same folder; an empty pack without CCCL.
function(sinter_pack_cccl target)
  set(root "")
  set(version_file "")
  if(NOT SINTER_CCCL STREQUAL "OFF")
    find_path(SINTER_CCCL_INCLUDE cub/device/dispatch/kernels/radix_sort.cuh
      HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include/cccl include
      targets/x86_64-linux/include/cccl)
    mark_as_advanced(SINTER_CCCL_INCLUDE)
    if(SINTER_CCCL_INCLUDE)
      set(root ${SINTER_CCCL_INCLUDE})
      set(version_file ${root}/cub/version.cuh)
    elseif(SINTER_CCCL STREQUAL "ON")
      message(FATAL_ERROR "SINTER_CCCL is ON, and the headers of CCCL 3 were not found: they come with the CUDA toolkit 13 "
        "(package cuda-cccl-13-0). Set SINTER_CCCL_INCLUDE to the folder that contains cub/, or configure with "
        "-DSINTER_CCCL=OFF.")
    else()
      message(STATUS "sinter: the headers of CCCL 3 were not found; this build does not sort on GPUs")
    endif()
  endif()
  set(header ${PROJECT_SOURCE_DIR}/sinter/runtime/sort/sort_kernels.cuh)
  set(script ${PROJECT_SOURCE_DIR}/cmake/PackHeaders.cmake)
  set(packed ${CMAKE_CURRENT_BINARY_DIR}/packed_cccl/packed_sort_headers.cpp)
  add_custom_command(OUTPUT ${packed} DEPENDS ${header} ${script} ${version_file} VERBATIM
    COMMENT "Packing the headers of CCCL"
    COMMAND ${CMAKE_COMMAND} -D compiler=${CMAKE_CXX_COMPILER} -D root=${root} -D header=${header} -D to=${packed}
      -P ${script})
  target_sources(${target} PRIVATE ${packed})
endfunction()
