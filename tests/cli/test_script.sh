#!/usr/bin/env bash
# `pipa script`: the samples of a recording, with perf script as the peer.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfdata

need_corpus() {
	[[ -d $corpus ]] || skip "no corpus at $corpus"
}

# record FILE ARGS...: a recording by perf
record() {
	need_program perf
	perf record -q -N -o "$@" > record.log 2>&1 || skip "perf cannot record here: $(tail -n 1 record.log)"
	[[ -s $1 ]] || skip 'perf has recorded nothing'
}

# faults FILE ARGS...: of a small program, a sample for each page fault, of which there always are some
faults() {
	record "$1" -e page-faults -c 1 "${@:2}" -- ls /
}

# without_names: of what perf or pipa wrote; whose names are right is another matter. Modules are
# shown by their path, which perf does for those whose build id was recorded.
without_names() {
	sed -E -e 's|\(/lib/modules/.*/([^/]+)\.ko\)$|([\1])|' -e 's/^(\t *[0-9a-f]+) .* (\(.*\))$/\1 \2/' -e 's/(: +[0-9a-f]+) .* (\(.*\))$/\1 \2/'
}

# as_perf_on_aarch64 GOT < EXPECTED: there perf puts the caller that it takes from x30 into chains by frame
# pointers, one byte before the return address. Often it is in the chain already, or x30 is stale after a
# call that has returned. Such a frame is not asked for; where ours has it, it is the return address. At the
# start of a function perf has none, and ours may be the one frame more.
as_perf_on_aarch64() {
	if [[ $(uname -m) != aarch64 ]]; then
		cat
		return
	fi
	need_program python3
	cat > perf.lines
	python3 - "$1" perf.lines <<- 'END'
		import re, sys
		frame = re.compile(r"^(\t *)([0-9a-f]+)(.*)$", re.S)
		def samples(path):
		    found, chain = [], []
		    for line in open(path):
		        if frame.match(line):
		            chain.append(line)
		        else:
		            found.append(chain)
		            found.append(line)
		            chain = []
		    return found + [chain]
		ours, theirs = samples(sys.argv[1]), samples(sys.argv[2])
		for i, part in enumerate(theirs):
		    mine = ours[i] if i < len(ours) else []
		    for j in range(len(part) if isinstance(part, list) else 0):
		        space, ip, rest = frame.match(part[j]).groups()
		        if int(ip, 16) % 4 != 3:
		            continue
		        back = "%s%s%s" % (space, ("%x" % (int(ip, 16) + 1)).rjust(len(ip)), rest)
		        known = part[j + 1:j + 2] == [back] or mine[j:j + 1] != [back]
		        part[j:j + 1] = [] if known else [back]
		        break
		    for j in range(1, len(mine) if isinstance(part, list) else 0):
		        if mine[:j] + mine[j + 1:] == part:
		            part = mine
		    sys.stdout.writelines(part)
	END
}

# like_perf ARGS...: script of perf and of pipa with these arguments have equal output
like_perf() {
	perf script "$@" 2> perf.err | without_names > expected
	[[ -s expected ]] || fail "perf script $*" 'some samples' "$(cat perf.err)"
	pipa script "$@"
	status 0
	without_names < out > got
	as_perf_on_aarch64 got < expected > wanted
	compare "script $*" got < wanted
}

test_call_chains_are_written_as_perf_writes_them() {
	faults g.data -g
	like_perf -i g.data
	matches out '^	 *[0-9a-f]+ [^ ]+\+0x[0-9a-f]+ \(/.*\)$'
}

test_samples_without_chains_are_a_line_each() {
	faults n.data
	like_perf -i n.data
	lacks out $'\t'
}

test_names_are_those_of_perf() {
	faults n.data
	perf script -i n.data 2> /dev/null | sed -n '/libc.so.6)$/{/@plt/d;p}' | alias_names > expected
	pipa script n.data
	sed -n '/libc.so.6)$/{/@plt/d;p}' out | as_perf_names | alias_names > got
	[[ -s expected ]] || skip 'no sample in the C library'
	compare 'samples in the C library' got < expected
}

test_several_events_are_printed_below_each_other() {
	record e.data -e page-faults,cpu-clock,context-switches -c 10 -- sh -c 'ls / > /dev/null; true'
	like_perf -i e.data
}

# other programs may map what only they can read, so of the whole machine only the lines of samples
# without names: of a process that others start meanwhile perf may not know its name yet where we do
test_samples_of_all_cpus_are_in_the_order_of_time() {
	record a.data -a -B -e cpu-clock,context-switches -F 200 -g -- sleep 0.3
	perf script -i a.data -F tid,cpu,time,period,event 2> /dev/null > expected
	pipa script a.data -F tid,cpu,time,period,event
	status 0
	stdout < expected
}

test_fields_are_chosen_as_in_perf() {
	faults g.data -g
	for fields in comm comm,pid,tid pid,time,event ip,sym,dso comm,ip tid,period,event,ip; do
		like_perf -i g.data -F "$fields"
	done
	perf script -i g.data -F +pid,-period 2> /dev/null | without_names > expected
	pipa script -F +pid,-period g.data
	without_names < out > got
	as_perf_on_aarch64 got < expected > wanted
	compare 'fields added and taken away' got < wanted
}

test_fields_that_were_not_recorded_are_noted() {
	faults n.data
	pipa script n.data -F comm,cpu,addr,ip,srcline
	status 0
	stderr <<- EOF
		pipa script: fields not recorded with all samples: cpu, addr
		pipa script: field srcline skipped: source lines are disabled
	EOF
	matches out '^ +[a-z]+ +[0-9a-f]+$'
}

test_filters_select_the_samples_of_perf() {
	local cpu tid from

	faults n.data -a
	cpu=$(perf script -i n.data -F cpu | tr -d '[] ' | head -n 1)
	like_perf -i n.data -C $((10#$cpu))
	tid=$(perf script -i n.data -F comm,tid | awk '$1 == "ls" { print $2; exit }')
	[[ $tid ]] || skip 'no sample of ls'
	like_perf -i n.data --tid "$tid"
	like_perf -i n.data --pid "$tid"
	from=$(perf script -i n.data -F time --tid "$tid" | tr -d ' :' | sed -n 3p)
	like_perf -i n.data --time "$from,"
	pipa script n.data --time ",$from" -F time
	same 'the last time' "$(tail -n 1 out | tr -d ' :' | awk '{ print ($1 <= t) }' t="$from")" 1
	perf script -i n.data --comms ls,nobody 2> /dev/null | without_names > expected
	pipa script n.data --comms ls,nobody
	without_names < out > got
	compare 'by command' got < expected
}

test_the_depth_of_stacks_is_limited() {
	faults g.data -g
	like_perf -i g.data --max-stack 2
}

test_a_pipe_is_read_twice() {
	faults g.data -g
	pipa script g.data
	mv out expected
	dd if=g.data status=none | "$PIPA" script - > out 2> err
	stdout < expected
	need_program perf
	perf record -q -g -e page-faults -c 1 -o - -- true 2> /dev/null > piped
	[[ -s piped ]] || skip 'perf cannot record to a pipe here'
	dd if=piped status=none | "$PIPA" script -F comm,event -i - > out 2> err
	matches out '^true page-faults: $|^ +true page-faults: $'
}

test_a_pipe_is_copied_to_a_temporary_file() {
	need_corpus
	dd if="$corpus/perf.data.singleprocess-3.8" status=none | TMPDIR=$PWD/nowhere "$PIPA" script - > out 2> err
	got_status=$?
	refused_like 1 'pipa script: cannot keep standard input in .*/nowhere: No such file or directory. Set TMPDIR .*'
}

test_the_corpus_is_written_as_perf_writes_it() {
	local file

	need_corpus
	need_program perf
	for file in armv7-3.4 branch-4.14 callgraph-3.8 ctx_switch_namespaces-4.14 forkexit-3.8 \
		group_desc-4.14 hw_and_sw-3.4 lost_samples-4.4 piped.header_features-4.16 \
		proc.map.timeout-3.18 remmap-3.2 singleprocess-3.8 systemwide.0-3.8; do
		like_perf -i "$corpus/perf.data.$file"
	done
}

# tracepoints FILE EVENT...: by perf, of a shell that starts programs, one of which waits for a timer
tracepoints() {
	local file=$1

	shift
	need_tracepoints
	record "$file" -R -a -B "${@/#/-e}" -- sh -c 'ls / > /dev/null; sleep 0.01; ls / > /dev/null'
}

test_tracepoint_data_is_written_as_by_perf() {
	tracepoints t.data sched:sched_switch sched:sched_process_exec sched:sched_process_exit \
		sched:sched_process_fork sched:sched_wakeup raw_syscalls:sys_exit 'syscalls:sys_enter_*'
	# perf 6.1 smashes its stack now and then on some of these events
	perf script -i t.data -F tid,cpu,time,event,trace 2> /dev/null > expected ||
		skip 'perf script does not survive its own recording'
	pipa script t.data -F tid,cpu,time,event,trace
	status 0
	stdout < expected
	matches out 'sched:sched_process_exec: filename=/.* pid=[0-9]+ old_pid=[0-9]+$'
	pipa script t.data
	matches out ' sched:sched_process_exec: filename=/.* pid=[0-9]+ old_pid=[0-9]+$'
	pipa script --json t.data
	matches out '"trace": "filename=/'
}

test_our_own_tracepoints_and_pipes_are_written_too() {
	need_tracepoints
	pipa record -o t.data -R -e sched:sched_process_exec -c 1 -- sh -c 'ls / > /dev/null'
	[[ $got_status -eq 0 ]] || skip "pipa cannot record here: $(tail -n 1 err)"
	pipa script t.data -F event,trace
	matches out 'sched:sched_process_exec: filename=/.* pid=[0-9]+ old_pid=[0-9]+$'
	"$PIPA" record -o - -R -e sched:sched_process_exec -c 1 -- sh -c 'ls / > /dev/null' 2> err |
		"$PIPA" script -F event,trace - > out 2> err
	matches out 'sched:sched_process_exec: filename=/.* pid=[0-9]+ old_pid=[0-9]+$'
}

# names of kernel functions, and constants that only the kernel knows, are not looked for
test_a_format_that_asks_for_kernel_functions_becomes_names_and_values() {
	tracepoints t.data workqueue:workqueue_execute_start timer:timer_start timer:hrtimer_start
	pipa script t.data -F event,trace
	matches out 'timer:hrtimer_start:  hrtimer=0x[0-9a-f]+ function=0x[0-9a-f]+ expires=[0-9]+ '
}

test_branches_are_written_as_perf_writes_them() {
	local file

	need_corpus
	need_program perf
	for file in branch-4.14 callgraph_and_branch-3.4; do
		perf script -i "$corpus/perf.data.$file" -F comm,tid,time,event,brstack 2> /dev/null > expected
		pipa script "$corpus/perf.data.$file" -F comm,tid,time,event,brstack
		status 0
		stdout < expected
	done
	pipa script --json -F brstack "$corpus/perf.data.branch-4.14"
	matches out '"branches": \[\{"from": "0xffffffffb4208e16", "to": "0xffffffffb42071e3", "predicted": true, "cycles": 4\}'
}

test_losses_are_noted_once() {
	need_corpus
	pipa script "$corpus/perf.data.lost_samples-4.4"
	status 0
	same 'samples' "$(wc -l < out)" 191
	stderr <<< 'pipa script: lost: 2 samples, 0 records'
}

test_corruption_is_noted_and_the_other_records_are_shown() {
	need_corpus
	pipa script "$corpus/perf.data.piped.corrupted.zero_size_sample-3.2"
	status 0
	same 'samples' "$(wc -l < out)" 227
	stderr <<< 'pipa script: corrupt records: 1, first at offset 49104: invalid record; skipped 48 bytes'
	head -c 300000 "$corpus/perf.data.hw_and_sw-3.4" > short.data
	pipa script short.data
	status 0
	matches err '^pipa script: corrupt records: '
	[[ -s out ]] || fail 'samples of a cut recording' 'some' 'none'
	head -c 60 short.data > stump
	pipa script stump
	refused_like 1 'pipa script: .*'
}

test_compressed_recordings_are_read() {
	need_corpus
	pipa script -F comm,tid,period,event "$corpus/sleep.compressed.data"
	status 0
	same 'samples' "$(wc -l < out)" 8
	matches out '^ +perf-exec +1952 +1 cycles:P: $'
}

test_json_is_a_line_for_each_sample() {
	need_corpus
	pipa script --json -F comm,pid,tid,cpu,time,period,event,ip "$corpus/perf.data.systemwide.0-3.8"
	status 0
	same 'samples' "$(wc -l < out)" 28
	head -n 1 out > first
	compare 'the first sample' first <<- 'EOF'
		{"schema": "pipa-script/1", "comm": "perf", "pid": 2046, "tid": 2046, "cpu": 0, "time_ns": 346737185134799, "period": 1, "event": "cycles", "stack": [{"ip": "0xffffffff96613abf"}]}
	EOF
}

test_other_files_than_recordings_are_refused() {
	echo 'a;b 1' > folded
	pipa script folded
	refused 1 <<< 'pipa script: cannot print samples: folded has only sums, it is folded stacks. pipa script reads perf.data recordings.'
	: > empty
	pipa script empty
	refused_like 1 'pipa script: empty is .*. pipa script reads perf.data recordings.'
	pipa script nothing
	refused 1 <<< 'pipa script: cannot open nothing: No such file or directory'
	pipa script
	refused 1 <<< 'pipa script: cannot open perf.data: No such file or directory'
}

test_wrong_options_are_refused() {
	pipa script -F comm,colour
	refused_like 2 "pipa script: .*unknown field 'colour'. Expected comm, .*"
	pipa script -F sym
	refused_like 2 'pipa script: .*need the field ip'
	pipa script --pid 1,x
	refused_like 2 "pipa script: .*invalid ID 'x'"
	pipa script --cpu ''
	refused_like 2 'pipa script: .*'
	pipa script --time 5
	refused_like 2 "pipa script: --time: invalid range '5', expected START,STOP in seconds"
	pipa script --time 1e300,
	refused_like 2 "pipa script: --time: invalid range .*, expected START,STOP in seconds"
	pipa script a b
	refused_like 2 "pipa script: unexpected argument 'b', expected one recording"
}

test_a_closed_pipe_is_not_a_failure() {
	need_corpus
	("$PIPA" script "$corpus/perf.data.forkexit-3.8" 2> err; echo $? > ended) | head -n 1 > out
	same 'exit status' "$(cat ended)" 141
	same 'lines on standard error' "$(wc -l < err)" 0
}

run_tests "$@"
