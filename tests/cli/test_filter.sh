#!/usr/bin/env bash
# `pipa filter`, `pipa merge` and --value: the same samples, frames and sums as of go tool pprof.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}

need_go_and_profiles() {
	command -v go > /dev/null || skip "needs go"
	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
}

go_pprof() {
	HOME=$PWD go tool pprof "$@" 2> go.err
}

# same_for_go WANT GOT WHAT: do both files have the same samples, labels and sums in all columns?
same_for_go() {
	local form column columns

	columns=$(go_pprof -raw "$1" | sed -n '/^Samples:/{n;p}' | wc -w)
	((columns > 0)) || fail "$3" "columns" "$(go_pprof -raw "$1" | head)"
	for ((column = 0; column < columns; column++)); do
		for form in -traces -top; do
			go_pprof "$form" -nodecount=1000 -nodefraction=0 -sample_index="$column" "$1" |
				grep -v '^File' > want
			go_pprof "$form" -nodecount=1000 -nodefraction=0 -sample_index="$column" "$2" |
				grep -v '^File' > got
			diff want got > difference || fail "$3 $form, column $column" "as go tool pprof" "$(head -20 difference)"
		done
	done
}

# filter_as_go FILE NAME=RE...: pipa filter --NAME RE is go tool pprof -NAME=RE
filter_as_go() {
	local file=$1 options=() go_options=() option

	shift
	for option; do
		options+=("--$option")
		go_options+=("-${option/show-from/show_from}")
	done
	pipa filter "$file" "${options[@]}" -o got.pb.gz
	status 0
	go_pprof -proto -output=want.pb.gz "${go_options[@]}" "$file" > /dev/null || skip "go tool pprof fails: $(cat go.err)"
	same_for_go want.pb.gz got.pb.gz "$(basename "$file") $*"
}

# Names of functions, files and mappings; inlined functions are in all of these profiles.
test_frames_are_selected_as_by_pprof() {
	local file

	need_go_and_profiles
	for file in "$corpus"/pprof/go-labels.cpu.pb.gz "$corpus"/pprof/go.heap.pb.gz; do
		filter_as_go "$file" focus=main
		filter_as_go "$file" focus='sort' ignore='runtime|parse'
		filter_as_go "$file" hide='runtime|main\.handle'
		filter_as_go "$file" show='main|sort\.go'
		filter_as_go "$file" show-from='main\.main\.func[34]'
	done
}

test_files_and_mappings_are_searched_as_by_pprof() {
	local file=$corpus/pprof/go-labels.cpu.pb.gz

	need_go_and_profiles
	filter_as_go "$file" focus='sort\.go$' hide='proc\.go'
	filter_as_go "$file" show-from=golabels hide='(?i)RUNTIME'
	filter_as_go "$file" ignore=golabels
}

test_inlined_functions_are_hidden_as_by_pprof() {
	need_go_and_profiles
	filter_as_go "$corpus/pprof/go.mutex.pb.gz" hide=Unlock
	filter_as_go "$corpus/pprof/go.mutex.pb.gz" show=contend
	filter_as_go "$corpus/pprof/go.mutex.pb.gz" show-from=Unlock
	filter_as_go "$corpus/pprof/go.mutex.pb.gz" focus=contend hide=contend
}

# label_as_go FILE EXPR
label_as_go() {
	pipa filter "$1" --label "$2" -o got.pb.gz
	status 0
	go_pprof -proto -output=want.pb.gz -tagfocus="$2" "$1" > /dev/null || skip "go tool pprof fails: $(cat go.err)"
	same_for_go want.pb.gz got.pb.gz "label $2"
}

test_labels_are_selected_as_by_pprof() {
	need_go_and_profiles
	label_as_go "$corpus/pprof/go-labels.cpu.pb.gz" tenant=blue
	label_as_go "$corpus/pprof/go-labels.cpu.pb.gz" 'endpoint=/s.*,/parse'
	label_as_go "$corpus/pprof/go-labels.cpu.pb.gz" 'blue,checksum'
	label_as_go "$corpus/pprof/go.heap.pb.gz" bytes=1kb:4kb
	label_as_go "$corpus/pprof/go.heap.pb.gz" :64b
}

test_a_filter_writes_only_the_rows_it_needs() {
	need_go_and_profiles
	pipa filter "$corpus/pprof/go-labels.cpu.pb.gz" --show sort.Ints -o got.pb.gz
	status 0
	go_pprof -raw got.pb.gz > raw
	(($(sed -n '/^Locations/,/^Mappings/p' raw | grep -c 'M=') < 5)) || fail "locations" "few" "$(cat raw)"
}

test_an_expression_without_a_match_is_noted() {
	printf 'main;f 3\nmain;g 1\n' > in.folded
	pipa filter in.folded --focus nowhere -f folded
	status 0
	stdout < /dev/null
	stderr <<- 'END'
		pipa filter: --focus: no frame matches 'nowhere'
		pipa filter: no sample matches all of the filters
	END
	pipa filter in.folded --hide f --show-from main -f folded
	status 0
	stdout <<- 'END'
		main 3
		main;g 1
	END
}

test_invalid_filters_are_refused() {
	printf 'main;f 3\n' > in.folded
	pipa filter in.folded --focus '('
	status 2
	pipa filter in.folded --label 'bytes>x'
	status 2
	pipa filter in.folded --pid 1-
	status 2
	pipa report in.folded --ignore '['
	status 2
	pipa flamegraph in.folded --hide '(' -o out.html
	status 2
	pipa export in.folded --show '(' -o out.pb
	status 2
	pipa filter in.folded --trace-id 12
	status 2
	pipa filter in.folded --trace-id 0af7651916cd43dd8448eb211c80319c -o out.pb
	status 1
	stderr <<- 'END'
		pipa filter: cannot select samples by trace id: in.folded has no trace ids
	END
	pipa filter in.folded --time 1,2 -o out.pb
	status 1
	stderr <<- 'END'
		pipa filter: cannot select samples by time: in.folded has no timestamps
	END
	[[ ! -e out.pb ]] || fail "out.pb" "not written" "$(ls -l out.pb)"
}

test_views_take_the_same_filters() {
	printf 'main;f;x 3\nmain;g 1\n' > in.folded
	pipa report in.folded --focus f --hide x --csv
	status 0
	grep -q '^,75.0000,75.0000,.*,f$' out || fail "report" "75 % of all samples in f" "$(cat out)"
	! grep -q 'x$' out || fail "report" "no x" "$(cat out)"
	pipa export in.folded --ignore '^x$' -f folded
	stdout <<- 'END'
		main;g 1
	END
	pipa flamegraph in.folded --focus g -f svg
	status 0
	grep -q '>g<\|>g ' out || fail "flame graph" "g" "$(head -50 out)"
	! grep -q '>x<\|>x ' out || fail "flame graph" "no x" "$(head -50 out)"
}

# ---- merge -------------------------------------------------------------------------------------

test_merged_profiles_are_those_of_pprof() {
	local kind

	need_go_and_profiles
	for kind in go-labels.cpu go.heap go.mutex go.goroutine; do
		pipa filter "$corpus/pprof/$kind.pb.gz" --focus main -o part.pb.gz
		pipa merge "$corpus/pprof/$kind.pb.gz" part.pb.gz -o got.pb.gz
		status 0
		go_pprof -proto -output=want.pb.gz "$corpus/pprof/$kind.pb.gz" part.pb.gz > /dev/null
		same_for_go want.pb.gz got.pb.gz "merged $kind"
		[[ $(go_pprof -raw got.pb.gz | grep -E '^(Period|Time|Duration)') == \
			"$(go_pprof -raw want.pb.gz | grep -E '^(Period|Time|Duration)')" ]] ||
			fail "merged $kind" "$(go_pprof -raw want.pb.gz | head -5)" "$(go_pprof -raw got.pb.gz | head -5)"
	done
}

test_different_columns_are_not_merged() {
	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
	ln -s "$corpus/pprof/go-labels.cpu.pb.gz" cpu
	ln -s "$corpus/pprof/go.mutex.pb.gz" mutex
	pipa merge cpu mutex -o out.pb.gz
	status 1
	stderr <<- 'END'
		pipa merge: cannot merge mutex: its value columns differ from those of cpu. Columns: contentions (count), delay (nanoseconds); before: samples (count), cpu (nanoseconds)
	END
	[[ ! -e out.pb.gz ]] || fail "out.pb.gz" "not written" "it is there"
}

test_files_of_several_formats_are_merged() {
	printf 'main;f 3\n' > a.folded
	printf 'main;f 1\nmain;g 2\n' | gzip > b.folded.gz
	pipa export a.folded -o c.pb.gz
	status 0
	pipa merge a.folded b.folded.gz c.pb.gz -o all.folded
	status 0
	[[ $(cat all.folded) == $'main;f 7\nmain;g 2' ]] || fail "sum" "main;f 7, main;g 2" "$(cat all.folded)"
	pipa merge a.folded - -f folded < b.folded.gz
	status 0
	stdout <<- 'END'
		main;f 4
		main;g 2
	END
	pipa merge
	status 2
	pipa merge - - -f folded
	status 2
	pipa merge a.folded nowhere -o x.pb.gz
	status 1
}

test_losses_are_added_up() {
	local data=$corpus/perfdata/perf.data.lost_samples-4.4 lost

	command -v go > /dev/null || skip "needs go"
	[[ -f $data ]] || skip "no corpus at $corpus/perfdata"
	pipa export "$data" -o one.pb.gz
	lost=$(go_pprof -comments one.pb.gz | sed -n 's/^lost samples: //p')
	((lost > 0)) || fail "comments" "lost samples" "$(go_pprof -comments one.pb.gz)"
	pipa merge one.pb.gz "$data" one.pb.gz -o three.pb.gz
	status 0
	[[ $(go_pprof -comments three.pb.gz | sed -n 's/^lost samples: //p') == $((3 * lost)) ]] ||
		fail "lost samples" "$((3 * lost))" "$(go_pprof -comments three.pb.gz)"
}

# write_losses FILE TRUNCATED LOST: write a profile that states these losses in comments
write_losses() {
	cat > "$1" <<- END
		{"resourceProfiles": [{"scopeProfiles": [{"profiles": [
		  {"sampleType": {"typeStrindex": 3, "unitStrindex": 4}, "attributeIndices": [1, 2],
		   "samples": [{"stackIndex": 1, "values": ["3"]}]}]}]}],
		 "dictionary": {"mappingTable": [{}], "linkTable": [{}], "functionTable": [{}, {"nameStrindex": 1}],
		  "locationTable": [{}, {"lines": [{"functionIndex": 1}]}], "stackTable": [{}, {"locationIndices": [1]}],
		  "stringTable": ["", "main", "pprof.profile.comment", "wall", "nanoseconds"],
		  "attributeTable": [{}, {"keyStrindex": 2, "value": {"stringValue": "truncated stacks: $2"}},
		                     {"keyStrindex": 2, "value": {"stringValue": "lost samples: $3"}}]}}
	END
}

test_losses_are_printed_with_the_name_of_the_file() {
	write_losses a.json 5 2
	write_losses b.json 1 4
	pipa merge a.json - -o all.pb.gz < b.json
	status 0
	stderr <<- 'END'
		pipa merge: a.json: lost: 2 samples, 0 records
		pipa merge: a.json: truncated stacks: 5
		pipa merge: standard input: lost: 4 samples, 0 records
		pipa merge: standard input: truncated stacks: 1
	END
	pipa report -i all.pb.gz --stdio
	status 0
	grep '^# lost\|^# truncated' out > got
	printf '%s\n' '# lost: 6 samples, 0 records; throttled 0 times' '# truncated stacks: 6' > want
	same "losses of the sum" "$(cat got)" "$(cat want)"
	pipa report -i all.pb.gz --json
	status 0
	grep -q '"truncated_stacks": 6' out || fail "--json" '"truncated_stacks": 6' "$(cat out)"
	pipa filter all.pb.gz --focus main -f folded
	status 0
	stderr <<- 'END'
		pipa filter: lost: 6 samples, 0 records
		pipa filter: truncated stacks: 6
	END
}

# ---- values ------------------------------------------------------------------------------------

test_the_default_value_is_that_of_pprof() {
	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
	ln -s "$corpus/pprof/go.heap.pb.gz" heap
	pipa report heap
	status 0
	grep -q "^# Samples: .* of event 'inuse_space', weight 1686250" out || fail "event" inuse_space "$(head -3 out)"
	[[ $(grep -c '^# Samples' out) == 1 ]] || fail "events" "one" "$(head -5 out)"
	stderr <<- 'END'
		pipa report: using value inuse_space of alloc_objects (count), alloc_space (bytes), inuse_objects (count), inuse_space (bytes). Select another one with --value NAME.
	END
	pipa report heap --group
	[[ $(grep -c '^# Samples' out) == 4 ]] || fail "events" "four" "$(head -5 out)"
}

test_a_value_is_chosen_by_name_in_all_commands() {
	local command

	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
	ln -s "$corpus/pprof/go.heap.pb.gz" heap
	pipa fold heap --value alloc_objects
	status 0
	stderr < /dev/null
	[[ $(awk '{ n += $NF } END { print n }' out) == 237781 ]] || fail "sum" 237781 "$(cat out)"
	pipa export heap --value alloc_objects -f folded
	[[ $(awk '{ n += $NF } END { print n }' out) == 237781 ]] || fail "sum" 237781 "$(cat out)"
	pipa report heap --value alloc_space --csv
	status 0
	pipa diff heap heap --value alloc_objects
	status 0
	grep -q 'alloc_objects' out || fail diff alloc_objects "$(head -3 out)"
	for command in report fold flamegraph graph annotate 'diff heap' heatmap export; do
		# shellcheck disable=SC2086
		pipa $command heap --value '?'
		status 1
		grep -q "no column '?' in the input. Available: alloc_objects (count), alloc_space (bytes), inuse_objects (count), inuse_space (bytes)" err ||
			fail "$command" "the list of columns" "$(cat err)"
	done
}

test_counts_are_a_value() {
	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
	pipa report "$corpus/pprof/go-labels.cpu.pb.gz" --value samples
	status 0
	grep -q "event 'samples', weight 105" out || fail samples "weight 105" "$(head -3 out)"
}

# The sums that go tool pprof -tags prints.
test_rows_are_those_of_a_label() {
	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
	pipa report "$corpus/pprof/go-labels.cpu.pb.gz" --sort label:tenant,label:endpoint --no-children --csv
	status 0
	grep -q '^event,.*,label:tenant,label:endpoint$' out || fail head "the names of the labels" "$(head -1 out)"
	cut -d , -f 5,7- out | tail -n +2 | sort > got
	cat > want <<- 'END'
		20000000,-,-
		460000000,blue,/checksum
		500000000,blue,/sort
		70000000,green,/parse
	END
	diff want got > difference || fail rows "$(cat want)" "$(cat got)"
	pipa report "$corpus/pprof/go.heap.pb.gz" --value alloc_space --sort label:bytes --json
	status 0
	grep -q '"label:bytes": "2048"' out || fail rows 'label:bytes 2048' "$(head -50 out)"
	pipa report "$corpus/pprof/go-labels.cpu.pb.gz" --sort label:
	status 2
}

# A clock of the kernel and pprof's cpu are both time.
test_recordings_and_profiles_are_compared_by_time() {
	need_sampling
	need_workloads
	need_counting
	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
	pipa record -e cpu-clock -o data -- "$PIPA_WORKLOADS/spin" 100
	status 0
	pipa export data -o data.pb.gz
	status 0
	pipa diff data data.pb.gz
	status 0
	grep -q 'No differences' out || fail diff "no differences" "$(cat out)"
	grep -q 'data.pb.gz: comparing cpu (nanoseconds) with cpu-clock (nanoseconds) of the base' err ||
		fail diff "a note on the columns" "$(cat err)"
	pipa merge data data.pb.gz -o both.pb.gz
	status 0
	pipa diff data "$corpus/pprof/go.heap.pb.gz"
	status 1
}

run_tests "$@"
