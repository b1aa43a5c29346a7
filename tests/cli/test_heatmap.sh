#!/usr/bin/env bash
#
# pipa heatmap: its page holds all samples with their times, and windows of them equal the output of pipa report
# of the same time.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# a text with two CPUs, three threads, a gap, a sample without a stack and a name of invalid UTF-8
write_text() {
	cat > in.txt <<- 'END'
		web 10/10 [000] 100.000000:     1000 cycles:
		                      10 serve (/bin/web)
		                      20 main (/bin/web)

		web 10/11 [001] 100.250000:     2000 cycles:
		                      30 parse (/bin/web)
		                      20 main (/bin/web)

		</script>x 12/12 [001] 100.300000:        5 cycles:
		                      10 serve (/bin/web)

		web 10/10 [000] 103.500000:      300 cycles:
		                      10 serve (/bin/web)
		                      20 main (/bin/web)

		web 10/11 [001] 103.500001:      100 faults:
		                      30 parse (/bin/web)
		                      20 main (/bin/web)

	END
	sed -i -E 's/^ {16,}/\t/' in.txt
}

# data PAGE: the page's data
data() {
	sed -n '/<script type="application\/json" id="pipa-data">/,/<\/script>/p' "$1" |
		sed -e 's/.*id="pipa-data">//' -e '/^<\/script>/d'
}

# times PAGE: "seconds pid/tid cpu weight stack", a line for each sample
times() {
	need_program python3
	data "$1" > data.json
	python3 - <<- 'END'
		import base64, json
		d = json.load(open("data.json"))
		def numbers(text):
		    value = shift = 0
		    for byte in base64.b64decode(text):
		        value |= (byte & 127) << shift
		        shift += 7
		        if byte < 128:
		            yield value
		            value = shift = 0
		frames, tree = numbers(d["frames"]), numbers(d["tree"])
		names = [d["strings"][row[0]] for row in
		         [(next(frames), next(frames), next(frames)) for _ in range(next(frames))]]
		path, paths, total = [], [], 0
		for _ in range(next(tree)):
		    up, frame, weight = next(tree), next(tree), next(tree)
		    path = path[:len(path) - up] + [names[frame]]
		    paths.append(";".join(path))
		    total += weight
		assert total == d["total"], "the tree's weight"
		t = d["timeline"]
		at, time, sum = numbers(t["samples"]), round(t["start"] * 1e9), 0
		n = next(at)
		assert n == d["samples"], "samples"
		for _ in range(n):
		    time += next(at)
		    thread, cpu = t["threads"][next(at)], next(at)
		    node, weight = next(at), next(at)
		    sum += weight
		    print("%d.%09d %d/%d %s %d %s" % (time // 10**9, time % 10**9, thread["pid"], thread["tid"],
		          t["cpus"][cpu - 1] if cpu else "-", weight, paths[node]))
		assert sum == d["total"], "the times' weight"
		assert round(t["end"] * 1e9) == time, "the end"
		assert next(at, None) is None, "something is left"
	END
}

# reported ARGS...: "samples weight" of the first event, as in pipa report
reported() {
	"$PIPA" report --json "$@" 2> /dev/null |
		awk -F'[:,]' '/"events"/ { on = 1 } on && /"samples"/ { s = $2 } on && /"weight"/ {
			print s + 0, $2 + 0; exit }'
}

test_every_sample_is_in_the_page_with_its_time() {
	write_text
	pipa heatmap in.txt --event cycles -o page.html
	status 0
	stdout < /dev/null
	times page.html > got || fail 'the data' 'what adds up' "$(cat got)"
	compare 'samples' got <<- 'END'
		100.000000000 10/10 0 1000 main;serve
		100.250000000 10/11 1 2000 main;parse
		100.300000000 12/12 1 5 serve
		103.500000000 10/10 0 300 main;serve
	END
	lacks page.html '"</script>x"'
}

test_the_first_event_is_used_with_a_note() {
	write_text
	pipa heatmap -o - - < in.txt
	status 0
	stderr <<- 'END'
		pipa heatmap: using event cycles, the first of 2. Select another one with --value NAME.
	END
	has out '"event":"cycles"'
	has out '"title":"standard input"'
	pipa heatmap -e faults in.txt -o page.html --by offset --title 'A title'
	has page.html '"rows":"offset"'
	has page.html '<title>A title</title>'
	times page.html > got
	compare 'samples' got <<< '103.500001000 10/11 1 100 main;parse'
}

test_a_window_has_the_samples_of_report() {
	write_text
	for window in 100.25,103.5 ,100.25 '100.3,' 101,102; do
		pipa heatmap in.txt -e cycles -o page.html --time "$window"
		status 0
		times page.html > got
		same "samples and weight of $window" "$(awk '{ w += $4 } END { print NR, w + 0 }' got)" \
			"$(reported --time "$window" in.txt)"
	done
}

test_the_chart_has_the_same_samples() {
	write_text
	pipa flamegraph --chart -e cycles --by comm -o chart.html in.txt
	status 0
	has chart.html '"view":"chart"'
	times chart.html > got || fail 'the data' 'what adds up' "$(cat got)"
	compare 'samples' got <<- 'END'
		100.000000000 10/10 0 1000 web;main;serve
		100.250000000 10/11 1 2000 web;main;parse
		100.300000000 12/12 1 5 </script>x;serve
		103.500000000 10/10 0 300 web;main;serve
	END
	pipa flamegraph --chart --diff in.txt -o chart.html in.txt
	refused 2 <<< 'pipa flamegraph: --chart cannot be combined with --diff'
	pipa flamegraph --chart --reverse -o chart.html in.txt
	refused 2 <<< 'pipa flamegraph: --chart cannot be combined with --reverse'
	pipa flamegraph --chart -o chart.svg in.txt
	refused 2 <<< 'pipa flamegraph: --chart requires HTML output'
}

test_a_flame_graph_of_a_window_has_the_weight_of_report() {
	write_text
	pipa flamegraph -e cycles --time 100.25,103 -o page.html in.txt
	status 0
	data page.html > data.json
	same 'weight' "$(sed -n 's/^"total":\([0-9]*\),*$/\1/p' data.json)" \
		"$(reported --time 100.25,103 in.txt | cut -d ' ' -f 2)"
}

test_the_same_recording_gives_the_same_page() {
	write_text
	pipa heatmap in.txt -o one.html
	pipa heatmap in.txt -o two.html
	cmp one.html two.html || fail 'two pages' 'the same bytes' 'others'
}

test_a_recording_has_all_its_samples() {
	need_workloads
	"$PIPA" record -F 999 -g -o fresh.data -- "$PIPA_WORKLOADS/busy" written 300 > /dev/null 2>&1 ||
		skip 'pipa record does not run here'
	pipa heatmap fresh.data -o page.html
	status 0
	times page.html > got || fail 'the data' 'what adds up' "$(cat got)"
	same 'samples and weight' "$(awk '{ w += $4 } END { print NR, w }' got)" "$(reported fresh.data)"
	sort -c got || fail 'times' 'rising' "$(head got)"
	first=$(sed -n 3p got) last=$(tail -n 3 got | head -n 1)
	window=${first%% *},${last%% *}
	pipa heatmap fresh.data -o page.html --time "$window"
	times page.html > got
	same "samples and weight of $window" "$(awk '{ w += $4 } END { print NR, w }' got)" \
		"$(reported --time "$window" fresh.data)"
}

test_input_without_timestamps_is_refused() {
	echo 'a;b 5' > in.folded
	pipa heatmap in.folded -o page.html
	refused 1 <<- 'END'
		pipa heatmap: cannot draw the heat map: in.folded has no timestamps. Use the recording or its perf script output.
	END
	[[ ! -e page.html ]] || fail 'page.html' 'none' 'one'
	write_text
	sed -E 's/ [0-9.]+: / /' in.txt > untimed.txt
	pipa heatmap untimed.txt -o page.html
	refused 1 <<- 'END'
		pipa heatmap: cannot draw the heat map: untimed.txt has no timestamps. Use the recording or its perf script output.
	END
}

test_samples_without_a_time_are_noted() {
	write_text
	sed -E '1s/ [0-9.]+: / /' in.txt > partly.txt
	pipa heatmap partly.txt -e cycles -o page.html
	status 0
	has err 'samples without a time skipped: 1'
}

test_wrong_calls_are_refused() {
	write_text
	pipa heatmap in.txt in.txt -o page.html
	refused 2 <<< "pipa heatmap: unexpected argument 'in.txt', expected one recording"
	pipa heatmap in.txt --by colour -o page.html
	refused 2 <<< "pipa heatmap: --by: invalid row 'colour', expected cpu, thread or offset"
	pipa heatmap in.txt -o page.svg
	refused 2 <<< "pipa heatmap: -o: unknown suffix of 'page.svg', expected .html"
	pipa heatmap in.txt -e cycels -o page.html
	refused_like 1 "pipa heatmap: no event 'cycels' in the input.*"
	pipa heatmap missing.data -o page.html
	status 1
}

test_a_full_disk_leaves_no_page() {
	write_text
	[[ -w /dev/full ]] || skip 'no /dev/full'
	timeout 100 "$PIPA" heatmap in.txt -e cycles > /dev/full 2> err
	got_status=$?
	status 1
	matches err 'No space left on device'
	pipa heatmap in.txt -e cycles -o nowhere/page.html
	status 1
}

run_tests "$@"
