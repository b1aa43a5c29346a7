#!/usr/bin/env bash
#
# Spelling: codespell (frequent misspellings) over sources and documents, aspell over the prose of the
# manual pages and the help. tools/dictionary.txt lists the words of this project that they do not know.

set -uo pipefail
source=${PIPA_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
pipa=$(realpath "${PIPA:-$source/build/release/pipa}")
dictionary=$source/tools/dictionary.txt
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "not ok: $*"
	failed=1
}

skip() {
	echo "skip: $*"
	if [[ -n ${PIPA_SKIP_LOG-} ]]; then
		echo "spelling: $*" >> "$PIPA_SKIP_LOG"
	fi
}

# The words that aspell does not know in its input, once each; WHERE is printed with them.
unknown_words() {
	aspell list --lang=en --encoding=utf-8 --mode=none --ignore=2 --personal="$tmp/personal" |
		sort -u | sed "s|^|$1: |"
}

# Names of options, files and events are not prose: bold and italic words, examples, macros.
prose_of_page() {
	sed -e '/^\.EX/,/^\.EE/d' -e '/^\.\(TH\|SH SEE ALSO\)/d' -e 's/\\f[BI][^\]*\(\\-[^\]*\)*\\fP//g' -e 's/\\-/-/g' \
		-e 's/\\e[xuU][0-9a-f]*//g' -e 's/^\.[A-Z]* *//' "$1"
}

cd "$source" || exit 1
if command -v codespell > /dev/null; then
	codespell --ignore-words "$dictionary" src tools docs ./*.md check quickstart --skip '*.png,*.json' ||
		fail "codespell: correct these words, or add them to tools/dictionary.txt"
else
	skip "codespell is not installed"
fi

if command -v aspell > /dev/null && aspell dicts | grep -qx en; then
	{ echo 'personal_ws-1.1 en 0 utf-8'; grep -v '^#' "$dictionary"; } > "$tmp/personal"
	for page in docs/man/*.1; do
		prose_of_page "$page" | unknown_words "$page"
	done > "$tmp/unknown"
	for command in $("$pipa" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx help); do
		"$pipa" "$command" --help | sed -E 's/^  (-., |    )--[^ ]+( [^ ]+)?//; s/(^| )--?[a-z-]+/ /g' |
			unknown_words "pipa $command --help"
	done >> "$tmp/unknown"
	[[ ! -s $tmp/unknown ]] || fail "unknown words; correct them, or add them to tools/dictionary.txt:
$(cat "$tmp/unknown")"
	echo 'a mispeled word' | unknown_words - | grep -qx -e '-: mispeled' || fail "aspell finds no misspelling"
else
	skip "aspell or its English dictionary is not installed"
fi

exit $failed
