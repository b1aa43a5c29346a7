#!/usr/bin/env bash
#
# tools/check-words against small trees made here, then against this one. Prints what failed; exit
# status 1 if any did.

set -euo pipefail

source=${PIPA_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
tool=$source/tools/check-words
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

if ! command -v python3 > /dev/null; then
	echo "skip: python3 is not installed"
	exit 77
fi

# fresh: an empty tree with two rules
fresh() {
	rm -rf "$tmp/t"
	mkdir -p "$tmp/t/tools" "$tmp/t/src/cli" "$tmp/t/docs/man"
	# shellcheck disable=SC2028
	printf '%s\n' '# a comment' '' '\bfolders?\b = directory' '^the same$ = alias for --NAME' \
		> "$tmp/t/tools/words.txt"
}

# expect NAME STATUS [LINE]...: run, compare the exit status and the exact output
expect() {
	local name=$1 want_status=$2 status=0 want got

	shift 2
	want=$(printf '%s\n' "$@")
	got=$(cd / && "$tool" "$tmp/t" 2>&1) || status=$?
	if [[ $status -ne $want_status || $got != "$want" ]]; then
		echo "FAIL $name: exit $status, expected $want_status"
		diff -u --label expected --label got <(echo "$want") <(echo "$got") || true
		failed=1
	fi
}

fresh
expect 'a tree without texts' 0

fresh
cat > "$tmp/t/src/cli/a.c" << 'END'
#include "cli/folder.h"
/* a folder in a comment, "and a folder in quotes" */
// "one more folder"
static const char *key = "folder"; /* a key has no space */
static const char quote = '"';
static const char *help = "write to a "
			  "FOLDER";
static const char *path = "a//b folder";
FLAG(0, "no-tui", no_tui, "the same"),
END
expect 'string literals, adjacent ones as one' 1 \
	"src/cli/a.c:6: 'FOLDER': use directory" \
	"src/cli/a.c:8: 'folder': use directory" \
	"src/cli/a.c:9: 'the same': use alias for --NAME"

fresh
printf '%s\n' '.\" a folder' '.SH FOLDERS' 'A \fIfol\fPder, a file' > "$tmp/t/docs/man/a.1"
# shellcheck disable=SC2016
printf '%s\n' 'A folder.' '`a folder`' '```' 'a folder' '```' 'folders' > "$tmp/t/docs/a.md"
expect 'manual pages and Markdown, but not code' 1 \
	"docs/man/a.1:2: 'FOLDERS': use directory" \
	"docs/man/a.1:3: 'folder': use directory" \
	"docs/a.md:1: 'folder': use directory" \
	"docs/a.md:6: 'folders': use directory"

fresh
mkdir -p "$tmp/t/src/job" "$tmp/t/src/jobs"
echo 'f("a folder");' | tee "$tmp/t/src/job/a.c" > "$tmp/t/src/jobs/a.c"
expect 'every directory of src is checked' 1 \
	"src/job/a.c:1: 'folder': use directory" \
	"src/jobs/a.c:1: 'folder': use directory"

fresh
echo 'no term' >> "$tmp/t/tools/words.txt"
expect 'a rule without a term' 2 "check-words: $tmp/t/tools/words.txt:5: expected REGEX = TERM"

fresh
rm "$tmp/t/tools/words.txt"
expect 'no rules' 2 "check-words: no $tmp/t/tools/words.txt"

# Each form that the rules are made for is refused.
fresh
cp "$source/tools/words.txt" "$tmp/t/tools/"
while IFS= read -r text; do
	echo "f(\"$text\");" > "$tmp/t/src/cli/a.c"
	if "$tool" "$tmp/t" > /dev/null; then
		echo "FAIL accepted: $text"
		failed=1
	fi
done << 'END'
functions without a name
a piece of the stack
stacks that are not whole
its header is cut
code made at run time
'x' is no stretch of time
own shares alone
the kernel's list of symbols
below this folder
a packed file
the file is damaged
a value that makes no sense
_[k] behind functions
names, commas between
processes that run already
997 samples a second
it goes with neither -I nor -x
a page is nothing for a terminal
--x: '1' is not valid; it takes 2
END
while IFS= read -r text; do
	echo "f(\"$text\");" > "$tmp/t/src/cli/a.c"
	"$tool" "$tmp/t" || { echo "FAIL refused: $text"; failed=1; }
done << 'END'
there is no event 'x'
truncated at 12 bytes
standard output is used in place of a file
write to FILE (default: standard output)
END

"$tool" "$source" || failed=1

[[ $failed -eq 0 ]] && echo "no refused expressions"
exit $failed
