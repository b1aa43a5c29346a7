# What the toolchain files for Debian's cross compilers share. A caller sets the machine, then
# includes this:
#
#	set(CMAKE_SYSTEM_PROCESSOR aarch64)
#	include(${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake)
#
# The C library is the cross compiler's own, in /usr/TRIPLET. All other libraries and headers come
# from -DPIPA_FOREIGN_ROOT=DIR, where tools/foreign-packages unpacked them, never from the host.

set(CMAKE_SYSTEM_NAME Linux)
set(PIPA_TRIPLET ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)

set(CMAKE_C_COMPILER ${PIPA_TRIPLET}-gcc)
set(CMAKE_C_LIBRARY_ARCHITECTURE ${PIPA_TRIPLET})

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PIPA_FOREIGN_ROOT) # so that probes see it too
if(PIPA_FOREIGN_ROOT AND NOT IS_ABSOLUTE "${PIPA_FOREIGN_ROOT}")
	message(FATAL_ERROR "PIPA_FOREIGN_ROOT must be an absolute path")
endif()

set(ENV{PKG_CONFIG_SYSROOT_DIR} "${PIPA_FOREIGN_ROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${PIPA_FOREIGN_ROOT}/usr/lib/${PIPA_TRIPLET}/pkgconfig")

# headers that differ between architectures, such as OpenSSL's
if(PIPA_FOREIGN_ROOT)
	set(CMAKE_C_FLAGS_INIT "-idirafter ${PIPA_FOREIGN_ROOT}/usr/include/${PIPA_TRIPLET}")
endif()

set(CMAKE_FIND_ROOT_PATH "${PIPA_FOREIGN_ROOT}" /usr/${PIPA_TRIPLET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# ctest runs foreign programs where qemu-user is installed
find_program(PIPA_EMULATOR
	     NAMES qemu-${CMAKE_SYSTEM_PROCESSOR}-static qemu-${CMAKE_SYSTEM_PROCESSOR})
if(PIPA_EMULATOR)
	set(CMAKE_CROSSCOMPILING_EMULATOR ${PIPA_EMULATOR})
endif()
