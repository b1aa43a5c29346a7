# One static library per layer of src/. tools/layers.txt states which layers one may include; the same rows
# say here what it links, so that the edges are stated once.
#
#   pipa_layer(NAME [EXCLUDE FILE...] [LIBRARIES LIBRARY...])
#
# The sources are all src/NAME/*.c and src/NAME/*/*.c but those that are excluded.
set(PIPA_LAYERS_FILE ${PROJECT_SOURCE_DIR}/tools/layers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PIPA_LAYERS_FILE})
file(STRINGS ${PIPA_LAYERS_FILE} PIPA_LAYER_ROWS REGEX "^[a-z0-9_]+:")

# Store in `variable` the layers that the row of `name` permits; base is permitted to all.
function(pipa_layer_edges name variable)
  set(edges)
  foreach(row ${PIPA_LAYER_ROWS})
    if(row MATCHES "^${name}:([^#]*)")
      string(STRIP "${CMAKE_MATCH_1}" edges)
      string(REGEX REPLACE "[ \t]+" ";" edges "${edges}")
    endif()
  endforeach()
  if(NOT name STREQUAL "base")
    list(APPEND edges base)
  endif()
  set(${variable} ${edges} PARENT_SCOPE)
endfunction()

function(pipa_layer name)
  cmake_parse_arguments(ARG "" "" "EXCLUDE;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${name}/*.c ${name}/*/*.c)
  if(ARG_EXCLUDE)
    list(REMOVE_ITEM sources ${ARG_EXCLUDE})
  endif()
  add_library(pipa_${name} STATIC ${sources})
  target_link_libraries(pipa_${name} PUBLIC pipa_options)
  pipa_layer_edges(${name} edges)
  foreach(edge ${edges})
    if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${edge})
      target_link_libraries(pipa_${name} PUBLIC pipa_${edge})
    endif()
  endforeach()
  target_link_libraries(pipa_${name} PUBLIC ${ARG_LIBRARIES})
  target_compile_options(pipa_${name} PRIVATE ${PIPA_COVERAGE_OPTIONS}
    -include ${PROJECT_SOURCE_DIR}/src/base/banned.h)
endfunction()

# A library that Debian ships as an archive. Static builds take the archive; builds with sanitizers prefer it, because
# the loader and the leak check take a third of the time of a short run for shared libraries.
function(pipa_library_if_there variable name header)
  find_path(${variable}_INCLUDE ${header})
  if(PIPA_STATIC)
    find_library(${variable} lib${name}.a)
  elseif(PIPA_SANITIZE)
    find_library(${variable} NAMES lib${name}.a ${name})
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
