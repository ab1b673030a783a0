#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/run.sh itself: it counts right, and no way of failing gets past it. The programs are scripts that print what
# Criterion prints.
set -u
cd "$(dirname "$0")/.." || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# program NAME TESTED PASSING FAILING [COMMAND]: what it prints, and what it does after that
program() {
	cat >"$folder/$1" <<END
#!/usr/bin/env bash
printf '[\e[0;34m====\e[0m] \e[0;1mSynthesis: Tested: \e[0;34m%s\e[0;1m | Passing: %s | Failing: %s | Crashing: 0 \e[0m\n' $2 $3 $4 >&2
${5-}
END
	chmod +x "$folder/$1"
}

# expect TEXT MODE "LAST LINE" STATUS PROGRAM...
expect() {
	local text=$1 mode=$2 want=$3 want_status=$4 got status
	shift 4
	got=$(T=some tests/run.sh "$mode" "$folder" "$@" 2>&1)
	status=$?
	if [ "$(tail -n 1 <<<"$got")" = "$want" ] && [ $status = "$want_status" ]; then
		echo "ok   run.sh: $text"
	else
		echo "FAIL run.sh: $text: status $status, want $want_status and '$want'"
		tail -n 8 <<<"$got"
	fi
}

program good 5 5 0
program more 2 2 0
program bad 3 2 1 'exit 1'
program none 0 0 0
program dies 4 4 0 'kill -SEGV $$'
program leaks 4 4 0 'log=${ASAN_OPTIONS#log_path=}; echo leaked >"${log%%:*}.1"'
cat >"$folder/silent" <<'END'
#!/usr/bin/env bash
exit 0
END
chmod +x "$folder/silent"

expect "adds up" check "7 passed, 0 failed" 0 good more
expect "a failing test" check "7 passed, 1 failed" 1 bad good
expect "a program without tests" check "5 passed, 1 failed" 1 good none
expect "a program that prints nothing" check "5 passed, 1 failed" 1 silent good
expect "a program that is not there" check "5 passed, 1 failed" 1 good missing
expect "a crash after the last test" check "9 passed, 1 failed" 1 dies good
expect "a leak that Criterion does not tell" sanitize "9 passed, 1 failed" 1 leaks good
expect "no program at all" check "0 passed, 1 failed" 1
