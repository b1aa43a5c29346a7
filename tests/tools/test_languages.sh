#!/usr/bin/env bash
#
# Every text of a report exists in English and Chinese: formats of messages in the sources have a row in
# src/export/table/messages.c, and names in the data of the page have a text in web/report/lang*.js.

set -euo pipefail
cd "${PIPA_SOURCE:-$(dirname "${BASH_SOURCE[0]}")/../..}"
command -v python3 > /dev/null || {
	echo 'skipped: there is no python3'
	exit 77
}
exec python3 - << 'END'
import re
import sys

missing = []


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def unquote(text):
    """Join adjacent literals of C or JavaScript."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return re.sub(r'\\(.)', r'\1', "".join(parts))


LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*')


def arguments(source, function):
    """The text between the parentheses of each call."""
    for call in re.finditer(r'\b%s\(' % function, source):
        depth, at, quoted = 1, call.end(), False
        while depth:
            c = source[at]
            if quoted:
                at += c == "\\"
                quoted = c != '"'
            elif c == '"':
                quoted = True
            else:
                depth += (c == "(") - (c == ")")
            at += 1
        yield source[call.end():at - 1]


def normal(text):
    text = re.sub(r"%%", "\0", text)
    text = re.sub(r"%[-.0-9]*(?:zu|llu|d|u|s|f)", "*", text)
    return text.replace("\0", "%")


# ---- messages -----------------------------------------------------------------------------------

MESSAGES = {
    "src/load/dataset.c": ["pipa_dataset_note"],
    "src/load/dataset_read.c": ["pipa_dataset_note"],
    "src/job/analyze/analysis.c": ["pipa_dataset_note_unusable"],
    "src/import/rules.c": ["note_problem", "snprintf"],
    "src/analyze/rules/check.c": ["snprintf"],
    "src/analyze/rules/rule_expr.c": ["set_fault", "fail_parse"],
    "src/job/view/annotate_list.c": ["entry->problem =", "list->problem =", "return \"no "],
}
# literals of these calls that are parts of a message
PARTS = {"", "*", ", ", "evidence"}

table = read("src/export/table/messages.c")
formats = {unquote(m.group(1)): unquote(m.group(2))
           for m in re.finditer(r"\{ (%s),\s*(%s) \}" % (LITERAL.pattern, LITERAL.pattern), table)}
known = {re.sub(r"\*+", "*", one) for one in formats}

seen = 0
for path, names in MESSAGES.items():
    source = read(path)
    for name in names:
        if name.isidentifier():
            texts = [unquote(m.group()) for a in arguments(source, name) for m in LITERAL.finditer(a)]
        else:
            begin = re.escape(name.split('"')[0].rstrip()) + r"[^;]*?;"
            texts = [unquote(m.group()) for a in re.finditer(begin, source) for m in LITERAL.finditer(a.group())]
        for text in texts:
            text = re.sub(r"\*+", "*", normal(text))
            seen += 1
            if text not in PARTS and text not in known and text[:-1] not in known:
                missing.append("%s: %r has no row in src/export/table/messages.c" % (path, text))
for fault in re.finditer(r"fault = ([^;]*);", read("src/analyze/rules/rule_text.c")):
    for text in map(unquote, LITERAL.findall(fault.group(1))):
        seen += 1
        if text not in known:
            missing.append("src/analyze/rules/rule_text.c: %r has no row" % text)
if seen < 80:
    missing.append("only %d messages were found in the sources" % seen)

chinese = re.compile("[\u4e00-\u9fff]")
for english, text in formats.items():
    if not chinese.search(text) and text != english:
        missing.append("messages.c: %r is not Chinese" % text)
    for at in re.findall(r"\{(\d)\}", text):
        if int(at) > english.count("*"):
            missing.append("messages.c: {%s} of %r has no asterisk" % (at, english))

# ---- names of the page --------------------------------------------------------------------------

rows = {}
for part in ("", "_sections", "_compare", "_columns"):
    try:
        text = read("web/report/lang%s.js" % part)
    except FileNotFoundError:
        continue
    for m in re.finditer(r'"([^"]+)": \{\s*en: (%s(?:\s*\+\s*%s)*),\s*(?:one: %s,\s*(?:of: \d,\s*)?)?zh: (%s)' %
                         (LITERAL.pattern, LITERAL.pattern, LITERAL.pattern, LITERAL.pattern), text):
        rows[m.group(1)] = (unquote(m.group(2)), unquote(m.group(3)))


def need(key, where):
    if key not in rows:
        missing.append("%s: %s has no text in web/report/lang*.js" % (where, key))


for name in re.findall(r'= \{ "([a-z_0-9]+)",\s+[0-9.]+,', read("src/analyze/quality/quality.c")):
    need("defect." + name, "src/analyze/quality/quality.c")
for name in re.findall(r'statement_begin\(maker, "([a-z]+)"\)', read("src/analyze/report/characterize.c")):
    need("work." + name, "src/analyze/report/characterize.c")

for line in missing:
    print("not ok: " + line)
print("%d messages, %d texts of the page" % (seen, len(rows)))
sys.exit(bool(missing))
END
