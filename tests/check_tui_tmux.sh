#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The screen in a real terminal: a tmux of its own. One line ok or FAIL for each thing seen.
set -u
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C.UTF-8
unset NO_COLOR
PAGESET=${PAGESET:-$PWD/build/release/pageset}
scenario=$PWD/tests/tui/exit.yaml
socket=pageset-test-$$
status=0

if ! command -v tmux >/dev/null 2>&1; then
	echo "FAIL tui in tmux: tmux is not installed"
	exit 1
fi
mux() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null' EXIT

# The shell below shows whether the terminal came back.
mux new-session -d -x 80 -y 24 "env PS1='prompt> ' TERM=tmux-256color bash --norc"

# wait_for TEXT: until the screen has it (10 s at most).
wait_for() {
	local i
	for ((i = 0; i < 100; i++)); do
		mux capture-pane -p | grep -qF -- "$1" && return 0
		sleep 0.1
	done
	return 1
}
see() {
	if wait_for "$2"; then
		echo "ok   tui in tmux: $1"
	else
		echo "FAIL tui in tmux: $1: no '$2' on the screen"
		mux capture-pane -p | sed 's/^/     /'
		status=1
	fi
}
keys() { mux send-keys "$@"; }
begin() {
	keys "clear; $PAGESET $1" Enter
	wait_for "$2"
}

begin "$scenario" "op 0/"
see "opens a scenario" "nothing has happened yet"
keys n n n
see "runs operations" "op 3/"
keys s s s
see "steps" "step 3/"
keys S S
see "steps back" "step 1/"
keys t 1
see "switches a patch" "patches 1........."
keys u
see "takes it back" "patches .........."
keys n
see "says what happened" "gave back 125 pages"
see "computes what if" "1: 0/125"
keys w 1
see "shows what if side by side" "what if patch 1 were on"
keys d
see "goes to the first difference" "step "
keys Escape
see "ends it with Esc" "back on main line"
keys d all Enter
see "compares with any set" "the same with patches all"
keys Escape
keys 3g p
see "asks a prediction" "a number chooses"
keys 1 Enter
see "judges it" "Right: 0."
keys Escape
mux resize-window -x 120 -y 40
see "uses a larger screen" "call stack"
mux resize-window -x 40 -y 10
see "has a compact form" "op 3/"
mux resize-window -x 30 -y 8
see "says what it needs" "pageset needs 40x10"
mux resize-window -x 80 -y 24
see "comes back from small" "what if one patch"
keys C-z
see "stops on Ctrl-Z" "Stopped"
keys "fg" Enter
see "resumes on fg" "what if one patch"
mux capture-pane -p >"${TMPDIR:-/tmp}/tui-$$.a"
keys C-l
sleep 0.3
mux capture-pane -p >"${TMPDIR:-/tmp}/tui-$$.b"
if cmp -s "${TMPDIR:-/tmp}/tui-$$.a" "${TMPDIR:-/tmp}/tui-$$.b"; then
	echo "ok   tui in tmux: Ctrl-L changes nothing"
else
	echo "FAIL tui in tmux: Ctrl-L changed the screen"
	status=1
fi
rm -f "${TMPDIR:-/tmp}/tui-$$.a" "${TMPDIR:-/tmp}/tui-$$.b"
keys q
see "quits to the shell" "prompt>"

# The mouse: reports as a terminal sends them (SGR, or the older three bytes where terminfo names those).
if infocmp -x tmux-256color 2>/dev/null | grep -q 'kmous=\\E\[<'; then sgr=1; else sgr=0; fi
# mouse BUTTON COLUMN ROW, from 0; 0 is the left button, which is let go again, 64 and 65 the wheel up and down
mouse() {
	local bytes
	if [ "$sgr" = 1 ]; then
		bytes=$(printf '\033[<%d;%d;%dM' "$1" $(($2 + 1)) $(($3 + 1)) | od -An -v -tx1)
		[ "$1" -ge 64 ] || bytes+=$(printf '\033[<%d;%d;%dm' "$1" $(($2 + 1)) $(($3 + 1)) | od -An -v -tx1)
	else
		bytes=$(printf '1b 5b 4d %x %x %x' $((32 + $1)) $((33 + $2)) $((33 + $3)))
		[ "$1" -ge 64 ] || bytes+=$(printf ' 1b 5b 4d 23 %x %x' $((33 + $2)) $((33 + $3)))
	fi
	# shellcheck disable=SC2086
	mux send-keys -H $bytes
}
# row_of TEXT, column_of TEXT: where it stands on the screen, from 0
row_of() { mux capture-pane -p | grep -nF -m 1 -- "$1" | cut -d: -f1 | awk '{ print $1 - 1 }'; }
column_of() { mux capture-pane -p | grep -F -m 1 -- "$1" | awk -v text="$1" '{ print index($0, text) - 1 }'; }

begin "$scenario" "op 0/"
mouse 0 "$(column_of 'n/N op')" 23
see "a click in the key bar is that key" "op 1/8 done"
mouse 0 10 "$(row_of ' 2       0')"
keys o
see "a click on a CPU selects it" "cpu[2].zone[0]."
keys Escape :
keys -l "pane zone"
keys Enter
see "has the zone pane" "10/16"
row=$(row_of 'reclaim off')
mouse 65 10 "$row"
see "the wheel scrolls down" "11/16"
mouse 64 10 "$row"
see "the wheel scrolls up" "10/16"
# over the rows of the CPUs it goes on from the CPU that acts, 0
mouse 65 10 "$(row_of ' 2       0')"
keys o
see "the wheel goes to the pane under it" "cpu[1].zone[0]."
keys M
see "switches the mouse off" "mouse off"
keys M
see "and on" "mouse on"
keys q
see "quits after the mouse" "prompt>"

# Pasted text is text: the q, the line ends and the letters in it are no keys.
begin "$scenario" "op 0/"
printf 'nnn\nq\necho pasted\n%.0s' {1..500} | mux load-buffer -
mux paste-buffer -p
see "takes no keys from pasted text" "pasted text is taken where a line is typed"
keys :
printf 'pane\nzone' | mux load-buffer -
mux paste-buffer -p
see "pastes into a line, which does not end" ":pane zone"
keys Enter
see "until Enter does" "10/16"
keys q
see "quits after pasting" "prompt>"
keys "clear; COLUMNS=999999999 LINES=-3 $PAGESET $scenario" Enter
see "does not believe every COLUMNS" "op 0/"
keys q
see "quits from there" "prompt>"

# Ended from outside: the terminal is as it was, and a shell reads lines again.
begin "$scenario" "op 0/"
pid=$(pgrep -P "$(mux display-message -p '#{pane_pid}')" | head -n 1)
kill -TERM "$pid"
see "ends on TERM" "Terminated"
keys "echo alive" Enter
see "leaves a working shell" "alive"

# No CPU while it waits.
begin "$scenario" "op 0/"
keys n
sleep 2
pid=$(pgrep -P "$(mux display-message -p '#{pane_pid}')" | head -n 1)
before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
sleep 1
after=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
if [ $((after - before)) -le 1 ]; then
	echo "ok   tui in tmux: waits without work"
else
	echo "FAIL tui in tmux: used $((after - before)) ticks in a second of waiting"
	status=1
fi
keys q
see "quits" "prompt>"

# The running kernel in the CPU pane.
if [ -r /proc/zoneinfo ]; then
	begin "watch --interval 200ms" "count of late"
	see "watch shows this kernel" "Linux $(uname -r)"
	see "watch has rates" "allocated "
	keys +
	see "watch changes its interval" "every 400ms"
	keys p
	see "watch pauses" "PAUSED"
	mux resize-window -x 120 -y 40
	see "watch uses a larger screen" "max  ["
	mux resize-window -x 80 -y 24
	keys q
	see "watch leaves" "prompt>"
	begin "watch --interval 50ms --count 3; echo status \$?" "status 0"
	see "watch ends as counted" "status 0"
	keys "clear; TERM=dumb $PAGESET watch --interval 50ms --count 2; echo status \$?" Enter
	see "watch without a screen is text" "status 0"
	see "watch's text has its bars" "[#"
fi

# A terminal that is none for a screen: the variable, its value, and two ways out.
no_screen() {
	keys "clear; $2 $PAGESET $scenario; echo status \$?" Enter
	see "$1: status 2" "status 2"
	see "$1: the variable is the reason" "TERM is $3"
	see "$1: the way to a screen" "TERM=xterm-256color pageset"
	see "$1: the way without one" "pageset run"
}
no_screen "TERM=dumb" "TERM=dumb" "'dumb', a terminal whose cursor cannot be moved"
no_screen "an unknown TERM" "TERM=no-such" "'no-such', which is no terminal that is known here"
no_screen "no TERM" "env -u TERM" "not set"
no_screen "an empty TERM" "TERM=" "empty"
exit $status
