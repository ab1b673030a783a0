# SPDX-License-Identifier: GPL-2.0-only
# lesson_keys.awk: the keys that a page tells the reader to press, and what it says that the screen shows.
#
# An indented line "pageset FILE.yaml" opens a scenario, "make run" the start page. In a block that begins with ```keys each line is one thing to do:
# the keys, a blank between two; behind two blanks or more what the screen shows then, several texts two blanks apart.
# In a table whose first cell is a number (a lecturer's plan) "`pageset FILE.yaml`" opens a scenario, the keys stand in
# backquotes in the cell before the last, the texts in backquotes in the last.
#
# A key is a character or a name such as Enter; several characters are pressed one by one (20n); what begins with : goes
# on up to Enter with its blanks. Output, fields apart by tabs: OPEN arguments line, DO keys for --keys line, SEE text line,
# CLOSE.
function script(keys,    n, word, i, out, line) {
	n = split(keys, word, " ")
	line = 0
	for (i = 1; i <= n; i++) {
		if (word[i] ~ /^(Enter|Esc|Tab|S-Tab|Space|Up|Down|Left|Right|PgUp|PgDn|Home|End|F1|BS)$/) {
			out = out "<" word[i] ">"
			line = 0
		} else {
			if (line) out = out " "
			if (word[i] ~ /^:./) line = 1
			out = out word[i]
		}
	}
	return out
}
function begin(arguments) {
	if (opened) print "CLOSE"
	printf "OPEN\t%s\t%d\n", arguments, FNR
	opened = 1
}
function act(keys, texts, n,    i) {
	printf "DO\t%s\t%d\n", script(keys), FNR
	for (i = 1; i <= n; i++) printf "SEE\t%s\t%d\n", texts[i], FNR
}
/^ *```/ { block = block ? 0 : ($0 ~ /^ *```keys$/ ? 1 : 2); next }
block == 1 {
	sub(/^ +/, "")
	if ($0 == "") next
	n = split($0, part, /  +/)
	for (i = 2; i <= n; i++) texts[i - 1] = part[i]
	act(part[1], texts, n - 1)
	next
}
block == 2 { next }
/^    +make run$/ { begin(" ") }
/^    +pageset .*\.yaml$/ { sub(/^ *pageset /, ""); begin($0) }
/^\| *[0-9]+ *\|/ {
	n = split($0, cell, "|")
	if (match(cell[3], /`pageset [^ `]+\.yaml`/)) begin(substr(cell[3], RSTART + 9, RLENGTH - 10))
	if (n < 6) next
	k = split(cell[4], inside, "`")
	keys = ""
	for (i = 2; i <= k; i += 2) keys = keys " " inside[i]
	m = 0
	k = split(cell[5], inside, "`")
	for (i = 2; i <= k; i += 2) texts[++m] = inside[i]
	if (keys != "") act(keys, texts, m)
}
END { if (opened) print "CLOSE" }
