#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# check_replay.sh: pageset replay, import trace and watch as a user calls them. One line "ok WHAT" or "FAIL WHAT" each.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-$PWD/build/release/pageset}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0

result() {
	if [ "$1" = 0 ]; then
		printf 'ok   replay: %s\n' "$2"
	else
		printf 'FAIL replay: %s\n' "$2"
		status=1
	fi
}

# expect WHAT STATUS PATTERN COMMAND...: the command ends so, and one of its output lines matches
expect() {
	local what=$1 want=$2 pattern=$3 got
	shift 3
	"$@" >"$work/out" 2>&1
	got=$?
	grep -q -e "$pattern" "$work/out" && [ "$got" = "$want" ]
	result $? "$what"
}

# has WHAT PATTERN: the output of the last command, its line breaks taken out, matches
has() {
	tr -d ' \n' <"$work/out" | grep -q -e "$2"
	result $? "$1"
}

t=tests/real/guest-6.12/b-unix.trace.txt.gz
s=tests/real/guest-6.12/b-unix.snaps.txt.gz

expect "a recording" 0 '^ *drains  *24  *24 100.00%  *24 100.00%  *0$' "$PAGESET" replay $t --snapshots $s --series v3
expect "its JSON" 0 '"free_running"' "$PAGESET" replay $t --snapshots $s --series v3 --json
has "JSON: refills" '"refills":{"recorded":30,"same_event":30,"same_size":30,"model_only":0}'
has "JSON: marks" '"marks":{"compared":4,"equal":[0-9]*,"high_equal":[0-9]*}'
has "JSON: what is skipped" '"skipped":{[^}]*"start_state":6'
has "JSON: no difference" '"first_difference":null'
gzip -dc $t >"$work/plain"
expect "a plain file" 0 '^3245 events (tracefs text)' "$PAGESET" replay "$work/plain"
gzip -dc $s >"$work/plain.snaps"
expect "snapshots beside the trace are taken" 0 "at the snapshots' marks" "$PAGESET" replay "$work/plain"
"$PAGESET" replay - <"$work/plain" >"$work/out" 2>&1 && grep -q '^3245 events' "$work/out"
result $? "standard input"
expect "zoneinfo alone" 0 'no snapshots' "$PAGESET" replay $t --zoneinfo $s
expect "another patch set" 0 'series v3, patches 1-4 ' "$PAGESET" replay $t --snapshots $s --series v3 --patches 1-4
expect "a wrong patch set" 2 'patches' "$PAGESET" replay $t --patches 1-77
expect "no such file" 2 'no-such-file' "$PAGESET" replay no-such-file
expect "no trace" 2 'no kmem event' "$PAGESET" replay $s
head -c 1100000 /dev/zero | tr '\0' a >"$work/one-line"
expect "a line without end" 2 'one-line:1: the line is longer than' "$PAGESET" replay "$work/one-line"
expect "import: a line without end" 2 'one-line:1: the line is longer than' "$PAGESET" import trace "$work/one-line"
expect "import: no trace on standard input" 2 '^<stdin>: no kmem event' "$PAGESET" import trace - </dev/null
expect "no trace on standard input" 2 '^<stdin>: no kmem event' "$PAGESET" replay - </dev/null
head -c 1000 $t >"$work/cut.gz"
expect "a recording that was cut off" 2 'cut.gz:[0-9]*: the gzip data ends too early' "$PAGESET" replay "$work/cut.gz"
expect "snapshots that are none" 2 'zoneinfo' "$PAGESET" replay $t --snapshots $t

expect "import trace" 0 '566 allocations, 546 frees' "$PAGESET" import trace $t --zoneinfo $s -o "$work/ops"
[ "$(grep -c ^alloc "$work/ops")" = 566 ] && [ "$(grep -c ^free "$work/ops")" = 546 ] &&
	grep -q '^zone 0 DMA32 ' "$work/ops"
result $? "its file of operations"
"$PAGESET" import trace - <"$work/plain" --zoneinfo $s -o - 2>&1 | cmp -s <(grep -v ^note "$work/ops") <(grep -v ^note /dev/stdin)
result $? "that of standard input is the same"
expect "import trace as JSON" 0 '"allocations": 566' "$PAGESET" import trace $t --json

for f in tests/real/formats/*/*.gz; do
	case $f in *lost-stats*) continue ;; esac
	if ! "$PAGESET" import trace "$f" >"$work/out" 2>&1 || ! "$PAGESET" replay "$f" --json >"$work/out" 2>&1; then
		result 1 "$f imports and replays"
	fi
done
result 0 "the formats were tried"

# the running kernel: batch and limits of a list do not move between two looks, counts do
expect "watch --once" 0 'CPU' "$PAGESET" watch --once
expect "watch --once --json" 0 '"nodes"' "$PAGESET" watch --once --json
# a kernel that starts its memory late, or a changed setting, may move them just then: three tries
agrees() {
	local try
	for try in 1 2 3; do
		[ "$try" = 1 ] || sleep 0.2
		"$PAGESET" watch --once --json >"$work/out" 2>&1
		diff <(sed -n "s/^ *\"$1\": \([0-9]*\),*\$/\1/p" "$work/out") \
			<(sed -n "s/^ *$1:* *\([0-9]*\)\$/\1/p" /proc/zoneinfo) >/dev/null && return 0
	done
	return 1
}

if [ -r /proc/zoneinfo ]; then
	for field in batch managed; do
		agrees $field
		result $? "watch agrees with /proc/zoneinfo: $field of each list or zone"
	done
fi
expect "watch for two looks" 0 '^node 0 zone' "$PAGESET" watch --count 2 --interval 50ms
has "watch: rates" 'freed[0-9]*/s'
expect "watch refuses --json without --once" 2 'add --once' "$PAGESET" watch --json

# recording needs root and a kernel with tracefs
if [ "$(id -u)" = 0 ] && grep -q tracefs /proc/filesystems; then
	before=$(grep -c ' tracefs ' /proc/self/mounts)
	if "$PAGESET" watch --record "$work/rec" --for 300ms --every 100ms >"$work/out" 2>&1; then
		expect "a recording of this kernel replays" 0 'events (tracefs text)' "$PAGESET" replay "$work/rec"
		grep -q '^### snap=' "$work/rec.snaps"
		result $? "its snapshots"
		"$PAGESET" watch --record "$work/rec2" --for 60s >"$work/out" 2>&1 &
		sleep 0.5
		kill -INT $!
		wait $! && grep -q 'ended by a signal' "$work/out" && [ -s "$work/rec2" ]
		result $? "an interrupted recording is kept"
		"$PAGESET" watch --record "$work/rec3" --for 60s >"$work/out" 2>&1 &
		sleep 0.5
		kill -KILL $!
		wait $! 2>/dev/null
		# its guard clears up behind it
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			sleep 0.5
			[ "$(grep -c ' tracefs ' /proc/self/mounts)" != "$before" ] || break
		done
		[ ! -e "$work/rec3" ] && [ "$(grep -c ' tracefs ' /proc/self/mounts)" = "$before" ]
		result $? "a killed recording leaves nothing"
		dir=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/self/mounts | head -1)
		[ -z "$dir" ] || [ -z "$(find "$dir/instances" -name "pageset-$!" 2>/dev/null)" ]
		result $? "no instance is left"
	else
		printf 'ok   replay: no recording here: %s\n' "$(head -1 "$work/out")"
	fi
else
	expect "recording refuses ordinary users" 2 'needs root' "$PAGESET" watch --record "$work/rec" --for 1s
fi
exit $status
