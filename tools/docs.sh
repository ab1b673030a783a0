#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# docs.sh check|update FILE.md...: runs every command of the documentation and holds what it prints against the text.
#
# In a block that begins with ```console a line "$ COMMAND" is run (bash, in the top folder, with the pageset of $PAGESET
# in front) and the lines below it are its output; a status other than 0 follows as "(status N)". check prints ok or FAIL
# for each file and each link inside the tree; update writes the output into the files. What a command prints as Markdown
# stands between the lines "<!-- $ COMMAND -->" and "<!-- end -->". Where codespell is installed check reads the spelling.
set -u
cd "$(dirname "$0")/.." || exit 2

mode=${1:?check or update}
shift
bin=$(mktemp -d) || exit 2
trap 'rm -rf "$bin"' EXIT
ln -s "$(readlink -f "${PAGESET:-build/release/pageset}")" "$bin/pageset"
export PATH="$bin:$PATH" LC_ALL=C.UTF-8 COLUMNS=80 HOME="$bin" XDG_STATE_HOME="$bin/state" XDG_CONFIG_HOME="$bin/config"
unset NO_COLOR

run_command() {
	local out status
	out=$(bash -c "$1" 2>&1 </dev/null)
	status=$?
	[ -n "$out" ] && printf '%s\n' "$out"
	[ "$status" = 0 ] || printf '(status %s)\n' "$status"
}

# The file with fresh output in its console blocks.
renew() {
	local line in=0 old=0
	while IFS= read -r line || [ -n "$line" ]; do
		case $in$line in
		'0```console')
			in=1 old=0
			printf '%s\n' "$line"
			;;
		'0<!-- $ '*' -->')
			in=2
			line=${line%' -->'}
			printf '%s -->\n' "$line"
			run_command "${line#'<!-- $ '}"
			;;
		'2<!-- end -->')
			in=0
			printf '%s\n' "$line"
			;;
		2*) ;;
		'1```')
			in=0
			printf '%s\n' "$line"
			;;
		'1$ '*)
			old=1
			printf '%s\n' "$line"
			run_command "${line#'$ '}"
			;;
		*) [ "$in$old" = 11 ] || printf '%s\n' "$line" ;;
		esac
	done <"$1"
}

# Targets of [text](target) that are no files, and #anchors that are no headings.
dead_links() {
	local file=$1 target path anchor
	sed '/^```/,/^```/d' "$file" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' | while IFS= read -r target; do
		path=${target%%#*} anchor=
		case $target in *'#'*) anchor=${target#*#} ;; esac
		if [ -n "$path" ]; then path=$(dirname "$file")/$path; else path=$file; fi
		[ -e "$path" ] || { printf '%s\n' "$target"; continue; }
		[ -z "$anchor" ] && continue
		grep '^#' "$path" | sed 's/^#* *//' | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' | grep -qx -- "$anchor" || printf '%s\n' "$target"
	done
}

# Misspelt words of a file, one a line.
spelling() {
	command -v codespell >/dev/null 2>&1 || return
	codespell --disable-colors --ignore-words tools/spelling-ok.txt "$1"
}

status=0
for file in "$@"; do
	renew "$file" >"$bin/new"
	if [ "$mode" = update ]; then
		cmp -s "$bin/new" "$file" || cat "$bin/new" >"$file"
	elif diff -u --label "$file" --label "what the commands print now" "$file" "$bin/new" >"$bin/diff"; then
		printf 'ok   docs: %s\n' "$file"
	else
		printf 'FAIL docs: %s is stale (make docs writes it anew)\n' "$file"
		head -n 40 "$bin/diff"
		status=1
	fi
	wrong=$(spelling "$file")
	if [ -n "$wrong" ]; then
		printf 'FAIL docs: %s is misspelt:\n%s\n' "$file" "$wrong"
		status=1
	fi
	dead=$(dead_links "$file")
	if [ -n "$dead" ]; then
		printf 'FAIL docs: %s has dead links: %s\n' "$file" "$(echo $dead)"
		status=1
	fi
done
exit $status
