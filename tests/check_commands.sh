#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# check_commands.sh: run, step --text, compare and diff as a user calls them, on operations, on a scenario of its own, and on
# each shipped scenario. One line "ok WHAT" or "FAIL WHAT" each.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-$PWD/build/release/pageset}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0

result() {
	if [ "$1" = 0 ]; then
		printf 'ok   commands: %s\n' "$2"
	else
		printf 'FAIL commands: %s\n' "$2"
		status=1
	fi
}

# expect WHAT STATUS PATTERN COMMAND...: the command ends so, and one of its output lines matches
expect() {
	local what=$1 want=$2 pattern=$3 got
	shift 3
	"$@" >"$work/out" 2>&1 </dev/null
	got=$?
	grep -q -e "$pattern" "$work/out" && [ "$got" = "$want" ]
	result $? "$what"
}

# steps WHAT STATUS PATTERN FILE COMMAND...: step --text with these commands, one a line
steps() {
	local what=$1 want=$2 pattern=$3 file=$4 got
	shift 4
	printf '%s\n' "$@" | "$PAGESET" step --text "$file" "${STEP_OPTS:---color=never}" >"$work/out" 2>&1
	got=$?
	grep -q -e "$pattern" "$work/out" && [ "$got" = "$want" ]
	result $? "$what"
}

# valid JSON, if there is something to ask
json() {
	if command -v python3 >/dev/null 2>&1; then
		python3 -c 'import json, sys; json.load(sys.stdin)' <"$1"
	else
		head -c 1 "$1" | grep -q '{'
	fi
}

# ---- a file of operations: 300 pages in, an order-1 block in and out, as in an exit ------------------------------------

cat >"$work/ops.txt" <<'END'
oracle 1
variant L0
zone 0 Normal 4096 262144
cpus 0 0 0 0
boot
note what follows is made by hand
allocn 0 0 M 300
alloc 0 1 U
freelist 0 @0*300
free 0 @-1 1
tick 0
END
gzip -c "$work/ops.txt" >"$work/ops.txt.gz"
printf '<End>\n' >"$work/end.keys"
expect "run: a file of operations" 0 '^ *4  cpu0 frees 1 block .* free_high$' "$PAGESET" run "$work/ops.txt"
expect "run: the same, compressed" 0 '^ *4  cpu0 frees 1 block .* free_high$' "$PAGESET" run "$work/ops.txt.gz"
"$PAGESET" run - <"$work/ops.txt" >"$work/out" 2>&1 && grep -q '^After 5 operations' "$work/out"
result $? "run: standard input"
expect "run: another patch set" 0 '^  free_high  *0 calls$' "$PAGESET" run "$work/ops.txt" --patches 1
expect "run: a key of the machine" 0 '^2 nodes\|^4 CPUs, zone Normal of 1GiB' "$PAGESET" run "$work/ops.txt" --set boost=15000
expect "run: no such key of the machine" 2 'boost' "$PAGESET" run "$work/ops.txt" --set boots=1
expect "run: no such patch" 2 'patches 1\.\.10\|1 to 10' "$PAGESET" run "$work/ops.txt" --patches 11
expect "run: what a set needs is told" 0 '^note: switched on too.*4 (scale-cap)' "$PAGESET" run "$work/ops.txt" --patches 5
for set in memory=8TiB scale_max=3 percpu_pagelist_high_fraction=3; do
	expect "run: what --set breaks is no fault of the file: $set" 2 '^--set: ' "$PAGESET" run scenarios/exit-drain.yaml --series v2 --set "$set"
done
printf 'title: x\nname: x\nschema_version: 1\nmachine: {memory: 64MiB}\nsteps:\n  - lua: {code: "while true do end"}\n' >"$work/endless.yaml"
for c in run compare; do
	expect "$c: --timeout ends a Lua step" 2 'endless.yaml:6:5: stopped: the time limit is reached' "$PAGESET" "$c" "$work/endless.yaml" --timeout 200ms
done
expect "check: --timeout ends a Lua step" 1 'the time limit is reached' "$PAGESET" check "$work/endless.yaml" --timeout 200ms
expect "tui: --timeout ends a Lua step" 0 'the time limit is reached' "$PAGESET" tui "$work/endless.yaml" --timeout 200ms --keys /dev/null --dump /dev/stdout
expect "tui: options hold for operations" 0 'op 1/1 .* v2 patches 123\.' "$PAGESET" tui "$work/ops.txt" --patches 1-3 --max-ops 1 --keys "$work/end.keys" --dump /dev/stdout
printf '<End>:save %s<Enter>' "$work/with-options" >"$work/save.keys"
"$PAGESET" tui "$work/ops.txt" --patches 1-3 --set cpus=2 --keys "$work/save.keys" >"$work/out" 2>&1
expect "tui: a session of operations keeps their options" 0 'op 5/5 .* v2 patches 123\.' "$PAGESET" tui --session "$work/with-options" --keys /dev/null --dump /dev/stdout
! grep -q '^ 2  ' "$work/out"
result $? "tui: and their machine"
expect "compare: a session of operations keeps its machine" 0 '^2 CPUs, ' "$PAGESET" compare "$work/with-options" --levels base,3
expect "tui: a wrong key of the machine" 2 '^pageset tui: --set: ' "$PAGESET" tui "$work/ops.txt" --set cpus=x --keys /dev/null
expect "tui: the name of a shipped scenario" 0 'exit-drain' "$PAGESET" tui exit-drain --keys /dev/null --dump /dev/stdout
STEP_OPTS=--max-ops=2 steps "step: --max-ops" 0 "^The end: 2 operations are done" "$work/ops.txt" c
expect "run: --max-ops 0" 2 'option --max-ops: 0 is out of range' "$PAGESET" run "$work/ops.txt" --max-ops 0
expect "run: --timeout 0s" 2 'option --timeout: 0s is out of range' "$PAGESET" run "$work/ops.txt" --timeout 0s
for c in run lint check list compare "step --text" verify replay lua "import zoneinfo"; do
	# shellcheck disable=SC2086 # words
	expect "$c: an empty name" 2 '^the name of a file is empty$' "$PAGESET" $c ""
done
expect "run: --max-ops" 0 '^note: stopped after 2 operations' "$PAGESET" run "$work/ops.txt" --max-ops 2
expect "run: --summary" 0 '^  zone_lock_holds ' "$PAGESET" run "$work/ops.txt" --summary
! grep -q '^ *1  cpu0' "$work/out"
result $? "run: --summary has no rows"
expect "run: --trace has the functions" 0 '^ *pcp_free_high$' "$PAGESET" run "$work/ops.txt" --trace
grep -q 'previous free of order 1\.\.3?  not asked: patch 1 is off' "$work/out"
result $? "run: --trace has the steps that are not asked"
expect "run: --csv has a row for each operation" 0 '^4,10,free,0,,,1,done,1,' "$PAGESET" run "$work/ops.txt" --csv
[ "$(wc -l <"$work/out")" = 6 ] && [ "$(awk -F, '{ print NF }' "$work/out" | sort -u | wc -l)" = 1 ]
result $? "run: --csv has a head, five rows, and as many columns in each"
"$PAGESET" run "$work/ops.txt" --json >"$work/out" && json "$work/out" && grep -q '"cpu\[0\].zone\[0\].high_min": null' "$work/out"
result $? "run: --json, null for what the set lacks"
expect "run: two kinds of output" 2 'one of --json, --csv and --trace' "$PAGESET" run "$work/ops.txt" --json --csv
expect "run: no file" 2 'an argument is missing' "$PAGESET" run
expect "run: a file that is not there" 2 'nowhere' "$PAGESET" run "$work/nowhere.yaml"
sed 's/^tick 0/tick 9/' "$work/ops.txt" >"$work/bad.txt"
expect "run: a fault in the operations has its line" 2 'bad.txt:11: cpu: 9 is out of range' "$PAGESET" run "$work/bad.txt"
if [ -w /dev/full ]; then
	"$PAGESET" run "$work/ops.txt" >/dev/full 2>"$work/out"
	[ $? = 2 ] && grep -q 'cannot be written' "$work/out"
	result $? "run: a full disk is said"
fi
"$PAGESET" run "$work/ops.txt" >&- 2>"$work/out"
[ $? = 2 ] && grep -q 'cannot be written' "$work/out"
result $? "run: a closed standard output is said"
(set +o pipefail; "$PAGESET" run "$work/ops.txt" --trace 2>"$work/out" | head -n 1 >/dev/null)
[ ! -s "$work/out" ] || grep -q 'cannot be written' "$work/out"
result $? "run: a reader that goes away ends it without noise"

expect "compare: the divergence" 0 '1 against base: op 4 (cpu0 frees 1 block), step 5: stats.free_high is 0, was 1' \
	"$PAGESET" compare "$work/ops.txt" --levels base,1
grep -q '^free_high  *1  *0   0%$' "$work/out"
result $? "compare: free_high 1 and 0, per cent of the first"
"$PAGESET" compare "$work/ops.txt" --levels base,1 --json >"$work/out" && json "$work/out" &&
	tr -d ' \n' <"$work/out" | grep -q '"divergences":\[{"level":"1","op":4,"step":5,"field":"stats.free_high","values":\[1,0\]}\]'
result $? "compare: --json"
expect "compare: default levels" 0 '^  9  *v2 patches 1-9$' "$PAGESET" compare "$work/ops.txt"
expect "compare: default levels of v3" 0 '^  8  *v3 patches 1-8$' "$PAGESET" compare "$work/ops.txt" --series v3
expect "compare: a set in brackets" 0 '^  \[1-7,10\]  *v2 patches 1-7,10' "$PAGESET" compare "$work/ops.txt" --levels 'base,[1-7,10]'
expect "compare: 10 under v3" 2 "v2's patch 10" "$PAGESET" compare "$work/ops.txt" --levels 10 --series v3
expect "compare: an empty entry" 2 'an entry is empty' "$PAGESET" compare "$work/ops.txt" --levels base,,1
expect "compare: a comma at the end" 2 'ends in a comma' "$PAGESET" compare "$work/ops.txt" --levels base,

expect "diff: two sets that differ" 1 'op 4 (cpu0 frees 1 block), step 5: stats.free_high is 1 and 0' "$PAGESET" diff "$work/ops.txt" none 1
expect "diff: two sets that do not" 0 '^no difference in 5 operations$' "$PAGESET" diff "$work/ops.txt" 1 1,2
"$PAGESET" diff "$work/ops.txt" none 1 --json >"$work/out"
[ $? = 1 ] && json "$work/out" && grep -q '"differs": true' "$work/out"
result $? "diff: --json"
sed '/^tick/d' "$work/ops.txt" >"$work/short.txt"
expect "diff: two files, one shorter" 1 'op 5 is another operation' "$PAGESET" diff "$work/ops.txt" "$work/short.txt"
expect "diff: a file and itself" 0 'no difference' "$PAGESET" diff "$work/ops.txt" "$work/ops.txt.gz"
sed 's/262144/131072/' "$work/ops.txt" >"$work/small.txt"
expect "diff: two machines" 2 'machines of the two files differ: zones' "$PAGESET" diff "$work/ops.txt" "$work/small.txt"
expect "diff: a set that is none" 2 'SETB' "$PAGESET" diff "$work/ops.txt" none xyz

# ---- a scenario --------------------------------------------------------------------------------------------------------

cat >"$work/s.yaml" <<'END'
schema_version: 1
name: small
title: A small one
machine: {cpus: 2, memory: 64MiB}
patches: "none"
steps:
  - say: Twenty pages.
  - alloc: {cpu: 0, count: 20, as: a}
  - predict: {id: q, ask: How many slots?, expr: "stats.allocs", choices: [20, 21], answer: "21", points: 3}
  - alloc: {cpu: 1, as: b}
  - bookmark: here
  - free: {cpu: 0, pages: a}
  - patch: {on: "1"}
  - expect: "stats.frees == 20"
END
expect "run: a scenario" 0 '^ *question: How many slots' "$PAGESET" run "$work/s.yaml"
grep -q '^ *ok: stats.frees == 20$' "$work/out" && grep -q '^ *answer: 21$' "$work/out"
result $? "run: expectations and answers are told"
sed 's/== 20/== 19/' "$work/s.yaml" >"$work/fails.yaml"
expect "run: an expectation fails, status 1" 1 'FAIL: stats.frees == 19' "$PAGESET" run "$work/fails.yaml"
expect "run: the seed" 0 'seed 7$' "$PAGESET" run "$work/s.yaml" --seed 7
expect "run: another machine" 0 '^3 CPUs, zone Normal of 32MiB$' "$PAGESET" run "$work/s.yaml" --set cpus=3 --set memory=32MiB
echo 'cpus: 5' >"$work/m.yaml"
expect "run: a machine file" 0 '^5 CPUs' "$PAGESET" run "$work/s.yaml" --machine "$work/m.yaml"
expect "run: a machine file that is not there" 2 'nowhere' "$PAGESET" run "$work/s.yaml" --machine "$work/nowhere"

steps "step: s goes into an operation" 0 '^Operation 1, step 1 of [0-9]*, in alloc_pages: cpu0 asks for order 0' "$work/s.yaml" s q
steps "step: say is told" 0 '^Twenty pages\.$' "$work/s.yaml" n q
steps "step: a count" 0 '^Operation 1, step 5 of ' "$work/s.yaml" 5s q
steps "step: back" 0 '^Operation 1, step 2 of ' "$work/s.yaml" 5s 3S q
steps "step: over the beginning" 0 '^At the start' "$work/s.yaml" s 9S q
steps "step: a question stops" 0 '^Question q: How many slots' "$work/s.yaml" n n q
steps "step: a right answer" 0 '^You said 21: right. 3 of 3 points' "$work/s.yaml" n 'p 21' n q
steps "step: a wrong answer" 0 '^You said 20: wrong. 0 of 3 points' "$work/s.yaml" n 'p 20' n q
steps "step: p without a question" 2 '^No question is open' "$work/s.yaml" 'p 3' q
steps "step: the end" 0 '^The end: 4 operations are done' "$work/s.yaml" n n n n n n n q
steps "step: a bookmark" 0 '^Operation 2 is done: cpu1' "$work/s.yaml" c c c c 'g here' q
steps "step: into an operation by number" 0 '^Operation 2, step 3 of ' "$work/s.yaml" n n 'g 2.3' q
steps "step: an operation that is not there" 2 '^There are only 4 operations' "$work/s.yaml" n n 'g 99' q
steps "step: the end of the function" 0 '^Operation 1, step [0-9]*, in\|^Operation 1, step [0-9]* of' "$work/s.yaml" 9s f F q
steps "step: an event on and back" 0 'Events: refill' "$work/s.yaml" e e E q
steps "step: a breakpoint" 0 '^Breakpoint 1: stats.allocs > 4' "$work/s.yaml" 'b stats.allocs > 4' c c q
steps "step: it stops inside the operation" 0 '^Operation 1, step [0-9]* of' "$work/s.yaml" 'b stats.allocs > 4' c c q
steps "step: breakpoints are listed and deleted" 0 '^There are no breakpoints' "$work/s.yaml" 'b op 3' b 'b delete 1' b q
steps "step: a condition that is none" 2 'did you mean count' "$work/s.yaml" 'b cpu[0].cuont > 4' q
steps "step: an expression" 0 '^stats.allocs + 1 is 21\.$' "$work/s.yaml" n '= stats.allocs + 1' q
steps "step: a toggle here" 0 '^Patch 1 is on' "$work/s.yaml" n 't 1' q
steps "step: a toggle of what others need" 0 'because others need them' "$work/s.yaml" n 't 7' q
steps "step: undone" 0 '^Undone. At this place v2 without patches' "$work/s.yaml" n 't 7' u q
steps "step: a toggle from the start" 0 '^Now v2 patches 4,5' "$work/s.yaml" n 'T 5' q
steps "step: what if" 0 ' would be ' "$work/s.yaml" n 'w 5' q
steps "step: what if leaves all as it was" 0 '^Here v2 without patches' "$work/s.yaml" n 'w 5' . q
steps "step: the first difference" 0 '^The first difference is in operation 1' "$work/s.yaml" n 'd 1-5' q
steps "step: no such command" 2 "There is no command 'z'" "$work/s.yaml" z q
steps "step: the list" 0 '^  n: on to the end of an operation' "$work/s.yaml" '?' q
steps "step: the end of the input ends it" 0 '^small: A small one\.$' "$work/s.yaml" n
expect "step: without --text" 2 'give --text' "$PAGESET" step "$work/s.yaml"
printf 'n\nn\nn\nn\nn\n.\n' >"$work/there"
{ cat "$work/there"; printf '300S\n%s' "$(sed 's/^n$/n/' "$work/there")"; echo; } | "$PAGESET" step --text "$work/s.yaml" >"$work/out" 2>&1
[ "$(grep -c '^Here v2' "$work/out")" = 2 ] && [ "$(grep '^cpu.*count.*batch' "$work/out" | sort -u | wc -l)" -le 2 ]
result $? "step: back and on again is the same place"

# ---- saved sessions ----------------------------------------------------------------------------------------------------

program=$(realpath "$PAGESET")
# session NAME KEYS...: opened on the small scenario, saved as NAME
session() {
	local name=$1
	shift
	printf '%s\n' "$*:save $work/$name<Enter>" >"$work/keys"
	(cd "$work" && "$program" tui --size 80x24 --keys "$work/keys" --dump "$work/screen" "${options[@]}" s.yaml 2>"$work/out")
	[ -s "$work/$name" ]
	result $? "session $name is saved"
}
options=()
session plain.s ''
session tick.s 'ni<Right><Right><Right><Right><Right><Right><Enter>'
session inject.s 'nnssi<Right><Right><Right><Right><Right><Right><Enter>'
session base.s 'T5'
session branch.s ':branch two<Enter>T5:switch main line<Enter>'
expect "diff: a session and its scenario" 0 '^no difference in 4 operations$' "$PAGESET" diff "$work/plain.s" "$work/s.yaml"
expect "diff: the branch that is shown counts" 0 '^no difference' "$PAGESET" diff "$work/branch.s" "$work/s.yaml"
expect "diff: a session with one more operation" 1 '^op 2 is another operation$' "$PAGESET" diff "$work/plain.s" "$work/tick.s"
expect "diff: an injection is a difference" 1 '^op 3 is another operation$' "$PAGESET" diff "$work/plain.s" "$work/inject.s"
expect "diff: a scenario and a session under another set" 1 '^op 1 (cpu0 allocates 20' "$PAGESET" diff "$work/s.yaml" "$work/base.s"
expect "diff: a session and itself" 0 '^no difference in 5 operations$' "$PAGESET" diff "$work/tick.s" "$work/tick.s"
expect "diff: a session under two sets, injection and all" 1 '^op 1 ' "$PAGESET" diff "$work/inject.s" none 5
expect "diff: a session and a file of operations on another machine" 2 'the machines of the two files differ' "$PAGESET" diff "$work/plain.s" "$work/ops.txt"
expect "compare: a session" 0 '^seed 1, ops: same, 5$' "$PAGESET" compare "$work/tick.s" --levels base,5
expect "run: a session is refused" 2 'cannot be played event by event' "$PAGESET" run "$work/plain.s"
expect "step: a session is refused" 2 'cannot be played event by event' "$PAGESET" step --text "$work/plain.s"
options=(--seed 9 --set cpus=3)
session seed.s 'n'
expect "diff: a session keeps how it was opened" 2 'machines of the two files differ: cpus' "$PAGESET" diff "$work/seed.s" "$work/s.yaml"
expect "diff: and compares with the same" 0 '^no difference' "$PAGESET" diff "$work/seed.s" "$work/s.yaml" --set cpus=3
# elsewhere: beside its scenario, in another folder
mkdir -p "$work/other" && cp "$work/tick.s" "$work/s.yaml" "$work/other"
expect "diff: a session elsewhere" 1 '^op 2 is another operation$' env -C / "$program" diff "$work/other/tick.s" "$work/other/s.yaml"
mkdir -p "$work/alone" && cp "$work/tick.s" "$work/alone"
sed -i 's/^scenario .*/scenario gone.yaml/' "$work/alone/tick.s"
expect "diff: a session without its scenario" 2 'gone.yaml' "$PAGESET" diff "$work/alone/tick.s" "$work/s.yaml"
head -n 6 "$work/tick.s" >"$work/short.s"
expect "diff: a session that is cut" 2 'short.s:6: the session ends too early' "$PAGESET" diff "$work/short.s" "$work/s.yaml"
sed 's/^branch 4 5 [0-9a-f]*/branch 4 5 1234567/' "$work/tick.s" >"$work/forged.s"
expect "diff: a session that came out otherwise" 2 'forged.s:4: the machine is not the one that was saved' "$PAGESET" diff "$work/forged.s" "$work/s.yaml"
printf 's' >"$work/keys"
"$PAGESET" tui --size 80x24 --keys "$work/keys" --dump "$work/screen" "$work/tick.s" 2>"$work/out" && grep -q 'op 3/5' "$work/screen"
result $? "tui: a session by its name"
trace=tests/real/guest-6.1/a-fault.trace.txt.gz
expect "diff: a trace and itself" 0 '^no difference in 300 operations' "$PAGESET" diff "$trace" "$trace" --max-ops 300
expect "diff: a trace under two sets" 1 '^op 2 ' "$PAGESET" diff "$trace" none all --max-ops 300
expect "diff: a trace and a scenario" 2 'the machines of the two files differ' "$PAGESET" diff "$trace" "$work/s.yaml" --max-ops 300
printf ':save %s<Enter>' "$work/trace.s" >"$work/keys"
"$PAGESET" tui --size 80x24 --keys "$work/keys" --dump "$work/screen" "$trace" 2>"$work/out"
expect "diff: a trace and a session of it" 0 '^no difference in ' "$PAGESET" diff "$trace" "$work/trace.s"

# ---- a hunt on a machine from a file -----------------------------------------------------------------------------------

cat >"$work/two.yaml" <<'END'
nodes:
  - {cpus: [0, 2], zones: [{name: DMA32, size: 64MiB}, {name: Normal, size: 64MiB, watermarks: [100, 125, 150]}]}
  - {cpus: [1], zones: [{name: Normal, size: 64MiB}]}
caches: [{level: 2, type: unified, size: 512KiB, shared_by: 2}]
boost: 15000
END
"$PAGESET" hunt stats.free_high --under none,1 --machine "$work/two.yaml" --output "$work/found.yaml" >"$work/out" 2>&1
grep -q 'operations: stats.free_high is' "$work/out" && grep -q '    - cpus: \[0, 2\]' "$work/found.yaml" && grep -q 'watermarks: \[100, 125, 150\]' "$work/found.yaml"
result $? "hunt: on the machine of a file"
expect "hunt: its scenario stands on the same machine" 0 '^ok 1 - .*found.yaml: 1 check' "$PAGESET" check "$work/found.yaml"
sed -n '/^machine:/,/^[a-ln-z]/p' "$work/found.yaml" | sed -e 1d -e '/^[a-z]/d' -e 's/^  //' >"$work/again.yaml"
expect "hunt: which it writes whole" 0 '^no difference' "$PAGESET" diff "$work/found.yaml" "$work/found.yaml" --machine "$work/again.yaml"
expect "hunt: without lists where keys say all" 0 '^  memory: ' "$PAGESET" hunt stats.free_high --under none,1
grep -q '^  nodes:' "$work/out"
[ $? = 1 ]
result $? "hunt: no lists there"

# ---- the shipped scenarios ---------------------------------------------------------------------------------------------

for file in scenarios/*.yaml scenarios/*/*.yaml; do
	[ -e "$file" ] || continue
	grep -q '^steps:' "$file" || continue
	name=${file#scenarios/}
	expect "run $name" 0 '^After [0-9]* operation' "$PAGESET" run "$file"
	"$PAGESET" run "$file" --json >"$work/out" 2>&1 && json "$work/out"
	result $? "run --json $name"
	ops=$(sed -n 's/^  "ops": \([0-9]*\),$/\1/p' "$work/out")
	steps "step --text $name" 0 "^The end: ${ops:-none} operations are done" "$file" c c c c c c c c c c c c c c c c c c c c c c c c c c c c c \
		c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c q
	expect "compare $name" 0 '^First difference of each from the one before:$' "$PAGESET" compare "$file"
	"$PAGESET" diff "$file" none all >"$work/out" 2>&1
	[ $? -le 1 ] && [ -s "$work/out" ]
	result $? "diff $name"
done
if [ -e scenarios/exit-drain.yaml ]; then
	"$PAGESET" compare scenarios/exit-drain.yaml --levels base,1 >"$work/out" 2>&1
	grep -q '^free_high  *1  *0   0%$' "$work/out" && grep -q '1 against base: op .* frees .* stats.free_high is 0, was 1\|1 against base: op .* frees' "$work/out"
	result $? "compare exit-drain: free_high 1 and 0, the divergence at a free"
fi
exit $status
