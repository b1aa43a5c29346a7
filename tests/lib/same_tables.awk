# Two files as `sadf -d` writes them: every table of the first that has rows is in the second, with all
# its columns, the same rows and the same values. Prints what differs.
#
#	awk -F ';' -v seconds=2.50 -v least=N [-v except=FILE] [-v exact=1] -f same_tables.awk theirs ours
#
# `seconds` is the interval that the first divided by; that of the second is in its rows. What is
# counted per second is compared as what was counted: equal but for the digits that were not printed
# (exact=1: both divided by the same, to the last digit).
# All else is equal to the last digit; what is missing in the second is zero in the first. A line of `except` is "COLUMN ROW WHY..." with an asterisk for
# any row; a value listed there must differ, so that the list does not outlive its reasons.

function is_rate(column) {
	return column ~ /\/s$|^(tps|rtps|wtps|dtps|aqu-sz|%util|%ifutil|%scpu|%[sf]io|%[sf]mem)$/
}

# Both rounded to hundredths; ours divided by an interval that is itself rounded to milliseconds.
function same_rate(theirs, ours, interval,   off) {
	if (exact)
		return theirs == ours
	off = theirs * seconds - ours * interval
	if (off < 0)
		off = -off
	return off <= 0.00501 * (seconds + interval) + 0.00052 * ours
}

function is_exception(column, row) {
	return (column, row) in exceptions ? column SUBSEP row : \
		(column, "*") in exceptions ? column SUBSEP "*" : ""
}

function compare(row, column, theirs, ours, interval,   same, exception) {
	compared++
	same = ours == "" ? theirs == 0 : is_rate(column) ? same_rate(theirs, ours, interval) : theirs == ours
	exception = is_exception(column, row)
	if (exception != "")
		met[exception] += !same
	else if (!same)
		print row " " column ": sysstat " theirs ", pipa " ours " (of " interval " s)"
}

# has_all(COLUMNS): are they all in the title line that is read?
function has_all(columns,   list, many, i) {
	many = split(columns, list, ";")
	for (i = 1; i <= many && list[i] in at; i++)
		;
	return i > many
}

# A row without anything but zeros: sysstat has it also where the file is not there.
function is_zero(row,   value, many, i) {
	many = split(row, value, ";")
	for (i = 4; i <= many && value[i] == 0; i++)
		;
	return i > many
}

BEGIN {
	while (except != "" && (getline line < except) > 0) {
		split(line, part, " ")
		if (line !~ /^#/ && line != "")
			exceptions[part[1], part[2]] = line
	}
}

FNR == 1 { file++ }

/^#/ {
	labelled = $4 ~ /^(CPU|DEV|IFACE|TTY)$/
	table = substr($0, index($0, ";timestamp;") + 11)
	split("", at)
	for (i = 4; i <= NF; i++)
		at[$i] = i
	if (file == 2) # the table of theirs whose columns are all here
		for (known in columns)
			if (has_all(known))
				table = known
	if (file == 1 && !(table in columns))
		columns[table] = split(table, title, ";")
	next
}

{
	row = labelled ? $4 : "-"
}

file == 1 {
	theirs[table, row] = $0
	next
}

table in columns {
	if (!((table, row) in theirs)) {
		if (is_exception("row", row) != "")
			met[is_exception("row", row)]++
		else
			print row " of " table ": sysstat has no such row"
		next
	}
	split(theirs[table, row], value, ";")
	split(table, title, ";")
	for (i = 1 + labelled; i <= columns[table]; i++)
		compare(row, title[i], value[3 + i], $at[title[i]], $2)
	seen[table, row]++
}

END {
	for (key in theirs) {
		split(key, part, SUBSEP)
		if (!seen[key] && part[2] == "-" && is_zero(theirs[key]))
			continue
		if (!seen[key] && is_exception("row", part[2]) != "")
			met[is_exception("row", part[2])]++
		else if (seen[key] != 1)
			print part[2] " of " part[1] ": sysstat's row, " seen[key] + 0 " times in ours"
	}
	for (key in exceptions)
		if (!met[key])
			print "no difference any more: " exceptions[key]
	if (compared < least)
		print "only " compared + 0 " values compared"
}
