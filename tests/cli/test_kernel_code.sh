#!/bin/bash
# Code of the kernel and its modules: names, lines and instructions out of an image and a module that are
# made here, for a recording that is made here too.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# ./vmlinux with spin() in it and ./root/lib/modules/9.9/hot.ko with module_spin(); where they are in the
# files in $spin_at and $module_spin_at
kernel() {
	need_program cc
	need_program nm
	need_program python3
	cat > kernel.c <<- 'END'
		extern volatile int v;
		volatile int v;
		void spin(int n);
		void other(int n);
		__attribute__((noinline)) void spin(int n)
		{
			for (int i = 0; i < n; i++)
				v += i;
		}
		void other(int n)
		{
			spin(n);
			v++;
		}
	END
	sed -e 's/spin/module_spin/g; s/other/module_other/g' kernel.c > module.c
	case $(uname -m) in
	x86_64) linked=ffffffff81000000 flags=-mcmodel=kernel ;;
	aarch64) linked=ffff800080000000 flags= ;;
	riscv64) linked=ffffffff80000000 flags=-mcmodel=medany ;;
	*) skip 'no image of a kernel is known for this machine' ;;
	esac
	# shellcheck disable=SC2086
	cc -O1 -g -ffreestanding -fno-pie -no-pie -nostdlib -static $flags "-Wl,-Ttext=0x$linked" \
		"-Wl,--defsym=_text=0x$linked" -Wl,--build-id=none -Wl,-e,spin kernel.c -o vmlinux 2> err ||
		skip "cc cannot link it: $(head -n 1 err)"
	mkdir -p root/lib/modules/9.9
	# shellcheck disable=SC2086
	cc -O1 -g -ffreestanding -fno-pie -ffunction-sections $flags -c module.c \
		-o root/lib/modules/9.9/hot.ko 2> err || skip "cc cannot compile it: $(head -n 1 err)"
	nm vmlinux | grep -q ' [TtAa] _text$' || skip 'the linker left no _text'
	spin_at=$(nm vmlinux | awk '$3 == "spin" { print $1 }')
}

# recorded [BUILDID]: a recording of a kernel, release 9.9, that ran 32 MiB above its image: 30 samples in spin()
# and 10 in module_spin(), which is the first function of its module
recorded() {
	python3 - "$linked" "$spin_at" "${1-}" > data <<- 'END'
		import struct, sys
		linked, spin = (int(arg, 16) for arg in sys.argv[1:3])
		build_id = bytes.fromhex(sys.argv[3])
		slide, module = 0x2000000, 0xffffffffc0000000
		attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 2 | 4 | 0x100, 0, 0)
		attr += bytes(128 - len(attr)) + struct.pack("<QQ", 0, 0)
		def record(kind, misc, body):
		    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
		def mapped(at, size, offset, name):
		    name = name.encode() + bytes(8 - len(name) % 8)
		    return record(1, 1, struct.pack("<IIQQQ", 0xffffffff, 0, at, size, offset) + name)
		def sample(ip, time):
		    return record(9, 1, struct.pack("<QIIQQ", ip, 7, 7, time, 1000))
		data = mapped(linked + slide, 0x100000, linked + slide, "[kernel.kallsyms]_text")
		data += mapped(module, 0x1000, 0, "/lib/modules/9.9/hot.ko")
		data += b"".join(sample(spin + slide + 4, 100 + i) for i in range(30))
		data += b"".join(sample(module + 4, 200 + i) for i in range(10))
		start = 104 + len(attr)
		features = []
		if build_id:
		    name = b"[kernel.kallsyms]"
		    name += bytes(24 - len(name))
		    features = [(2, record(67, 1, struct.pack("<i", -1) + build_id + bytes(4) + name)),
		                (4, struct.pack("<I", 4) + b"9.9\0")]
		at, table, behind = start + len(data) + 16 * len(features), b"", b""
		for _, body in features:
		    table += struct.pack("<QQ", at + len(behind), len(body))
		    behind += body
		head = b"PERFILE2" + struct.pack("<8Q", 104, len(attr), 104, len(attr), start, len(data), 0, 0)
		head += struct.pack("<Q", sum(1 << bit for bit, _ in features))
		sys.stdout.buffer.write(head + bytes(104 - len(head)) + attr + data + table + behind)
	END
}

# with_id BUILDID: ./vmlinux with that build id: ./image
with_id() {
	need_program objcopy
	printf '\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0' > note
	python3 -c "import sys; sys.stdout.buffer.write(bytes.fromhex('$1'))" >> note
	objcopy --add-section .note.gnu.build-id=note \
		--set-section-flags .note.gnu.build-id=alloc,readonly vmlinux image 2> err ||
		skip "objcopy: $(head -n 1 err)"
}

# Where images are looked for: as that of the release, and by build id
test_vmlinux_is_found_automatically_by_its_build_id() {
	local id=00112233445566778899aabbccddeeff00112233 place

	kernel
	with_id "$id"
	recorded "$id"
	export HOME=$PWD/home
	pipa report --no-children --sort symbol,srcline --symfs root data
	has out 'no symbols of the recorded kernel 75.00%'
	for place in root/boot/vmlinux-9.9 root/usr/lib/debug/boot/vmlinux-9.9 \
		root/usr/lib/debug/lib/modules/9.9/vmlinux root/lib/modules/9.9/build/vmlinux \
		root/usr/lib/debug/.build-id/00/${id#00}.debug home/.debug/.build-id/00/${id#00}/vmlinux; do
		mkdir -p "${place%/*}"
		cp image "$place"
		pipa report --no-children --sort symbol,srcline --symfs root data
		status 0
		matches out '^ +75\.00% +\[k\] spin +kernel\.c:(7|8|9)$'
		pipa report --no-children --sort symbol --symfs root data
		matches out '^ +75\.00% +\[k\] spin$'
		pipa annotate --symfs root data spin
		status 0
		matches out '^ +100\.00 +: '
		rm "$place"
	done
	cp image root/boot/vmlinux-9.9
	recorded "11${id#00}"
	pipa report --no-children --sort symbol,srcline --symfs root data
	lacks out '[k] spin'
	has out 'no symbols of the recorded kernel 75.00%'
	pipa report --no-children --sort symbol,srcline --vmlinux image --symfs root data
	has out 'build ID mismatch 75.00%'
	pipa annotate --vmlinux image --symfs root data module_spin
	status 0
}

test_symbols_and_lines_of_the_kernel_come_from_vmlinux() {
	kernel
	recorded
	pipa report --no-children --sort symbol,srcline --vmlinux vmlinux --symfs root data
	status 0
	matches out '^ +75\.00% +\[k\] spin +kernel\.c:(7|8|9)$'
	matches out '^ +25\.00% +\[k\] module_spin +module\.c:(7|8|9)$'
}

test_functions_below_the_limit_are_distinguished_from_unresolved_addresses() {
	kernel
	recorded
	pipa annotate --percent-limit 50 --symfs root data
	refused 1 <<< 'pipa annotate: no function has 50 % of the samples. Use --percent-limit 0 to show all resolved functions; see pipa report for unresolved ones.'
	pipa annotate --percent-limit 80 --symfs root data
	refused 1 <<< 'pipa annotate: no function has 80 % of the samples. Use --percent-limit 0 to show all.'
}

test_a_given_file_must_exist() {
	local option command

	kernel
	recorded
	for option in --vmlinux --kallsyms; do
		for command in report script; do
			pipa $command $option missing data
			refused 1 <<< "pipa $command: cannot open 'missing': No such file or directory"
		done
	done
}

# Of a listing: the addresses of the instructions
addresses() {
	sed -nE 's/^ *[0-9.]* *: +([0-9a-f]+):.*/\1/p' "$1"
}

test_instructions_of_the_kernel_are_those_of_vmlinux() {
	kernel
	need_program objdump
	recorded
	pipa annotate --vmlinux vmlinux --symfs root data spin
	status 0
	! grep -q '^# no code.*capstone\|does not know' out || skip "$(grep -m 1 '^# no code' out)"
	has out '# spin in '
	has out 'v += i;'
	matches out '^ +100\.00 +: '
	objdump -d --disassemble=spin vmlinux | sed -nE 's/^ *([0-9a-f]+):.*/\1/p' > wanted
	addresses out > got
	compare 'instructions' got < wanted
}

test_instructions_of_a_module_are_those_of_its_file() {
	kernel
	need_program objdump
	recorded
	pipa annotate --vmlinux vmlinux --symfs root data module_spin
	status 0
	! grep -q '^# no code.*capstone\|does not know' out || skip "$(grep -m 1 '^# no code' out)"
	has out '# module_spin in /lib/modules/9.9/hot.ko'
	has out 'v += i;'
	objdump -d --disassemble=module_spin root/lib/modules/9.9/hot.ko |
		sed -nE 's/^ *([0-9a-f]+):.*/\1/p' > wanted
	addresses out > got
	compare 'instructions' got < wanted
}

# A call with a relocation has no target yet: its bytes would lead to the next instruction.
test_an_unrelocated_call_has_no_target() {
	kernel
	recorded
	need_program objdump
	sed -i 's/module_spin/caller/g; s/void caller(int n);/void caller(int n); void away(void);/; s/v += i;/away();/' module.c
	cc -O1 -g -ffreestanding -fno-pie -fcf-protection=none -c module.c -o root/lib/modules/9.9/hot.ko \
		2> err || skip "cc cannot compile it: $(head -n 1 err)"
	objdump -dr root/lib/modules/9.9/hot.ko | grep -q 'R_.*away' || skip 'the call has no relocation'
	pipa annotate --vmlinux vmlinux --symfs root data caller
	status 0
	! grep -q '^# no code' out || skip "$(grep -m 1 '^# no code' out)"
	matches out ': +(call|callq|bl) '
	! grep -E ': +(call|callq|bl) .*<caller\+' out > wrong || fail 'calls' 'none into itself' "$(cat wrong)"
}

test_kernel_frames_of_a_process_have_lines_by_vmlinux() {
	local text at

	kernel
	text=$(awk '$3 == "_text" && $1 !~ /^0+$/ { print $1; exit }' /proc/kallsyms)
	[[ $text ]] || skip 'the kernel does not tell where it is'
	at=$(printf %x $((16#$text + 16#$spin_at - 16#$linked)))
	pipa symbolize --pid $$ --vmlinux vmlinux "$at"
	status 0
	matches out "^0x$at spin\\+0x0 in \\[kernel\\] at .*/kernel\\.c:[67]\$"
	need_program objcopy
	printf '\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0aaaaaaaaaaaaaaaaaaaa' > note
	objcopy --add-section .note.gnu.build-id=note \
		--set-section-flags .note.gnu.build-id=alloc,readonly vmlinux stranger 2> err ||
		skip "objcopy: $(head -n 1 err)"
	pipa symbolize --pid $$ --vmlinux stranger "$at"
	refused 1 <<< "pipa symbolize: 'stranger' is not the vmlinux of the running kernel"
	pipa symbolize --exe vmlinux --vmlinux vmlinux "$at"
	refused 2 <<< 'pipa symbolize: --vmlinux requires --pid'
}

test_vmlinux_of_the_running_kernel_is_found_automatically() {
	local text at id

	kernel
	need_program objcopy
	text=$(awk '$3 == "_text" && $1 !~ /^0+$/ { print $1; exit }' /proc/kallsyms)
	[[ $text ]] || skip 'the kernel does not tell where it is'
	at=$(printf %x $((16#$text + 16#$spin_at - 16#$linked)))
	id=$(python3 - <<- 'END'
		import struct
		notes = open("/sys/kernel/notes", "rb").read()
		while len(notes) >= 12:
		    names, size, kind = struct.unpack_from("<III", notes)
		    body = 12 + (names + 3 & ~3)
		    if kind == 3 and notes[12:16] == b"GNU\0":
		        print(notes[body:body + size].hex())
		    notes = notes[body + (size + 3 & ~3):]
	END
	)
	[[ ${#id} -eq 40 ]] || skip 'the kernel has no build id of 20 bytes'
	with_id "$id"
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	HOME=$PWD/home pipa symbolize --pid $$ "$at"
	status 0
	lacks out spin
	cp image "home/.debug/.build-id/${id:0:2}/${id:2}/vmlinux"
	HOME=$PWD/home pipa symbolize --pid $$ "$at"
	status 0
	matches out "^0x$at spin\\+0x0 in \\[kernel\\] at .*/kernel\\.c:[67]\$"
}

# Enough questions for threads.
test_code_outside_of_vmlinux_has_the_names_of_kallsyms() {
	local text at far i

	kernel
	text=$(awk '$3 == "_text" && $1 !~ /^0+$/ { print $1; exit }' /proc/kallsyms)
	[[ $text ]] || skip 'the kernel does not tell where it is'
	at=$(printf %x $((16#$text + 16#$spin_at - 16#$linked)))
	far=$(awk '$2 ~ /[Tt]/ && $3 == "schedule" { sub(/^0+/, "", $1); print $1; exit }' /proc/kallsyms)
	[[ $far ]] || skip 'the kernel does not tell where schedule() is'
	pipa symbolize --pid $$ "$far"
	matches out "^0x$far [^ ]+\\+0x0 in \\[kernel\\]\$"
	cp out far
	pipa symbolize --pid $$ --vmlinux vmlinux "$at"
	cat far out > pair
	for ((i = 0; i < 3000; i++)); do echo "$far $at"; done > asked
	"$PIPA" symbolize --pid $$ --vmlinux vmlinux < asked > long || fail 'a long stream' 'status 0' "$?"
	awk '{ all = all $0 "\n" } END { for (i = 0; i < 3000; i++) printf "%s", all }' pair > wanted
	cmp long wanted || fail 'answers to a long stream' 'those of single words' "$(cmp long wanted)"
}

# A recording of a kernel of that release, with samples all over the vdso: ./data
recorded_vdso() {
	need_program python3
	python3 - "$1" > data <<- 'END'
		import struct, sys
		at, release = 0x7fff00000000, sys.argv[1].encode() + b"\0"
		attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 2 | 4 | 0x100, 0, 0)
		attr += bytes(128 - len(attr)) + struct.pack("<QQ", 0, 0)
		def record(kind, misc, body):
		    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
		data = record(1, 2, struct.pack("<IIQQQ", 7, 7, at, 0x2000, 0) + b"[vdso]\0\0")
		data += b"".join(record(9, 2, struct.pack("<QIIQQ", at + i, 7, 7, 100 + i, 1000))
		                 for i in range(0, 0x2000, 16))
		start = 104 + len(attr)
		behind = start + len(data)
		text = struct.pack("<I", len(release)) + release
		table = struct.pack("<QQ", behind + 16, len(text))
		head = b"PERFILE2" + struct.pack("<8Q", 104, len(attr), 104, len(attr), start, len(data), 0, 0)
		head += struct.pack("<4Q", 1 << 4, 0, 0, 0)
		sys.stdout.buffer.write(head[:104] + attr + data + table + text)
	END
}

# Its build id is not known: only that it was another kernel.
test_the_vdso_of_another_kernel_is_not_used() {
	recorded_vdso "$(uname -r)"
	pipa report --no-children --sort dso,symbol data
	status 0
	grep -qE '\[vdso\] +\[\.\] __(vdso|kernel)_' out || skip 'this kernel has no vdso with names'
	pipa annotate --percent-limit 0 --asm data
	lacks out '# no code'
	recorded_vdso 2.6.18
	pipa report --no-children --sort dso,symbol data
	status 0
	has out '# unresolved: 100.00%: file not found 100.00%'
	pipa bundle -o bundle data
	status 0
	has err '[vdso]: not found or not readable'
}

run_tests "$@"
