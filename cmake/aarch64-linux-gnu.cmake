# Cross build for aarch64 with Debian's gcc-aarch64-linux-gnu:
#
#	cmake -B build/aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake \
#		-DPIPA_FOREIGN_ROOT=/ABSOLUTE/DIR

set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
