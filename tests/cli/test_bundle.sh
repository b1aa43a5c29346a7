#!/usr/bin/env bash
#
# A recording packed with the files that its names are in, and read where those files are not.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# A recording of a program of our own, ./program, in ./perf.data
record_some() {
	need_workloads
	cp "$PIPA_WORKLOADS/busy" program
	pipa record -o perf.data -- ./program written 200
	[[ $got_status -eq 0 && -s perf.data ]] || skip "pipa cannot record here: $(tail -n 1 err)"
}

# elsewhere ARGS...: pipa as if on another machine: no file that was mapped can be found
elsewhere() {
	HOME=/nonexistent pipa "$@"
}

make_bundle() {
	record_some
	"$PIPA" report perf.data > expected
	grep -q 'program' expected || skip 'the recording has no sample of the program'
	pipa bundle perf.data
	status 0
	rm program
}

need_capstone() {
	"$PIPA" annotate --asm --percent-limit 0 perf.data.tar.zst > listing 2> /dev/null
	! grep -q 'built without capstone' listing || skip 'this pipa was built without capstone'
}

# archive NAME=FILE...: a tar archive, made by others
archive() {
	need_program python3
	python3 - "$@" <<- 'END'
		import sys, tarfile
		with tarfile.open("made.tar", "w") as tar:
		    for pair in sys.argv[1:]:
		        name, _, file = pair.partition("=")
		        info = tarfile.TarInfo(name)
		        data = open(file, "rb").read()
		        info.size = len(data)
		        import io
		        tar.addfile(info, io.BytesIO(data))
	END
}

test_a_bundle_gives_the_same_table_without_the_files() {
	make_bundle
	elsewhere report perf.data --symfs /nonexistent
	! cmp -s out expected || fail 'without its files' 'another table' 'the same'
	elsewhere report --symfs /nonexistent perf.data.tar.zst
	status 0
	stdout < expected
}

test_script_and_fold_open_it_too() {
	record_some
	"$PIPA" script perf.data > as_script
	"$PIPA" fold perf.data > as_fold
	pipa bundle
	status 0
	rm program
	elsewhere script perf.data.tar.zst
	status 0
	stdout < as_script
	elsewhere fold perf.data.tar.zst
	status 0
	stdout < as_fold
}

test_annotate_reads_the_code_in_the_bundle() {
	make_bundle
	need_capstone
	cp "$PIPA_WORKLOADS/busy" program
	"$PIPA" annotate --asm perf.data > expected
	rm program
	matches expected '^ +[0-9.]+ : +[0-9a-f]+:  [a-z]'
	elsewhere annotate --asm --symfs /nonexistent perf.data.tar.zst
	status 0
	stdout < expected
}

test_a_package_of_split_units_is_bundled() {
	need_program cc
	need_program dwp
	cat > hot.c <<- 'END'
		volatile unsigned v;
		static inline __attribute__((always_inline)) unsigned mix(unsigned x) { return x * 7 / (v | 3); }
		__attribute__((noinline)) static unsigned work(unsigned n)
		{
			unsigned s = 0;

			for (unsigned i = 0; i < n; i++)
				s += mix(i + s);
			return s;
		}
		int main(void) { return work(60000000) == 1; }
	END
	cc -O2 -gdwarf-4 -gsplit-dwarf -Wl,--build-id hot.c -o program 2> err || skip "cc: $(head -n 1 err)"
	dwp -e program -o program.dwp 2> err || skip "dwp: $(head -n 1 err)"
	rm -f -- *.dwo
	pipa record -q -o perf.data --call-graph none ./program
	[[ $got_status -eq 0 && -s perf.data ]] || skip "pipa cannot record here: $(tail -n 1 err)"
	"$PIPA" report --inline --sort symbol perf.data > expected
	grep -q 'mix (inlined)' expected || fail 'names out of the package' 'mix (inlined)' "$(cat expected)"
	pipa bundle
	status 0
	rm program program.dwp
	elsewhere report --inline --sort symbol --symfs /nonexistent perf.data.tar.zst
	status 0
	stdout < expected
}

test_a_bundle_is_complete_in_an_empty_root() {
	need_root
	make_bundle
	mkdir -p root/tmp
	cp "$PIPA" root/pipa
	chroot root /pipa --version > /dev/null 2>&1 || skip 'this pipa is not static'
	cp perf.data.tar.zst root/
	run chroot root /pipa report perf.data.tar.zst
	status 0
	stdout < expected
	run chroot root /pipa report --header-only perf.data.tar.zst
	"$PIPA" report --header-only perf.data > expected
	stdout < expected
}

test_the_same_recording_makes_the_same_bundle() {
	record_some
	pipa bundle -o one perf.data
	pipa bundle perf.data -o two
	status 0
	cmp one two || fail 'two bundles' 'the same' 'they differ'
	same 'who may read it' "$(stat -c %a one)" 600
	has err 'wrote two: the recording and'
}

test_a_bundle_can_be_read_and_written_through_pipes() {
	make_bundle
	run bash -c '"$0" bundle -o - - < perf.data > piped 2> told' "$PIPA"
	status 0
	HOME=/nonexistent run bash -c '"$0" report --symfs /nonexistent - < perf.data.tar.zst' "$PIPA"
	status 0
	stdout < expected
	need_program zstd
	zstd -dq perf.data.tar.zst -o plain.tar
	elsewhere report --symfs /nonexistent plain.tar
	stdout < expected
	run bash -c 'cat plain.tar | HOME=/nonexistent "$0" report --symfs /nonexistent -' "$PIPA"
	status 0
	stdout < expected
}

test_compressed_and_piped_recordings_are_bundled() {
	record_some
	gzip -k perf.data
	"$PIPA" report perf.data > expected
	pipa bundle perf.data.gz
	status 0
	rm program
	elsewhere report --symfs /nonexistent perf.data.gz.tar.zst
	stdout < expected
	cp "$PIPA_WORKLOADS/busy" program
	"$PIPA" record -o - -- ./program written 100 > piped 2> told || skip 'nothing is recorded into a pipe here'
	"$PIPA" report piped > expected
	pipa bundle piped
	rm program
	elsewhere report --symfs /nonexistent piped.tar.zst
	status 0
	stdout < expected
}

test_a_recording_that_is_a_directory_stays_one() {
	need_program perf
	need_workloads
	perf record -q --threads -o folder -- "$PIPA_WORKLOADS/busy" written 100 > told 2>&1 ||
		skip 'perf record --threads does not run here'
	[[ -d folder ]] || skip 'perf has made no folder'
	"$PIPA" report folder > expected
	pipa bundle folder/
	status 0
	pipa report folder.tar.zst
	status 0
	stdout < expected
}

test_tar_lists_the_members_of_a_bundle() {
	need_program zstd
	make_bundle
	mkdir unpacked
	zstd -dcq perf.data.tar.zst | tar -xC unpacked || fail 'tar' 'an archive' 'it says no'
	cmp unpacked/perf.data perf.data || fail 'the recording in it' 'the same' 'another one'
	has unpacked/manifest.json '"schema": "pipa-bundle/1"'
	matches unpacked/manifest.json '"path": ".*/program"'
	find unpacked/.debug/.build-id -name elf | grep -q . || fail 'programs' 'by build id' 'none'
}

test_perf_finds_the_files_of_an_extracted_bundle() {
	need_program perf
	need_program zstd
	make_bundle
	mkdir unpacked
	zstd -dcq perf.data.tar.zst | tar -xC unpacked
	run perf --buildid-dir "$PWD/unpacked/.debug" report --stdio --no-children -g none --sort symbol \
		-i unpacked/perf.data
	status 0
	matches out '\[\.\] (burn|main|work|written|spin)'
}

test_missing_files_are_listed_without_a_failure() {
	record_some
	mv program gone
	elsewhere bundle perf.data
	status 0
	matches err '^pipa bundle: .*/program \(build id [0-9a-f]{40}\): not found or not readable$'
	cp "$PIPA_WORKLOADS/spin" program
	elsewhere bundle perf.data
	status 0
	matches err '^pipa bundle: .*/program \(build id [0-9a-f]{40}\): build ID mismatch$'
	rm program
	mv gone program
	elsewhere bundle -o more.tar.zst perf.data.tar.zst
	status 0
	lacks err /program
	"$PIPA" report perf.data > expected
	rm program
	elsewhere report --symfs /nonexistent more.tar.zst
	stdout < expected
	pipa bundle more.tar.zst
	refused 1 <<< "pipa bundle: more.tar.zst is already a bundle. Use -o FILE to create another one that includes the files found on this machine."
}

test_the_debug_file_of_a_stripped_program_is_bundled() {
	need_program strip
	need_program objcopy
	need_workloads
	cp "$PIPA_WORKLOADS/busy" program
	objcopy --only-keep-debug program program.debug
	strip program
	objcopy --add-gnu-debuglink=program.debug program
	pipa record -o perf.data -- ./program written 200
	[[ $got_status -eq 0 && -s perf.data ]] || skip 'pipa cannot record here'
	"$PIPA" report perf.data > expected
	pipa bundle
	status 0
	lacks err 'program (build id'
	rm program program.debug
	elsewhere report --symfs /nonexistent perf.data.tar.zst
	stdout < expected
}

# Without a build id the path is all that is known: it is taken from the bundle or from nowhere.
test_a_program_without_a_build_id_is_found_by_its_path() {
	need_program gcc
	cat > program.c <<- 'END'
		static volatile unsigned long n;
		__attribute__((noinline)) void unsigned_work(void) { while (n < 400000000) n++; }
		int main(void) { unsigned_work(); return 0; }
	END
	gcc -O1 -Wl,--build-id=none program.c -o program 2> /dev/null || skip 'gcc does not link here'
	pipa record -o perf.data -- ./program
	[[ $got_status -eq 0 && -s perf.data ]] || skip 'pipa cannot record here'
	"$PIPA" report perf.data > expected
	has expected unsigned_work
	pipa bundle
	cp "$PIPA_WORKLOADS/busy" program
	pipa report perf.data.tar.zst
	stdout < expected
}

test_jit_code_is_bundled() {
	need_workloads
	pipa record -o jit.data -- "$PIPA_WORKLOADS/jit" dump 300 100
	[[ $got_status -eq 0 && -s jit.data ]] || skip 'pipa cannot record here'
	"$PIPA" report jit.data > expected
	has expected jit_first
	pipa bundle jit.data
	status 0
	rm jit-*.dump
	pipa report jit.data.tar.zst
	status 0
	stdout < expected
}

# ---- of another architecture -----------------------------------------------------------------

# foreign ARCH: a program for another machine and a recording of it, put together by hand
foreign() {
	need_program python3
	need_program "$1-linux-gnu-gcc"
	cat > foreign.c <<- 'END'
		__attribute__((noinline)) int far_away(int n) { __asm__ volatile("nop; nop; nop; nop"); return n + 1; }
		int main(int argc, char **argv) { (void)argv; return far_away(argc); }
	END
	"$1-linux-gnu-gcc" -O1 -nostartfiles -Wl,--build-id=sha1 -Wl,-e,main -static foreign.c -o foreign 2> told ||
		skip "$1-linux-gnu-gcc does not link here"
	python3 - "$PWD/foreign" <<- 'END'
		import struct, subprocess, sys
		path = sys.argv[1]
		elf = open(path, "rb").read()
		at = int(next(l for l in subprocess.check_output(["readelf", "-sW", path], text=True).splitlines()
		              if l.endswith("far_away")).split()[1], 16)
		build_id = bytes.fromhex(next(l for l in subprocess.check_output(
		    ["readelf", "-n", path], text=True).splitlines() if "Build ID" in l).split()[-1])
		phoff, = struct.unpack_from("<Q", elf, 32)
		phnum, = struct.unpack_from("<H", elf, 56)
		for i in range(phnum):
		    kind, flags, offset, addr, _, size = struct.unpack_from("<IIQQQQ", elf, phoff + 56 * i)
		    if kind == 1 and flags & 1:
		        break
		def record(kind, misc, body):
		    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
		# attr: software cpu-clock, IP | TID | PERIOD
		attr = struct.pack("<IIQQQQQ", 1, 112, 0, 1000, 1 | 2 | 256, 0, 0).ljust(112, b"\0")
		name = path.encode() + b"\0"
		name += b"\0" * (-len(name) % 8)
		mmap = struct.pack("<IIQQQ", 7, 7, addr, size, offset)
		mmap += struct.pack("<BBH", 20, 0, 0) + build_id + struct.pack("<II", 5, 2) + name
		out = b"PERFILE2" + struct.pack("<Q", 16)
		out += record(64, 0, attr + struct.pack("<Q", 1))
		out += record(10, 2 | 1 << 14, mmap)
		for i in range(10):
		    out += record(9, 2, struct.pack("<QIIQ", at + 4, 7, 7, 1000))
		open("foreign.data", "wb").write(out)
	END
	[[ -s foreign.data ]] || fail 'the recording' 'one' "$(cat told)"
	pipa bundle foreign.data
	status 0
	rm foreign
	elsewhere report --symfs /nonexistent --sort symbol foreign.data.tar.zst
	status 0
	matches out '100\.00% .*\[\.\] far_away'
	elsewhere report --symfs /nonexistent --sort symbol foreign.data
	lacks out far_away
}

test_a_program_of_an_aarch64_machine_is_symbolized() {
	foreign aarch64
}

test_a_program_of_a_riscv64_machine_is_symbolized() {
	foreign riscv64
}

# ---- bad input -----------------------------------------------------------------------------------

test_files_that_are_not_recordings_are_refused() {
	echo 'a;b 3' > folded
	pipa bundle folded
	refused 1 <<< 'pipa bundle: folded is folded stacks. Only a perf.data recording can be bundled.'
	pipa bundle nowhere
	refused 1 <<< 'pipa bundle: cannot open nowhere: No such file or directory'
	pipa bundle a b
	status 2
	archive x=folded
	pipa report made.tar
	refused 1 <<< 'pipa report: made.tar is an archive without a recording in it. Supported: archives of pipa bundle'
}

test_a_failed_write_leaves_no_trace() {
	record_some
	pipa bundle -o nowhere/bundle perf.data
	refused 1 <<< 'pipa bundle: cannot open nowhere/bundle for writing: No such file or directory. Check that its directory exists.'
	echo old > bundle
	run bash -c 'ulimit -f 4; trap "" XFSZ; "$0" bundle -o bundle perf.data' "$PIPA"
	status 1
	same 'the old file' "$(cat bundle)" old
	same 'files beside it' "$(echo bundle*)" bundle
}

test_a_truncated_bundle_is_read_up_to_its_end() {
	local size part

	make_bundle
	size=$(stat -c %s perf.data.tar.zst)
	for part in 1 2 3; do
		head -c $((size * part / 4)) perf.data.tar.zst > cut.zst
		elsewhere report --symfs /nonexistent cut.zst
		status 0
		has out 'the compressed file is truncated or corrupt at this point'
	done
	head -c 700 perf.data.tar.zst > cut.zst
	elsewhere report cut.zst
	refused 1 <<< 'pipa report: cannot decompress cut.zst: it is truncated or corrupt'
}

# Also where the packed bytes still make sense, but another one.
test_every_changed_byte_is_detected() {
	local part size

	need_program python3
	make_bundle
	size=$(stat -c %s perf.data.tar.zst)
	for part in 1 2 3 4 5 6 7 8 9; do
		python3 - $((size * part / 10)) <<- 'END'
			import sys
			data = bytearray(open("perf.data.tar.zst", "rb").read())
			data[int(sys.argv[1])] ^= 0x55
			open("changed.zst", "wb").write(data)
		END
		elsewhere report --symfs /nonexistent changed.zst
		[[ $got_status -eq 1 ]] || has out 'the compressed file is truncated or corrupt at this point'
	done
}

test_paths_in_an_archive_are_not_followed() {
	record_some
	echo evil > evil
	archive perf.data=perf.data ../outside=evil /tmp/pipa-bundle-evil=evil \
		root/../../outside=evil root/tmp/perf-1.map=evil
	pipa report made.tar
	status 0
	[[ ! -e ../outside && ! -e /tmp/pipa-bundle-evil ]] || fail 'a file outside' none 'it was written'
}

test_a_member_with_a_wrong_build_id_is_not_used() {
	local id

	need_program readelf
	record_some
	id=$(readelf -n program | awk '/Build ID/ { print $3 }')
	archive perf.data=perf.data ".debug/.build-id/${id:0:2}/${id:2}/elf=$PIPA_WORKLOADS/spin"
	rm program
	elsewhere report --symfs /nonexistent --sort dso,symbol made.tar
	status 0
	lacks out 'program  [.] main'
	matches out 'build ID mismatch|file not found'
}

test_impossible_sizes_allocate_no_memory() {
	need_program python3
	record_some
	archive perf.data=perf.data
	python3 - <<- 'END'
		tar = bytearray(open("made.tar", "rb").read())
		tar[124:136] = b"\x80" + b"\0" * 4 + b"\x7f" + b"\xff" * 6
		tar[148:156] = b" " * 8
		tar[148:156] = b"%06o\0 " % sum(tar[:512])
		open("made.tar", "wb").write(tar)
	END
	(ulimit -v 8000000 && "$PIPA" --version) > /dev/null 2>&1 || skip 'this pipa needs memory without end itself'
	run bash -c 'ulimit -v 8000000; exec timeout 60 "$0" report made.tar' "$PIPA"
	[[ $got_status -le 1 ]] || fail 'exit status' '0 or 1' "$got_status"
}

test_an_archive_of_nothing_but_headers_is_refused() {
	need_program python3
	python3 - <<- 'END'
		import tarfile
		one = tarfile.TarInfo("a").tobuf()
		with open("many.tar", "wb") as out:
		    for i in range(1 << 8):
		        out.write(one * (1 << 9))
		    out.write(one)
	END
	pipa report many.tar
	refused 1 <<< 'pipa report: many.tar has more than 131072 members'
}

run_tests "$@"
