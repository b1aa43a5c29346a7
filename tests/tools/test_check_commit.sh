#!/usr/bin/env bash
#
# tools/check-commit on messages and on a small repository made here. Prints what failed; exit
# status 1 if any did.

set -euo pipefail

tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/tools/check-commit
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
types='feat fix perf refactor docs test build ci chore style revert'

# Nothing of the caller's git: not its repository, not its settings.
unset "${!GIT_@}"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

# compare NAME STATUS WANT_STATUS GOT WANT
compare() {
	if [[ $2 -ne $3 || $4 != "$5" ]]; then
		echo "FAIL $1: exit $2, expected $3"
		diff -u --label expected --label got <(echo "$5") <(echo "$4") || true
		failed=1
	fi
}

# accept MESSAGE
accept() {
	local status=0 got

	printf '%s' "$1" > "$tmp/msg"
	got=$(cd "$tmp" && "$tool" "$tmp/msg" 2>&1) || status=$?
	compare "accept '${1%%$'\n'*}'" "$status" 0 "$got" ''
}

# refuse MESSAGE LINE...: the exact lines that are to be printed
refuse() {
	local message=$1 status=0 got want

	shift
	want=$(printf 'commit message: %s\n' "$@")
	printf '%s' "$message" > "$tmp/msg"
	got=$(cd "$tmp" && "$tool" "$tmp/msg" 2>&1) || status=$?
	compare "refuse '${message%%$'\n'*}'" "$status" 1 "$got" "$want"
}

# chars N: a text of N characters
chars() {
	printf 'x%.0s' $(seq "$1")
}

for type in $types; do
	accept "$type: Do it"
done
accept 'feat(stat): Count events while a command runs'
accept 'fix(ring)!: Return wrapped records in one piece'
accept 'refactor!: Drop the old names'
accept 'fix(kernel/ring,perf): Read the head once'
accept 'build(arm64-2): Link it'
accept "docs: X$(chars 65)"
accept 'docs: Schreibe größer und länger'
accept $'fix: Add it\n\nBody.\n'
accept $'fix: Add it\n\nBody.\n\nCloses: #12\n'
accept $'\n\nfix: Accept leading empty lines, which git drops\n'
accept $'# a comment\nfix: Add it\n# another one right below\n\nBody.\n'
accept $'fix: Add it\n\n# ------------------------ >8 ------------------------\n'"$(chars 200)"
accept $'fix: Add it\n\n'"$(chars 100)"
accept $'fix: Add it\n\nSee https://example.org/'"$(chars 120)"
accept "fix: Ä$(printf 'ä%.0s' $(seq 66))"
accept "Merge branch 'topic' into main"
accept 'Merge pull request #12 from someone/topic'
accept 'fixup! fix(ring): Return wrapped records in one piece'
accept 'squash! fix(ring): Return wrapped records in one piece'
accept $'Revert "feat(stat): Count events while a command runs"\n\nThis reverts commit 0123.'
accept 'revert: feat(stat): Count events while a command runs'

no_type="line 1: no type; write 'type(scope): subject' with a type of: $types"
refuse '' "line 1: message is empty; write 'type(scope): subject'"
refuse $'# only a comment\n' "line 1: message is empty; write 'type(scope): subject'"
refuse 'Count events' "$no_type"
refuse 'fix (ring): Space before the scope' "$no_type"
refuse 'Merge the two readers' "$no_type"
refuse 'feature: Count events' "line 1: unknown type 'feature'; use one of: $types"
refuse 'Fix: Count events' "line 1: unknown type 'Fix'; use one of: $types"
refuse 'fix(Ring): Count events' \
	"line 1: bad scope '(Ring)'; use a-z 0-9 - / and ',' or leave it out"
refuse 'fix(): Count events' "line 1: bad scope '()'; use a-z 0-9 - / and ',' or leave it out"
refuse 'fix:' "line 1: no subject; describe the change after ': '"
refuse 'fix: ' "line 1: no subject; describe the change after ': '"
refuse 'fix:Count events' "line 1: write exactly one space between ':' and the subject"
refuse 'fix:  Count events' "line 1: write exactly one space between ':' and the subject"
refuse 'fix: Count events.' 'line 1: subject ends with a period; leave it out'
refuse "docs: X$(chars 66)" 'line 1: header has 73 columns; shorten it to 72'
refuse $'fix: Add it\nBody.' 'line 2: not empty; leave an empty line between header and body'
refuse $'fix: Add it\n\n'"$(chars 101)" 'line 3: has 101 columns; wrap it at 100'
refuse $'Revert "fix: Add it"\nBody.' 'line 2: not empty; leave an empty line between header and body'
refuse $'fixed: Add it.\nBody.' "line 1: unknown type 'fixed'; use one of: $types" \
	'line 1: subject ends with a period; leave it out' \
	'line 2: not empty; leave an empty line between header and body'

# Only the first word is checked: a verb in the imperative, as far as its form shows that.
for verb in Add Process Pass Compress Focus Embed Feed Speed Bring String Run Symbolize; do
	accept "fix(ring): $verb the records"
done
accept 'fix: Drop'
accept 'fix: Re-read the head'
accept 'revert: feat(stat): count events'
for word in counts count größer 4 "'Count'" "(Count)"; do
	refuse "fix: $word the records" \
		"line 1: start the subject with a capital letter: 'Add ...', 'Fix ...', 'Return ...'"
done
for word in A An The What It No; do
	refuse "fix: $word records" \
		"line 1: start the subject with a verb: 'Add ...', 'Fix ...', 'Return ...'"
done
for word in Fixes Counts Samples Fixed Added Adding Reading; do
	refuse "fix: $word the records" "line 1: start the subject with the imperative, not with \
'$word': 'Add ...', 'Fix ...', 'Return ...'"
done

# range NAME STATUS RANGE LINE...
range() {
	local name=$1 want_status=$2 revs=$3 status=0 got want

	shift 3
	want=$(printf '%s\n' "$@")
	got=$(cd "$tmp/r" && "$tool" --range "$revs" 2> /dev/null) || status=$?
	compare "$name" "$status" "$want_status" "$got" "$want"
}

commit() {
	git -C "$tmp/r" commit -q --allow-empty -m "$1"
}

id() {
	git -C "$tmp/r" rev-parse --short=12 "$1"
}

git init -q -b main "$tmp/r"
commit 'no type in the first one'
commit 'feat: Add one'
commit $'fix: Add two\n\nBody.'
git -C "$tmp/r" checkout -q -b topic HEAD^
commit 'docs: Add three'
git -C "$tmp/r" checkout -q main
git -C "$tmp/r" merge -q --no-ff -m 'any merge header will do' topic
git -C "$tmp/r" tag good
commit 'Bad.'
commit 'fixup! feat: Add one'

range "a good range with a merge in it" 0 'main~5..good'
range "an empty range" 0 'good..good'
range "two bad commits" 1 'good..main' \
	"$(id main^): $no_type" \
	"$(id main): line 1: 'fixup!' is left over; run git rebase -i --autosquash"
range "a single revision means all of history" 1 'good' "$(id main~5): $no_type"
range "an unknown revision" 2 'nowhere..main'

status=0
got=$("$tool" 2>&1) || status=$?
compare "no argument" "$status" 2 "$got" 'usage: tools/check-commit FILE | --range A..B'

exit "$failed"
