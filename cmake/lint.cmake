# clang-tidy and cppcheck, a stamp per file: only what changed is checked again.
# Headers are few and small, so a changed header has everything checked again.
find_program(PIPA_CLANG_TIDY NAMES clang-tidy-14 clang-tidy)
find_program(PIPA_CPPCHECK cppcheck)

file(GLOB_RECURSE lint_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     ${PROJECT_SOURCE_DIR}/src/*.c)
file(GLOB_RECURSE lint_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h)
# How many states of a function the analyzer looks at. Its own default is 225000, which takes four
# times as long; set it to that for a long look now and then.
set(PIPA_LINT_STATES 50000 CACHE STRING "States of a function that clang-tidy's analyzer looks at")
set(lint_flags -std=gnu17 -D_GNU_SOURCE "-DPIPA_VERSION=\"0\"" -iquote ${PROJECT_SOURCE_DIR}/src
    -Xclang -analyzer-config -Xclang max-nodes=${PIPA_LINT_STATES})

set(lint_stamps)
foreach(source ${lint_sources})
  set(stamp ${PROJECT_BINARY_DIR}/lint/${source}.stamp)
  get_filename_component(folder ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${PIPA_CLANG_TIDY} --quiet ${source} -- ${lint_flags}
    COMMAND ${PIPA_CPPCHECK} --quiet --error-exitcode=1 --std=c11 --inline-suppr
            --enable=warning,performance,portability
            --suppressions-list=${PROJECT_SOURCE_DIR}/cmake/cppcheck.txt
            -D_GNU_SOURCE "-DPIPA_VERSION=\"0\"" -I src ${source}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${source} ${lint_headers} .clang-tidy cmake/cppcheck.txt
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM)
  list(APPEND lint_stamps ${stamp})
endforeach()
add_custom_target(lint DEPENDS ${lint_stamps})
