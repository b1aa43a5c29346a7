# What every target is built with, and what the presets switch.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

option(PIPA_STATIC "Link pipa fully static and non-PIE" OFF)
option(PIPA_HTTPS "Use TLS for debuginfod and OTLP servers, if OpenSSL is there" ON)
option(PIPA_TESTS "Build the tests" ON)
option(PIPA_PROJECT_TESTS "Test the project itself: lint, layers, documents, guests" OFF)
option(PIPA_PURE "Only the floors that need nothing but libc, for foreign architectures" OFF)
option(PIPA_BENCH "Build the benchmark helpers" OFF)
option(PIPA_WERROR "Warnings are errors" OFF)
option(PIPA_FUZZERS "Build libFuzzer targets (clang)" OFF)
set(PIPA_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")
option(PIPA_COVERAGE "Instrument for gcov" OFF)

add_library(pipa_options INTERFACE)
target_compile_definitions(pipa_options INTERFACE _GNU_SOURCE)
# -Wconversion without its sign half: size_t against int comparisons and shifts of small constants
# would need a cast each, and casts hide what the warning is for. Text cut to a fixed buffer is what
# such a buffer is for.
# char is unsigned on aarch64 and riscv64 and signed on x86_64: unsigned everywhere, so that text of any bytes takes the
# same way on the machine of a developer and on that of a user.
target_compile_options(pipa_options INTERFACE
  -funsigned-char
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
  -Wmissing-prototypes -Wpointer-arith -Wvla -Wundef -Wformat=2
  $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>
  -fno-omit-frame-pointer
  -iquote ${PROJECT_SOURCE_DIR}/src)
if(PIPA_WERROR)
  target_compile_options(pipa_options INTERFACE -Werror)
endif()
if(PIPA_SANITIZE)
  target_compile_options(pipa_options INTERFACE
    -fsanitize=${PIPA_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(pipa_options INTERFACE -fsanitize=${PIPA_SANITIZE})
  if(PIPA_SANITIZE MATCHES "address,undefined") # the address sanitizer sees what is outside of an object
    target_compile_options(pipa_options INTERFACE -fno-sanitize=object-size)
  endif()
  # Undefined behaviour is a trap, whose place the address sanitizer prints. The descriptions of
  # 300,000 checks would be 10 MB of data, in which each process looks for pointers at its end: a fifth of the time of
  # a short run. A build with PIPA_SANITIZE=undefined prints them.
  if(PIPA_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(pipa_options INTERFACE -fsanitize-undefined-trap-on-error)
  endif()
endif()
if(PIPA_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU") # as the other libraries (cmake/layers.cmake)
  if(PIPA_SANITIZE MATCHES "address")
    target_link_options(pipa_options INTERFACE -static-libasan)
  elseif(PIPA_SANITIZE MATCHES "thread")
    target_link_options(pipa_options INTERFACE -static-libtsan)
  endif()
  if(PIPA_SANITIZE MATCHES "undefined")
    target_link_options(pipa_options INTERFACE -static-libubsan)
  endif()
endif()
if(PIPA_SANITIZE MATCHES "address")
  # A program at a fixed address needs no relocation: those of the sanitizers' tables were a quarter of the time of
  # a short run, and each page that they changed was a copy.
  set(type $<TARGET_PROPERTY:TYPE>)
  set(shared $<OR:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>,$<STREQUAL:${type},SHARED_LIBRARY>>)
  target_compile_options(pipa_options INTERFACE $<$<NOT:${shared}>:-fno-pie>)
  target_link_options(pipa_options INTERFACE $<$<STREQUAL:${type},EXECUTABLE>:-no-pie>)
endif()
if(PIPA_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  find_program(PIPA_LLD ld.lld)
  if(PIPA_LLD) # links 150 programs of 70 MB in half of the time, and these begin sooner
    target_link_options(pipa_options INTERFACE -fuse-ld=lld)
  endif()
endif()
set(PIPA_COVERAGE_OPTIONS)
if(PIPA_COVERAGE)
  # Counters are not written before each exec: a thousand of those take minutes. Nor do threads wait
  # for each other to count: that made tests take three times as long, and what is asked is whether
  # a line was run, not how often. Only src/ is counted (cmake/layers.cmake), not the tests. -O1 takes
  # half a minute more to build than -O0 and two minutes less to test.
  set(PIPA_COVERAGE_OPTIONS --coverage -O1 -fno-builtin-execvp -fprofile-update=single)
  target_link_options(pipa_options INTERFACE --coverage)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION MATCHES "^1[23]\\.")
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/coverage)
    add_library(pipa_coverage STATIC ${PROJECT_SOURCE_DIR}/tests/lib/coverage_counts.c)
    target_compile_options(pipa_coverage PRIVATE -O2 -Wall -Wextra -Werror -fno-pie)
    target_compile_definitions(pipa_coverage PRIVATE _GNU_SOURCE PIPA_COVERAGE_DIR="${PROJECT_BINARY_DIR}/coverage")
    target_link_libraries(pipa_options INTERFACE pipa_coverage)
    target_link_options(pipa_options INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,-u,pipa_coverage_counts>)
  endif()
endif()
if(PIPA_FUZZERS)
  target_compile_options(pipa_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
