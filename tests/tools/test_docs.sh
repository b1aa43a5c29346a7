#!/usr/bin/env bash
#
# Documents cannot rot: every command has a man page, pages and --help name the same options, the
# pages are clean, and the examples in them run.

set -uo pipefail
source=${PIPA_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
pipa=$(realpath "${PIPA:-$source/build/release/pipa}")
failed=0

fail() {
	echo "not ok: $*"
	failed=$((failed + 1))
}

skip() {
	echo "skip: $*"
	if [[ -n ${PIPA_SKIP_LOG-} ]]; then
		echo "docs: $*" >> "$PIPA_SKIP_LOG"
	fi
}

commands() {
	"$pipa" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx help
}

options_of_help() {
	"$pipa" "$1" --help | grep -oE '^  (-[a-zA-Z], |    )--[a-z0-9-]+' | tr -s ' ,' '\n' |
		grep . | sort -u
}

options_of_page() {
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$1" | grep -oE '^\\fB\\-.*' |
		grep -oE '\\fB[^\]*(\\-[^\]*)+\\fP' |
		sed -e 's/\\fB//; s/\\fP//; s/\\-/-/g' | grep -vx -e -h -e --help | sort -u
}

# Every long option with its value: NAME TAB VALUE, where lists and single values are one kind.
option_values() {
	"$pipa" "$1" --help | sed -nE 's/^  (-[a-zA-Z], |    )(--[a-z0-9-]+)(( [^ ]+)|(\[=.*\]))?( .*|$)/\2\t\4\5/p' |
		sed -E 's/\t ?(LIST|NAMES?|WHAT|ROWS|KEYS|DIR|FILE|IDS|[PT]ID.*)$/\tVALUE/'
}

# perf has --delay twice: the refresh interval of perf top, the start delay of perf record and stat; and
# --call-graph: the unwind method of perf record, the form of the trees of perf report.
two_meanings=$(for command in $(commands); do option_values "$command"; done | sort -u | cut -f 1 | uniq -d | grep -vx -e --delay -e --call-graph)
[[ -z $two_meanings ]] || fail "these options take different values in different commands: $two_meanings"

for command in $(commands); do
	page=$source/docs/man/pipa-$command.1
	[[ -f $page ]] || { fail "$command has no man page"; continue; }
	grep -q "| \`pipa $command\`" "$source/README.md" || fail "README's table lacks pipa $command"
	grep -q "pipa.-$command" "$source/docs/man/pipa.1" || fail "pipa.1 lacks $command"
	diff <(options_of_help "$command") <(options_of_page "$page") ||
		fail "--help (<) and the man page (>) of $command differ"
done

if command -v mandoc > /dev/null; then
	for page in "$source"/docs/man/*.1; do
		out=$(mandoc -T lint -W warning "$page") || fail "$page: $out"
	done
else
	skip "man pages are not linted: mandoc is not installed"
fi

# The lines of a page's EXAMPLES, in a directory of their own that has a recording; what they write to
# /tmp goes there too, for two checks may run at once.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/work" "$dir/tmp"
ln -s "$pipa" "$dir/bin/pipa"
cd "$dir/work" || exit 1
"$pipa" record -g -- ls / > /dev/null 2>&1
for page in "$source"/docs/man/*.1; do
	while IFS= read -r line; do
		case $line in
		*perf.example.com*) continue ;; # needs a server: tests/cli/test_upload.sh starts one
		*' -a '*)
			if ! "$pipa" stat -a -e cpu-clock true 2> /dev/null; then
				skip "no permission for: $line"
				continue
			fi
			;;
		esac
		out=$(PATH=$dir/bin:$PATH bash -c "${line//\/tmp\//$dir/tmp/}" 2>&1) || fail "$(basename "$page"): $line: $out"
	done < <(sed -n '/^\.SH EXAMPLES/,/^\.EE/{/^pipa/{s/\\-/-/g;p}}' "$page")
done

[[ $failed -eq 0 ]] && echo "documents agree with the program"
exit $((failed > 0))
