# Shared by the tests of pipa collect: short collections, unpacked by GNU tar.
# shellcheck shell=bash disable=SC2034 # names that the tests use

export PIPA_TREE_DATA_DIR='' PIPA_TREE_RUN_DIR=''

# Ten intervals of each kind in a second, and half a second of samples.
short=(--no-spec-info --duration-stat 1 --perf-stat-interval 100 --sar-interval 0.1
	--duration-record 0.5)
tables=(cpu network io disk memory paging load cswch)
session=got/attach_session

# collect OPTIONS...: a short one into ./a.tar.gz, unpacked in ./got
collect() {
	pipa collect "${short[@]}" -o a.tar.gz "$@"
	unpack a.tar.gz
}

# collect_rows N OPTIONS...: the same with N rows of statistics, and of one event if counted. On a busy
# machine one row may cover two intervals, whose ends came too late: then once more, some times.
collect_rows() {
	local try

	for ((try = 0; try < 5; try++)); do
		collect "${@:2}"
		[[ $(grep -c '^[^#]' $session/sar_io.csv) -ne $1 ||
			$(cut -d , -f 1 $session/perf_stat.txt | uniq | wc -l) -ne $1 ]] || return 0
	done
}

# unpack ARCHIVE: by GNU tar, into ./got
unpack() {
	rm -rf got
	mkdir got
	tar -xzf "$1" -C got 2> tar_says || fail 'tar' 'exit 0' "$(cat tar_says)"
	[[ ! -s tar_says ]] || fail 'tar' 'not a word' "$(cat tar_says)"
}

# nothing_left_in DIRECTORY: no PID, no work in progress, only the lock
nothing_left_in() {
	same 'the run folder' "$(ls -A "$1")" pipa-tree.lock
}

nothing_left() {
	nothing_left_in data/run
}

# begins WORD: wait until the collection in the background has reported WORD
begins() {
	until_true grep -q "$1" err
}
