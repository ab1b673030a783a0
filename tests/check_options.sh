#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# check_options.sh: what a command takes of the common options, it heeds. For each command and each of them that its help
# lists, a call with the option must differ in output or status from one without. One line "ok WHAT" or "FAIL WHAT" each.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-$PWD/build/release/pageset}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work
unset NO_COLOR
status=0
s=$work/s.yaml
trace=tests/real/guest-6.12/a-fault64.trace.txt.gz

cat >"$s" <<'END'
schema_version: 1
name: s
title: All that options change
summary: A drawn number, patches as they are, a question.
level: beginner
machine: {cpus: 2, memory: 64MiB}
patches: none
steps:
  - alloc: {cpu: 1, count: "${rand 300 600 n}", as: heap}
  - alloc: {cpu: 1, order: 1, as: pgd}
  - predict: {id: q, ask: "cpu 1?", expr: "cpu[1].count", answer: 5}
  - free: {cpu: 1, pages: heap}
  - free: {cpu: 1, pages: pgd}
  - expect: "stats.free_high == 1"
END
# a draw that is wrong by the seed alone, and a program that takes its time
sed 's/cpu: 1, count/cpu: "${rand 1 2 c}", count/' "$s" >"$work/draw.yaml"
sed 's/^steps:/&\n  - lua: long.lua/' "$s" >"$work/long.yaml"
echo 'local n = 0 for i = 1, 3000000 do n = n + i end' >"$work/long.lua"
printf 'schema_version: 1\nlesson: s\nstudent: a\nversion: 0.1.0\nanswers: {q: 5}\n' >"$work/a.yaml"
printf 'cpus: 1\nmemory: 128MiB\n' >"$work/m.yaml"
echo 'local m = sim.machine{} m:alloc{cpu = 0} print(m:patches(), math.random(1000000))' >"$work/l.lua"

printf 'n\nn\nn\nn\n' >"$work/keys"

# What a command is called with; where it has more than one use, the one that the option is for.
base() {
	case $1 in
	check | run) args=("$s") ;;
	tui) args=(--size 120x40 --dump "$work/screen" "$s") ;;
	step) args=(--text "$s") ;;
	lint) args=("$s") ;;
	diff) args=("$s" none all) ;;
	compare) args=("$s" --levels base,1) ;;
	grade) args=("$s" "$work/a.yaml") ;;
	hunt) args=(--under base,1 --ops 12 --tries 300 "stats.free_high") ;;
	lua) args=("$work/l.lua") ;;
	list) args=("$s") ;;
	replay | 'import trace') args=("$trace") ;;
	'import zoneinfo') args=(tests/real/guest-6.12/boot.zoneinfo.txt.gz) ;;
	'import meminfo') args=(tests/real/public/oom-6.10-rc1-x86-vm.txt.gz) ;;
	verify) args=(tests/vectors/A/01-consecutive-high-order) ;;
	watch) args=(--once) ;;
	bench) args=(--rounds 1 --only create) ;;
	*) return 1 ;;
	esac
}

# What is added for an option, and what stands in both calls.
extra() {
	both=() with=("--$2")
	case $2 in
	series) both=(--patches=10) with=(--series=v3) ;; # v3 has nine patches
	patches) with=(--patches=all) ;;
	machine) with=("--machine=$work/m.yaml") ;;
	set) with=(--set=cpus=0) ;;
	seed) with=(--seed=7) ;;
	max-ops) with=(--max-ops=1) ;;
	timeout) with=(--timeout=1ns) ;;
	color) with=(--color=always) ;;
	esac
	case $2,$1 in
	series,compare) args=("$s" --levels=10) both=() ;;
	series,hunt) args=(--under base,10 --ops 3 --tries 3 "stats.free_high") both=() ;;
	series,diff) args=("$s" none 10) both=() ;;
	seed,lint) args=("$work/draw.yaml") with=(--seed=5) ;;
	patches,lint) with=(--patches=11) ;;
	timeout,tui) args=(--size 120x40 --keys "$work/keys" --dump "$work/screen" "$work/long.yaml") with=(--timeout=1ms) ;;
	patches,lua) with=(--patches=none) ;;
	timeout,lua) args=("$work/long.lua") with=(--timeout=1ms) ;;
	color,hunt) args=(--under base,1 "stats.") ;;
	color,watch) args=(--record -) ;;
	color,step) args=(--text "$work/none") ;;
	color,diff) args=("$work/none" none all) ;;
	color,grade) args=("$work/none" "$work/a.yaml") ;;
	color,*) args=("$work/none") ;;
	esac
}

call() {
	local out=$1 verb
	read -r -a verb <<<"$2"
	shift 2
	rm -f "$work/screen"
	timeout 60 "$PAGESET" "${verb[@]}" "$@" <"$work/keys" >"$out" 2>&1
	echo "status $?" >>"$out"
	[ ! -e "$work/screen" ] || cat "$work/screen" >>"$out"
}

commands() {
	"$PAGESET" --help | sed -n '/^commands:/,/^options:/s/^  \([a-z]*\) .*/\1/p' | grep -v import
	"$PAGESET" import --help | sed -n '/^commands:/,/^options:/s/^  \([a-z]*\) .*/import \1/p'
}
common() { sed -n 's/^COMMON([A-Z_]*, .*"\([a-z-]*\)", OPT_.*/\1/p' src/common.def | sort; }

nr=0
while read -r verb; do
	read -r -a words <<<"$verb"
	takes=$("$PAGESET" "${words[@]}" --help | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | sort)
	for option in $(comm -12 <(common) <(printf '%s\n' "$takes")); do
		if ! base "$verb"; then
			echo "FAIL options: $verb has no call here that shows what --$option does"
			status=1
			continue
		fi
		extra "$verb" "$option"
		call "$work/without" "$verb" "${both[@]}" "${args[@]}"
		call "$work/with" "$verb" "${both[@]}" "${with[@]}" "${args[@]}"
		nr=$((nr + 1))
		if cmp -s "$work/without" "$work/with"; then
			echo "FAIL options: $verb heeds --$option (${both[*]} ${with[*]} ${args[*]})"
			status=1
		else
			echo "ok   options: $verb heeds --$option"
		fi
	done
done < <(commands)
if [ $nr -lt 60 ]; then
	echo "FAIL options: only $nr were looked at"
	status=1
fi

# and what it does not take, it refuses, whoever else has it
"$PAGESET" lint --timeout=3s "$s" >"$work/out" 2>&1
if [ $? = 2 ] && grep -q 'other commands have it' "$work/out"; then
	echo "ok   options: lint refuses --timeout"
else
	echo "FAIL options: lint refuses --timeout"
	status=1
fi
exit $status
