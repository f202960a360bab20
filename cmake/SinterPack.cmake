# sinter_add_pack(target
#   [ARCHITECTURES 80 90 …]   CUDA architectures; for the newest, PTX for later ones lies beside its machine code
#   [RECORDINGS file …]       what runs with SINTER_RECORD=file wrote: functions with names, state or modes of their
#                             own, and the very layouts that were met. A file that is not there yet, as before the
#                             first run, is left out; the build after it has appeared or changed packs what it says
#   [TUNINGS file …]          what `sinter tune` or tuning_report::save() wrote: calls of those classes have the
#                             measured schedules, and the pack has their kernels
#   [CPU x86-64-v3 native …]  processors that kernels for the CPU are for: levels of x86-64, and native, the machine
#                             that builds, which is what they are for unless this is given
#   [NO_CPU]                  no kernels for the CPU
#   [BESIDE]                  as <target>.sinterpack beside the target, where it is to be installed, too; not in it
#   [SIGN_WITH file])         with the secret key in a file; see `sinter pack keys`
#
# After the target, a program or a shared library, is linked, the `sinter` command asks it for its functions, compiles
# what they need and puts the pack into it, as a section of its file: strip keeps that. The library finds it there by a
# note; nothing is started, opened or registered for it. No GPU is needed to build, NVRTC is.
function(sinter_add_pack target)
  cmake_parse_arguments(pack "NO_CPU;BESIDE" "SIGN_WITH" "ARCHITECTURES;RECORDINGS;TUNINGS;CPU" ${ARGN})
  if(pack_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sinter_add_pack(${target}): '${pack_UNPARSED_ARGUMENTS}' is none of ARCHITECTURES, RECORDINGS, "
      "TUNINGS, CPU, NO_CPU, BESIDE, SIGN_WITH")
  endif()
  if(NOT TARGET sinter::command)
    message(FATAL_ERROR "sinter_add_pack(${target}): there is no `sinter` command, which builds packs; build Sinter with "
      "SINTER_BUILD_COMMAND=ON")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "sinter_add_pack(${target}): it is a ${type}; a program or a shared library can have a pack")
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(FATAL_ERROR "sinter_add_pack(${target}): the target is run to list its functions, which this machine cannot "
      "do; build the pack on one that can and name it in SINTER_PACKS")
  endif()
  if(NOT pack_BESIDE AND NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "sinter_add_pack(${target}): objcopy, of binutils, was not found; say BESIDE")
  endif()

  # The note by which the library knows of the pack.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.sinter)
  set(note ${folder}/note.cpp)
  set(file ${folder}/pack)
  if(pack_BESIDE)
    set(kind 4)
    set(name ${target}.sinterpack)
  else()
    set(kind 3)
    set(name .sinter.pack)
  endif()
  file(CONFIGURE OUTPUT ${note} @ONLY CONTENT [[
// Made by sinter_add_pack(): tells the library where this file's pack is.
asm(".pushsection .note.sinter,\"aR\",@note\n\t.balign 4\n\t.long 7, 2f - 1f, @kind@\n\t.asciz \"Sinter\"\n\t.balign 4\n"
    "1:\n\t.asciz \"@name@\"\n2:\n\t.balign 4\n\t.popsection");
]])
  target_sources(${target} PRIVATE ${note})

  set(words "")
  if(pack_ARCHITECTURES)
    list(JOIN pack_ARCHITECTURES "," architectures)
    list(APPEND words --architectures ${architectures})
  endif()
  set(recordings "")
  foreach(recording IN LISTS pack_RECORDINGS)
    cmake_path(ABSOLUTE_PATH recording BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    # One that no command of the build makes is made by a run of the very program: it may not be there yet, and what
    # looks at each build whether it has come is a glob.
    get_source_file_property(generated ${recording} GENERATED)
    if(NOT generated)
      string(REGEX REPLACE "([][*?])" "[\\1]" pattern ${recording})
      file(GLOB present CONFIGURE_DEPENDS ${pattern})
      if(NOT present)
        message(STATUS "sinter_add_pack(${target}): ${recording} is not there yet, so its calls are not in the pack; "
          "SINTER_RECORD=${recording} has a run of the program write it")
        continue()
      endif()
    endif()
    list(APPEND recordings ${recording})
    list(APPEND words --recording ${recording})
  endforeach()
  set(tunings "")
  foreach(tuning IN LISTS pack_TUNINGS)
    cmake_path(ABSOLUTE_PATH tuning BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND tunings ${tuning})
    list(APPEND words --tuning ${tuning})
  endforeach()
  if(pack_CPU)
    list(JOIN pack_CPU "," processors)
    list(APPEND words --cpu ${processors})
  endif()
  if(pack_NO_CPU)
    list(APPEND words --no-cpu)
  endif()
  if(pack_SIGN_WITH)
    cmake_path(ABSOLUTE_PATH pack_SIGN_WITH BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND words --sign-with ${pack_SIGN_WITH})
  endif()
  if(pack_BESIDE)
    set(put ${CMAKE_COMMAND} -E copy ${file} $<TARGET_FILE_DIR:${target}>/${name})
  else()
    set(put ${CMAKE_OBJCOPY} --add-section ${name}=${file} $<TARGET_FILE:${target}>)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${recordings} ${tunings})
  # The target is run where it was built: it may have no run path there, or that of its installed self alone.
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E env --modify LD_LIBRARY_PATH=path_list_append:$<TARGET_FILE_DIR:sinter::sinter>
      $<TARGET_FILE:sinter::command> pack build --program $<TARGET_FILE:${target}> ${words} --output ${file}
    COMMAND ${put}
    COMMENT "Packing the kernels of ${target}")
endfunction()
