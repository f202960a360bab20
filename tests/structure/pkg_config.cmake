# sinter.pc has paths that follow from where it lies, and those that CMake was given absolute as they are. Needs `sinter`, the
# folder of the sources, and `build`, the folder to write in.
cmake_minimum_required(VERSION 3.25)
function(install)  # the file is written, and installed nowhere
endfunction()
set(PROJECT_SOURCE_DIR ${sinter})
set(PROJECT_BINARY_DIR ${build})
set(CMAKE_INSTALL_PREFIX /opt/sinter)
set(BUILD_SHARED_LIBS ON)

function(expect library_folder header_folder)
  set(CMAKE_INSTALL_LIBDIR ${library_folder})
  set(CMAKE_INSTALL_INCLUDEDIR ${header_folder})
  include(${sinter}/cmake/SinterPkgConfig.cmake)
  file(STRINGS ${build}/sinter.pc lines REGEX "^(prefix|libdir|includedir)=")
  if(NOT "${lines}" STREQUAL "${ARGN}")
    message(SEND_ERROR "with ${library_folder} and ${header_folder}: ${lines}; expected ${ARGN}")
  endif()
endfunction()
expect(lib include "prefix=\${pcfiledir}/../.." "libdir=\${prefix}/lib" "includedir=\${prefix}/include")
expect(lib/x86_64-linux-gnu /opt/headers
  "prefix=\${pcfiledir}/../../.." "libdir=\${prefix}/lib/x86_64-linux-gnu" "includedir=/opt/headers")
expect(/usr/lib/sinter include "prefix=/opt/sinter" "libdir=/usr/lib/sinter" "includedir=\${prefix}/include")
