#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Lint itself: each rule finds the fault that it is there for, in a small tree made for it, and passes without it.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
tree=$(mktemp -d) || exit 2
trap 'rm -rf "$tree"' EXIT

# a tree that every rule accepts
fresh() {
	rm -rf "$tree/t"
	mkdir -p "$tree/t/src/core" "$tree/t/src/base" "$tree/t/src/kernel" "$tree/t/src/tui" "$tree/t/tests"
	cp "$top/Makefile" "$top/.clang-format" "$tree/t"
	cp "$top/tests/lint.sh" "$top/tests/core-symbols.txt" "$tree/t/tests"
	cd "$tree/t" || exit 2
	git init -q .
	local part
	for part in core base kernel tui; do
		printf '/* SPDX-License-Identifier: GPL-2.0-only */\nvoid %s_x(void);\n' $part >src/$part/x.h
		printf '/* SPDX-License-Identifier: GPL-2.0-only */\n#include "x.h"\n\nvoid %s_x(void)\n{\n}\n' $part >src/$part/x.c
	done
	git add -A
}

# expect RULE: the rule must refuse the tree as it stands
expect() {
	local rule=$1 what=$2
	if tests/lint.sh "$rule" >out 2>&1 || ! grep -q '^FAIL' out; then
		echo "FAIL lint $rule does not see: $what"
		head -n 5 out
	else
		echo "ok   lint $rule sees: $what"
	fi
	fresh
}

fresh
if tests/lint.sh >"$tree/out" 2>&1; then
	echo "ok   lint accepts a clean tree"
else
	echo "FAIL lint refuses a clean tree"
	cat "$tree/out"
fi

echo '#include "core/x.h"' >>src/base/x.c; expect arrows "base includes core"
echo '#include "base/x.h"' >>src/core/x.c; expect arrows "core includes base"
echo '#include "../tui/x.h"' >>src/kernel/x.c; expect arrows "one of the middle includes another"
echo '#include <panel.h>' >>src/core/x.c; expect system_headers "core includes curses"
printf '#include <stdio.h>\nvoid core_y(void);\nvoid core_y(void)\n{\n\tputs("x");\n}\n' >>src/core/x.c
expect core_symbols "core prints"
printf '#include <time.h>\nlong core_y(void);\nlong core_y(void)\n{\n\treturn time(NULL);\n}\n' >>src/core/x.c
expect core_symbols "core asks for the time"
sed -i 1d src/tui/x.c; expect spdx "a file without its licence line"
printf 'void core_z(int x)\n{\n\tif (x && patched(1))\n\t\tx++;\n}\n' >>src/core/x.c; expect patched_braces "no braces"
printf 'void core_z(int x)\n{\n\tif (x &&\n\t    patched(1) /* ) { */)\n\t\tx++;\n}\n' >>src/core/x.c
expect patched_braces "no braces behind a condition of two lines"
printf 'void core_z(int x)\n{\n\tif (x) {\n\t} else if (patched(1)) x++;\n}\n' >>src/core/x.c
expect patched_braces "no braces behind else if"
echo '/* TO''DO: think */' >>src/tui/x.c; expect marks "an unfinished mark"
{
	printf 'void tui_y(int x);\nvoid tui_y(int x)\n{\n'
	for _ in $(seq 100); do printf '\tx++;\n'; done
	printf '}\n'
} >>src/tui/x.c
expect function_length "a function of 103 lines"
echo 'void  tui_y( int x );' >>src/tui/x.h; expect format "a line that clang-format would change"
printf '#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0-only\nif true; then\n' >tests/x.sh; expect shell_syntax "an open if"
echo '#include "base/x.c"' >>src/tui/x.c; expect no_c_included "a .c file is included"
touch src/tui/x.o && git add -f src/tui/x.o; expect tree "an object file is committed"
