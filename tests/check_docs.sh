#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every command, number and link of the documentation, and the checker itself.
set -u
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# every shipped scenario, lesson and solution holds
"${PAGESET:-build/release/pageset}" check scenarios docs/tutorial/solutions docs/homework/exit.yaml >"$work/tap"
sed -n 's/^ok [0-9]* - /ok   docs check: /p; s/^not ok [0-9]* - /FAIL docs check: /p' "$work/tap"

# shellcheck disable=SC2046
tools/docs.sh check $(git ls-files 'README.md' 'CONTRIBUTING.md' 'docs/*.md')

verdict() {
	if [ "$1" = "$2" ]; then printf 'ok   docs check: %s\n' "$3"; else printf 'FAIL docs check: %s\n' "$3"; fi
}
printf '```console\n$ echo 7\n7\n```\n' >"$work/good.md"
printf '```console\n$ echo 7\n8\n```\n' >"$work/stale.md"
printf 'See [it](nowhere.md).\n' >"$work/dead.md"
printf '<!-- $ echo seven -->\nseven\n<!-- end -->\nafter\n' >"$work/good-inset.md"
printf '<!-- $ echo seven -->\neight\n<!-- end -->\n' >"$work/stale-inset.md"
pages='good stale dead good-inset stale-inset'
if command -v codespell >/dev/null 2>&1; then
	printf 'This is teh word.\n' >"$work/misspelt.md"
	pages="$pages misspelt"
fi
for name in $pages; do
	tools/docs.sh check "$work/$name.md" >/dev/null
	status=$?
	case $name in good*) want=0 ;; *) want=1 ;; esac
	verdict $status $want "$name page"
done
tools/docs.sh update "$work/stale-inset.md" && grep -qx seven "$work/stale-inset.md"
verdict $? 0 'update of an inset'
