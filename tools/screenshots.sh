#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# screenshots.sh PROGRAM FOLDER: SVG pictures of the real program in a real terminal, the same bytes at each run.
set -u
export LC_ALL=C.UTF-8
unset NO_COLOR XDG_CONFIG_HOME
program=$(realpath "$1") || exit 2
folder=$2
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$folder" || exit 2
socket=pageset-shots-$$
mux() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null' EXIT

# A picture is taken when the screen has stood still and nothing is being computed.
still() {
	local last='' now same=0 i
	for ((i = 0; i < 150; i++)); do
		sleep 0.1
		now=$(mux capture-pane -e -N -p -t shot 2>/dev/null)
		if [ -n "$now" ] && [ "$now" = "$last" ] && [[ $now != *computing* ]]; then
			same=$((same + 1))
			[ "$same" -lt 3 ] || return 0
		else
			same=0
		fi
		last=$now
	done
	return 1
}

# shot NAME COLS ROWS "ARGUMENTS" KEYS...
shot() {
	local name=$1 cols=$2 rows=$3 arguments=$4
	shift 4
	# shellcheck disable=SC2086
	mux new-session -d -s shot -x "$cols" -y "$rows" "env TERM=tmux-256color $program tui $arguments" || exit 2
	mux set-option -g status off
	mux resize-window -t shot -x "$cols" -y "$rows"
	still || echo "screenshots: $name did not come to rest" >&2
	for key; do
		mux send-keys -t shot "$key"
		sleep 0.05
	done
	still || echo "screenshots: $name did not come to rest" >&2
	mux capture-pane -e -N -p -t shot | lua5.4 tools/ansi2svg.lua "$cols" "$rows" >"$folder/$name.svg" || exit 2
	mux kill-session -t shot
}

exit_drain=scenarios/exit-drain.yaml
shot start-page 80 24 ""
shot drain 80 24 "$exit_drain" 3 g 7 1 s
shot drain-120x40 120 40 "$exit_drain" 3 g 7 1 s
shot what-if 120 40 "$exit_drain" 4 g w 1 d
shot predict 80 24 "$exit_drain" 3 g p
shot patches 80 24 "$exit_drain" End : p a n e Space p a t c h e s Enter T 7
shot struct 120 40 "$exit_drain" End T 5 T 0 : p a n e Space s t r u c t Enter
shot wide-200x60 200 60 "$exit_drain" 3 g 7 1 s
