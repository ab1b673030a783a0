#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Golden screens: each tests/tui/NAME.keys is played without a terminal and its last screen compared with NAME.screen.
# Its first line names the options: "# --size 80x24 --ascii", and --c-locale, and the scenario if it is not exit.yaml:
# "--file=PATH". With --update the screens are written anew.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-build/release/pageset}
status=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR XDG_CONFIG_HOME

# The code pane shows the source itself, which moves with every change of it: its lines are left out here. What it shows
# is tested in tests/test_tui_screen.c.
without_code() {
	awk '
		/^(─|-)code [a-z]+\.c:/ {
			inside = 1
			# what stands beside it; none if it has the whole width
			sep = index($0, "│") ? "│" : index($0, "|") ? "|" : ""
			sub(/code [a-z]+\.c:[0-9]+ [a-z_0-9]+\(\)( [0-9]+\/[0-9]+ )?(─|-)*/, "code ")
			sub(/(─|-)* [0-9]+\/[0-9]+ /, "")
			print
			next
		}
		/^(─|-)/ || /^ s\/S step/ { inside = 0 }
		inside { at = sep == "" ? 0 : index($0, sep); $0 = at ? substr($0, at) : "" }
		{ gsub(/[a-z]+\.c:[0-9]+ .*/, "CODE"); print }
	' "$1"
}

for keys in tests/tui/*.keys; do
	name=$(basename "$keys" .keys)
	read -r -a options < <(sed -n '1s/^# *//p' "$keys")
	tail -n +2 "$keys" >"$tmp/keys"
	locale=C.UTF-8 file=tests/tui/exit.yaml
	case " ${options[*]} " in *" --c-locale "*) locale=C ;; esac
	options=("${options[@]/--c-locale/}")
	args=()
	for option in "${options[@]}"; do
		case $option in
		'') ;;
		--file=*) file=${option#--file=} ;;
		*) args+=("$option") ;;
		esac
	done
	if ! LC_ALL=$locale "$PAGESET" tui "${args[@]}" --keys "$tmp/keys" --dump "$tmp/screen" "$file" 2>"$tmp/err"; then
		echo "FAIL screen $name: $(head -n 1 "$tmp/err")"
		status=1
		continue
	fi
	without_code "$tmp/screen" >"$tmp/plain" && mv "$tmp/plain" "$tmp/screen"
	if [ "${1-}" = --update ]; then
		cp "$tmp/screen" "tests/tui/$name.screen"
	elif diff -u "tests/tui/$name.screen" "$tmp/screen" >"$tmp/diff" 2>&1; then
		echo "ok   screen $name"
	else
		echo "FAIL screen $name"
		head -n 40 "$tmp/diff" | sed 's/^/     /'
		status=1
	fi
done
[ "${1-}" = --update ] && exit 0

# A script with an unknown key, a size that is none, a file that is not there: one line and status 2.
refuse() {
	local what=$1
	shift
	"$PAGESET" tui "$@" >"$tmp/out" 2>"$tmp/err"
	if [ $? = 2 ] && [ -s "$tmp/err" ] && [ ! -s "$tmp/out" ]; then
		echo "ok   screen refuses $what"
	else
		echo "FAIL screen refuses $what"
		status=1
	fi
}
refuse "a size that is none" --size 80by24
refuse "a script that is not there" --size 80x24 --keys tests/tui/none.keys tests/tui/exit.yaml
refuse "a scenario that is not there" --size 80x24 tests/tui/none.yaml
refuse "a session that is none" --size 80x24 --session tests/tui/exit.yaml
refuse "to run without a terminal" tests/tui/exit.yaml
exit $status
