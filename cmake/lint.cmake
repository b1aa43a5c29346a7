# clang-tidy and cppcheck, a stamp per group of files: only groups with a change are checked again.
# Headers are few and small, so a changed header has everything checked again.
find_program(PIPA_CLANG_TIDY NAMES clang-tidy-14 clang-tidy)
find_program(PIPA_CPPCHECK cppcheck)

file(GLOB_RECURSE lint_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     ${PROJECT_SOURCE_DIR}/src/*.c)
file(GLOB_RECURSE lint_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h)
# `lint`, which runs with every ./check, is clang-tidy without the analyzer. The analyzer, with its own default of
# states of a function, and cppcheck take four times as long: they are `lint-deep` of ./check --long.
set(lint_states_deep 225000)
set(lint_flags -std=gnu17 -funsigned-char -D_GNU_SOURCE "-DPIPA_VERSION=\"0\"" -iquote ${PROJECT_SOURCE_DIR}/src)

# the start of clang-tidy takes as long as a file
set(lint_group 12)

# Add what checks some files to lint_stamps.
function(lint_files)
  list(GET ARGN 0 first)
  set(stamp ${PROJECT_BINARY_DIR}/lint/${first}.stamp)
  get_filename_component(folder ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${PIPA_CLANG_TIDY} --quiet --checks=-clang-analyzer-* ${ARGN} -- ${lint_flags}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${ARGN} ${lint_headers} .clang-tidy
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM)
  set(lint_stamps ${lint_stamps} ${stamp} PARENT_SCOPE)
endfunction()

set(lint_stamps)
set(lint_deep_stamps)
set(group)
foreach(source ${lint_sources})
  list(APPEND group ${source})
  list(LENGTH group n)
  if(n EQUAL lint_group)
    lint_files(${group})
    set(group)
  endif()
  set(stamp ${PROJECT_BINARY_DIR}/lint/${source}.stamp-deep)
  get_filename_component(folder ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  # one by one: the analyzer keeps state from one file to the next
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${PIPA_CLANG_TIDY} --quiet ${source} -- ${lint_flags}
            -Xclang -analyzer-config -Xclang max-nodes=${lint_states_deep}
    COMMAND ${PIPA_CPPCHECK} --quiet --error-exitcode=1 --std=c11 --inline-suppr
            --enable=warning,performance,portability
            --suppressions-list=${PROJECT_SOURCE_DIR}/cmake/cppcheck.txt
            -D_GNU_SOURCE "-DPIPA_VERSION=\"0\"" -I src ${source}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${source} ${lint_headers} .clang-tidy cmake/cppcheck.txt
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM)
  list(APPEND lint_deep_stamps ${stamp})
endforeach()
if(group)
  lint_files(${group})
endif()
add_custom_target(lint DEPENDS ${lint_stamps})
add_custom_target(lint-deep DEPENDS ${lint_deep_stamps})
