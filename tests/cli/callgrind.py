#!/usr/bin/env python3
"""Compare the output of callgrind_annotate with that of pipa report --json --sort dso,symbol.

    callgrind.py REPORT SELF INCLUSIVE

SELF and INCLUSIVE are what callgrind_annotate prints with --inclusive=no and =yes. Functions of one
name are added up, because callgrind_annotate does not keep the objects apart.
"""
import collections
import json
import re
import sys

VALUE = r"(?:[\d,]+(?: \( ?[\d.]+%\))?|\.)"


def annotated(path, columns):
    """Return the totals and {function: values} of an output of callgrind_annotate."""
    totals, rows = None, collections.defaultdict(lambda: [0] * columns)
    line_form = re.compile(r"^\s*" + r"\s+".join([f"({VALUE})"] * columns) + r"\s+(.*)$")
    for line in open(path, encoding="utf-8"):
        match = line_form.match(line.rstrip("\n"))
        if not match:
            continue
        values = [int(re.sub(r" \(.*|,", "", v)) if v != "." else 0 for v in match.groups()[:-1]]
        name = match.groups()[-1]
        if name == "PROGRAM TOTALS":
            totals = values
        else:
            name = re.sub(r"( \(inlined\))? \[[^]]*\]*$", "", name).split(":", 1)[1]
            rows[name] = [a + b for a, b in zip(rows[name], values)]
    return totals, rows


def main():
    report = json.load(open(sys.argv[1], encoding="utf-8"))
    columns = len(report["events"])
    totals, self_costs = annotated(sys.argv[2], columns)
    inclusive = annotated(sys.argv[3], columns)[1]
    wanted = [event["weight"] for event in report["events"]]
    if totals != wanted:
        sys.exit(f"totals {totals}, not {wanted}")
    for what, got in (("self", self_costs), ("children", inclusive)):
        rows = collections.defaultdict(lambda: [0] * columns)
        for row in report["rows"]:
            values = [event[what] for event in row["events"]]
            rows[row["symbol"]] = [a + b for a, b in zip(rows[row["symbol"]], values)]
        got.pop("(root)", None)
        for name in set(rows) | set(got):
            if rows[name] != got[name]:
                sys.exit(f"{what} of {name}: {got[name]}, not {rows[name]}")
    print(f"{len(rows)} functions")


main()
