#!/bin/bash
# Go programs without a symbol table: names and lines out of the table that Go's run time needs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# go_program OUTPUT OPTIONS...: build it, for the architecture in $GOARCH
go_program() {
	local output=$1

	shift
	need_program go
	need_program nm
	if [[ ! -e work.go ]]; then
		cat > work.go <<- 'END'
			package main

			import "os"

			//go:noinline
			func leaf(n int) int {
				s := 0
				for i := 0; i < n; i++ {
					s += i * i
				}
				return s
			}

			type thing struct{ v int }

			//go:noinline
			func (t *thing) work(n int) {
				t.v += leaf(n)
			}

			func main() {
				t := &thing{}
				for i := 0; i < 1000; i++ {
					t.work(200000)
				}
				if t.v == 1 {
					os.Exit(1)
				}
			}
		END
	fi
	GOCACHE=$PIPA_SOURCE/build/go-cache HOME=$PWD GO111MODULE=off GOTOOLCHAIN=local go build -o "$output" "$@" \
		work.go 2> err || skip "go cannot build it: $(head -n 1 err)"
}

# functions FILE: where they are; not what merely marks the ends of the code
functions() {
	nm "$1" | awk '$2 ~ /^[tT]$/ && $3 !~ /^runtime\.e?text$/ { print $1 }' | sort -u
}

# plainly FILE: output without the parts that are not in Go's table: the ABI of a function, the types a generic
# one was made for; DWARF makes a directory of generated code
plainly() {
	sed -E -e 's/\.abi(0|internal)//g' -e 's/\[[^] ]*\]/[...]/g' -e 's# \./<auto# <auto#' "$1"
}

# as_full FULL STRIPPED: every function has the name and the line of symbols and DWARF
as_full() {
	functions "$1" > asked
	pipa symbolize --exe "$1" --no-inline < asked
	plainly out | grep ' at ' > wanted
	pipa symbolize --exe "$2" --no-inline < asked
	plainly out | grep -F -w -f <(cut -d ' ' -f 1 wanted) > got
	compare "names and lines of $2" got < wanted
	between 'functions' "$(wc -l < wanted)" 1000 1000000
}

test_a_stripped_go_program_has_its_names_and_lines() {
	go_program full
	go_program bare -ldflags='-s -w'
	strip -o stripped full
	as_full full bare
	as_full full stripped
}

test_go_programs_of_other_word_sizes_and_byte_orders_have_their_names() {
	local arch

	# mips has 32-bit words and big-endian bytes; building the run time for each takes 10 s
	export CGO_ENABLED=0 GOOS=linux
	for arch in ${PIPA_GO_TARGETS:-mips}; do
		export GOARCH=$arch
		go_program "full.$arch"
		strip --strip-all -o "stripped.$arch" "full.$arch" 2> /dev/null ||
			go_program "stripped.$arch" -ldflags='-s -w'
		as_full "full.$arch" "stripped.$arch"
	done
}

test_a_position_independent_go_program_has_its_names_and_lines() {
	go_program full -buildmode=pie
	strip -o stripped full
	as_full full stripped
}

test_a_go_table_among_other_data_has_its_names() {
	need_program cc
	go_program full -buildmode=pie -ldflags=-linkmode=external
	strip -o stripped full
	nm full | awk '$3 == "main.leaf" || $3 == "main.main" { print $1 }' > asked
	pipa symbolize --exe full --no-inline < asked
	mv out full.out
	pipa symbolize --exe stripped --no-inline < asked
	stdout < full.out
	has out 'main.leaf+0x0 at '
}

test_a_recording_of_a_go_program_is_symbolized() {
	go_program bare -ldflags='-s -w'
	"$PIPA" record -e cpu-clock -F 999 -o data ./bare > err 2>&1 ||
		skip "it cannot be recorded: $(head -n 1 err)"
	pipa report -i data --no-children --sort symbol
	status 0
	has out main.leaf
	pipa report -i data --no-children --sort srcline
	matches out 'work\.go:[0-9]+'
	pipa annotate data main.leaf
	status 0
	has out 's += i * i'
}

run_tests "$@"
