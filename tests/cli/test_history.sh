#!/usr/bin/env bash
#
# pipa monitor --daemon: the files it leaves after any end, and reading them.

. "${BASH_SOURCE[0]%/*}/lib.sh"

history_file() {
	echo rec/pipa-*.pmh
}

# has_ticks N: the history has so many by now
has_ticks() {
	local n

	n=$("$PIPA" monitor --from rec --load --csv 2> /dev/null | grep -c '^[^#].*;[0-9]*$')
	((n >= $1))
}

# collect: a daemon that has written some ticks and goes on
collect() {
	launch "$PIPA" monitor --daemon -o rec -i 20ms
	until_true has_ticks 3
}

# ticks FILE: how many rows the last table of an output has
ticks() {
	grep -cE '^[0-9:.]+ .*[0-9]$' "$1"
}

test_a_history_has_every_section_and_cpu() {
	pipa monitor --daemon -o rec -i 20ms -n 3
	status 0
	stdout < /dev/null
	stderr < /dev/null
	pipa monitor --from rec
	status 0
	grep -oE '^Average: .*[a-z/%].*' out | tr -s ' ' | cut -d ' ' -f 2- > replayed
	pipa monitor --all -i 20ms -n 1
	grep -oE '^Average: .*[a-z/%].*' out | grep -vE ' all |[0-9]+\.[0-9]+ *$' | tr -s ' ' |
		cut -d ' ' -f 2- > live
	grep -E '^(CPU|runq-sz|kbmemfree|IFACE|%scpu)' live | while read -r line; do
		has replayed "$line"
	done || exit 1
	pipa monitor --from rec --cpu-util -P ALL --csv
	matches out ';-1;'
	matches out ';0;'
}

test_a_history_has_all_intervals() {
	pipa monitor --daemon -o rec --load --mem -i 50ms -n 4
	pipa monitor --from rec --mem --csv
	status 0
	same 'ticks' "$(grep -c '^[^#]' out)" 4
	same 'rows with numbers' "$(awk -F ';' '!/^#/ && $4 > 0 && $5 > 0 && $6 > 0' out | wc -l)" 4
	pipa monitor --from rec --json
	same 'objects' "$(wc -l < out)" 5
	same 'with both sections' "$(grep -c '"mem": \[{.*"load": \[{\|"load": \[{.*"mem": \[{' out)" 5
	lacks out '"cpu"'
}

test_nothing_that_was_written_is_lost_when_it_is_killed() {
	local before

	collect
	kill -KILL "$started"
	landed
	status 137
	pipa monitor --from rec --load
	status 0
	stderr < /dev/null
	lacks out RESTART
	before=$(ticks out)
	between 'ticks before' "$before" 3 100000
	pipa monitor --daemon -o rec -i 20ms -n 2
	status 0
	pipa monitor --from rec --load
	status 0
	stderr < /dev/null
	matches out "^[0-9:.]+  COLLECTOR RESTART"$'\t'"\([0-9]+ CPU\)\$"
	same 'ticks' "$(ticks out)" $((before + 2))
	same 'files' "$(find rec -name '*.pmh' | wc -l)" 1
	pipa monitor --from rec --load --json
	same 'restarts' "$(grep -c '"restart": "collector"' out)" 1
}

test_another_boot_is_a_restart_of_linux() {
	# a machine whose kernel has another boot id cannot be had: exchange it in a plain copy
	need_program python3
	pipa monitor --daemon -o rec -i 20ms -n 2
	python3 - "$(history_file)" << 'END'
import sys, zlib
path = sys.argv[1]
data = open(path, 'rb').read()
boot = open('/proc/sys/kernel/random/boot_id', 'rb').read().strip()
head = bytearray(data[:20 + int.from_bytes(data[12:16], 'little')])
assert boot in head
head = bytearray(bytes(head).replace(boot, b'x' * len(boot)))
head[16:20] = zlib.crc32(head[8:16] + head[20:]).to_bytes(4, 'little')
open(path, 'wb').write(bytes(head) + data)
END
	pipa monitor --from rec --load
	status 0
	has out 'LINUX RESTART'
	pipa monitor --from rec --load --csv
	has out ';LINUX-RESTART'
}

test_a_truncated_file_is_read_up_to_its_end() {
	pipa monitor --daemon -o rec -i 20ms -n 4
	truncate -s -1 "$(history_file)"
	pipa monitor --from rec --load
	status 0
	matches err '^pipa monitor: rec/pipa-[0-9-]+\.pmh: [0-9]+ corrupt bytes skipped$'
	same 'lines on standard error' "$(wc -l < err)" 1
	same 'ticks' "$(ticks out)" 3
}

test_sigterm_ends_the_daemon_and_sighup_reopens_its_file() {
	collect
	mv "$(history_file)" moved
	kill -HUP "$started"
	until_true has_ticks 2
	kill -TERM "$started"
	landed
	status 0
	stdout < /dev/null
	stderr < /dev/null
	pipa monitor --from rec --load
	status 0
	stderr < /dev/null
	lacks out RESTART
	pipa monitor --from moved --load
	status 0
	stderr < /dev/null
}

test_a_directory_has_at_most_one_daemon() {
	collect
	mv out out.first
	mv err err.first
	pipa monitor --daemon -o rec -n 1
	refused 1 << 'END'
pipa monitor: another pipa monitor is recording into rec. Use one directory per collector.
END
	kill -TERM "$started"
	until_true is_gone "$started"
}

test_a_full_disk_loses_intervals_and_not_the_daemon() {
	need_root
	need_program unshare
	unshare -m true 2> /dev/null || skip 'no mount namespace can be had'
	mkdir disk
	# a disk of 32 KiB that another process fills, and then frees
	cat > scene << END
mount -t tmpfs -o size=32k none disk || exit 77
exec > out 2> err
"$PIPA" monitor --daemon -o disk/rec --load -i 20ms &
daemon=\$!
for i in \$(seq 500); do [ -s disk/rec/pipa-*.pmh ] && break; sleep 0.02; done
cat /dev/zero > disk/filler 2> /dev/null
for i in \$(seq 500); do grep -q 'are lost' err && break; sleep 0.02; done
rm disk/filler
for i in \$(seq 500); do grep -q 'recording continues' err && break; sleep 0.02; done
kill -TERM \$daemon
wait \$daemon
status=\$?
"$PIPA" monitor --from disk/rec --load > replayed 2>> err || status=\$?
exit \$status
END
	unshare -m bash scene
	got_status=$?
	[[ $got_status -ne 77 ]] || skip 'no tmpfs can be mounted'
	status 0
	sed -E 's/[0-9]+-[0-9]+-[0-9]+/DATE/; s/[0-9]+ intervals were/N intervals were/' err > said
	compare 'said' said << 'END'
pipa monitor: cannot write disk/rec/pipa-DATE.pmh: No space left on device; intervals are lost until there is space
pipa monitor: recording continues; N intervals were lost
END
	has replayed ldavg-1
}

test_the_service_manager_is_notified_of_start_and_end() {
	need_program python3
	cat > manager << 'END'
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind('notify')
s.settimeout(30)
open('listening', 'w')
for _ in range(2):
    print(s.recv(100).decode(), flush=True)
END
	start python3 manager > heard
	until_true test -e listening
	NOTIFY_SOCKET=$PWD/notify pipa monitor --daemon -o rec -i 20ms -n 1
	status 0
	until_true is_gone "$started"
	compare 'heard' heard << 'END'
READY=1
STOPPING=1
END
}

test_a_day_can_be_chosen_and_part_of_it() {
	local today

	TZ=UTC pipa monitor --daemon -o rec -i 20ms -n 2
	today=$(basename "$(history_file)" .pmh)
	today=${today#pipa-}
	cp "$(history_file)" rec/another-name # files are known by what is in them
	rm rec/pipa-*
	TZ=UTC pipa monitor --from rec --day "$today" --load
	status 0
	TZ=UTC pipa monitor --from rec --load -s 00:00 -e 23:59:59
	status 0
	same 'ticks' "$(ticks out)" 2
	TZ=UTC pipa monitor --from rec --day 1999-12-31
	refused 1 << END
pipa monitor: rec holds no data of 1999-12-31. The data ranges from $today to $today.
END
	pipa monitor --from rec --day monday
	refused 1 << 'END'
pipa monitor: invalid day 'monday'. Expected a date like 2026-11-15, or -1 for yesterday.
END
	# an hour that is not now
	TZ=UTC pipa monitor --from rec --load -s "$(date -u -d '6 hours' +%H:00)" \
		-e "$(date -u -d '6 hours' +%H:30)"
	refused_like 1 "pipa monitor: rec holds no data from [0-9]+:00:00 to [0-9]+:30:00\\. The data ranges from $today [0-9:]+ to $today [0-9:]+\\."
	TZ=UTC pipa monitor --from rec --net --iface nosuch
	refused_like 1 "pipa monitor: --iface: no network interface 'nosuch'.*"
}

test_compressed_files_and_archives_are_read() {
	pipa monitor -o csv -i 20ms -n 3
	pipa monitor --from csv --csv
	cp out want
	mkdir -p archive/attach_session
	cp csv/* archive/attach_session
	pipa monitor --from archive --csv
	status 0
	compare 'unpacked archive' out < want
	tar -C archive -czf a.tar.gz .
	pipa monitor --from a.tar.gz --csv
	status 0
	stderr < /dev/null
	compare 'packed archive' out < want
	gzip -k csv/sar_load.csv
	pipa monitor --from csv/sar_load.csv.gz --load --csv
	cp out packed
	pipa monitor --from csv/sar_load.csv --load --csv
	compare 'packed file' packed < out
	pipa monitor --daemon -o rec -i 20ms -n 3
	pipa monitor --from rec --csv
	cp out want
	gzip -c rec/*.pmh > h.gz
	pipa monitor --from h.gz --csv
	compare 'packed history' out < want
	tar -cf h.tar rec
	pipa monitor --from h.tar --csv
	compare 'archived history' out < want
	if command -v zstd > /dev/null; then
		zstd -q -c "$(history_file)" > h.zst
		pipa monitor --from h.zst --csv
		compare 'history packed by zstd' out < want
	fi
}

test_a_truncated_archive_is_read_with_a_note() {
	pipa monitor -o csv -i 20ms -n 3
	tar -cf - csv/sar_load.csv csv/sar_cpu.csv | gzip > a.tar.gz
	tar -cf a.tar csv/sar_load.csv csv/sar_cpu.csv
	head -c 1000 a.tar | gzip > cut.tar.gz
	pipa monitor --from cut.tar.gz --load
	status 0
	has err 'cut.tar.gz is truncated or corrupt'
	head -c 40 a.tar.gz > tiny.tar.gz
	pipa monitor --from tiny.tar.gz --load
	status 1
}

test_invalid_arguments_are_refused() {
	pipa monitor --daemon
	refused 2 << 'END'
pipa monitor: --daemon requires -o DIR
END
	pipa monitor --keep-days 3
	refused 2 << 'END'
pipa monitor: --keep-days and --max-size require --daemon
END
	pipa monitor --daemon -o rec --max-size much
	refused 2 << 'END'
pipa monitor: --max-size: invalid size 'much', expected a size such as 500M or 2Gi
END
	pipa monitor --daemon -o rec --keep-days long
	refused 2 << 'END'
pipa monitor: --keep-days: invalid number 'long', expected 0 to 100000
END
	pipa monitor --day -1
	refused 2 << 'END'
pipa monitor: --day requires --from PATH
END
}

run_tests "$@"
