#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The worked examples of CONTRIBUTING.md: every patch of docs/examples is applied to a copy of the tree, the copy is built
# once, and what each example adds is seen to work.
set -u
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
examples=$PWD/docs/examples

verdict() {
	if [ "$1" = 0 ]; then printf 'ok   contributing: %s\n' "$2"; else printf 'FAIL contributing: %s\n' "$2"; fi
}

cp -r Makefile src tools "$work" && mkdir "$work/scenarios" && cp scenarios/exit-drain.yaml "$work/scenarios"
for patch in "$examples"/*.patch; do
	patch -d "$work" -p1 -s --no-backup-if-mismatch <"$patch" >"$work/log" 2>&1
	status=$?
	[ $status = 0 ] || head -n 10 "$work/log"
	verdict $status "$(basename "$patch") applies"
done
cd "$work" || exit 2
# only that it compiles without a warning and runs: neither optimised nor with symbols
make -j"$(nproc)" V=debug CFLAGS='-O0 -g0 -Werror' build/debug/pageset >log 2>&1
status=$?
[ $status = 0 ] || tail -n 20 log
verdict $status 'the tree with all examples builds'
[ $status = 0 ] || exit 1
pageset=build/debug/pageset

"$pageset" run --trace "$examples/add-step.yaml" | grep -q 'the zone had only 1 of the 3 blocks'
verdict $? 'add-step: the trace has the sentence'
"$pageset" run --series v3 --patches keep-half --trace scenarios/exit-drain.yaml | grep -q 'give back 63, half of 125 pages'
verdict $? 'add-patch: the patch has a name and does what it says'
"$pageset" check "$examples/add-step-kind.yaml" >log
verdict $? 'add-step-kind: a scenario with it holds'
"$pageset" tui --keys "$examples/add-view.keys" --dump dump scenarios/exit-drain.yaml && grep -q 'Normal *4 pages wait in pagesets' dump
verdict $? 'add-view: the pane is drawn'
"$pageset" lua "$examples/add-lua-function.lua" | grep -qx 'held	189'
verdict $? 'add-lua-function: a script calls it'
