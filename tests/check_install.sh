#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# check_install.sh: make install into a fresh folder, the program run from there and from elsewhere, man pages, completion,
# uninstall, package. One line "ok WHAT" or "FAIL WHAT" each.
set -u
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"; make --no-print-directory all >/dev/null 2>&1' EXIT
export XDG_CONFIG_HOME=$work/config
unset PAGESET_DATADIR MAKEFLAGS MFLAGS
status=0

result() {
	if [ "$1" = 0 ]; then
		printf 'ok   install: %s\n' "$2"
	else
		printf 'FAIL install: %s\n' "$2"
		status=1
	fi
}

make --no-print-directory PREFIX="$work/usr" install >"$work/log" 2>&1
result $? "make install below a PREFIX"
p=$work/usr/bin/pageset
(cd / && "$p" run exit-drain) >"$work/out" 2>&1 && grep -q '^exit-drain: ' "$work/out"
result $? "a scenario by its name, from another folder"
(cd / && "$p" check lesson-07) >"$work/out" 2>&1 && grep -q '^ok 1 - .*lessons/07-larger-refills.yaml' "$work/out"
result $? "a lesson by the name that the list has"
(cd / && "$p" check lesson-99) >"$work/out" 2>&1
[ $? = 2 ] && grep -q '^lesson-99: cannot be opened' "$work/out"
result $? "no lesson of that number"
(cd / && "$p" run scenarios/exit-drain.yaml --summary) >"$work/out" 2>&1
result $? "a scenario by its path below the tree"
(cd / && "$p" list) >"$work/out" 2>&1 && grep -q 'exit-drain' "$work/out"
result $? "list finds the installed scenarios"
grep -q "$work/usr/share/pageset" <(cd / && "$p" list --json) && ! grep -q "$PWD/scenarios" <(cd / && "$p" list --json)
result $? "they are those of the installation, not of the tree"
(cd / && PAGESET_DATADIR=$PWD "$p" list --json) >"$work/out" 2>&1
(cd / && PAGESET_DATADIR=$work "$p" run exit-drain) >"$work/out" 2>&1
[ $? = 2 ] && grep -q 'exit-drain' "$work/out"
result $? "PAGESET_DATADIR says where, and nowhere else is looked"
if ls scripts/lua/*.lua >/dev/null 2>&1; then
	[ "$(find scripts -type f | wc -l)" = "$(find "$work/usr/share/pageset/scripts" -type f | wc -l)" ]
	result $? "the scripts are there"
fi
for page in man1/pageset.1 man5/pageset-scenario.5; do
	file=$work/usr/share/man/$page
	[ -s "$file" ] && head -n 1 "$file" | grep -q SPDX
	result $? "$page"
done
if command -v mandoc >/dev/null 2>&1; then
	# a page that is not installed on this host is no fault of ours
	mandoc -Tlint "$work"/usr/share/man/man*/* 2>&1 | grep -v 'referenced manual not found' >"$work/lint"
	[ ! -s "$work/lint" ]
	result $? "mandoc -Tlint has nothing to say: $(head -n 1 "$work/lint")"
fi
if command -v groff >/dev/null 2>&1; then
	for page in "$work"/usr/share/man/man*/*; do groff -ww -mandoc -Tutf8 -z "$page"; done >"$work/lint" 2>&1
	[ ! -s "$work/lint" ]
	result $? "groff -ww has nothing to say: $(head -n 1 "$work/lint")"
fi
for verb in $("$p" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	grep -q "^\.Ss .*&$verb\$" "$work/usr/share/man/man1/pageset.1" || { echo "$verb" >>"$work/missing"; }
done
[ ! -e "$work/missing" ]
result $? "each command has its part in the man page"
bash -n "$work/usr/share/bash-completion/completions/pageset" &&
	bash -c '. "$1"; COMP_WORDS=(pageset com); COMP_CWORD=1; _pageset; [ "${COMPREPLY[*]}" = compare ]' - \
		"$work/usr/share/bash-completion/completions/pageset"
result $? "bash completes a command"
PATH=$work/usr/bin:$PATH bash -c '. "$1"; COMP_WORDS=(pageset run --series = v); COMP_CWORD=4; _pageset; [ "${COMPREPLY[*]}" = "v2 v3" ]' - \
	"$work/usr/share/bash-completion/completions/pageset"
result $? "bash completes the values of an option"
for shell in zsh fish; do
	! command -v $shell >/dev/null 2>&1 || {
		$shell -n "$("$p" help --completion=$shell >"$work/c.$shell"; echo "$work/c.$shell")"
		result $? "$shell reads its completion"
	}
done
make --no-print-directory PREFIX="$work/usr" uninstall >"$work/log" 2>&1 && [ -z "$(find "$work/usr" -type f)" ]
result $? "uninstall leaves no file"
make --no-print-directory PREFIX=/usr DESTDIR="$work/stage" install >"$work/log" 2>&1 &&
	(cd / && "$work/stage/usr/bin/pageset" run exit-drain --summary) >"$work/out" 2>&1
result $? "DESTDIR: the staged program finds its files too"
if command -v dpkg-deb >/dev/null 2>&1; then
	make --no-print-directory deb >"$work/log" 2>&1 && dpkg-deb -c build/pageset_*.deb >"$work/out" &&
		grep -q 'root/root .*\./usr/bin/pageset$' "$work/out" && grep -q 'pageset.1.gz$' "$work/out"
	result $? "make deb"
fi
exit $status
