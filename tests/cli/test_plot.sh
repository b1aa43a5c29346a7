#!/usr/bin/env bash
# `pipa plot`: charts of statistics and counters in three formats, and everything that it refuses.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

export TZ=UTC

# statistics: a directory of PIPA with 40 intervals of 4 CPUs, two disks and memory; 10 are missing
statistics() {
	mkdir -p stats/attach_session
	awk 'BEGIN {
		cpu = "stats/attach_session/sar_cpu.csv"
		disk = "stats/attach_session/sar_disk.csv"
		memory = "stats/attach_session/sar_memory.csv"
		head = "# hostname;interval;timestamp;"
		print head "CPU;%user;%nice;%system;%iowait;%steal;%idle" > cpu
		print head "DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util" > disk
		print head "kbmemfree;kbavail;kbmemused;%memused;kbbuffers;kbcached;kbcommit;%commit;" \
			"kbactive;kbinact;kbdirty" > memory
		for (i = 0; i < 50; i++) {
			if (i >= 20 && i < 30)
				continue
			at = sprintf("box;1;2026-11-15 03:03:%02d UTC;", i)
			for (c = -1; c < 4; c++) {
				user = 20 + 10 * c + 15 * sin(i / 5)
				printf "%s%d;%.2f;0.00;5.00;1.00;0.00;%.2f\n", at, c, user, 94 - user > cpu
			}
			printf "%ssda;%d;10;20;0;32;1;%.2f;%.2f\n", at, 100 + i, 1 + i / 50, i > disk
			printf "%snvme0n1;%d;10;20;0;32;1;0.5;%.2f\n", at, 500 - i, 50 - i > disk
			printf "%s%d;9000000;%d;50;1;1;1;1;1;1;1\n", at, 9000000 - i, 8000000 + i > memory
		}
	}'
}

# counters FILE: cycles and instructions of three CPUs, and events of a roofline
counters() {
	awk 'BEGIN {
		for (i = 1; i <= 10; i++) {
			for (c = 0; c < 3; c++) {
				printf "%d.0,CPU%d,%d,,cycles,1000,100.00,,\n", i, c, (2 + c) * 1000000
				printf "%d.0,CPU%d,%d,,instructions,1000,100.00,,\n", i, c, 2000000
			}
		}
	}' > "$1"
}

roofline_counters() {
	awk 'BEGIN {
		for (i = 1; i <= 10; i++) {
			printf "%d.0,%d,,fp_arith_inst_retired.256b_packed_double,1000,100.00,,\n", i, 1e9
			printf "%d.0,%d,,LLC-load-misses,1000,100.00,,\n", i, 1e7 * i
		}
	}' > "$1"
}

# chart NAME ARGS...: the same chart in all formats, each checked by another program
chart() {
	local name=$1 format

	for format in svg pdf png; do
		pipa plot "${@:2}" -o "$name.$format"
		status 0
	done
	if command -v xmllint > /dev/null; then
		run xmllint --noout "$name.svg"
		status 0
	fi
	if command -v qpdf > /dev/null; then
		run qpdf --check "$name.pdf"
		status 0
		lacks out WARNING
	fi
	if command -v pngcheck > /dev/null; then
		run pngcheck -q "$name.png"
		status 0
	fi
	same 'start of the PDF' "$(head -c 8 "$name.pdf")" '%PDF-1.4'
	same 'start of the PNG' "$(head -c 4 "$name.png" | tail -c 3)" PNG
}

test_every_kind_is_a_valid_file_in_every_format() {
	statistics
	counters counts.csv
	roofline_counters flops.csv
	chart lines stats -m %user -m %system -m disk.tps --title 'CPU and disk'
	has lines.svg '>CPU and disk</text>'
	has lines.svg '>cpu.user</text>'
	has lines.svg '>share (%)</text>'
	has lines.svg '>disk.tps (1/s)</text>'
	has lines.svg '>time (UTC), 2026-11-15</text>'
	chart stacked stats -k stacked -m %user -m %system -m %iowait
	chart scatter stats -k scatter --x disk.tps --y disk.await
	has scatter.svg '>disk.tps (1/s)</text>'
	has scatter.svg '>disk.await (ms)</text>'
	chart histogram stats -k histogram -m %util
	has histogram.svg '>intervals</text>'
	chart heatmap stats -k heatmap
	has heatmap.svg '>cpu.busy (%)</text>'
	chart cpi counts.csv -k cpi
	has cpi.svg '>elapsed time (s)</text>'
	has cpi.svg '>CPU 2</text>'
	chart roofline flops.csv -k roofline --peak-flops 100G --peak-bandwidth 20G
	has roofline.svg '>peak 100 Gop/s</text>'
}

test_the_text_of_a_pdf_is_text() {
	command -v pdftotext > /dev/null || skip 'no pdftotext'
	statistics
	pipa plot stats -m %user --title 'Köln (a\b)' -o x.pdf
	status 0
	run pdftotext -raw x.pdf -
	has out 'Köln (a\b)'
	has out cpu.user
	has out 03:03:10
}

test_the_size_is_that_of_the_option() {
	statistics
	pipa plot stats -m %user -o x.svg --width 700 --height 300
	has x.svg ' width="700" height="300" viewBox="0 0 700 300"'
	pipa plot stats -m %user -o x.pdf --width 254 --height 127
	grep -qa 'MediaBox \[0 0 720 360\]' x.pdf || fail 'size of the PDF' '720 x 360 points' 'another'
	pipa plot stats -m %user -o x.png --width 320 --height 200
	same 'size of the PNG' "$(od -An -tu1 -j16 -N8 x.png | tr -s ' ')" ' 0 0 1 64 0 0 0 200'
	pipa plot stats -m %user -o x.png --width 9000
	status 2
	has err '--width: invalid length '\''9000'\'', expected 100 to 8000 pixels'
	pipa plot stats -m %user -o x.pdf --height 1
	status 2
	has err 'expected 20 to 2000 mm'
}

test_names_are_ids_names_of_sysstat_aliases_globs_and_events() {
	statistics
	counters counts.csv
	pipa plot stats -m 'cpu.i*' -o x.svg
	status 0
	has x.svg '>cpu.iowait</text>'
	has x.svg '>cpu.idle</text>'
	lacks x.svg 'cpu.user'
	pipa plot counts.csv -m cycles --instances 1 -o x.svg
	status 0
	has x.svg '>cycles</text>'
	pipa plot counts.csv -m ipc --instances 0-1 -o x.svg
	status 0
	has x.svg '>CPU 1</text>'
	lacks x.svg '>CPU 2</text>'
	pipa plot stats -m '?'
	status 0
	has out 'disk.util'
	has out 'cpu.user                     %user        %'
}

test_an_unknown_metric_is_refused_with_the_nearest_names() {
	statistics
	pipa plot stats -m cpu.usre -o x.svg
	status 2
	has err "pipa plot: unknown metric 'cpu.usre'. Did you mean cpu.user"
	[[ ! -e x.svg ]] || fail 'file' none x.svg
	pipa plot stats -m cpu.usr -o x.svg
	status 1
	has err 'stats has no values of cpu.usr. Did you mean cpu.user'
	pipa plot stats -m net.rx -o x.svg
	status 1
	has err 'stats has no values of net.rx'
	pipa plot stats -m cpi -o x.svg
	status 1
	has err 'stats has no values of cpi. Count cycles and instructions'
}

test_instances_are_selected() {
	statistics
	pipa plot stats -m %user --instances 1-2 -o x.svg
	status 0
	has x.svg '>CPU 1</text>'
	has x.svg '>CPU 2</text>'
	lacks x.svg '>CPU 3</text>'
	pipa plot stats -m %util --instances ^sda -m disk.await -o x.svg
	lacks x.svg nvme
	pipa plot stats -m %util --instances ^sd -o x.svg
	status 1
	has err "--instances: no instance of %util matches '^sd'"
}

test_the_time_range_is_selected() {
	statistics
	pipa plot stats -m %user --time 03:03:30,03:03:40 -o x.svg
	status 0
	has x.svg '>03:03:31</text>'
	lacks x.svg '>03:03:45</text>'
	pipa plot stats -m %user --time 31,41 -o y.svg
	compare 'the same in seconds' y.svg < x.svg
	pipa plot stats -m %user --time '2026-11-15 03:03:30,2026-11-15 03:03:40' -o y.svg
	compare 'the same as dates' y.svg < x.svg
	pipa plot stats -m %user --time 04:00,05:00 -o x.svg
	status 1
	has err '--time: the range is empty'
	pipa plot stats -m %user --time 12 -o x.svg
	status 2
	has err "--time: invalid range '12', expected START,STOP"
	pipa plot stats -m %user --time 25:00, -o x.svg
	status 2
	pipa plot stats -m %user --time 21,29 -o x.svg
	status 1
	has err 'no values to draw in the time range'
}

test_times_of_day_are_those_of_the_local_zone() {
	statistics
	TZ=XYZ-02:30 pipa plot stats -m %user -o x.svg
	has x.svg '>time (UTC+02:30), 2026-11-15</text>'
	has x.svg '>05:33:10</text>'
	pipa plot stats -m %user --elapsed -o x.svg
	has x.svg '>elapsed time (s)</text>'
	has x.svg '>30</text>'
}

test_a_gap_interrupts_the_line() {
	statistics
	pipa plot stats -m %user -o x.svg
	same 'parts of the line' "$(grep -c '<polyline.*stroke="#0072b2"' x.svg)" 2
}

test_several_files_are_named_in_the_legend() {
	statistics
	cp -r stats other
	pipa plot stats other -m %user --elapsed -o x.svg
	status 0
	has x.svg '>stats</text>'
	has x.svg '>other</text>'
}

test_a_roofline_names_missing_events() {
	counters counts.csv
	pipa plot counts.csv -k roofline --peak-flops 1T --peak-bandwidth 20G -o x.svg
	status 1
	has err 'no event of floating-point operations in counts.csv. Count one of fp_arith_inst_retired.*'
	roofline_counters flops.csv
	grep -v LLC flops.csv > no_bytes.csv
	pipa plot no_bytes.csv -k roofline --peak-flops 1T --peak-bandwidth 20G -o x.svg
	status 1
	has err 'no event of memory traffic in no_bytes.csv. Count one of'
	statistics
	pipa plot stats -k roofline --peak-flops 1T --peak-bandwidth 20G -o x.svg
	status 1
	has err 'stats has no counters'
}

test_arguments_that_do_not_fit_are_refused() {
	local line

	statistics
	while IFS='|' read -r arguments message; do
		read -r -a line <<< "$arguments"
		pipa plot "${line[@]}"
		status 2
		has err "$message"
	done << 'END'
stats -m %user|no output given. Use -o FILE.svg
stats -m %user -o x.gif|-o: unknown suffix of 'x.gif', expected .svg, .pdf or .png
-m %user -o x.svg|no file given
stats -o x.svg|no metric given
stats -m %user -k pie -o x.svg|--kind: invalid kind 'pie'
stats -k scatter --x disk.tps -o x.svg|a scatter plot needs two metrics
stats -k roofline -o x.svg|a roofline needs the peaks of the machine
stats -k roofline --peak-flops much -o x.svg|--peak-flops: invalid number 'much'
stats -m %user --peak-flops 1G -o x.svg|--peak-flops cannot be combined with --kind lines
stats -m %user --y %util -o x.svg|--y cannot be combined with --kind lines
stats -m %user -k stacked --log -o x.svg|--log cannot be combined with --kind stacked
stats -m %user -k cpi -o x.svg|--metric cannot be combined with --kind cpi
END
}

test_hostile_names_stay_text() {
	local name=$'<script>alert(1)</script>&"\x1b[31m\xff()\\'

	statistics
	sed -i "s/sda/$(printf '%s' "$name" | sed 's/[&/\]/\\&/g')/" stats/attach_session/sar_disk.csv
	chart hostile stats -m %util --title "$name"
	lacks hostile.svg '<script'
	lacks hostile.svg $'\x1b'
	has hostile.svg '&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;\x1b[31m'
}

test_characters_without_a_glyph_are_drawn_as_escapes() {
	statistics
	pipa plot stats -m %user --title '性能' -o x.svg
	status 0
	stderr < /dev/null
	has x.svg '>性能</text>'
	pipa plot stats -m %user --title '性能 größe' -o x.pdf
	status 0
	has err 'Helvetica lacks 2 characters of the texts, which are drawn as \uXXXX; SVG has all'
	pipa plot stats -m %user --title '性能 größe' -o x.png
	status 0
	has err 'the font of PNG lacks 4 characters'
}

test_an_input_without_series_is_refused() {
	printf 'main;f 3\n' > folded
	pipa plot folded -m %user -o x.svg
	status 1
	: > empty
	pipa plot empty -m %user -o x.svg
	status 1
	pipa plot missing -m %user -o x.svg
	status 1
	has err 'cannot open missing'
}

test_the_colours_are_those_of_the_pages() {
	local color colors

	colors=$(sed -n 's/.*RGB(0x\([0-9a-f]*\)).*/&/p' "$PIPA_SOURCE/src/plot/plot_color.c" |
		grep -o '0x[0-9a-f]*' | cut -c 3-)
	same 'number of colours' "$(wc -w <<< "$colors")" 12
	for color in $colors; do
		grep -q "\"#$color\"" "$PIPA_SOURCE/web/color.js" ||
			fail 'colours' "$color in web/color.js" 'not there'
	done
}

test_a_heat_map_ends_with_its_series() {
	local second

	mkdir data
	{
		echo '# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle'
		for second in 11 12 13; do
			printf 'box;1;2026-11-15 03:03:%s UTC;%s;50.00;0.00;5.00;0.00;0.00;45.00\n' $second -1 $second 0
		done
	} > data/sar_cpu.csv
	for second in 1.000 2.000 3.001; do # counters end a millisecond later than the statistics
		printf '     %s700000,1000,,cycles,1000000000,100.00,,\n' $second
	done > data/perf_stat.txt
	pipa plot data -m cpu.user -k heatmap --elapsed -o a.svg
	status 0
	has a.svg '>3.0</text>'
	lacks a.svg '>4.0</text>'
}

test_a_metric_of_two_tables_is_drawn_once() {
	statistics
	awk 'BEGIN {
		print "# hostname;interval;timestamp;CPU;%usr;%nice;%sys;%iowait;%steal;%irq;%soft;%guest;%gnice;%idle"
		for (i = 0; i < 20; i++)
			printf "box;1;2026-11-15 03:03:%02d UTC;-1;20;0;5;1;0;0;0;0;0;74\n", i
	}' > stats/attach_session/sar_cpu_all.csv
	pipa plot stats -k stacked -m cpu.iowait -m cpu.idle -o x.svg
	status 0
	same 'legend' "$(grep -o '>cpu\.[a-z]*<' x.svg | tr -d '<>' | paste -s -d ' ')" 'cpu.iowait cpu.idle'
}

test_a_single_value_is_a_dot() {
	mkdir -p one/attach_session
	printf '%s\n' '# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle' \
		'box;1;2026-11-15 03:03:10 UTC;-1;50;0;1;0;0;49' > one/attach_session/sar_cpu.csv
	pipa plot one -m cpu.user -o one.svg
	status 0
	has one.svg '<circle'
	pipa plot one -k heatmap -m cpu.user -o one.svg
	refused 1 <<< 'pipa plot: one has no values of cpu.user of single CPUs, devices or interfaces'
}

run_tests "$@"
