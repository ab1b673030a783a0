#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# run.sh check|sanitize|valgrind|coverage FOLDER PROGRAM...: runs the test programs of FOLDER and, for a whole check,
# lint, tests/check_*.sh and the vectors; adds everything up in one last line "N passed, M failed", status 1 if M.
#
# A check_*.sh prints a line "ok WHAT" or "FAIL WHAT" for each thing that it checked.
set -u
cd "$(dirname "$0")/.." || exit 2

mode=$1 folder=$2
shift 2
passed=0 failed=0
logs=$(mktemp -d) || exit 2
trap 'rm -rf "$logs"' EXIT
export LC_ALL=C.UTF-8 PAGESET="$PWD/$(dirname "$folder")/pageset"
# no defaults of whoever runs this
export XDG_CONFIG_HOME=$logs/config
unset NO_COLOR

fail() {
	failed=$((failed + 1))
	printf 'FAIL %s\n' "$*"
}

# The command in front of a test program; what it finds goes to files below $logs.
runner() {
	case $mode in
	sanitize)
		export ASAN_OPTIONS=log_path=$logs/found.asan:detect_stack_use_after_return=1
		export UBSAN_OPTIONS=log_path=$logs/found.ubsan:print_stacktrace=1
		;;
	valgrind)
		printf '%s\n' valgrind -q --trace-children=yes --leak-check=full --show-leak-kinds=definite \
			--log-file="$logs/found.valgrind.%p"
		;;
	esac
}

# valgrind also writes down a test that aborts on purpose: that block alone is no find.
drop_expected_aborts() {
	local file
	for file in "$logs"/found.valgrind.*; do
		[ -f "$file" ] || continue
		sed -i -E '/^==[0-9]+== *$/d; /Process terminating with default action of signal 6/,/^==[0-9]+== [^ ]/{
			/Process terminating|^==[0-9]+==    (at|by) /d
		}' "$file"
	done
}

# Criterion's last line is the only word on how many ran: its status hides leaks, and a filter without a match is 0 of 0.
run_program() {
	local name=$1 log=$logs/$1.log status synthesis tested passing failing
	# shellcheck disable=SC2086
	timeout 1800 $front "$folder/$name" >"$log" 2>&1 </dev/null
	status=$?
	synthesis=$(sed 's/\x1b\[[0-9;]*m//g' "$log" |
		sed -n 's/^\[====\] Synthesis: Tested: \([0-9]*\) | Passing: \([0-9]*\) | Failing: \([0-9]*\) .*/\1 \2 \3/p' | tail -n 1)
	read -r tested passing failing <<<"${synthesis:-0 0 0}"
	passed=$((passed + passing))
	failed=$((failed + failing))
	if [ "$tested" = 0 ]; then
		fail "$name: no test ran (status $status)"
		tail -n 20 "$log"
	elif [ "$failing" != 0 ]; then
		printf 'FAIL %s: %s of %s tests\n' "$name" "$failing" "$tested"
		grep -v '^\[====\] Running' "$log" | head -n 60
	elif [ "$status" != 0 ]; then
		fail "$name: all tests passed, but its status is $status"
		tail -n 20 "$log"
	else
		printf 'ok   %s: %s tests\n' "$name" "$tested"
	fi
	drop_expected_aborts
	if find "$logs" -name 'found.*' -size +0 | grep -q .; then
		fail "$name: $mode found"
		find "$logs" -name 'found.*' -size +0 -exec head -n 40 {} +
		rm -f "$logs"/found.*
	fi
}

# Any program whose lines begin with ok or FAIL.
run_check() {
	local name=$1 log=$logs/check.log status ok bad
	timeout 1800 "$name" >"$log" 2>&1 </dev/null
	status=$?
	cat "$log"
	ok=$(grep -c '^ok ' "$log")
	bad=$(grep -c '^FAIL ' "$log")
	passed=$((passed + ok))
	failed=$((failed + bad))
	[ $((ok + bad)) != 0 ] || fail "$name: checked nothing"
	[ "$status" = 0 ] || [ "$bad" != 0 ] || fail "$name: status $status"
}

# All vectors of a folder, with the release build.
run_vectors() {
	local log=$logs/vectors.log line status ok bad
	[ -d "$1" ] && [ -f src/cmd_verify.c ] || return 0
	timeout 1800 build/release/pageset verify -j "$(nproc)" "$1" >"$log" 2>&1 </dev/null
	status=$?
	line=$(grep -E '^[0-9]+ files passed, [0-9]+ failed' "$log" | tail -n 1)
	if [ -z "$line" ]; then
		fail "verify $1: no summary (status $status)"
		tail -n 20 "$log"
		return
	fi
	read -r ok _ _ bad _ <<<"${line//,/}"
	passed=$((passed + ok))
	failed=$((failed + bad))
	if [ "$bad" = 0 ] && [ "$status" = 0 ] && [ "$ok" != 0 ]; then
		printf 'ok   verify %s: %s\n' "$1" "$line"
	else
		[ "$bad" != 0 ] || failed=$((failed + 1))
		printf 'FAIL verify %s: %s (status %s)\n' "$1" "$line" "$status"
		head -n 60 "$log"
	fi
}

runner >"$logs/front"
front=$(tr '\n' ' ' <"$logs/front")
if [ "$mode" = check ] && [ -z "${T-}" ]; then
	run_check tests/lint.sh
	for check in tests/check_*.sh; do
		[ ! -e "$check" ] || run_check "$check"
	done
fi
for program; do
	run_program "$program"
done
if [ "$mode" = check ] && [ -z "${T-}" ]; then
	run_vectors tests/vectors
	# those of the project's surroundings, where they are
	run_vectors ../shared/vectors
fi
[ $((passed + failed)) != 0 ] || failed=1
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
