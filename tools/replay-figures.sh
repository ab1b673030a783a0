#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# replay-figures.sh: how well the model agrees with the shipped recordings of real kernels, as a Markdown table. Only
# refills and drains that the kernel really did are counted, one step ahead; pageset replay says more of each recording.
# With --marks: in the recordings of faults, what the run by events alone has at the snapshots' marks.
set -u
cd "$(dirname "$0")/.." || exit 2
export PATH="$PATH:$PWD/build/release"
command -v pageset >/dev/null || { echo "replay-figures.sh: no pageset here; make builds it" >&2; exit 2; }

# kernel, and what its source says of its patch set
kernels="6.1=4 6.12=all 6.18=all,nikhil"

marks() {
	printf '| kernel | recordings | lists | count equal | high equal | with traffic | count equal | high equal |\n|---|---|---|---|---|---|---|---|\n'
	for kernel in $kernels; do
		version=${kernel%%=*}
		for trace in tests/real/*-"$version"/*fault*.trace.txt.gz tests/real/*-"$version"-*/*fault*.trace.txt.gz; do
			[ -e "$trace" ] || continue
			pageset replay --series v3 --patches "${kernel#*=}" --snapshots "${trace%.trace.txt.gz}.snaps.txt.gz" "$trace"
		done | sed 's/[,%]//g' | awk -v kernel="$version" '
			/^[0-9]+ events/ { files++ }
			/lists by events alone/ { alone = 1; lists += $5; count += $9; high += $13 }
			/of them with traffic since/ && alone { alone = 0; moved += $6; moved_count += $10; moved_high += $14 }
			function share(part, whole) { return sprintf("%d (%.1f %%)", part, 100 * part / whole) }
			END { if (!files) exit 1; printf "| %s | %d | %d | %s | %s | %d | %s | %s |\n", kernel, files, lists, share(count, lists),
				share(high, lists), moved, share(moved_count, moved), share(moved_high, moved) }' ||
			{ echo "replay-figures.sh: no recording of $version could be replayed" >&2; exit 1; }
	done
}

if [ "${1:-}" = --marks ]; then
	marks
	exit
fi

printf '| kernel | recordings | events | refills | foretold, with size | drains | foretold |\n|---|---|---|---|---|---|---|\n'
for kernel in $kernels; do
	version=${kernel%%=*}
	for trace in tests/real/*-"$version"/*.trace.txt.gz tests/real/*-"$version"-*/*.trace.txt.gz; do
		[ -e "$trace" ] || continue
		case $trace in *lossy*) continue ;; esac
		pageset replay --series v3 --patches "${kernel#*=}" --snapshots "${trace%.trace.txt.gz}.snaps.txt.gz" "$trace"
	done | awk -v kernel="$version" '
		/^[0-9]+ events/ { files++; events += $1 }
		/^one step ahead/ { ahead = 1 }
		/^running free/ { ahead = 0 }
		ahead && $1 == "refills" { refills += $2; same += $5 }
		ahead && $1 == "drains" { drains += $2; hit += $3 }
		END { if (!files) exit 1; printf "| %s | %d | %d | %d | %d | %d | %d |\n", kernel, files, events, refills, same, drains, hit }' ||
		{ echo "replay-figures.sh: no recording of $version could be replayed" >&2; exit 1; }
done
