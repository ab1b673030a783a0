#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# pageset verify as a user calls it: good, changed, damaged and foreign files.
set -u
cd "$(dirname "$0")/.." || exit 2
pageset=${PAGESET:-build/release/pageset}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# expect WHAT STATUS PATTERN: the last run's status, and a line of its output that matches
expect() {
	if [ "$status" = "$2" ] && grep -qE -- "$3" <<<"$out"; then
		printf 'ok   verify: %s\n' "$1"
	else
		printf 'FAIL verify: %s (status %s)\n' "$1" "$status"
		head -n 12 <<<"$out" | sed 's/^/     /'
	fi
}
run() {
	out=$("$pageset" verify "$@" 2>&1)
	status=$?
}
good=tests/vectors/A/01-consecutive-high-order/L10.txt.gz
gunzip -c $good >"$work/good.txt"
gunzip -c tests/vectors/B/L10/s00.txt.gz >"$work/brief.txt" 2>/dev/null ||
	gunzip -c "$(find tests/vectors/B/L10 -name 's*.gz' | sort | head -n 1)" >"$work/brief.txt"

run $good "$work/good.txt" "$work/brief.txt"
expect "plain and .gz pass" 0 '^3 files passed, 0 failed, [1-9][0-9]* operations$'

# Unwatched the machine runs without its steps; watched it must go the same way.
run --invariants -j2 tests/vectors/B
expect "the same with all steps and invariants" 0 '^[1-9][0-9]* files passed, 0 failed, [1-9][0-9]* operations$'

# One digit of each kind of line; the report stands at that line and names the field.
change() { # NAME LINE-PATTERN FIELD WHAT
	local line
	line=$(grep -nE -m 1 "$2" "$work/good.txt" | cut -d: -f1)
	awk -v at="$line" -v field="$3" 'NR == at { for (i = 1; i < NF; i++) if ($i == field) { $(i + 1) = $(i + 1) + 1 } } { print }' \
		"$work/good.txt" >"$work/changed.txt"
	run "$work/changed.txt"
	expect "a changed $1 is found at its line" 1 "changed.txt:$line: .*$4"
}
change count '^=p 0 0 count 953' count 'cpu\[0\]\.zone\[0\]\.count'
change high '^=p 0 0 count 953' high 'cpu\[0\]\.zone\[0\]\.high$'
change free '^=z 0 free 260191' free 'zone\[0\]\.free'
line=$(grep -n -m 1 '^=d b560' "$work/good.txt" | cut -d: -f1)
sed "${line}s/b560/b561/" "$work/good.txt" >"$work/changed.txt"
run "$work/changed.txt"
expect "a changed digest is found at its line" 1 "changed.txt:$line: allocn 0 0 M 1000: digest"
run --explain "$work/changed.txt"
expect "--explain adds the steps" 1 '__rmqueue_pcplist: cpu0 refilled list M0'
run --json "$work/changed.txt" $good
expect "--json has the place" 1 "\"line\": $line,"
expect "--json counts" 1 '"passed": 1,'
sed -E "0,/ > ([0-9]+) /s// > 1\1 /" "$work/brief.txt" >"$work/changed.txt"
run "$work/changed.txt"
expect "a changed brief line is found" 1 'changed.txt:[0-9]+: '

# A dump in the file lets --explain name the lists.
dump=tests/vectors/A/13-fallback/L0.txt.gz
gunzip -c $dump | awk '/^=d/ && ++n == 2 { sub(/....$/, "0000") } { print }' >"$work/dump.txt"
run --explain "$work/dump.txt"
expect "a digest fault with a dump behind it is explained" 1 'digest'

# What is no vector, or not ours.
printf 'oracle 1\nvariant L99\n' >"$work/bad.txt"
run "$work/bad.txt"
expect "unknown variant: error with its line" 2 "bad.txt:2:.*unknown variant 'L99'"
line=$(grep -n -m 1 '^alloc 0 1 U' "$work/good.txt" | cut -d: -f1)
sed "${line}s/.*/alloc 0 11 U/" "$work/good.txt" >"$work/bad.txt"
run "$work/bad.txt"
expect "an order that is too large: error with its line" 2 "bad.txt:$line:"
sed "${line}s/.*/allocate 0 1 U/" "$work/good.txt" >"$work/bad.txt"
run "$work/bad.txt"
expect "an unknown operation: error with its line" 2 "bad.txt:$line:.*'allocate'"
printf 'oracle 1\nvariant 6.12\ncpus 0\n' >"$work/other.txt"
run "$work/other.txt"
expect "6.12 alone gives status 2" 2 'variant 6.12 is unsupported'
run "$work/other.txt" $good
expect "6.12 beside others is named only" 0 '^1 files passed, 0 failed'
run "$work/nowhere.txt"
expect "a missing file" 2 'nowhere.txt'
mkdir "$work/dir" && cp "$work/good.txt" "$work/dir/a.txt" && cp $good "$work/dir/b.txt.gz" && echo hello >"$work/dir/c.txt"
run -j2 "$work/dir"
expect "a folder: vectors are read, others passed over" 0 '^2 files passed, 0 failed'
gunzip -c $good | gzip -9n | head -c 700 >"$work/cut.txt.gz"
run "$work/cut.txt.gz"
expect "a truncated .gz" 2 'cut.txt.gz'

# Blocks by their age, as only hand-written files have them.
cat >"$work/age.txt" <<'END'
oracle 1
variant L0
cpus 0
zone 0 Normal 4096 16384
boot
allocn 0 0 M 5
freen 0 0 @1*2
free 0 @-1 0
free 0 @5 0
END
run "$work/age.txt"
expect "an age beyond the live allocations: error with its line" 1 'age.txt:'
grep -v '^free 0 @5' "$work/age.txt" >"$work/age2.txt"
run "$work/age2.txt"
expect "blocks by age are found" 1 'age2.txt:6: boot'

# Random damage never ends otherwise than with status 0, 1 or 2.
bad=0
for seed in $(seq 1 60); do
	awk -v seed="$seed" 'BEGIN { srand(seed) } rand() < 0.02 { i = int(rand() * length($0)) + 1; $0 = substr($0, 1, i - 1) \
		substr("09 .=@*x-", int(rand() * 9) + 1, 1) substr($0, i + 1) } { print }' "$work/brief.txt" >"$work/damaged.txt"
	timeout 20 "$pageset" verify "$work/damaged.txt" >/dev/null 2>&1
	[ $? -le 2 ] || bad=$((bad + 1))
done
if [ $bad = 0 ]; then echo "ok   verify: 60 damaged files"; else echo "FAIL verify: $bad of 60 damaged files"; fi
