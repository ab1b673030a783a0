#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The pictures in screenshots/ are what the program shows now, byte for byte.
set -u
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
status=0
program=build/release/pageset
[ -x "$program" ] || program=${PAGESET:-build/release/pageset}
tools/screenshots.sh "$program" "$tmp" 2>"$tmp/err" || { echo "FAIL screenshots: $(head -n 1 "$tmp/err")"; exit 1; }
for picture in "$tmp"/*.svg; do
	name=$(basename "$picture")
	if cmp -s "$picture" "screenshots/$name"; then
		echo "ok   screenshot $name"
	else
		echo "FAIL screenshot $name differs; make screenshots makes it anew"
		status=1
	fi
done
exit $status
