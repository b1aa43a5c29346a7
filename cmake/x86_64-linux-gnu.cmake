# Cross build for x86_64 with Debian's gcc-x86-64-linux-gnu:
#
#	cmake -B build/x86_64 -DCMAKE_TOOLCHAIN_FILE=cmake/x86_64-linux-gnu.cmake \
#		-DPIPA_FOREIGN_ROOT=/ABSOLUTE/DIR

set(CMAKE_SYSTEM_PROCESSOR x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
