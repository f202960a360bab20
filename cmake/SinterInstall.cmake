# What `cmake --install` puts where, and the package that find_package(sinter) reads.
include(CMakePackageConfigHelpers)

install(TARGETS sinter EXPORT sinterTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET sinter_cpu_compiler)
  # Opened by name at run time, from the folder where libsinter lies: nothing links it, so it is not exported.
  install(TARGETS sinter_cpu_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET sinter_command)
  install(TARGETS sinter_command EXPORT sinterTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(pages ${PROJECT_BINARY_DIR}/share)
  install(FILES ${pages}/sinter.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${pages}/sinter.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sinter)
  install(FILES ${pages}/_sinter DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${pages}/sinter.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

install(CODE "set(from \"${SINTER_INCLUDE_DIR}\")
set(to \"${CMAKE_INSTALL_INCLUDEDIR}\")
cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)
install(EXPORT sinterTargets NAMESPACE sinter:: DESTINATION ${config_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinterConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sinterConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinterConfig.cmake ${PROJECT_BINARY_DIR}/sinterConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SinterDependencies.cmake ${PROJECT_SOURCE_DIR}/cmake/SinterPack.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SinterCheck.cmake
  DESTINATION ${config_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
