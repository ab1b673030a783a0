#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# check_scenarios.sh: check, lint, list and grade as a user calls them. One line "ok WHAT" or "FAIL WHAT" each.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-$PWD/build/release/pageset}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0

result() {
	if [ "$1" = 0 ]; then
		printf 'ok   scenarios: %s\n' "$2"
	else
		printf 'FAIL scenarios: %s\n' "$2"
		sed 's/^/     /' "$work/out" "$work/err" | head -n 20
		status=1
	fi
}

# expect WHAT STATUS PATTERN ARGUMENT...: pageset ends so, and a line of its stdout matches
expect() {
	local what=$1 want=$2 pattern=$3 got
	shift 3
	"$PAGESET" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	grep -q -e "$pattern" "$work/out" && [ "$got" = "$want" ]
	result $? "$what"
}

# refuse WHAT STATUS PATTERN ARGUMENT...: the same on stderr
refuse() {
	local what=$1 want=$2 pattern=$3 got
	shift 3
	"$PAGESET" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	grep -q -e "$pattern" "$work/err" && [ "$got" = "$want" ]
	result $? "$what"
}

json() {
	! command -v python3 >/dev/null 2>&1 || python3 -c 'import json, sys; json.load(sys.stdin)' <"$work/out"
}

# ---- check -------------------------------------------------------------------------------------------------------------

expect 'check passes on all that are shipped' 0 '^1\.\.[0-9]*$' check scenarios
! grep -q '^not ok' "$work/out" && [ "$(grep -c '^ok' "$work/out")" -ge 16 ]
result $? 'TAP has a line for each'

head='schema_version: 1
name: t
title: t
patches: none
steps:'
printf '%s\n  - alloc: {cpu: 0}\n' "$head" >"$work/nothing.yaml"
printf '%s\n  - alloc: {cpu: 0}\n  - expect: cpu[0].count == 1\n' "$head" >"$work/wrong.yaml"
printf '%s\n  - alloc: {cpu: 0}\n  - expect: "cpu[0].count == 62 # <&>"\n' "$head" >"$work/bad.yaml"
printf '%s\n  - tick: {times: 1000}\n  - expect: cpu[0].count == 0\n' "$head" >"$work/long.yaml"
expect 'a scenario that checks nothing fails' 1 'the scenario checks nothing' check "$work/nothing.yaml"
expect 'a failed expectation is told with its place and values' 1 'wrong.yaml:7:5: expected cpu\[0\].count == 1: .*is 62' check "$work/wrong.yaml"
expect 'no scenario is status 2, with its place' 2 'bad.yaml:7:' check "$work/bad.yaml" "$work/wrong.yaml"
expect 'JUnit has failures and errors' 2 '<testsuite name="pageset" tests="3" failures="2" errors="1">' check --junit "$work/bad.yaml" "$work/wrong.yaml" "$work/nothing.yaml"
! command -v python3 >/dev/null 2>&1 || python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin)' <"$work/out"
result $? 'JUnit is XML'
expect '--json tells the same' 1 '"failed": 1' check --json "$work/wrong.yaml"
json
result $? '--json is JSON'
expect '--max-ops stops a long one' 2 'stopped after 10 operations' check --max-ops 10 "$work/long.yaml"
expect '--patches goes before the file' 1 'count is' check --patches all scenarios/exit-drain.yaml
expect '--set changes the machine' 1 'count is 14' check --set memory=256MiB "$work/wrong.yaml"
refuse 'an unknown key of --set is refused' 2 "'cpu' is not a key of a machine" check --set cpu=3 "$work/wrong.yaml"
refuse 'a file that is not there' 2 'cannot be opened' check "$work/no-such.yaml"
mkdir "$work/empty"
refuse 'a folder without scenarios' 2 'no file for this in the folder' check "$work/empty"
"$PAGESET" check - <"$work/wrong.yaml" >"$work/out" 2>"$work/err"
[ $? = 1 ] && grep -q '<stdin>:7:5' "$work/out"
result $? 'standard input is a file'

# ---- lint --------------------------------------------------------------------------------------------------------------

expect 'lint finds nothing in what is shipped' 0 'no faults' lint scenarios
refuse 'lint tells all faults of a file' 2 'many-faults.yaml:8:31' lint tests/scenarios_bad/many-faults.yaml
grep -q 'many-faults.yaml:2:7' "$work/err" && [ "$(grep -c '^tests' "$work/err")" -ge 10 ]
result $? 'at once'
expect 'lint --json' 2 '"message": "count:' lint --json tests/scenarios_bad/many-faults.yaml
json
result $? 'is JSON'
expect 'lint --schema' 0 '"boost_clear"' lint --schema
json
result $? 'is JSON'
printf 'cpus: 3\nzones: [{name: Normal, size: 1GiB, start_pfn: 4096}]\ncounters: percpu\n' >"$work/machine.yaml"
expect 'lint knows machine files' 0 '1 file, no faults' lint "$work/machine.yaml"
printf 'cpus: 3\nzones: [{name: Norml, size: 1GiB}]\n' >"$work/machine2.yaml"
refuse 'and their faults' 2 'did you mean Normal' lint "$work/machine2.yaml"
printf '%s\n  - alloc: {cpu: 2}\n  - expect: cpu[2].count == 62\n' "${head/steps:/machine: {file: machine.yaml, counters: exact\}
steps:}" >"$work/with-file.yaml"
expect 'a scenario takes a machine file beside it' 0 '^ok 1' check "$work/with-file.yaml"

# ---- list --------------------------------------------------------------------------------------------------------------

expect 'list goes by level' 0 '^  exit-drain  ' list
[ "$(grep -n '^beginner' "$work/out" | cut -d: -f1)" = 1 ] && grep -q '^advanced' "$work/out"
result $? 'easy ones first'
expect 'list --json' 0 '"level": "advanced"' list --json scenarios
json
result $? 'is JSON'

# ---- grade -------------------------------------------------------------------------------------------------------------

mkdir "$work/answers"
answers() {
	printf "schema_version: 1\nlesson: exit-drain\nstudent: '%s'\nversion: 0.0.9\nanswers: {%s}\n" "$2" "$3" >"$work/answers/$1.yaml"
}
answers a 'Ada "L", =1+1' 'q1: 0, q2: "no"'
answers b 'Bob' 'q1: 62, q2: No'
answers c 'Cy' 'q2: yes'
expect 'grade gives points for right answers' 0 '^3 of 3 points' grade scenarios/exit-drain.yaml "$work/answers/a.yaml"
expect 'and none for wrong ones' 0 '^1 of 3 points' grade exit-drain "$work/answers/b.yaml"
expect 'the version is recorded' 0 '^tool  *[0-9.]*, answered with 0.0.9' grade exit-drain "$work/answers/c.yaml"
expect 'a folder becomes CSV' 0 '^file,student,lesson,seed,points,of,tool,answered_with,q1,q1_value,q1_points' grade exit-drain "$work/answers"
grep -q ',Bob,exit-drain,1,1,3,' "$work/out" && grep -q '"Ada ""L"", =1+1"' "$work/out" && [ "$(wc -l <"$work/out")" = 4 ]
result $? 'one line a student'
answers d 'Di' 'q3: 1'
refuse 'an answer to no question is told' 2 "the lesson has no question 'q3'" grade exit-drain "$work/answers"
[ "$(wc -l <"$work/out")" = 4 ]
result $? 'and the others are graded all the same'
printf 'schema_version: 1\nseed: 5\nanswers: {q2: 4}\n' >"$work/seed5.yaml"
expect 'each seed has its own numbers' 0 'seed 5' grade refill-and-batch "$work/seed5.yaml"
refuse 'answers to another lesson' 2 "answers to 'exit-drain', not to 'free-factor'" grade free-factor "$work/answers/a.yaml"

exit $status
