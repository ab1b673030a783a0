#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# deps.sh GROUP...: sees whether everything that a group of targets needs is there, and installs what is not (apt, as
# root or through sudo). Nothing is asked of the package manager when all is there.
set -u

# probe and Debian package: cmd:NAME is a program, pc:NAME a library that pkg-config knows, lib:NAME one of clang's own
build="cmd:gcc=gcc cmd:make=make cmd:pkg-config=pkg-config pc:zlib=zlib1g-dev pc:lua5.4=liblua5.4-dev
	pc:ncursesw=libncurses-dev pc:panelw=libncurses-dev pc:libcyaml=libcyaml-dev pc:yaml-0.1=libyaml-dev"
check="pc:criterion=libcriterion-dev cmd:clang-format=clang-format cmd:ctags=universal-ctags cmd:nm=binutils cmd:gzip=gzip cmd:patch=patch cmd:git=git cmd:pgrep=procps
	cmd:codespell=codespell cmd:tmux=tmux cmd:lua5.4=lua5.4"
screenshots="cmd:tmux=tmux cmd:lua5.4=lua5.4"
valgrind="cmd:valgrind=valgrind"
coverage="cmd:gcovr=gcovr"
fuzz="cmd:clang=clang lib:clang_rt.fuzzer=libclang-rt-14-dev cmd:gzip=gzip"

there() {
	case $1 in
	cmd:*) command -v "${1#cmd:}" >/dev/null 2>&1 ;;
	lib:*) ls "$(clang --print-resource-dir 2>/dev/null)"/lib/*/lib"${1#lib:}"-*.a >/dev/null 2>&1 ;;
	pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
	esac
}

# what is missing, as package names, each once
missing() {
	local group entry
	for group; do
		for entry in ${!group}; do
			there "${entry%%=*}" || printf '%s\n' "${entry#*=}"
		done
	done | sort -u
}

[ $# -gt 0 ] || { echo "usage: deps.sh GROUP... (build, check, screenshots, valgrind, coverage, fuzz)" >&2; exit 2; }
for group; do
	[ -n "${!group-}" ] || { echo "deps.sh: no group $group" >&2; exit 2; }
done

want=$(missing "$@" | tr '\n' ' ')
[ -n "$want" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps: missing here, please install (Debian's names): $want" >&2
	exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "deps: neither root nor sudo; please have installed: $want" >&2
		exit 1
	fi
	as_root=sudo
fi
echo "deps: installing $want"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# word splitting is wanted: a list of names
# shellcheck disable=SC2086
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive \
	apt-get install -y --no-install-recommends $want; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "deps: apt-get could not install: $want" >&2
	exit 1
fi
want=$(missing "$@" | tr '\n' ' ')
[ -z "$want" ] || { echo "deps: still missing after the installation: $want" >&2; exit 1; }
