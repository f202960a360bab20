# What `cpack -G DEB` makes: a package for each component of the installation.
#   libsinter0     runtime: the shared library, and the CPU target's compiler, which it opens
#   libsinter-dev  dev: headers, the link to the library or the static one, CMake's package and sinter.pc
#   sinter         tools: the command
#   sinter-check   check: sinter-check, where it was built, and the module of clang-tidy
# Other components become sinter-NAME. What packages depend on is read from their libraries and programs.
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
if("Unspecified" IN_LIST CPACK_COMPONENTS_ALL)
  message(FATAL_ERROR "an install rule names no COMPONENT: what it installs would be in no package")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sinter)
set(CPACK_PACKAGE_CONTACT "The authors of Sinter <sinter@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_FILE_NAME sinter-${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME sinter-${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION libdevel)
  set(CPACK_COMPONENT_${upper}_DEPENDS runtime)
endforeach()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libsinter${sinter_abi})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsinter-dev)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME sinter)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
unset(CPACK_COMPONENT_RUNTIME_DEPENDS)
# sinter-check reads sources, with the headers of Clang itself, and uses nothing of the library.
unset(CPACK_COMPONENT_CHECK_DEPENDS)
set(CPACK_DEBIAN_CHECK_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_CHECK_PACKAGE_DEPENDS libclang-common-19-dev)
set(CPACK_DEBIAN_CHECK_PACKAGE_SUGGESTS clang-tidy-19)
if(NOT BUILD_SHARED_LIBS)
  # What sinter.pc and CMake's package link a program with.
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libtbb-dev libzstd-dev)
  if(sinter_redis_cache)
    list(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libhiredis-dev)
  endif()
  if(sinter_signed_packs)
    list(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libsodium-dev)
  endif()
  list(JOIN CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
endif()
include(CPack)
