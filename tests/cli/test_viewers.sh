#!/usr/bin/env bash
# Formats of viewers: speedscope and .cpuprofile, written and read back; --open.
# shellcheck disable=SC2016 source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Samples of two threads with times, as perf script prints them: work is on top of main, a name is hostile.
make_script() {
	cat > script.txt <<'END'
demo   100/101   1.000000:    1000000 cpu-clock:
	            1010 work (/bin/demo)
	            1000 main (/bin/demo)

demo   100/102   1.000500:    2000000 cpu-clock:
	            1020 a"b\c</script> (/bin/demo)
	            1000 main (/bin/demo)

demo   100/101   1.001000:    1000000 cpu-clock:
	            1010 work (/bin/demo)
	            1000 main (/bin/demo)

demo   100/101   1.005000:    1000000 cpu-clock:
	            1000 main (/bin/demo)

END
}

# node_eval FILE EXPRESSION: print an expression on `f`, the JSON of a file
node_eval() {
	command -v node > /dev/null || skip "needs node"
	node -e 'const f = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
		const show = x => console.log(JSON.stringify(x));
		eval(process.argv[2]);' "$1" "$2"
}

test_speedscope_has_a_sampled_profile_per_thread() {
	make_script
	pipa export script.txt -f speedscope -o x.json
	status 0
	same names "$(node_eval x.json 'show(f.profiles.map(p => [p.type, p.name, p.samples.length]))')" \
		'[["sampled","demo-100/101",3],["sampled","demo-100/102",1]]'
	same stacks "$(node_eval x.json 'const n = i => f.shared.frames[i].name;
		show(f.profiles.map(p => p.samples.map(s => s.map(n).join(";"))))')" \
		'[["main;work","main;work","main"],["main;a\"b\\c</script>"]]'
	same schema "$(node_eval x.json 'show(f["$schema"])')" \
		'"https://www.speedscope.app/file-format-schema.json"'
}

test_speedscope_of_evented_profiles_has_times() {
	make_script
	pipa export script.txt -f speedscope --evented -o x.json
	status 0
	same unit "$(node_eval x.json 'show(f.profiles.map(p => [p.type, p.unit]))')" \
		'[["evented","nanoseconds"],["evented","nanoseconds"]]'
	# opened and closed in strict nesting, times never fall
	same nesting "$(node_eval x.json 'show(f.profiles.map(p => { const s = []; let at = p.startValue;
		for (const e of p.events) { if (e.at < at) return "time falls"; at = e.at;
			if (e.type === "O") s.push(e.frame); else if (s.pop() !== e.frame) return "not nested"; }
		return s.length ? "open" : "nested"; }))')" '["nested","nested"]'
}

test_evented_is_an_option_of_speedscope() {
	make_script
	pipa export script.txt -f cpuprofile --evented
	status 2
	has err '--evented requires -f speedscope'
}

test_cpuprofile_has_as_many_times_as_samples() {
	make_script
	pipa export script.txt -o x.cpuprofile
	status 0
	same lengths "$(node_eval x.cpuprofile 'show(f.samples.length - f.timeDeltas.length)')" 0
	same hits "$(node_eval x.cpuprofile 'show(f.nodes.filter(n => n.hitCount)
		.map(n => [n.callFrame.functionName, n.hitCount]))')" \
		'[["main",1],["work",2],["a\"b\\c</script>",1]]'
	same threads "$(node_eval x.cpuprofile 'const by = Object.fromEntries(f.nodes.map(n => [n.id, n]));
		show(f.nodes[0].children.map(i => by[i].callFrame.functionName))')" \
		'["(idle)","demo-100/101","demo-100/102"]'
	same end "$(node_eval x.cpuprofile 'const sum = f.timeDeltas.reduce((a, b) => a + b, 0);
		show(Math.abs(f.startTime + sum - f.endTime) < 1e-3)')" true
}

test_sums_have_no_times() {
	printf 'main;work 3\nmain 1\n' > folded
	pipa export folded -f speedscope --evented -o x.json
	status 0
	has err 'has no times: writing sums instead of events'
	same weights "$(node_eval x.json 'show(f.profiles[0].weights)')" '[3,1]'
	pipa export folded -f cpuprofile -o x.cpuprofile
	status 0
	same deltas "$(node_eval x.cpuprofile 'show(f.timeDeltas)')" '[0,3,1]'
}

test_losses_are_in_the_name() {
	local data=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfdata/perf.data.lost_samples-4.4

	[[ -e $data ]] || skip "no corpus"
	pipa export "$data" -f speedscope -o x.json
	status 0
	node_eval x.json 'show(f.name)' > name
	grep -q 'samples lost' name || fail 'the name' 'samples lost' "$(cat name)"
}


# same_report FILE OTHER: both are shown alike.
same_report() {
	pipa report -i "$1" --stdio
	status 0
	cp out want
	pipa report -i "$2" --stdio
	status 0
	same "report of $2" "$(cat out)" "$(cat want)"
}

test_files_of_viewers_are_read_back() {
	local form

	make_script
	for form in speedscope cpuprofile; do
		pipa export script.txt -f "$form" -o "x.$form"
		status 0
		same_report script.txt "x.$form"
		gzip -k "x.$form"
		same_report script.txt "x.$form.gz"
	done
	pipa export script.txt -f speedscope --evented -o evented.json
	pipa report -i evented.json --stdio
	status 0
	has out "event 'cpu-clock', weight 5000000"
	# times are read: a .cpuprofile of them is the same again
	pipa export evented.json -f speedscope --evented -o again.json
	status 0
	same events "$(node_eval again.json 'show(f.profiles.map(p => p.events.length))')" \
		"$(node_eval evented.json 'show(f.profiles.map(p => p.events.length))')"
}

test_recordings_are_read_back() {
	local data corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfdata

	for data in callgraph-3.8 hw_and_sw-3.4 lost_samples-4.4; do
		[[ -e $corpus/perf.data.$data ]] || skip "no corpus"
		pipa export "$corpus/perf.data.$data" -f speedscope -o x.json
		status 0
		pipa export "$corpus/perf.data.$data" -f folded -o want.folded
		status 0
		pipa export x.json -f folded -o got.folded
		status 0
		diff want.folded got.folded > difference || fail "$data" 'the same stacks' "$(head difference)"
		pipa report -i "$corpus/perf.data.$data" --stdio
		grep '^# lost' out > want
		pipa report -i x.json --stdio
		same losses "$(grep '^# lost' out)" "$(cat want)"
	done
}

test_every_command_reads_files_of_viewers() {
	make_script
	pipa export script.txt -f speedscope -o x.json
	pipa export script.txt -f cpuprofile -o x.cpuprofile
	pipa flamegraph x.json -o x.html
	status 0
	pipa merge x.json x.cpuprofile -o both.pb.gz
	status 0
	pipa filter --focus work x.cpuprofile -o work.pb.gz
	status 0
	pipa diff x.json x.cpuprofile
	status 0
	pipa export x.cpuprofile -f folded
	status 0
	has out 'demo;main;work 2000000'
}

test_a_dash_is_standard_output() {
	make_script
	pipa export script.txt -f speedscope -o -
	status 0
	has out '"profiles"'
	[[ ! -e ./- ]] || fail 'a file named -' 'no file' "$(ls)"
}

test_files_are_compressed_by_their_name() {
	make_script
	pipa export script.txt -o x.speedscope.json.gz
	status 0
	pipa export script.txt -o x.cpuprofile.gz
	status 0
	gzip -dc x.speedscope.json.gz | grep -q '"profiles"' || fail 'x.speedscope.json.gz' speedscope other
	gzip -dc x.cpuprofile.gz | grep -q '"timeDeltas"' || fail 'x.cpuprofile.gz' cpuprofile other
}

test_an_event_is_refused_where_all_events_are_written() {
	make_script
	pipa export script.txt -e cpu-clock -f callgrind
	refused 2 <<< 'pipa export: --event cannot be combined with -f callgrind. Use --value NAME.'
}

test_text_after_a_file_is_refused() {
	make_script
	pipa export script.txt -f speedscope -o x.json
	cat x.json x.json > twice.json
	pipa report --stdio -i twice.json
	status 1
	has err 'text after the end of the object'
	pipa export script.txt -f cpuprofile -o x.cpuprofile
	cat x.cpuprofile x.cpuprofile > twice.cpuprofile
	pipa report --stdio -i twice.cpuprofile
	status 1
	has err 'text after the end of the object'
}

test_threads_without_an_id_have_tracks_of_their_own() {
	cat > two.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},"profiles":[
{"type":"evented","name":"a","unit":"microseconds","startValue":0,"endValue":20,"events":[
{"type":"O","frame":0,"at":10},{"type":"C","frame":0,"at":20}]},
{"type":"evented","name":"b","unit":"microseconds","startValue":0,"endValue":20,"events":[
{"type":"O","frame":0,"at":10},{"type":"C","frame":0,"at":20}]}]}
END
	pipa export two.json -f chrome-trace -o x.json
	status 0
	same tracks "$(node_eval x.json 'show(new Set(f.traceEvents.filter(e => e.ph === "B").map(e => e.tid)).size)')" 2
}

test_times_of_a_cpuprofile_may_go_back() {
	cat > v.cpuprofile <<'END'
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"children":[2,3,4]},
{"id":2,"callFrame":{"functionName":"f","url":"","lineNumber":0}},
{"id":3,"callFrame":{"functionName":"g","url":"","lineNumber":0}},
{"id":4,"callFrame":{"functionName":"h","url":"","lineNumber":0}}],
"startTime":0,"endTime":20,"samples":[2,3,4],"timeDeltas":[10,-5,7]}
END
	pipa export v.cpuprofile -f folded
	status 0
	# at 10, 5 and 12 microseconds: g begins at the time of f
	stdout <<'END'
f 0
g 2000
h 8000
END
}

test_malformed_files_are_refused() {
	local schema='"$schema":"https://www.speedscope.app/file-format-schema.json"'

	printf '{%s,"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[1]],"weights":[1]}]}' \
		"$schema" > bad
	pipa report -i bad --stdio
	status 1
	has err 'a frame is not in the list of frames at byte 156'
	printf '{%s,"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0],[0]],"weights":[1]}]}' \
		"$schema" > bad
	pipa report -i bad --stdio
	status 1
	has err 'samples and weights differ in number'
	printf '{%s,"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented","unit":"none","events":[{"type":"O","frame":0,"at":1}]}]}' \
		"$schema" > bad
	pipa report -i bad --stdio
	status 1
	has err 'a frame is not closed'
	printf '{"nodes":[{"id":1,"callFrame":{"functionName":"a"},"children":[1]}],"samples":[1],"timeDeltas":[0]}' > bad
	pipa report -i bad --stdio
	status 1
	has err 'a node is its own caller'
}

# A browser that stores its arguments, one per line.
make_browser() {
	mkdir -p 'bin dir' tmp
	printf '#!/bin/sh\nprintf "%%s\\n" "$@" > "%s/seen.part"\nmv "%s/seen.part" "%s/seen"\n' "$PWD" "$PWD" "$PWD" \
		> 'bin dir/browser'
	chmod +x 'bin dir/browser'
	export TMPDIR=$PWD/tmp
	unset DISPLAY WAYLAND_DISPLAY
	printf 'main;work 3\n' > folded
}

test_open_starts_the_browser_with_the_url() {
	make_browser
	BROWSER="/nonexistent/browser:'$PWD/bin dir/browser' --new %s --end" \
		run "$PIPA" flamegraph folded --open -o 'a b;$(touch bad).html'
	status 0
	same arguments "$(cat seen)" "--new
file://$PWD/a%20b%3B%24%28touch%20bad%29.html
--end"
	[[ ! -e bad ]] || fail 'the name' 'no command' 'run by a shell'
	has err "opened 'a b;"
	grep -q 'work' 'a b;$(touch bad).html'
}

test_open_without_output_writes_a_temporary_file() {
	make_browser
	BROWSER="'$PWD/bin dir/browser'" run "$PIPA" report -i folded --open
	status 0
	[[ $(cat seen) == file://$PWD/tmp/pipa-*.html ]] || fail 'the URL' 'a file in TMPDIR' "$(cat seen)"
	same permissions "$(stat -c %a tmp/pipa-*.html)" 600
	grep -q 'work' tmp/pipa-*.html
}

test_open_without_a_browser_names_the_file() {
	make_browser
	unset BROWSER
	run "$PIPA" flamegraph folded --open
	status 0
	has err "no browser found; the page is '$PWD/tmp/pipa-"
	BROWSER=false run "$PIPA" flamegraph folded --open -o x.html
	status 0
	has err "the page is 'x.html'"
}

test_open_leaves_no_file_after_a_failure() {
	make_browser
	BROWSER=true run "$PIPA" flamegraph missing --open
	status 1
	same files "$(ls tmp)" ''
	run "$PIPA" report -i folded --open --csv
	status 2
}

run_tests "$@"
