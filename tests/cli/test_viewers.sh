#!/usr/bin/env bash
# Formats of viewers: speedscope and .cpuprofile, written and read back; --open.
# shellcheck source-path=SCRIPTDIR source=lib.sh
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


run_tests "$@"
