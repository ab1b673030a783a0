#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# lint.sh [RULE...]: the rules of the house that a program can see, all or those named. One line "ok lint: RULE" or
# "FAIL lint: RULE" each, under a FAIL the places. Status 1 if any failed.
set -u
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.." || exit 2

status=0
only=$*

# rule NAME TEXT: runs check_NAME, which prints the faults; none is good
rule() {
	local faults
	[ -z "$only" ] || [[ " $only " == *" $1 "* ]] || return 0
	faults=$("check_$1")
	if [ -z "$faults" ]; then
		printf 'ok   lint: %s\n' "$2"
	else
		printf 'FAIL lint: %s\n' "$2"
		printf '%s\n' "$faults" | head -n 40 | sed 's/^/     /'
		status=1
	fi
}

sources=$(find src tests -name '*.[ch]' | sort)
tables=$(find src tests -name '*.def' | sort)
shells=$(find tests tools .ci scripts -type f \( -name '*.sh' -o -path '.ci/run' \) 2>/dev/null | sort)
luas=$(find src scripts tests tools -name '*.lua' 2>/dev/null | sort)

# Which folders of src a folder may include: arrows point down only.
check_arrows() {
	find src -name '*.[ch]' -o -name '*.def' | sort | awk '
		BEGIN {
			may["core"] = " core "; may["base"] = " base "
			n = split("tui script scenario kernel", part)
			for (i = 1; i <= n; i++) may[part[i]] = " " part[i] " core base "
			may["."] = " . tui script scenario kernel core base "
		}
		{ file[NR] = $0; exists[$0] = 1 }
		END {
			for (i = 1; i <= NR; i++) {
				path = file[i]
				folder = path; sub(/\/[^\/]*$/, "", folder)
				own = folder == "src" ? "." : substr(folder, 5)
				for (nr = 1; (getline line < path) > 0; nr++) {
					if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) continue
					target = line; sub(/^[^"]*"/, "", target); sub(/".*/, "", target)
					# a name beside the file comes first, as the compiler has it
					if ((folder "/" target) in exists) target = substr(folder "/" target, 5)
					if (target ~ /^\.\.\//) sub(/^\.\.\//, "", target)
					dir = target; if (!sub(/\/[^\/]*$/, "", dir)) dir = "."
					if (!index(may[own], " " dir " "))
						print path ":" nr ": " own " may not include " target
				}
				close(path)
			}
		}'
}

check_system_headers() {
	grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<(curses|ncurses|panel|lua|lauxlib|lualib|cyaml|yaml|zlib)' \
		src/core/*.[ch] 2>/dev/null
	grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<(curses|ncurses|panel|lua|lauxlib|lualib|cyaml|yaml)' \
		src/base/*.[ch] 2>/dev/null
}

# What libcore.a wants from outside, compared with the allow-list: no stream, no clock, no environment.
check_core_symbols() {
	local log
	ls src/core/*.c >/dev/null 2>&1 || return 0
	if ! log=$(make --no-print-directory V=lint CFLAGS= LDFLAGS= build/lint/libcore.a 2>&1); then
		printf '%s\n' "$log" | tail -n 20
		return 0
	fi
	nm -g build/lint/libcore.a | awk '
		NR == FNR { sub(/#.*/, ""); for (i = 1; i <= NF; i++) allowed[$i] = 1; next }
		NF == 3 { defined[$3] = 1 }
		NF == 2 && $1 == "U" { wanted[$2] = 1 }
		/\.o:$/ { next }
		END { for (s in wanted) if (!(s in defined) && !(s in allowed)) print "libcore.a needs " s }
	' tests/core-symbols.txt - | sort
}

check_spdx() {
	# shellcheck disable=SC2086
	awk 'FNR == 1 { if (NR > 1 && !found) print last; found = 0; last = FILENAME }
		FNR <= 2 && /SPDX-License-Identifier: GPL-2\.0-only/ { found = 1 }
		END { if (NR && !found) print last }' $sources $tables $shells $luas Makefile | sed 's/$/: no SPDX line in the first two lines/'
}

# An if (or else if) whose condition asks for a patch has braces: the code pane finds a patch's lines by them.
check_patched_braces() {
	local files
	files=$(ls src/core/*.c 2>/dev/null) || return 0
	# shellcheck disable=SC2086
	awk '
		function count(s, c) { return gsub(c, c, s) }
		FNR == 1 { open = 0; after = 0 }
		{
			line = $0
			gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
			sub(/\/\/.*/, "", line)
			gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
			if (!open && match(line, /(^|[^A-Za-z_0-9])if[ \t]*\(/)) {
				open = 1; depth = 0; asks = 0; at = FNR
				line = substr(line, RSTART + RLENGTH - 1)
			}
			if (open) {
				for (i = 1; i <= length(line); i++) {
					c = substr(line, i, 1)
					if (c == "(") depth++
					if (c == ")" && --depth == 0) break
				}
				if (substr(line, 1, i) ~ /(^|[^A-Za-z_0-9])patched\(/) asks = 1
				if (depth > 0) next
				open = 0
				rest = substr(line, i + 1)
				if (asks && rest !~ /^[ \t]*\{/)
					print FILENAME ":" at ": a condition on patched() without braces"
			}
		}' $files
}

check_marks() {
	# the words are split here so that this file passes
	grep -nEw 'TO''DO|FIX''ME|XX''X|HA''CK' -r src tests tools scripts scenarios docs .ci Makefile ./*.md 2>/dev/null
}

check_function_length() {
	local files
	files=$(find src tests -name '*.c')
	[ -n "$files" ] || return 0
	# shellcheck disable=SC2086
	ctags -x --c-kinds=f --_xformat='%{line} %{end} %{input} %{name}' $files |
		awk '$2 - $1 >= 100 { print $3 ":" $1 ": " $4 " has " $2 - $1 + 1 " lines" }'
}

check_format() {
	# shellcheck disable=SC2086
	[ -z "$sources" ] || clang-format --dry-run --Werror $sources 2>&1 | grep -E 'error:'
}

check_shell_syntax() {
	local file
	for file in $shells; do
		bash -n "$file" 2>&1
	done
}

# A table file is included by a name without .c; a .c file is never included.
check_no_c_included() {
	grep -nE '#[[:space:]]*include[[:space:]]*["<][^">]*\.c[">]' -r src tests --include='*.[ch]'
}

# Each pattern of a fuzzer's corpus names files.
check_corpora() {
	local corpus pattern
	for corpus in tests/fuzz/*.corpus; do
		[ -e "$corpus" ] || continue
		while IFS= read -r pattern; do
			compgen -G "$pattern" >/dev/null || echo "$corpus: no file is named '$pattern'"
		done <"$corpus"
	done
}

# What git shows without the text: files that a build or an editor left.
check_tree() {
	git ls-files 2>/dev/null | grep -E '\.(o|a|d|gcda|gcno|orig|rej|swp)$|^build/'
}

rule arrows "includes follow the arrows"
rule system_headers "core and base include no curses, Lua or YAML"
rule core_symbols "core needs libc alone (tests/core-symbols.txt)"
rule spdx "each file has its licence line"
rule patched_braces "conditions on patched() have braces"
rule marks "no unfinished marks"
rule function_length "no function over 100 lines"
rule format "clang-format agrees"
rule shell_syntax "shell scripts parse"
rule no_c_included "no .c file is included"
rule corpora "the corpora of the fuzzers name files"
rule tree "nothing made is committed"
exit $status
