#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The first difference is one answer: for each shipped scenario and each pair of levels the screen (d) and the command
# (compare) name the same operation, step, field and values. With --one FILE: one scenario, then "pairs N differ M".
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-build/release/pageset}
status=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR XDG_CONFIG_HOME

# A walk through all 21 pairs of seven levels: by one, by two, by three around the ring.
walk=(0 1 2 3 4 5 6 0 2 4 6 1 3 5 0 3 6 2 5 1 4 0)
v2=(none '[1]' '[1-3]' '[1-5]' '[1-7]' '[1-9]' all)
v3=(none '[1]' '[1-3]' '[1-5]' '[1-7]' '[1-8]' all)

# "op step field before after" of each pair, or "none".
by_command() {
	"$PAGESET" compare "$1" --levels "$2" >"$tmp/out" 2>&1 || return 1
	grep -q '^seed [0-9]*, ops: re-run' "$tmp/out" && return 2
	sed -n -e 's/^  .* against .*: no operation differs$/none/p' \
		-e 's/^  .* against .*: op \([0-9]*\) (.*), step \([0-9]*\): \([^ ]*\) is \(.*\), was \(.*\)$/\1 \2 \3 \5 \4/p' "$tmp/out"
}

by_screen() {
	local file=$1 i
	shift
	local sets=("$@")
	{
		for ((i = 1; i < ${#walk[@]}; i++)); do
			printf '<Esc>:from_start %s<Enter>d%s<Enter>:screenshot %s<Enter>' \
				"$(tr -d '[]' <<<"${sets[walk[i - 1]]}")" "${sets[walk[i]]}" "$tmp/shot$i.txt"
		done
		echo
	} >"$tmp/keys"
	LC_ALL=C "$PAGESET" tui --size 220x24 --keys "$tmp/keys" --dump "$tmp/screen" "$file" 2>"$tmp/err" || return 1
	for ((i = 1; i < ${#walk[@]}; i++)); do
		sed -n -e 's/^ *no difference from the first to the last operation$/none/p' \
			-e 's/^ *first difference: op \([0-9]*\), step [0-9]* here, \([0-9]*\) there: \([^ ]*\) \(.*\) here, \([^ ]*\) there .*/\1 \2 \3 \4 \5/p' \
			"$tmp/shot$i.txt" | sed 1q
	done
}

one() {
	local file=$1 levels i
	local sets=("${v2[@]}")

	grep -q '^steps:' "$file" || return
	grep -q '^series: v3' "$file" && sets=("${v3[@]}")
	levels=$(printf '%s,' "${walk[@]/#/#}")
	for i in 0 1 2 3 4 5 6; do levels=${levels//#$i,/${sets[i]},}; done
	by_command "$file" "${levels%,}" >"$tmp/command"
	case $? in
	# its operations are done anew for each level there, and are the same ones here: two questions
	2) return ;;
	1)
		echo "FAIL first differences of $file: $(head -n 1 "$tmp/out")"
		return
		;;
	esac
	by_screen "$file" "${sets[@]}" >"$tmp/shown" || echo "FAIL screen of $file: $(cat "$tmp/err")"
	if [ "$(wc -l <"$tmp/command")" = $((${#walk[@]} - 1)) ] && cmp -s "$tmp/command" "$tmp/shown"; then
		echo "ok   first differences of $file"
	else
		echo "FAIL first differences of $file, command and screen:"
		diff "$tmp/command" "$tmp/shown" | head -n 10 | sed 's/^/     /'
	fi
	echo "pairs $((${#walk[@]} - 1)) differ $(grep -vc none "$tmp/command")"
}

if [ "${1-}" = --one ]; then
	# in one piece, so that those that run beside it do not come between
	printf '%s\n' "$(one "$2")"
	exit 0
fi

export PAGESET
printf '%s\0' scenarios/*.yaml scenarios/*/*.yaml |
	xargs -0 -P "$(nproc)" -n 1 tests/check_diverge.sh --one >"$tmp/all" || status=1
grep -v -e '^pairs ' -e '^$' "$tmp/all"
grep -q '^FAIL' "$tmp/all" && status=1
read -r pairs differ < <(awk '/^pairs / { pairs += $2; differ += $4 } END { print pairs + 0, differ + 0 }' "$tmp/all")
# Nothing compared would be no agreement.
if [ "$pairs" -ge 600 ] && [ "$differ" -ge 300 ]; then
	echo "ok   $pairs pairs, of which $differ differ"
else
	echo "FAIL only $pairs pairs were compared, of which $differ differ"
	status=1
fi
exit $status
