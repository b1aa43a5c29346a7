#!/usr/bin/env bash
#
# Long tier: recordings of gigabytes, read from a pipe. Memory is that of what is distinct in them, not
# of their samples. PIPA_LONG_SAMPLES is how many samples (20 million, 4.8 GB).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

count=${PIPA_LONG_SAMPLES:-20000000}
most_kb=400000
if [[ ${PIPA_PRESET-} == asan ]]; then
	count=$((count / 20)) # ten times slower, and a shadow of all memory
	most_kb=2000000
fi

form=(rounds) # see tests/lib/large_recording.py

# reads COMMAND...: its output for the recording in ./out, and its largest resident set is bounded
reads() {
	need_program python3
	command_line="large_recording.py $count | pipa $*"
	python3 - "$PIPA_SOURCE/tests/lib/large_recording.py" "$count" "${form[*]}" "$PIPA" "$@" > out 2> err <<- 'END'
		import os, resource, subprocess, sys
		maker = subprocess.Popen([sys.executable] + sys.argv[1:3] + sys.argv[3].split(), stdout=subprocess.PIPE)
		reader = subprocess.Popen(sys.argv[4:], stdin=maker.stdout)
		maker.stdout.close()
		_, status, used = os.wait4(reader.pid, 0)
		maker.wait()
		open("rss", "w").write(str(used.ru_maxrss))
		sys.exit(os.waitstatus_to_exitcode(status) & 255)
	END
	got_status=$?
	status 0
	between 'resident kB' "$(cat rss)" 1 "$most_kb"
	echo "pipa $1 of $count samples: $(($(cat rss) / 1000)) MB" >&3
}

test_report() {
	reads report --json -
	has out "\"samples\": $count,"
}

test_report_of_events_only() {
	reads report --stats --json -
	has out "\"samples\": $count"
}

test_report_of_a_stream_without_rounds() {
	form=(none)
	reads report --json -
	has out "\"samples\": $count,"
}

test_fold() {
	reads fold -
	same 'samples' "$(awk '{ n += $NF } END { printf "%.0f", n }' out)" "$count"
}

test_script_of_a_part() {
	reads script --max-stack 1 -F ip -
	same 'samples' "$(grep -c '[0-9a-f]' out)" "$count"
}

test_flamegraph() {
	reads flamegraph -o page.html -
	[[ -s page.html ]] || fail 'page' 'one' 'none'
}

# Times are rounded so that the page and the memory for it stay small.
test_heatmap() {
	form=(rounds times)
	reads heatmap -o page.html -
	if ((count > 4 << 20)); then
		has err 'times are rounded to'
		has page.html '"resolution_ns":'
	fi
	between 'bytes of the page' "$(stat -c %s page.html)" 1 100000000
}

exec 3>&1
run_tests "$@"
