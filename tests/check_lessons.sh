#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The lessons as a pupil does them: the keys of each page are pressed, and what the page says stands on the screen, at
# 80x24 and at 120x40; each exercise has a solution that holds, and a wrong number in it does not.
set -u
cd "$(dirname "$0")/.." || exit 2
PAGESET=${PAGESET:-$PWD/build/release/pageset}
export LC_ALL=C.UTF-8
unset NO_COLOR XDG_CONFIG_HOME
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
: >"$work/say"

verdict() {
	if [ "$1" = 0 ]; then
		printf 'ok   lessons: %s\n' "$2"
	else
		printf 'FAIL lessons: %s\n' "$2"
		sed 's/^/     /' "$work/say"
	fi
	: >"$work/say"
}

# ---- the walks ---------------------------------------------------------------------------------------------------------

# play PAGE SIZE: presses the keys of the page, whose script is in $work/do; what is not as it says goes to $work/say,
# the number of texts seen to $seen.
runs=0
play() {
	local page=$1 size=$2 kind arg line n=0 keys='' options shot
	runs=$((runs + 1))
	shot=$work/shot-$runs
	: >"$work/see"
	: >"$work/answers"
	while IFS=$'\t' read -r kind arg line; do
		case $kind in
		OPEN) options=$arg keys='' ;;
		DO)
			n=$((n + 1))
			keys+="$arg<Shot $shot-$n>"
			;;
		SEE) printf '%s\t%s\t%s\n' "$n" "$arg" "$line" >>"$work/see" ;;
		CLOSE)
			printf '%s<Esc><Esc><Shot %s/end>:pane answers<Enter><Enter><Shot %s/answers><Esc>q' \
				"$keys" "$work" "$work" >"$work/keys"
			# shellcheck disable=SC2086
			"$PAGESET" tui --size "$size" --keys "$work/keys" $options >>"$work/say" 2>&1
			;;
		esac
	done <"$work/do"
	awk -F'\t' -v work="$work" -v shot="$shot" -v page="$page" -v size="$size" '
		function load(n,    line, file) {
			file = shot "-" n
			rows = 0
			while ((getline line <file) > 0) {
				gsub(/ +/, " ", line)
				row[++rows] = line
			}
			close(file)
			have = n
		}
		{
			if ($1 != have) load($1)
			found = 0
			for (i = 1; i <= rows && !found; i++) found = index(row[i], $2)
			if (found) { seen++; next }
			printf "%s:%s: not on the %s screen: %s\n", page, $3, size, $2 >>(work "/say")
			for (i = 1; i <= rows; i++) print row[i] >>(work "/say")
		}
		END { print seen + 0 >(work "/seen") }' "$work/see"
	read -r seen <"$work/seen"
}
# lines_with FILE TEXT: how many there are, to $lines
lines_with() {
	local line
	lines=0
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line != *"$2"* ]] || lines=$((lines + 1))
	done <"$1"
}

for page in docs/tutorial/[0-9]*.md docs/lecturer.md README.md; do
	name=${page#docs/tutorial/}
	awk -f tests/lesson_keys.awk "$page" >"$work/do"
	for size in 80x24 120x40; do
		play "$page" "$size"
		[ "$seen" -ge 5 ] || echo "only $seen texts" >>"$work/say"
		case $name in
		0* | 10* | 11* | 12* | 13*)
			# to the end of the scenario, with all of its questions answered, and rightly
			read -r top <"$work/end"
			[[ $top =~ \ op\ ([0-9]+)/([0-9]+)\  ]] && [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ] ||
				echo "ends at: $top" >>"$work/say"
			lines_with "scenarios/lessons/${name%.md}.yaml" '  - predict:'
			asked=$lines
			lines_with "$work/answers" ' right: '
			[ "$asked" = "$lines" ] || echo "$lines of $asked questions are answered rightly" >>"$work/say"
			;;
		esac
		[ ! -s "$work/say" ]
		verdict $? "$name at $size: $seen texts on the screen"
	done
done

# the check itself fails for a number, a key and a file that are wrong
lesson=docs/tutorial/01-what-a-pageset-is.md
wrong() {
	local status
	sed "$2" "$lesson" >"$work/wrong.md"
	awk -f tests/lesson_keys.awk "$work/wrong.md" >"$work/do"
	play "$work/wrong.md" 80x24
	[ -s "$work/say" ] && ! cmp -s "$lesson" "$work/wrong.md"
	status=$?
	: >"$work/say"
	verdict $status "$1 in a lesson is found"
}
wrong 'a wrong number' 's/Right: 62/Right: 63/'
wrong 'a wrong key' 's/^   n  /   N  /'
wrong 'a wrong file' 's/pageset scenarios\/lessons\/01[^ ]*/pageset scenarios\/exit-drain.yaml/'

# ---- the exercises -----------------------------------------------------------------------------------------------------

# run FILE...: TAP of solutions
run() {
	local file scenarios=()
	for file; do
		case $file in
		*.yaml) scenarios+=("$file") ;;
		*)
			if "$PAGESET" lua "$file" >"$work/out" 2>&1; then
				printf 'ok 1 - %s: a script\n' "$file"
			else
				printf 'not ok 1 - %s: %s\n' "$file" "$(head -n 1 "$work/out")"
			fi
			;;
		esac
	done
	[ ${#scenarios[@]} = 0 ] || "$PAGESET" check "${scenarios[@]}" 2>&1
}
# Each number behind == (or at the end of an expect.eq) one more, one file each: FILE.001.yaml and so on in $work/mutants.
mutants() {
	awk -v dir="$work/mutants" '
		function write(    i, k, n, file, rest, done, head, tail) {
			for (i = 1; i <= rows; i++) {
				if (text[i] ~ /^ *(#|why:|--)/) continue
				rest = text[i]; done = ""
				while (match(rest, /(== |expect\.eq\(.*, )[0-9]+/)) {
					head = substr(rest, 1, RSTART + RLENGTH - 1)
					tail = substr(rest, RSTART + RLENGTH)
					match(head, /[0-9]+$/)
					file = sprintf("%s/%s.%03d.%s", dir, name, ++n, ext)
					for (k = 1; k <= rows; k++)
						print(k == i ? done substr(head, 1, RSTART - 1) (substr(head, RSTART) + 1) tail : text[k]) >file
					close(file)
					done = done head; rest = tail
				}
			}
		}
		FNR == 1 {
			write()
			name = ext = FILENAME
			sub(/.*\//, "", name)
			sub(/.*\./, "", ext)
		}
		{ text[rows = FNR] = $0 }
		END { write() }' "$@"
}

for page in docs/tutorial/[0-9]*.md; do
	number=${page#docs/tutorial/}
	number=${number%%-*}
	text=$(<"$page")
	part=${text#*$'\n## Exercises\n'}
	part=${part%%$'\n## In the kernel\n'*}
	exercises=0
	while IFS= read -r line; do [[ $line != [0-9].\ * ]] || exercises=$((exercises + 1)); done <<<"$part"
	solved=0
	for ((k = 1; k <= exercises; k++)); do
		[[ $part != *"(solutions/$number-$k"* ]] || solved=$((solved + 1))
	done
	files=(docs/tutorial/solutions/"$number"-*)
	for file in "${files[@]}"; do
		[[ $part == *"(solutions/${file##*/})"* ]] || echo "$page has no link to $file" >>"$work/say"
	done
	run "${files[@]}" | grep -a -A 3 '^not ok' >>"$work/say"
	rm -rf "$work/mutants"
	mkdir "$work/mutants"
	mutants "${files[@]}"
	for file in "${files[@]}"; do
		[ -e "$work/mutants/${file##*/}.001.${file##*.}" ] || echo "$file checks no number" >>"$work/say"
	done
	wrong=("$work"/mutants/*)
	altered=${#wrong[@]}
	run "${wrong[@]}" >"$work/tap"
	grep -a '^ok' "$work/tap" | sed 's/^/a wrong number holds: /' >>"$work/say"
	lines_with "$work/tap" 'not ok '
	[ "$lines" = "$altered" ] || echo "not all of $altered ran" >>"$work/say"
	[ ! -s "$work/say" ] && [ "$exercises" -ge 2 ] && [ "$solved" = "$exercises" ]
	verdict $? "lesson $number: $solved of $exercises exercises solved, $altered wrong numbers refused"
done
