#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# check_import.sh: pageset import zoneinfo and import meminfo as a user calls them. One line "ok WHAT" or "FAIL WHAT" each.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-$PWD/build/release/pageset}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0

result() {
	if [ "$1" = 0 ]; then
		printf 'ok   import: %s\n' "$2"
	else
		printf 'FAIL import: %s\n' "$2"
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

z=tests/real/guest-6.12/boot.zoneinfo.txt.gz
m=tests/real/public/oom-6.10-rc1-x86-vm.txt.gz
snaps=tests/real/guest-6.12/a-fault64.snaps.txt.gz

expect "a compressed file" 0 '^   0 DMA32 *501458 ' "$PAGESET" import zoneinfo $z
gzip -dc $z >"$work/plain"
expect "a plain file" 0 '^   0 DMA32 *501458 ' "$PAGESET" import zoneinfo "$work/plain"
gzip -dc $m | "$PAGESET" import meminfo - >"$work/out" 2>&1 && grep -q '^   0 Normal .* 2631 ' "$work/out"
result $? "standard input"
expect "a chosen dump" 0 'dump 3, one of 6' "$PAGESET" import zoneinfo $snaps --snapshot 3
expect "a dump that is not there" 2 'it has 6, numbers 0 to 5' "$PAGESET" import zoneinfo $snaps --snapshot 6
expect "the page size as given" 0 '^page size 16384: as given' "$PAGESET" import zoneinfo $z --page-size 16KiB
expect "a page size that no kernel has" 2 'no kernel has such pages' "$PAGESET" import zoneinfo $z --page-size 12KiB
expect "the kernel as given" 0 '^kernel as given: 4.19' "$PAGESET" import zoneinfo $z --kernel 5.4
expect "a version that is none" 2 "'six' is no kernel version" "$PAGESET" import zoneinfo $z --kernel six
expect "the other kind of text" 2 'pageset import meminfo reads that' "$PAGESET" import zoneinfo $m
expect "a file that is not there" 2 'nowhere' "$PAGESET" import zoneinfo "$work/nowhere"
expect "no file" 2 'an argument is missing' "$PAGESET" import meminfo
expect "no kind of text" 2 'a command is missing' "$PAGESET" import
expect "json" 0 '"kernel_lacks"' "$PAGESET" import zoneinfo $z --json
expect "the machine on standard output" 0 '^  - {name: DMA32, size: 2005832KiB, start_pfn: 4096}$' "$PAGESET" import zoneinfo $z -o -
expect "json and the machine on standard output" 2 'both want standard output' "$PAGESET" import zoneinfo $z --json -o -

"$PAGESET" import zoneinfo $z --json -o "$work/my.yaml" >"$work/json" && grep -q '^cpus: 4$' "$work/my.yaml" &&
	head -c 1 "$work/json" | grep -q '{'
result $? "json and the machine in a file"
expect "CPUs of a report" 0 '^cpus: 12$' "$PAGESET" import meminfo $m --cpus 12 -o -
expect "CPUs of a report, not given" 0 '^cpus: 8$' "$PAGESET" import meminfo $m -o -

echo old >"$work/kept.yaml"
"$PAGESET" import zoneinfo $m -o "$work/kept.yaml" >/dev/null 2>&1
[ "$(cat "$work/kept.yaml")" = old ]
result $? "a failed import leaves the machine file as it was"

# ended in the middle of a trace that goes on: nothing stays beside the output, and what was there is as it was
mkdir "$work/folder" && echo old >"$work/folder/kept.ops" && mkfifo "$work/trace"
for sig in TERM INT HUP; do
	# a shell's background command ignores SIGINT
	env --default-signal "$PAGESET" import trace - -o "$work/folder/kept.ops" <"$work/trace" >/dev/null 2>&1 &
	pid=$!
	exec 3>"$work/trace"
	gzip -dc tests/real/guest-6.12/a-fault64.trace.txt.gz >&3
	for _ in $(seq 100); do
		[ "$(find "$work/folder" -type f | wc -l)" = 2 ] && break
		sleep 0.05
	done
	[ "$(find "$work/folder" -type f | wc -l)" = 2 ]
	begun=$?
	kill -s "$sig" "$pid"
	wait "$pid" 2>/dev/null
	[ $? = $((128 + $(kill -l "$sig"))) ] && [ $begun = 0 ] && [ "$(ls -A "$work/folder")" = kept.ops ] &&
		[ "$(cat "$work/folder/kept.ops")" = old ]
	result $? "an import that SIG$sig ends leaves no file behind"
	exec 3>&-
done

exit $status
