# Files of web/, rules/ and templates/ as texts in the program: they are real files for their readers, and strings for ours.
#
#   pipa_embed(TARGET NAME FILE...)
#
# makes `const struct pipa_web_text NAME` (export/view/web.h) of the FILEs, one after the other in the order
# given. Run by CMake itself while building (cmake -P), so nothing of the host is needed when
# cross-compiling.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  foreach(file ${FILES})
    file(READ ${file} hex HEX)
    string(APPEND text "${hex}")
  endforeach()
  # 32 bytes a line, each byte as \xNN: the next escape ends the one before
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" text "${text}")
  string(REPEAT "...." 32 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n\t\"" text "${text}")
  file(WRITE ${OUT} "/* made of web/ by cmake/embed.cmake */
#include \"export/view/web.h\"

static const char text[] =
\t\"${text}\";

const struct pipa_web_text ${NAME} = { text, sizeof(text) - 1 };
")
  return()
endif()

set(PIPA_EMBED ${CMAKE_CURRENT_LIST_FILE})
function(pipa_embed target name)
  set(files)
  foreach(file ${ARGN})
    list(APPEND files ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  set(out ${PROJECT_BINARY_DIR}/web/${name}.c)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DNAME=${name} -DOUT=${out} -P ${PIPA_EMBED}
    DEPENDS ${files} ${PIPA_EMBED}
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
