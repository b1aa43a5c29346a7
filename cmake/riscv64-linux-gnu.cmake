# Cross build for riscv64 with Debian's gcc-riscv64-linux-gnu:
#
#	cmake -B build/riscv64 -DCMAKE_TOOLCHAIN_FILE=cmake/riscv64-linux-gnu.cmake \
#		-DPIPA_FOREIGN_ROOT=/ABSOLUTE/DIR

set(CMAKE_SYSTEM_PROCESSOR riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
