#!/usr/bin/env bash
#
# pipa monitor equals sysstat. Both read the very same bytes: an invented machine (tests/lib/
# proc_tree.awk) is put over /proc and /sys in a mount namespace of their own, once as it was, once as
# it is later. sysstat takes the interval from /proc/uptime, pipa from the clock, and reports it.

. "${BASH_SOURCE[0]%/*}/lib.sh"

tree() {
	awk -v dir="$PWD/machine" "$@" -f "$PIPA_SOURCE/tests/lib/proc_tree.awk" ||
		fail 'the invented machine' 'a tree of files' "$?"
}

# inside COMMAND...: on the invented machine. It keeps its own place in /proc, as sanitizers need it.
inside() {
	# shellcheck disable=SC2016 # $$ and what follows are the inner shell's
	exec unshare -m sh -c 'mount --bind "$1/sys" /sys &&
		mkdir -p "$1/proc/self" "$1/proc/$$" &&
		mount --bind "/proc/$$" "$1/proc/self" && mount --bind "/proc/$$" "$1/proc/$$" &&
		mount --rbind "$1/proc" /proc && shift && exec "$@"' sh "$PWD/machine" "$@"
}

need_sysstat() {
	need_program sar
	need_program sadf
	for sadc in /usr/lib/sysstat/sadc /usr/lib64/sa/sadc /usr/libexec/sysstat/sadc ''; do
		[[ ! -x $sadc ]] || break
	done
	[[ $sadc ]] || skip 'needs sadc'
	[[ $(sar -V 2>&1) == *'version 12.6'* ]] || skip 'needs sysstat 12.6'
}

need_machine() {
	need_root
	need_program unshare
	need_sysstat
	tree -v tick=0 "$@"
	(inside test -f /proc/pressure/cpu) 2> /dev/null ||
		skip 'no file system can be mounted over /proc, even for oneself'
}

# has_timer PID: pipa has read for the first time and waits for its first tick
has_timer() {
	local fd

	for fd in /proc/"$1"/fd/*; do
		[[ $(readlink "$fd") != anon_inode:\[timerfd\] ]] || return 0
	done
	return 1
}

# The sections requested of both.
monitor=(--all -P ALL --csv)
tables=(-A -p)

# ours TREE-OPTIONS...: pipa's CSV in ./ours, its interval in $seconds. It is held while the machine
# moves on; should its tick come before that, all is done again.
ours() {
	local try asked=(monitor "${monitor[@]}" -i 2.503 -n 1)

	[[ -z ${collection:-} ]] || asked=("${collection[@]}")
	for ((try = 0; try < 10; try++)); do
		tree -v tick=0 "$@"
		command_line="pipa ${asked[*]} on an invented machine"
		start inside "$PIPA" "${asked[@]}" > ours 2> err
		until_true has_timer "$started"
		kill -STOP "$started"
		until_true grep -qs $'^State:\tT' "/proc/$started/status"
		if ! grep -qs '^[^#]' ours recorded/* data/run/*/attach_session/sar_*.csv; then
			tree -v tick=1 "$@"
			kill -CONT "$started"
			landed
			status 0
			break
		fi
		kill -KILL "$started"
	done
	if [[ ${collection:-} ]]; then
		mkdir recorded
		tar -xzf a.tar.gz -C recorded --strip-components 2 ||
			fail 'the archive' 'statistics' "$(cat err)"
		rm recorded/*.t* recorded/*.log
	fi
	[[ ! -d recorded ]] || cat recorded/* > ours
	seconds=$(awk -F ';' '!/^#/ { printf "%.2f", $2; exit }' ours)
	[[ $seconds =~ ^[1-9] ]] || fail 'the interval' 'a number' "$(cat ours)"
}

# theirs TREE-OPTIONS...: what sysstat makes of the same, all its tables in ./theirs
theirs() {
	local tick

	for tick in 0 1; do
		tree -v tick="$tick" -v uptime="$(awk -v s="$seconds" -v k="$tick" \
			'BEGIN { printf "%.2f", 100000 + k * s }')" "$@"
		# its output on missing sensors is ignored
		(inside "$sadc" -S ALL 1 1 sa) 2> /dev/null || fail 'sadc' 'exit 0' "$?"
	done
	(inside sadf -d sa -- "${tables[@]}") > theirs || fail 'sadf' 'exit 0' "$?"
}

# equal LEAST: ./theirs and ./ours, with at least so many values; the exceptions come from stdin
equal() {
	local wrong

	cat > except
	wrong=$(awk -F ';' -v seconds="$seconds" -v except=except -v least="$1" -v exact="${exact:-}" \
		-f "$PIPA_SOURCE/tests/lib/same_tables.awk" theirs ours)
	[[ -z $wrong ]] || fail "sadf's tables in pipa's" 'the same' "$wrong"
}

# second_report MARK COMMAND... -- TREE-OPTIONS...: the output of a sysstat program that reports twice,
# ./reports. The machine moves on between the two, while the program is held; lines that match MARK
# count the reports so far.
second_report() {
	local mark=$1 command=() try

	shift
	while [[ $1 != -- ]]; do
		command+=("$1")
		shift
	done
	shift
	command_line=${command[*]}
	for ((try = 0; try < 10; try++)); do
		tree -v tick=0 "$@"
		start inside stdbuf -oL "${command[@]}" > reports 2> err
		until_true grep -q "$mark" reports
		kill -STOP "$started"
		until_true grep -qs $'^State:\tT' "/proc/$started/status"
		if [[ $(grep -c "$mark" reports) -eq 1 ]]; then
			tree -v tick=1 -v uptime="$(awk -v s="$seconds" \
				'BEGIN { printf "%.2f", 100000 + s }')" "$@"
			kill -CONT "$started"
			landed
			status 0
			return
		fi
		kill -KILL "$started"
	done
	fail 'a report in time' 'one in ten' 'none'
}

# as_table LABEL COLUMNS: the second of the reports in the form of sadf -d, these columns of it
as_table() {
	awk -v label="$1" -v columns="$2" '
		BEGIN { many = split(columns, column, " ") }
		/^Average/ { exit }
		$0 ~ "(^|[ 0-9])" label " " {
			report++
			for (i = 1; i <= NF; i++)
				at[$i] = i
			if (report < 2)
				next
			printf "# hostname;interval;timestamp;%s", label == "CPU" ? label : "DEV"
			for (i = 1; i <= many; i++)
				printf ";%s", column[i]
			print ""
			next
		}
		report == 2 && NF > 2 {
			printf "host;-;-;%s", $at[label] == "all" ? "-1" : $at[label]
			for (i = 1; i <= many; i++)
				printf ";%s", $at[column[i]]
			print ""
		}' reports
}

mpstat_table() {
	second_report ' all ' env S_TIME_FORMAT=ISO mpstat -P ALL 2 2 -- "$@"
	as_table CPU '%usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle' > theirs
}

iostat_table() {
	second_report '^Device' iostat -d -x -k 2 2 -- "$@"
	as_table Device 'rkB/s wkB/s dkB/s r_await w_await aqu-sz %util' > theirs
}

# ---- sar -----------------------------------------------------------------------------------------

test_every_column_is_sars() {
	need_machine
	ours
	theirs
	equal 380 < /dev/null
}

# In six columns CPU time is only recorded.
test_cpu_time_in_six_columns_is_sars() {
	need_machine
	monitor=(--cpu-util --output recorded)
	tables=(-u -P ALL)
	ours
	theirs
	equal 30 < /dev/null
}

# The interval is a little less than a second, so that it is written with its fractions.
test_the_tables_of_a_collection_are_sadfs() {
	need_machine
	collection=(collect --no-record --no-spec-info --duration-stat 0.999 --sar-interval 0.999
		-o a.tar.gz)
	tables=(-P ALL -n DEV -b -d -p -r -B -q -w)
	ours
	theirs
	equal 90 < /dev/null
}

test_cpus_disks_and_interfaces_come_and_go_and_counters_wrap_as_for_sar() {
	need_machine -v change=1
	ours -v change=1
	theirs -v change=1
	equal 320 <<- 'EOF'
		# sysstat takes the sum of the disks that were there from that of those that are: one that
		# goes makes it shrink, below zero if need be
		tps - sysstat adds up readings
		rtps - sysstat adds up readings
		wtps - sysstat adds up readings
		dtps - sysstat adds up readings
		bread/s - sysstat adds up readings
		bwrtn/s - sysstat adds up readings
		bdscd/s - sysstat adds up readings
		# the queue of a CPU that is offline is empty
		blg_len -1 sysstat adds the last length known of a CPU that is gone
	EOF
}

test_counters_of_newer_kernels_are_shown_separately() {
	need_machine
	ours -v kernel=new
	theirs -v kernel=new
	equal 380 <<- 'EOF'
		# pages by who reclaimed them are listed again by kind, pgsteal_anon and pgsteal_file
		pgsteal/s - sysstat counts them twice
		%vmeff - sysstat counts them twice
		pgscand/s - sysstat adds how often one was throttled, which is no page
		# OutRateLimitGlobal and OutRateLimitHost since 6.11, in the middle of the line
		odstunr/s - sysstat reads by position
		otmex/s - sysstat reads by position
		oparmpb/s - sysstat reads by position
		osrcq/s - sysstat reads by position
		oredir/s - sysstat reads by position
		oech/s - sysstat reads by position
		oechr/s - sysstat reads by position
		otm/s - sysstat reads by position
		otmr/s - sysstat reads by position
		oadrmk/s - sysstat reads by position
		oadrmkr/s - sysstat reads by position
	EOF
}

# recorded MACHINE: one of tests/data/proc as ./machine, at both moments, with what is kept of pipa's
# output in ./ours and sysstat's tables in ./theirs
recorded() {
	local from=$PIPA_SOURCE/tests/data/proc/$1 tick

	command_line="sadc on $1"
	rm -rf machine sa
	for tick in 0 1; do
		cp -r "$from/$tick/." machine
		echo "$((1000 + 2 * tick)).00 1000.00" > machine/proc/uptime
		awk '/^cpu[0-9]/ { print "machine/sys/devices/system/cpu/" $1 }' machine/proc/stat | xargs mkdir -p
		mkdir -p machine/sys/dev/block
		[[ ! -e machine/proc/diskstats ]] || awk '{
			gsub("/", "!", $3)
			print "../../block/" $3 "\nmachine/sys/dev/block/" $1 ":" $2
		}' machine/proc/diskstats | xargs -n 2 ln -sfn
		(inside "$sadc" -S ALL 1 1 sa) 2> /dev/null || fail 'sadc' 'exit 0' "$?"
	done
	(inside sadf -d sa -- -A -p) > theirs || fail 'sadf' 'exit 0' "$?"
	cp "$from/shown.csv" ours
	seconds=2 exact=1
}

# No clock takes part in these: rates too are equal to the last digit.
test_recorded_machines_are_shown_as_sar_shows_them() {
	need_machine
	recorded x86_64-6.18
	equal 300 < /dev/null
	recorded aarch64-5.10
	equal 100 <<- 'EOF'
		pgsteal/s - sysstat counts by reclaimer and by kind, so twice
		%vmeff - sysstat counts by reclaimer and by kind, so twice
	EOF
	recorded x86_64-4.19
	equal 100 <<- 'EOF'
		pgscand/s - sysstat adds how often one was throttled, which is no page
		%vmeff - sysstat adds how often one was throttled, which is no page
	EOF
	recorded x86_64-3.12
	equal 100 <<- 'EOF'
		pgscand/s - sysstat adds how often one was throttled, which is no page
		%vmeff - sysstat adds how often one was throttled, which is no page
	EOF
	recorded x86_64-2.6.18
	equal 100 < /dev/null
	recorded gvisor
	equal 100 <<- 'EOF'
		# CPUs that have never counted anything are there and without a tick for us, offline for sysstat
		%idle -1 no CPU at all is 0 % idle for sysstat
		row 0 offline for sysstat
		row 1 offline for sysstat
		# without Slab it is not known what is used
		kbmemused - sysstat takes what is missing for 0
		%memused - sysstat takes what is missing for 0
	EOF
}

# ---- mpstat and iostat ---------------------------------------------------------------------------

test_cpu_time_is_mpstats() {
	need_machine
	need_program mpstat
	ours
	mpstat_table
	equal 50 < /dev/null
}

test_cpus_come_and_go_as_for_mpstat() {
	need_machine -v change=1
	need_program mpstat
	ours -v change=1
	mpstat_table -v change=1
	equal 30 < /dev/null
}

test_disks_are_iostats() {
	need_machine
	need_program iostat
	ours
	iostat_table
	equal 28 < /dev/null
}

test_disks_come_and_go_as_for_iostat() {
	need_machine -v change=1
	need_program iostat
	ours -v change=1
	iostat_table -v change=1
	equal 21 < /dev/null
}

# ---- the machine that this is --------------------------------------------------------------------

# of FILE COLUMN [ROW]: a value of a table that sadf -d or pipa wrote
of() {
	awk -F ';' -v column="$2" -v row="${3:-}" '
		/^#/ {
			split("", at)
			for (i = 4; i <= NF; i++)
				at[$i] = i
			next
		}
		column in at && (row == "" || $4 == row) { print $at[column]; exit }' "$1"
}

# Only what does not change while one reads after the other.
test_on_this_machine_both_see_the_same_cpus_swap_and_tables() {
	local size

	need_sysstat
	"$sadc" 1 2 sa || skip 'sadc does not run here'
	sadf -d sa -- -u ALL -P ALL -S -H -v > theirs
	pipa monitor --cpu-util --swap --hugepages --kernel-tables -P ALL --csv -i 0.1 -n 1
	status 0
	same 'CPUs' "$(awk -F ';' '/^#/ { cpu = /%soft/ } cpu { print $4 }' out)" \
		"$(awk -F ';' '/^#/ { cpu = /%soft/ } cpu { print $4 }' theirs)"
	for size in swp hug; do
		same "kb${size}free and kb${size}used" \
			"$(($(of out "kb${size}free") + $(of out "kb${size}used")))" \
			"$(($(of theirs "kb${size}free") + $(of theirs "kb${size}used")))"
	done
	between 'open files' "$(of out file-nr)" $(($(of theirs file-nr) / 4)) \
		$(($(of theirs file-nr) * 4))
}

# ---- pipa run ------------------------------------------------------------------------------------

# a run on the invented machine, which moves on while the command waits; its report in ./report.json
ran() {
	rm -f gate begun
	mkfifo gate
	tree -v tick=0
	start inside "$PIPA" run --no-record --interval 1h -f json -o report.json \
		sh -c 'echo > begun; read -r x < gate' > out 2> err
	until_true test -s begun
	tree -v tick=1
	sleep 1
	echo > gate
	landed
	status 0
}

# told KEY: of that report
told() {
	awk -v key="  \"$1\":" 'index($0, key) == 1 { sub(/.*": "?/, ""); sub(/"?,?$/, ""); print }' report.json
}

# near WHAT OURS THEIRS SCALE: theirs, rounded to hundredths, is ours times a scale, which comes of a
# rounded number itself where it is not 1
near() {
	awk -v ours="$2" -v theirs="$3" -v scale="$4" 'BEGIN {
		off = ours * scale - theirs
		most = 0.00501 + (scale == 1 ? 1e-9 : 1e-4) * theirs
		exit !(ours != "" && theirs != "" && off <= most && off >= -most)
	}' || fail "$1" "$3" "$2 x $4"
}

test_statistics_of_a_run_agree_with_sar() {
	local key scale

	need_machine
	ran
	seconds=2.00
	theirs
	for key in usr nice sys iowait steal irq soft guest gnice idle; do
		near "%$key" "$(told "%$key")" "$(of theirs "%$key" -1)" 1
	done
	for key in kbmemfree kbavail kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact \
		kbdirty kbanonpg kbslab kbkstack kbpgtbl kbvmused; do
		near "$key" "$(told "$key")" "$(of theirs "$key")" 1
	done
	# both counted the same, in a time that one took from a file and the other from the clock
	scale=$(awk -v ours="$(told 'cswch/s')" -v theirs="$(of theirs cswch/s)" 'BEGIN { printf "%.12g", theirs / ours }')
	between 'the time it covers' "$(awk -v s="$scale" 'BEGIN { print 2 * s }')" \
		"$(told run_time)" "$(awk -v t="$(told run_time)" 'BEGIN { print t + 1 }')"
	for key in tps rkB/s wkB/s dkB/s aqu-sz; do
		near "$key of $(told DEV)" "$(told "$key")" "$(of theirs "$key" "$(told DEV)")" "$scale"
	done
	near areq-sz "$(told areq-sz)" "$(of theirs areq-sz "$(told DEV)")" 1
	near await "$(told disk_await)" "$(of theirs await "$(told DEV)")" 1
	for key in rxkB/s txkB/s; do
		near "$key of $(told IFACE)" "$(told "$key")" "$(of theirs "$key" "$(told IFACE)")" "$scale"
	done
}

# The run covers what sadc sees and a little more: by as much, at most, CPU time may differ.
test_on_this_machine_a_runs_cpu_time_is_sars() {
	local key

	need_sysstat
	"$sadc" 1 1 try 2> /dev/null || skip 'sadc does not run here'
	# shellcheck disable=SC2016 # $0 is the inner shell's
	pipa run --no-record -f json -o report.json -- sh -c '
		"$0" 1 1 sa; cut -d " " -f 1 /proc/uptime > from; sleep 1
		"$0" 1 1 sa; cut -d " " -f 1 /proc/uptime > to' "$sadc"
	status 0
	sadf -d sa -- -u ALL > theirs
	for key in %usr %nice %sys %iowait %idle; do
		awk -v ours="$(told $key)" -v theirs="$(of theirs $key -1)" -v run="$(told run_time)" \
			-v from="$(cat from)" -v to="$(cat to)" 'BEGIN {
			inner = to - from
			off = ours * run - theirs * inner
			most = 100 * (run - inner) + 100 * 0.05 + 1
			exit !(ours != "" && theirs != "" && off <= most && off >= -most)
		}' || fail "$key" "$(of theirs $key -1), about" "$(told $key)"
	done
}

test_on_this_machine_a_runs_cpus_are_counted_as_perf_counts() {
	local event

	need_program perf
	need_system_wide
	perf stat -a true > /dev/null 2>&1 || skip 'perf does not count here'
	pipa run --no-record -e context-switches,cpu-clock -f json -o report.json -- \
		perf stat -a -x, -e context-switches,cpu-clock -o csv sleep 1
	status 0
	for event in context-switches cpu-clock; do
		awk -v event="\"$event\"" -v theirs="$(csv $event 1 csv)" '
			/"counters_system"/ { ours = 1 }
			ours && /"event"/ { hit = index($0, event) }
			ours && hit && /"value"/ { gsub(/[^0-9.]/, ""); sum += $0 }
			END { exit !(theirs > 0 && sum >= theirs * 0.999 && sum <= theirs * 20) }' report.json ||
			fail "$event of all CPUs" "$(csv $event 1 csv) at least" "$(grep -A 3 $event report.json)"
	done
}

run_tests "$@"
