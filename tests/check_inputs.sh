#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# check_inputs.sh: inputs and places that are not plain files that one may read and write. One line "ok WHAT" or "FAIL WHAT"
# each.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-$PWD/build/release/pageset}
work=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config
mkdir -p "$work/config/pageset" "$work/shut"
status=0
s=tests/tui/exit.yaml
trace=tests/real/guest-6.12/a-fault64.trace.txt.gz
config=$work/config/pageset/config.yaml

result() {
	if [ "$1" = 0 ]; then
		printf 'ok   inputs: %s\n' "$2"
	else
		printf 'FAIL inputs: %s\n' "$2"
		status=1
	fi
}

# expect WHAT STATUS PATTERN COMMAND...: the command ends so, without waiting, and one of its output lines matches
expect() {
	local what=$1 want=$2 pattern=$3 got
	shift 3
	timeout 60 "$@" >"$work/out" 2>&1 </dev/null
	got=$?
	grep -q -e "$pattern" "$work/out" && [ "$got" = "$want" ]
	result $? "$what"
}

# a pipe gives its bytes once, and commands look at a file before they read it
for verb in check lint run compare 'step --text' list; do
	read -r -a words <<<"$verb"
	expect "$verb takes a pipe" 0 . "$PAGESET" "${words[@]}" <(cat $s)
done
expect "tui takes a pipe" 0 . "$PAGESET" tui --dump - <(cat $s)
expect "diff takes a pipe" 1 'op 1' "$PAGESET" diff <(cat $s) none all
for verb in run compare replay 'import trace'; do
	read -r -a words <<<"$verb"
	expect "$verb takes a trace from a pipe" 0 . "$PAGESET" "${words[@]}" <(gzip -dc $trace)
done

for verb in check lint run compare 'step --text' list replay 'import trace' 'import zoneinfo' 'import meminfo'; do
	read -r -a words <<<"$verb"
	expect "$verb has nothing of /dev/null" 2 '/dev/null' "$PAGESET" "${words[@]}" /dev/null
	expect "$verb has nothing of a folder without files" 2 'expected' "$PAGESET" "${words[@]}" "$work/shut"
done

# another user's, for whom modes count
cp "$PAGESET" "$work/pageset"
chmod 755 "$work" "$work/pageset"
cp $s "$work/exit.yaml"
cp $s "$work/secret.yaml"
chmod 644 "$work/exit.yaml"
chmod 000 "$work/secret.yaml"
chmod 555 "$work/shut"
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
for verb in check lint run compare 'step --text' list lua replay; do
	read -r -a words <<<"$verb"
	expect "$verb names a file that it may not read" 2 'secret.yaml: cannot be opened: Permission denied' \
		"${as[@]}" "$work/pageset" "${words[@]}" "$work/secret.yaml"
	expect "$verb says the way out" 2 'that this user may read' "${as[@]}" "$work/pageset" "${words[@]}" "$work/secret.yaml"
done
for what in save answers screenshot; do
	(cd "$work/shut" && printf 'n:%s x.out<Enter>' "$what" | "${as[@]}" "$work/pageset" tui --keys - --dump - ../exit.yaml) >"$work/out" 2>&1
	grep -q 'x.out: cannot be written: Permission denied; try /tmp/x.out' "$work/out" && grep -q ' op 1/8' "$work/out"
	result $? ":$what where nothing may be written says so and goes on"
done
expect "hunt -o where nothing may be written" 2 'try /tmp/x.yaml' "${as[@]}" "$work/pageset" hunt --under base,1 \
	"stats.free_high" -o "$work/shut/x.yaml"

# defaults of the user
defaults() {
	printf '%b' "$3" >"$config"
	expect "config: $1" 2 "$2" "$PAGESET" lint $s
}
defaults "not YAML" 'config.yaml:.* did not find' 'palette: [1\n'
defaults "no map" 'config.yaml:1:1: the file is a map' -- '- a\n'
defaults "an unknown key" 'config.yaml:1:1: unknown key nokey' 'nokey: 1\n'
defaults "an option that the command does not take" 'config.yaml:1:8: lint does not take timeout' 'lint: {timeout: 1s}\n'
defaults "a command with a plain value" 'config.yaml:1:6: tui is a command' 'tui: 5\n'
defaults "no number" "config.yaml:1:7: option --seed: 'abc' is not" 'seed: abc\n'
defaults "bytes that are no text" 'config.yaml:1:' '\000\001\377\n'
head -c 3000000 /dev/zero >"$config"
expect "config: too large" 2 'config.yaml: is larger than' "$PAGESET" lint $s
rm "$config" && mkdir "$config"
expect "config: a folder" 2 'config.yaml: is a directory' "$PAGESET" lint $s
rmdir "$config" && mkfifo "$config"
expect "config: a pipe that nobody writes to" 2 'config.yaml: is no plain file' "$PAGESET" lint $s
rm "$config"

# a session whose scenario is gone, or another one: told, and nothing else happens
cp $s "$work/live.yaml"
printf 'nnn:save %s<Enter>' "$work/s" >"$work/keys"
"$PAGESET" tui --keys "$work/keys" --dump /dev/null "$work/live.yaml"
for change in gone broken; do
	[ $change = broken ] && echo 'x: [' >"$work/live.yaml"
	[ $change = gone ] && rm "$work/live.yaml"
	printf 'n:load %s<Enter>' "$work/s" >"$work/keys"
	expect "a session whose scenario is $change: told" 0 'live.yaml' "$PAGESET" tui --size 160x40 --keys "$work/keys" --dump - $s
	grep -q ' op 1/8' "$work/out"
	result $? "a session whose scenario is $change: what is open stays"
done
exit $status
