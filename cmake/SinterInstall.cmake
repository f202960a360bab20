# What `cmake --install` puts where, and the package that find_package(sinter) reads. Components: `runtime` is what
# programs run with, `dev` what they are built with, `tools` the command, `check` sinter-check
# (tools/check/CMakeLists.txt).
include(CMakePackageConfigHelpers)

install(TARGETS sinter EXPORT sinterTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
if(TARGET sinter_cpu_compiler)
  # Opened by name at run time, from the folder where libsinter lies: nothing links it, so it is not exported.
  install(TARGETS sinter_cpu_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)
if(TARGET sinter_command)
  install(TARGETS sinter_command EXPORT sinterCommand RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(EXPORT sinterCommand NAMESPACE sinter:: DESTINATION ${config_dir} COMPONENT tools)
  set(pages ${PROJECT_BINARY_DIR}/share)
  install(FILES ${pages}/sinter.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  install(FILES ${pages}/sinter.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sinter
    COMPONENT tools)
  install(FILES ${pages}/_sinter DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
  install(FILES ${pages}/sinter.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
endif()

install(CODE "set(from \"${SINTER_INCLUDE_DIR}\")
set(to \"${CMAKE_INSTALL_INCLUDEDIR}\")
cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")" COMPONENT dev)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake COMPONENT dev)

install(EXPORT sinterTargets NAMESPACE sinter:: DESTINATION ${config_dir} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinterConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sinterConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinterConfig.cmake ${PROJECT_BINARY_DIR}/sinterConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SinterDependencies.cmake ${PROJECT_SOURCE_DIR}/cmake/SinterPack.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SinterCheck.cmake
  DESTINATION ${config_dir} COMPONENT dev)
include(SinterPkgConfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
