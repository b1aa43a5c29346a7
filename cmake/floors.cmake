# One static library per folder of src/; what it links is what it may include (tools/layers.txt).
function(pipa_floor name)
  cmake_parse_arguments(ARG "" "" "SOURCES;FLOORS;LIBRARIES" ${ARGN})
  add_library(pipa_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(pipa_${name} PUBLIC pipa_options)
  foreach(floor ${ARG_FLOORS})
    target_link_libraries(pipa_${name} PUBLIC pipa_${floor})
  endforeach()
  target_link_libraries(pipa_${name} PUBLIC ${ARG_LIBRARIES})
  target_compile_options(pipa_${name} PRIVATE
    -include ${PROJECT_SOURCE_DIR}/src/base/banned.h)
endfunction()

# A library that Debian ships as an archive; static builds take the archive.
function(pipa_library_if_there variable name header)
  find_path(${variable}_INCLUDE ${header})
  if(PIPA_STATIC)
    find_library(${variable} lib${name}.a)
  else()
    find_library(${variable} ${name})
  endif()
endfunction()

function(pipa_library variable name header)
  pipa_library_if_there(${variable} ${name} ${header})
  if(NOT ${variable} OR NOT ${variable}_INCLUDE)
    message(FATAL_ERROR "lib${name} is missing; ./quickstart installs it")
  endif()
endfunction()
