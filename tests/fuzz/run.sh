#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# run.sh FOLDER SECONDS [NAME...]: runs the fuzzers of FOLDER (all, or those named) so long each. A fuzzer begins with the
# files that the patterns of tests/fuzz/NAME.corpus name, uncompressed, and keeps what it finds in FOLDER/NAME.corpus.
# An input that ends a fuzzer is left as FOLDER/NAME.crash-*; status 1 if there is one.
set -u
cd "$(dirname "$0")/../.." || exit 2

folder=$1 seconds=$2
shift 2
status=0

seed() {
	local pattern file out
	while IFS= read -r pattern; do
		# the patterns are meant to be expanded
		# shellcheck disable=SC2086
		for file in $pattern; do
			if [ ! -f "$file" ]; then
				printf 'FAIL %s: no file is named %s\n' "$1" "$file"
				status=1
				continue
			fi
			out=$2/$(tr / - <<<"${file%.gz}")
			[ -e "$out" ] || gzip -dcf "$file" >"$out"
		done
	done <"$1"
}

for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	corpus=$folder/$name.corpus
	mkdir -p "$corpus"
	[ ! -e "tests/fuzz/$name.corpus" ] || seed "tests/fuzz/$name.corpus" "$corpus"
	if "$folder/$name" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$folder/$name." "$corpus" >"$folder/$name.log" 2>&1; then
		printf 'ok   %s: %s\n' "$name" "$(grep -o 'Done [0-9]* runs in [0-9]* second(s)' "$folder/$name.log")"
	else
		printf 'FAIL %s: see %s\n' "$name" "$folder/$name.log"
		status=1
	fi
done
exit $status
