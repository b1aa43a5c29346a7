#!/usr/bin/env bash
#
# The unwinder beside perf's (libunwind), on the same registers and stacks of real programs.

. "${BASH_SOURCE[0]%/*}/lib.sh"

need_stacks() {
	need_workloads
	need_program perf
	perf record -q -e cpu-clock:u --call-graph dwarf -o probe.data true > /dev/null 2>&1 ||
		skip 'perf is installed but does not record stacks'
}

# chains PROGRAM...: record it, then ./counts has how our chains and perf's compare
chains() {
	command_line="perf record --call-graph dwarf, perf script, unwind_chains of $*"
	perf record -q -m 1024 -F 997 -e cpu-clock:u --call-graph dwarf,16384 -o perf.data "$@" \
		> /dev/null 2> err || fail 'perf record' 'a recording' 'a failure'
	perf script -i perf.data --no-inline --ns -F tid,time,ip --max-stack 1024 > theirs 2> err
	"$PIPA_WORKLOADS/unwind_chains" perf.data -v < theirs > counts 2> err ||
		fail 'unwind_chains' 'chains' 'a failure'
}

# count NAME: of ./counts
count() {
	awk -v name="$1" 'index($0, name " ") == 1 { print $NF; n = 1 } END { if (!n) print 0 }' counts
}

# perf's own chains are wrong on aarch64 in the first call of a function of a library: by the C library's table the
# caller of its resolver has a stack pointer that is 16 bytes too low. There 1 % may differ instead of 0.5 %.
differ_most=200
[[ $(uname -m) != aarch64 ]] || differ_most=100

# agree LEAST [LONGER]: there are LEAST samples, and of 200 at most one differs. Chains that go on where
# perf's end are not a difference, unless LONGER is 0: perf gives up in JIT-compiled code, in
# static programs, and where an epilogue has popped the frame pointer.
agree() {
	local all differ

	enough_complete "$1"
	all=$(awk '$1 == "samples" { print $2 }' counts)
	differ=$(($(count other) + $(count 'ours shorter')))
	((differ * differ_most <= all)) || fail 'chains that differ' "at most one of $differ_most" "$(cat counts)"
	((($(count same) + $(count 'ours longer') * ${2:-1}) * differ_most >= all * (differ_most - 1))) ||
		fail 'chains that are the same' "all but one of $differ_most" "$(cat counts)"
}

# enough_complete LEAST: there are LEAST samples, and 98 % of their chains are complete; those that end early where
# perf's do may be some more, which a slow start makes
enough_complete() {
	local all complete

	all=$(awk '$1 == "samples" { print $2 }' counts)
	((all >= $1)) || fail 'samples' "at least $1" "$all"
	complete=$(($(count 'end: complete') + $(count 'end: stack dump too short')))
	(((complete + $(count "incomplete like perf's")) * 100 >= all * 98 && complete * 100 >= all * 95)) ||
		fail 'complete stacks' 'at least 98 %' "$(cat counts)"
}

test_chains_of_c_without_frame_pointers_are_perfs() {
	need_stacks
	chains "$PIPA_WORKLOADS/unwinds" 500
	agree 100 0
}

test_chains_of_cpp_with_exceptions_are_perfs() {
	need_stacks
	need_program g++
	cat > thrower.cc <<- 'END'
		#include <map>
		#include <stdexcept>
		#include <string>
		template <int N> struct deep {
			static int go(int x)
			{
				std::map<std::string, int> m;
				m[std::to_string(x)] = N;
				return m.begin()->second + deep<N - 1>::go(x + 1);
			}
		};
		template <> struct deep<0> {
			static int go(int x)
			{
				if (x % 3 == 0)
					throw std::runtime_error("three");
				return x;
			}
		};
		int main()
		{
			long sum = 0;
			for (int i = 0; i < 150000; i++) {
				try {
					sum += deep<12>::go(i);
				} catch (const std::exception &e) {
					sum += e.what()[0];
				}
			}
			return sum == 42;
		}
	END
	g++ -O2 -o thrower thrower.cc || fail 'g++' 'a program' 'none'
	chains ./thrower
	agree 50
}

# rust_program OUTPUT OPTIONS...: optimised, without frame pointers, that panics and catches it
rust_program() {
	local output=$1

	shift
	need_program rustc
	cat > panics.rs <<- 'END'
		use std::collections::BTreeMap;
		use std::panic;
		trait Step {
		    fn step(&self, x: u64) -> u64;
		}
		struct Deep<const N: usize>;
		impl<const N: usize> Step for Deep<N> {
		    #[inline(never)]
		    fn step(&self, x: u64) -> u64 {
		        let mut map = BTreeMap::new();
		        for i in 0..8 {
		            map.insert((x ^ i).to_string(), i);
		        }
		        map.values().sum::<u64>() + map.len() as u64
		    }
		}
		#[inline(never)]
		fn walk<F: Fn(u64) -> u64>(depth: u32, steps: &[Box<dyn Step>], f: &F) -> u64 {
		    if depth == 0 {
		        let x = f(steps.iter().map(|s| s.step(7)).sum());
		        if x % 3 == 0 {
		            panic::resume_unwind(Box::new(x));
		        }
		        return x;
		    }
		    walk(depth - 1, steps, f) + f(depth as u64) % 2
		}
		fn main() {
		    let steps: Vec<Box<dyn Step>> = vec![Box::new(Deep::<1>), Box::new(Deep::<2>)];
		    let mut sum = 0u64;
		    for i in 0..60000u64 {
		        sum += panic::catch_unwind(panic::AssertUnwindSafe(|| walk(8, &steps, &|x| x + i)))
		            .unwrap_or(1);
		    }
		    std::process::exit((sum == 42) as i32);
		}
	END
	rustc --edition 2021 -O "$@" -o "$output" panics.rs > err 2>&1 ||
		skip "rustc cannot build it: $(grep -m 1 . err)"
}

test_chains_of_rust_with_panics_are_perfs() {
	need_stacks
	rust_program panics -C force-frame-pointers=no
	chains ./panics
	agree 50
}

# readable FILE: its mangled names, as the binutils read them (./theirs) and as we name their addresses
# (./ours); functions of the same code share an address (./asked), and the binutils write the crate's hash and
# the types of constants too
readable() {
	nm --defined-only "$1" | awk '$2 ~ /^[tT]$/ && $3 ~ /^(_R|_ZN.*17h[0-9a-f]+E)/ { print $1, $3 }' |
		sort -u > mangled
	[[ $(wc -l < mangled) -ge 100 ]] || fail 'mangled names' 'at least 100' "$(wc -l < mangled)"
	cut -d ' ' -f 2 mangled | c++filt | sed -E -e 's/\[[0-9a-f]{8,16}\]//g; s/::h[0-9a-f]{16}$//' \
		-e "s/([<, ](-?[0-9]+|0x[0-9a-f]+|true|false|'[^']*')): ([iu](8|16|32|64|128|size)|bool|char)\b/\1/g" \
		> theirs
	cut -d ' ' -f 1 mangled > asked
	pipa symbolize --exe "$1" --no-inline --json < asked
	status 0
	python3 -c 'import json, sys
for line in open("out"): print(json.loads(line)["frames"][-1]["symbol"])' > ours
}

test_names_of_rust_are_read_as_the_binutils_do() {
	local kind alike

	need_program c++filt
	need_program nm
	need_program python3
	for kind in v0 legacy; do
		RUSTC_BOOTSTRAP=1 rust_program "named.$kind" -Zunstable-options \
			-C "symbol-mangling-version=$kind"
		readable "named.$kind"
		alike=$(paste asked ours theirs | awk -F '\t' '{ all[$1] } $2 == $3 { same[$1] }
			END { print int(length(same) * 1000 / length(all)) }')
		between "names of $kind read alike" "$alike" 995 1000
		matches ours '^<?panics::'
	done
}

test_chains_of_python_are_perfs() {
	need_stacks
	[[ -x /usr/bin/python3 ]] || skip 'needs python3'
	chains /usr/bin/python3 -c '
import json, re
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
for i in range(2):
    f(21); json.dumps([{"a": list(range(200))}] * 40); re.findall("(a|b)*c", "ab" * 2000)'
	agree 50
}

test_chains_of_sqlite_are_perfs() {
	need_stacks
	need_program sqlite3
	chains sqlite3 :memory: "with recursive c(x) as (select 1 union all select x + 1 from c
		where x < 300000) select count(*), sum(length(printf('%d', x))) from c order by x"
	agree 50
}

test_chains_of_openssl_are_perfs() {
	need_stacks
	need_program openssl
	chains openssl speed -seconds 1 rsa2048
	if [[ $(uname -m) == aarch64 ]]; then # perf's end in assembly code that has no call frame information there
		enough_complete 50
	else
		agree 50
	fi
}

# blocks FILE: each sample of a script as one line: its head, then its frames from the innermost outwards
blocks() {
	awk -v RS= -F '\n' '{ line = $1; for (i = 2; i <= NF; i++) { gsub(/^[ \t]+/, "", $i); line = line " ; " $i }
		print line }' "$1" | alias_names | sed 's/ ; /;/g'
}

# alike: how many samples of ./theirs.lines and ./ours.lines have the same frames; perf does not name all
# entries of the PLT. Of a chain through a signal handler it looks one byte before an address that is no caller's: the
# stub on x86_64, the interrupted one on aarch64, which then is the same function. In the middle of an exec perf
# leaves out the address in the program that is no longer mapped.
alike() {
	paste theirs.lines ours.lines | sed 's/[^ ;]*@plt/@plt/g' | awk -F '\t' '
	function function_of(frame) {
		sub(/^[^ ]+ /, "", frame)
		sub(/\+0x.*/, "", frame)
		return frame
	}
	function same_frame(theirs, ours, callee) {
		return ours == theirs || ours ~ / __restore_rt\+0x0 / ||
			callee ~ / __kernel_rt_sigreturn\+0x0 / && function_of(ours) == function_of(theirs)
	}
	{
		n = split($1, theirs, ";")
		m = split($2, ours, ";")
		for (i = 1; i <= n && same_frame(theirs[i], ours[i], ours[i - 1]); i++)
			;
		same += i > n && (m == n || m == n + 1 && ours[m] ~ / \[unknown\] \(\[unknown\]\)$/)
	} END { print same + 0 }'
}

# A sample's frames as perf script shows them.
test_the_script_of_dwarf_recordings_of_perf_is_that_of_perf() {
	local all alike

	need_stacks
	perf record -q -m 1024 -F 997 -e cpu-clock --call-graph dwarf,16384 -o perf.data \
		"$PIPA_WORKLOADS/unwinds" 300 > /dev/null 2> err || fail 'perf record' 'a recording' 'none'
	perf script -i perf.data --no-inline -F comm,tid,time,event,ip,sym,symoff,dso > theirs 2> err
	[[ -s theirs ]] || skip 'perf script shows nothing here'
	pipa script perf.data -F comm,tid,time,event,ip,sym,symoff,dso
	status 0
	blocks theirs > theirs.lines
	as_perf_names < out > named
	blocks named > ours.lines
	all=$(wc -l < theirs.lines)
	same 'samples' "$(wc -l < ours.lines)" "$all"
	alike=$(alike)
	((all >= 50 && alike * 100 >= all * 97)) ||
		fail 'samples whose frames are perfs' 'at least 97 % of 50 and more' \
			"$alike of $all; $(paste -d '\n' theirs.lines ours.lines | uniq -u | head -n 4)"
}

test_the_report_of_dwarf_recordings_of_perf_counts_complete_stacks() {
	need_stacks
	perf record -q -m 1024 -F 997 -e cpu-clock:u --call-graph dwarf,16384 -o perf.data \
		"$PIPA_WORKLOADS/unwinds" 300 > /dev/null 2> err || fail 'perf record' 'a recording' 'none'
	pipa report perf.data
	status 0
	matches out '^# stacks: [0-9.]+% of [0-9]+ complete'
	awk '/^# stacks:/ { exit $3 + 0 < 90 }' out || fail 'complete stacks' 'most' "$(head -n 9 out)"
	matches out '^ +[89][0-9]\.[0-9]+% .* main$|^ +100.00% .* main$'
	pipa fold perf.data
	status 0
	matches out '^unwinds;_start;__libc_start_main.*;main;'
	pipa report --no-children perf.data
	status 0
	lacks out '# stacks:'
}

test_stacks_longer_than_their_dump_are_truncated_with_a_note() {
	need_stacks
	perf record -q -m 1024 -F 997 -e cpu-clock:u --call-graph dwarf,256 -o perf.data \
		"$PIPA_WORKLOADS/unwinds" 300 > /dev/null 2> err || fail 'perf record' 'a recording' 'none'
	pipa report --tree perf.data
	status 0
	matches out '^#   [0-9.]+% end in unwinds: stack dump too short; .*dwarf,65528'
	matches out '% .* \[truncated\]$'
	pipa report --json perf.data
	status 0
	has out '"reason": "dump_too_short"'
}

# ours HOW...: what pipa recorded is ./perf.data, perf's and our script of it ./theirs.lines and ./ours.lines
ours() {
	pipa record -q -F 997 -e cpu-clock "$@" -o perf.data "$PIPA_WORKLOADS/unwinds" 300
	status 0
	perf script -i perf.data --no-inline -F comm,tid,time,event,ip,sym,symoff,dso > theirs 2> err
	pipa script perf.data -F comm,tid,time,event,ip,sym,symoff,dso
	status 0
	blocks theirs > theirs.lines
	as_perf_names < out > named
	blocks named > ours.lines
}

# perfs_are_ours: perf sees the same samples, and nearly all with the same frames
perfs_are_ours() {
	local all alike

	all=$(wc -l < theirs.lines)
	same 'samples' "$(wc -l < ours.lines)" "$all"
	alike=$(alike)
	((all >= 50 && alike * 100 >= all * 97)) ||
		fail 'samples whose frames are perfs' 'at least 97 % of 50 and more' \
			"$alike of $all; $(paste -d '\n' theirs.lines ours.lines | uniq -u | head -n 4)"
}

test_perf_unwinds_stack_dumps_of_pipa() {
	need_stacks
	ours --call-graph dwarf --unwind later
	perfs_are_ours
	((all_main = $(grep -c ';[0-9a-f]* main+' ours.lines))) || true
	((all_main * 100 >= $(wc -l < ours.lines) * 90)) ||
		fail 'stacks with main in them' 'most' "$all_main of $(wc -l < ours.lines)"
}

test_the_stack_dump_has_the_requested_size() {
	need_stacks
	pipa record -q -e page-faults:u -c 1 --call-graph dwarf,1Ki --unwind later -o perf.data ls /
	status 0
	run perf evlist -v -i perf.data
	has out 'sample_stack_user: 1024'
	has out 'exclude_callchain_user: 1'
	for bytes in 0 12 65536 1G x ''; do
		pipa record --call-graph "dwarf,$bytes" true
		refused_like 125 "pipa record: --call-graph: invalid method 'dwarf,$bytes', expected auto, fp, .*"
	done
}

# Where a return address is the very start of the next symbol perf names that one, we the caller.
test_perf_reads_live_unwound_samples_as_call_chains() {
	need_stacks
	ours --call-graph dwarf --unwind live
	perfs_are_ours
	run perf evlist -v -i perf.data
	lacks out 'REGS_USER'
	lacks out 'STACK_USER'
	lacks out 'exclude_callchain_user'
	has out 'CALLCHAIN'
	(($(stat -c %s perf.data) < 400000)) || fail 'size' 'less than 400 kB' "$(stat -c %s perf.data)"
}

# lighter FILE OTHER: the rows of at least 60 % in FILE that have less than 30 % in OTHER
lighter() {
	awk 'NR == FNR { other[$2] = $1; next } $1 >= 60 && other[$2] < 30' "$2" "$1"
}

# The same program both ways: nearly all stacks are complete, and the heavy rows are the same ones. How much each part of
# the program runs depends on what else the machine does.
test_live_and_later_show_the_same() {
	need_stacks
	for how in live later; do
		pipa record -q -F 997 -e cpu-clock:u --call-graph dwarf --unwind "$how" -o "$how.data" \
			"$PIPA_WORKLOADS/unwinds" 400
		status 0
		pipa report "$how.data"
		status 0
		awk '/^# stacks:/ { n = 1; exit $3 + 0 < 95 } END { if (!n) exit 1 }' out ||
			fail "complete stacks ($how)" 'at least 95 %' "$(head -n 9 out)"
		awk '!/^#/ && $1 + 0 > 0 { print $1 + 0, $NF == "(inlined)" ? $(NF - 1) "+" : $NF }' \
			out > "$how.rows"
	done
	(($(awk '$1 >= 60' live.rows | wc -l) >= 3)) || fail 'rows' 'at least 3 of 60 %' "$(< live.rows)"
	same 'heavy live, not later' '' "$(lighter live.rows later.rows)"
	same 'heavy later, not live' '' "$(lighter later.rows live.rows)"
}

test_live_truncated_stacks_are_noted_at_once_and_later() {
	need_stacks
	pipa record -F 997 -e cpu-clock:u --call-graph dwarf,256 -o perf.data "$PIPA_WORKLOADS/unwinds" 300
	status 0
	matches err '^pipa record: stacks: [0-9.]+% of [0-9]+ complete'
	# it names one place, and half of the samples are in the library's qsort
	matches err '^pipa record: [0-9.]+% end in (unwinds|libc[^ ]*): stack dump too short; '
	pipa report --tree perf.data
	status 0
	matches out '^#   [0-9.]+% end in unwinds: stack dump too short'
	matches out '% .* \[truncated\]$'
	run perf script -i perf.data -F comm,ip
	status 0
	lacks err 'invalid'
}

test_existing_processes_are_unwound_live() {
	need_stacks
	"$PIPA_WORKLOADS/unwinds" 3000 &
	local target=$!
	pipa record -q -F 997 -e cpu-clock:u --call-graph dwarf --duration 0.4 -p "$target" -o perf.data
	status 0
	kill "$target"
	pipa report perf.data
	awk '/^# stacks:/ { n = 1; exit $3 + 0 < 95 } END { if (!n) exit 1 }' out ||
		fail 'complete stacks' 'at least 95 %' "$(head -n 9 out)"
	matches out ' main$'
}

# A mapping that only its process can see, as in a container: no such file is at that path for us.
test_files_of_another_root_are_unwound_live() {
	need_stacks
	need_program unshare
	mkdir -p inside
	unshare -m true 2> /dev/null || skip 'mount namespaces are not permitted here'
	cp "$PIPA_WORKLOADS/unwinds" hidden
	export HOME=$PWD # perf's cache may have it by its build id
	# shellcheck disable=SC2016 # for the shell inside
	pipa record -q -F 997 -e cpu-clock:u --call-graph dwarf -o perf.data unshare -m --propagation private \
		sh -c 'mount -t tmpfs none inside && cp hidden inside/unwinds && inside/unwinds 400'
	((got_status == 0)) || skip "no tmpfs can be mounted: $(tail -n 1 err)"
	pipa report --json perf.data
	status 0
	awk '/"unwound":/ { all = $2 + 0 } /"complete":/ && $2 + 0 { good = $2 + 0 }
		END { exit !(all >= 50 && good * 100 >= all * 90) }' out ||
		fail 'complete stacks' 'most' "$(grep -A 12 '"stacks"' out)"
}

# has_stacks yes|no OPTIONS...: does a recording with these options unwind stacks?
has_stacks() {
	local want=$1

	shift
	pipa record -q "$@" -o perf.data "$PIPA_WORKLOADS/unwinds" 100
	status 0
	pipa report perf.data
	status 0
	if [[ $want == yes ]]; then
		matches out '^# stacks: [0-9.]+% of [0-9]+ complete'
	else
		lacks out '# stacks:'
	fi
}

test_auto_unwinds_clock_events_at_low_rates() {
	need_stacks
	has_stacks yes -e cpu-clock:u
	has_stacks yes -e cpu-clock:u -g
	has_stacks yes -e cpu-clock:u --call-graph auto
	has_stacks yes -e cpu-clock:u -F 4999
	has_stacks no -e page-faults:u -c 1
	has_stacks no -e cpu-clock:u -m 64Ki
	has_stacks no -e cpu-clock:u --call-graph fp
	has_stacks no -e cpu-clock:u --call-graph none
	has_stacks yes -e cpu-clock:u -F 3000 --call-graph dwarf
}

# A program with frame pointers whose stack is deeper than the piece of it: they lead on to main.
test_frame_pointers_are_followed_beyond_the_stack_dump() {
	need_stacks
	need_program gcc
	cat > deep.c <<- 'END'
		volatile long sum;
		__attribute__((noinline)) long down(int n)
		{
			volatile char room[512];

			room[n % 512] = (char)n;
			if (!n)
				for (long i = 0; i < 200000000; i++)
					sum += i;
			return n ? down(n - 1) + room[n % 512] : sum;
		}
		int main(void) { return (int)down(60) & 1; }
	END
	gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c || fail 'gcc' 'a program' 'none'
	pipa record -q -e cpu-clock:u --call-graph auto --unwind later -o auto.data ./deep
	status 0
	pipa fold auto.data
	status 0
	matches out ';main;down;down;'
	pipa record -q -e cpu-clock:u --call-graph dwarf,8192 -o dwarf.data ./deep
	status 0
	pipa fold dwarf.data
	status 0
	awk '/;down;down/ && /;main;/ { exit 1 }' out || fail 'stacks without frame pointers' 'none with main' "$(head -c 300 out)"
}

# 200 frames in some 40 kB of stack, on threads and in children that are made before and after it is noticed.
test_deep_stacks_get_larger_dumps() {
	need_stacks
	need_program gcc
	cat > deep.c <<- 'END'
		#include <pthread.h>
		#include <sys/wait.h>
		#include <unistd.h>

		volatile unsigned long sum;

		__attribute__((noinline)) unsigned long leaf(unsigned long x)
		{
			for (int i = 0; i < 20000; i++)
				x = x * 6364136223846793005ul + 1442695040888963407ul;
			return x;
		}
		__attribute__((noinline)) unsigned long down(int n, unsigned long x)
		{
			volatile char room[160];

			room[n % 160] = (char)x;
			return n ? down(n - 1, x + 1) + room[n % 160] : leaf(x);
		}
		static void *work(void *arg)
		{
			for (int i = 0; i < 10000; i++)
				sum += down(200, sum);
			return arg;
		}
		int main(void)
		{
			for (int round = 0; round < 3; round++) {
				pthread_t thread;
				pid_t pid = fork();

				if (!pid) {
					work(NULL);
					_exit(0);
				}
				if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
					return 1;
				waitpid(pid, NULL, 0);
			}
			return 0;
		}
	END
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o deep deep.c ||
		fail 'gcc' 'a program' 'none'
	pipa record -q -e cpu-clock:u -o perf.data ./deep
	status 0
	pipa report perf.data
	status 0
	awk '/^# stacks:/ { n = 1; exit !($3 + 0 >= 95) } END { if (!n) exit 1 }' out ||
		fail 'complete stacks' 'at least 95 %' "$(head -n 9 out)"
	lacks out 'record larger stack dumps'
	pipa record -q -e cpu-clock:u --call-graph dwarf,8192 -o perf.data ./deep
	status 0
	pipa report perf.data
	status 0
	awk '/^# stacks:/ { n = 1; exit !($3 + 0 < 50) } END { if (!n) exit 1 }' out ||
		fail 'complete stacks in 8192 bytes' 'few' "$(head -n 9 out)"
	has out '; record larger stack dumps: --call-graph dwarf,65528'
}

test_when_to_unwind_is_live_or_later() {
	pipa record --unwind never true
	refused_like 125 "pipa record: --unwind: invalid mode 'never', expected live or later"
}

run_tests "$@"
