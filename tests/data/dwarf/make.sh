#!/bin/bash
# Makes the images of this folder, and what llvm-symbolizer says of every third address of their code
# (*.lines), which the unit test compares. Needs gcc, clang, llvm, dwz and the cross compilers.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")"

flags=(-O2 -g "-ffile-prefix-map=$PWD=/src" -fno-asynchronous-unwind-tables)
link=(-nostdlib -static -Wl,-e,main -Wl,--build-id=none -Wl,-z,noseparate-code)
sources=("$PWD/parts/first.c" "$PWD/tiny.c")

rm -f -- *.elf *.o *.dwo *.dwp *.alt *.lines
for v in 2 3 4 5; do
	gcc "${flags[@]}" "${link[@]}" -gdwarf-$v "${sources[@]}" -o gcc$v.elf
done
for v in 4 5; do
	clang "${flags[@]}" "${link[@]}" -gdwarf-$v "${sources[@]}" -o clang$v.elf
	gcc "${flags[@]}" -gdwarf-$v -gsplit-dwarf -c "$PWD/parts/first.c" -o first.o
	gcc "${flags[@]}" -gdwarf-$v -gsplit-dwarf -c "$PWD/tiny.c" -o split$v.o
	gcc "${link[@]}" first.o split$v.o -o split$v.elf
	clang "${flags[@]}" -gdwarf-$v -gsplit-dwarf -c "$PWD/parts/first.c" -o first.o
	clang "${flags[@]}" -gdwarf-$v -gsplit-dwarf -c "$PWD/tiny.c" -o csplit$v.o
	gcc "${link[@]}" first.o csplit$v.o -o csplit$v.elf
	llvm-dwp split$v.dwo csplit$v.dwo -o package$v.dwp
done
rm -f -- split?.o csplit?.o first.*
gcc "${flags[@]}" "${link[@]}" -gdwarf64 "${sources[@]}" -o wide.elf
gcc "${flags[@]}" "${link[@]}" -O1 -z execstack "$PWD/nested.c" -o nested.elf
gcc "${flags[@]}" -c "$PWD/tiny.c" -o x86_64.o
for machine in aarch64 riscv64; do
	$machine-linux-gnu-gcc "${flags[@]}" "${link[@]}" "${sources[@]}" -o $machine.elf
	$machine-linux-gnu-gcc "${flags[@]}" -c "$PWD/tiny.c" -o $machine.o
done
for kind in zlib zlib-gnu zstd; do
	objcopy --compress-debug-sections=$kind gcc4.elf $kind.elf
done
# dwz moves to the shared file what both have
cp gcc4.elf dwz.elf
gcc "${flags[@]}" "${link[@]}" -gdwarf-4 "${sources[@]}" -o other.elf
dwz -m dwz.alt -M dwz.alt dwz.elf other.elf
rm -f other.elf

# split, packed and relocatable ones have the code of these, and are compared with them
for image in gcc?.elf clang?.elf aarch64.elf riscv64.elf nested.elf; do
	read -r start size < <(readelf -SW "$image" | sed 's/\[ */[/' |
		awk '$2 == ".text" { print "0x" $4, "0x" $6 }')
	for ((at = start; at < start + size; at += 3)); do
		printf '0x%x\n' "$at"
	done | llvm-symbolizer --output-style=GNU -a -f -i -e "$image" |
		sed 's/ (discriminator .*//; s/:0$/:?/; s/\.cold$//; s/^\([a-z]*\)\.[0-9]*$/\1/' > "$image.lines"
done
