# How Sinter's own code is compiled. Dependencies are left alone.

if(SINTER_SANITIZE)
  list(JOIN SINTER_SANITIZE "," sinter_sanitizers)
  # Lines for the reports; more optimisation or description doubles the time to build.
  set(sinter_sanitize_flags -fsanitize=${sinter_sanitizers} -fno-omit-frame-pointer -O1 -g1)
  if("undefined" IN_LIST SINTER_SANITIZE)
    # A finding fails the test instead of scrolling by.
    list(APPEND sinter_sanitize_flags -fno-sanitize-recover=undefined)
  endif()
endif()

# Warnings, sanitizers and the floating-point rules that the library's answers rely on.
function(sinter_own_code target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wconversion $<$<BOOL:${SINTER_WERROR}>:-Werror>
    # Behind -Wall, which asks for these again with Clang.
    $<$<BOOL:${sinter_drops_results}>:-Wno-unused-result;-Wno-unused-value>
    # g++ 12 finds overlaps in every "text" + std::string (GCC bug 105651, mended in 13).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # -O3 doubles what the -Wall of g++ has to say about the standard library, and buys nothing here.
    $<$<CONFIG:Release>:-O2>
    # The compiler joins no multiplication and addition that the text keeps apart.
    -ffp-contract=off
    ${sinter_sanitize_flags})
  target_link_options(${target} PRIVATE ${sinter_sanitize_flags})
endfunction()

# Optimises a shared library across its objects. The objects hold machine code too, which programs link that use them
# directly: sinter_link_objects().
function(sinter_link_time_optimisation objects library)
  if(NOT SINTER_LINK_TIME_OPTIMISATION OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR SINTER_SANITIZE)
    return()
  endif()
  target_compile_options(${objects} PRIVATE $<$<CONFIG:Release>:-flto=auto;-ffat-lto-objects>)
  target_link_options(${library} PRIVATE $<$<CONFIG:Release>:-flto=auto;-O2>)
endfunction()

# Links a program with the library's objects, so that it reaches what libsinter.so hides. The CPU compiler is looked for
# beside the program, and then where libsinter lies.
function(sinter_link_objects target)
  target_link_libraries(${target} PRIVATE sinter_objects)
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${PROJECT_BINARY_DIR}/lib)
  target_link_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-lto>)
endfunction()

# Stops where `sources` is not what the folder and those in it hold that match the patterns: a file that nobody builds
# tests nothing. After EXCEPT: folders that list their own.
function(sinter_sources_are)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "EXCEPT")
  file(GLOB_RECURSE unlisted CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${arg_UNPARSED_ARGUMENTS})
  foreach(folder IN LISTS arg_EXCEPT)
    list(FILTER unlisted EXCLUDE REGEX "^${folder}/")
  endforeach()
  list(REMOVE_ITEM unlisted ${sources})
  if(unlisted)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt does not list ${unlisted}")
  endif()
endfunction()
