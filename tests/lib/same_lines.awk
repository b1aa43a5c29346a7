# Compares answers to the same addresses, in the form of `addr2line -a -f -i`:
#
#	awk -f same_lines.awk OURS ADDR2LINE [LLVM]
#
# and prints how many addresses fall into each class:
#
#	same       as addr2line says
#	symbol     addr2line knows no line, only a symbol, and we say that there is no debug information
#	padding    our lines are the same, but the address is between functions: addr2line names the symbol before
#	clone      our lines are the same; a name is the symbol's there (NAME.cold, an alias) and DWARF's here
#	llvm       addr2line is wrong; each frame of ours is the one of llvm-symbolizer
#	different  none of these: shown, and the exit status is 1

function flush_block(file) {
	if (count[file])
		text[file, count[file]] = block
	block = ""
}

FNR == 1 { flush_block(files++); }
/^0x[0-9a-f]+$/ { if (count[files]) text[files, count[files]] = block; block = ""; addr[files, ++count[files]] = $0; next }
{
	sub(/ \(discriminator [0-9]+\)$/, "")
	sub(/:0$/, ":?")
	block = block $0 "\n"
}

# Is it the same function? Theirs may be its symbol: NAME.part.0, NAME@@VERSION, or mangled where DWARF has no
# mangled name (templates of local types).
function same_name(ours, theirs) {
	if (ours == theirs)
		return 1
	sub(/<.*/, "", ours)
	sub(/^_+/, "", ours)
	return ours != "" && ours != "??" && index(theirs, ours) > 0
}

# The class of two answers whose lines, frame by frame, are equal; "" when they are not. Of names it is
# enough that one of the two others has it.
function same_places(ours, theirs, third,    a, b, c, n, i, class) {
	n = split(ours, a, "\n")
	if (split(theirs, b, "\n") != n)
		return ""
	if (split(third, c, "\n") != n)
		split(theirs, c, "\n")
	class = "clone"
	for (i = 1; i < n; i += 2) {
		if (a[i + 1] != b[i + 1])
			return ""
		if (same_name(a[i], b[i]) || same_name(a[i], c[i]))
			continue
		if (a[i] == "??" && n == 3)
			class = "padding"
		else if (b[i] !~ /\.(cold|part)/)
			return ""
	}
	return class
}

function class_of(ours, theirs, llvm,    class) {
	if (ours == theirs)
		return "same"
	if (ours ~ /^\?\?\n\?\?:\?\n$/ && theirs ~ /^[^\n]*\n[^\n]*:\?\n$/)
		return "symbol"
	class = same_places(ours, theirs, llvm)
	if (class)
		return class
	return files > 2 && (ours == llvm || same_places(ours, llvm, theirs)) ? "llvm" : "different"
}

END {
	flush_block(files)
	for (i = 1; i <= count[1]; i++) {
		class = class_of(text[1, i], text[2, i], text[3, i])
		n[class]++
		if (class == "different" && n[class] <= 3)
			print addr[1, i] "\nours\n" text[1, i] "addr2line\n" text[2, i] "llvm\n" text[3, i]
	}
	printf "%d addresses:", count[1]
	split("same symbol padding clone llvm different", order, " ")
	for (i = 1; i <= 6; i++)
		if (n[order[i]])
			printf " %d %s", n[order[i]], order[i]
	print ""
	exit count[1] < 1 || count[1] != count[2] || n["different"] > 0
}
