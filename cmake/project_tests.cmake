# Tests of the project as a whole; they run once, beside the release build.
function(project_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900) # for what hangs; a busy machine is slow
  endif()
  set(cost 0) # minutes: they begin before all others, the longest first
  if(name MATCHES "^(guest|cross/[^-]*)$")
    set(cost 1000)
  elseif(name MATCHES "^(lint|format|web)$")
    set(cost 500)
  endif()
  add_test(NAME project/${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(project/${name} PROPERTIES
    SKIP_RETURN_CODE 77
    TIMEOUT ${ARG_TIMEOUT}
    LABELS "${ARG_LABELS}"
    COST ${cost}
    ENVIRONMENT "PIPA=$<TARGET_FILE:pipa>;PIPA_SOURCE=${PROJECT_SOURCE_DIR}")
endfunction()

project_test(lint LABELS lint TIMEOUT 900
             COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target lint)
project_test(lint-deep LABELS long TIMEOUT 3600
             COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target lint-deep)
# shellcheck takes five times as long as the rest of it: in the long tier, and with ./check --only lint
project_test(format LABELS lint COMMAND tools/check-format --no-shell)
project_test(format-deep LABELS "lint;long" COMMAND tools/check-format --deep)
project_test(layers LABELS lint COMMAND tools/check-layers)
project_test(drawing LABELS lint COMMAND tools/draw-layers --check)
project_test(file-tables LABELS lint COMMAND tools/list-files --check)

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/tools/test_*.sh)
foreach(script ${scripts})
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE "test_" "" name ${name})
  project_test(${name} LABELS lint COMMAND bash ${script})
endforeach()

# the pages in a headless browser
project_test(web LABELS web TIMEOUT 600 COMMAND tests/web/run)
# the report of a day of 256 CPUs; the default tier has it with 4
project_test(long_web LABELS long TIMEOUT 1800
             COMMAND ${CMAKE_COMMAND} -E env PIPA_LONG_CPUS=256 tests/web/run test_report_day)

# pprof profiles, read by another implementation
project_test(pprof LABELS pprof COMMAND tests/pprof/run)

# tables, read by another implementation
project_test(frame LABELS frame COMMAND tests/frame/run)

# profiles of the Firefox Profiler, read by its own loader
project_test(firefox LABELS firefox COMMAND tests/firefox/run)

# files for speedscope, imported by its own page in a headless browser
project_test(speedscope LABELS web COMMAND tests/speedscope/run)

# OTLP profiles, decoded by another implementation
project_test(otlp_json LABELS otlp COMMAND tests/otlp_json/run)

# pipad, called by other libraries of gRPC; the largest message is 100 MB in the long tier
project_test(grpc LABELS grpc TIMEOUT 600 COMMAND tests/grpc/run)
project_test(long_grpc LABELS long TIMEOUT 1800
             COMMAND ${CMAKE_COMMAND} -E env PIPA_GRPC_BYTES=104857600 tests/grpc/run)

# hardware counters of an emulated machine; unit tests on architectures this machine is not
project_test(guest LABELS guest TIMEOUT 900 COMMAND tests/guest/check)
# aarch64 and x86_64 test each other in the default tier, in the layers that know architectures; riscv64 and
# the other layers take four more minutes each: in the long tier
foreach(arch aarch64 riscv64 x86_64)
  set(tier cross)
  if(arch STREQUAL "riscv64")
    set(tier long)
  endif()
  project_test(cross/${arch} LABELS ${tier} TIMEOUT 1800 COMMAND tests/cross/run ${arch})
  project_test(cross/${arch}-portable LABELS long TIMEOUT 1800 COMMAND tests/cross/run ${arch} portable)
  project_test(cross/${arch}-heap LABELS ${tier} TIMEOUT 600 COMMAND tests/cross/heap ${arch})
  project_test(cross/${arch}-suites LABELS long TIMEOUT 3600 COMMAND tests/cross/suites ${arch})
  project_test(cross/${arch}-nomem LABELS long TIMEOUT 1800 COMMAND tests/cross/run ${arch} nomem)
endforeach()
