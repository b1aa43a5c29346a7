# Time and memory of a command, for tests that check that neither grows with the input.
# shellcheck shell=bash

# peak KB COMMAND...: run it as `run` does; its resident memory may not have been larger than that
# shellcheck disable=SC2034
peak() {
	local most=$1 got

	shift
	command_line=$*
	got=$(timeout --foreground -k 5 100 python3 -c '
import resource, subprocess, sys
with open("out", "wb") as out, open("err", "wb") as err:
    status = subprocess.call(sys.argv[1:], stdout=out, stderr=err)
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@") ||
		fail 'time' 'an end' 'none, or no python3'
	got_status=${got% *}
	# sanitizers have memory of their own
	if ! grep -qaF __asan_init "$PIPA"; then
		between 'kilobytes of memory' "${got#* }" 1 "$most"
	fi
}

# stack DEPTH: one folded line of that many functions
stack() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%sf%d", i ? ";" : "", i; print " 3" }'
}
