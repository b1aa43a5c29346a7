"""Self and total of every function, inlined functions included: python3 inlined.py PROGRAM SCRIPT OUTPUTS...

SCRIPT is `pipa script` without inlined frames; addr2line -i says what was inlined into PROGRAM. What comes of
the two is compared with each of the OUTPUTS, which are named by their kind: report.json, self.json, report.csv,
report.txt, folded, page.html, diff.json, diff_children.json, graph.dot. With --physical before PROGRAM nothing
is expanded, for outputs that were made with --no-inline.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys

import view


def symbols(program):
    found = {}
    for line in subprocess.run(["nm", program], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        fields = line.split()
        if len(fields) == 3:
            found[fields[2].split("@")[0]] = int(fields[0], 16)
    return found


class Inlined:
    """(name, inlined) of the frames at a symbol and an offset, outermost first."""

    def __init__(self, program):
        self.program, self.symbols, self.known = program, symbols(program), {}

    def frames(self, symbol, offset):
        start = self.symbols.get(symbol.split("@")[0])
        if start is None:
            return [(symbol, False)]
        address = start + offset
        if address not in self.known:
            names = subprocess.run(["addr2line", "-f", "-i", "-e", self.program, hex(address)],
                                   capture_output=True, text=True,
                                   check=True).stdout.splitlines()[0::2]
            self.known[address] = [(symbol, False)] + [(n, True) for n in reversed(names[:-1])]
        return self.known[address]


def samples(path, program, physical):
    """(period, [(name, inlined)] outermost first) of each sample."""
    inlined = Inlined(program)
    base = os.path.basename(program)
    period, stack = None, []
    with open(path, encoding="utf-8") as text:
        for line in list(text) + ["\n"]:
            if not line.strip():
                if period is not None:
                    yield period, stack
                period, stack = None, []
            elif not line[0].isspace():
                period = int(re.search(r":\s+(\d+) \S+: *$", line).group(1))
            else:
                found = re.match(r"\s+[0-9a-f]+ (.*?)(?:\+0x([0-9a-f]+))? \((.*)\)$", line)
                symbol, offset, dso = found.groups()
                offset = int(offset or "0", 16)
                if os.path.basename(dso) == base and not physical:
                    # an address that a call returns to is the instruction after the call
                    stack[:0] = inlined.frames(symbol, offset - (1 if stack else 0))
                else:
                    stack[:0] = [(symbol, False)]


def add_up(stacks):
    """{function: [self, total]} in weight and in samples."""
    weights, counts = (collections.defaultdict(lambda: [0, 0]) for _ in range(2))
    for period, stack in stacks:
        for which, weight in ((weights, period), (counts, 1)):
            for function in set(stack):
                which[function][1] += weight
            which[stack[-1]][0] += weight
    return dict(weights), dict(counts)


def of_report(path):
    report = json.load(open(path, encoding="utf-8"))
    at = next(i for i, e in enumerate(report["events"]) if e["samples"])
    return {(row["symbol"], row.get("inlined", False)):
            [row["events"][at]["self"], row["events"][at].get("children")] for row in report["rows"]}


def of_diff(path):
    report = json.load(open(path, encoding="utf-8"))
    return {(row["symbol"], row.get("inlined", False)): row["base"]["weight"]
            for row in report["rows"]}


def of_page(path):
    tree = list(view.nodes(view.load(path), inlined=True))
    stack, found = [], []
    for depth, weight, name, _, _, inlined in tree:
        del stack[depth:]
        stack.append((name, inlined))
        if weight:
            found.append((weight, list(stack)))
    return add_up(found)[0]


def of_graph(path):
    """In samples: weights are rounded there."""
    found = {}
    for label in re.findall(r'^n\d+ \[.* tooltip="(.*?)"', open(path, encoding="utf-8").read(), re.M):
        name = label.split("\\n")[0]
        numbers = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) samples?\)", label)]
        found[name.removesuffix(" (inlined)"), name.endswith(" (inlined)")] = numbers
    return found


def by_name(stacks):
    """Folded stacks have only names."""
    return add_up((weight, [(name, False) for name, _ in stack]) for weight, stack in stacks)[0]


def of_folded(path):
    found = []
    for line in open(path, encoding="utf-8"):
        stack, weight = line.rsplit(" ", 1)
        found.append((int(weight), [(name, False) for name in stack.split(";")[1:]]))
    return add_up(found)[0]


def check(path, got, wanted):
    if got != wanted:
        wrong = {k: (got.get(k), wanted.get(k)) for k in set(got) | set(wanted)
                 if got.get(k) != wanted.get(k)}
        sys.exit(f"{path}, (got, expected): {wrong}")


def check_text(path, weights):
    """Percent with two digits; functions of one name in any order."""
    all_of_it = sum(w[0] for w in weights.values())
    wanted = collections.Counter((name + (" (inlined)" if inlined else ""),
                                  f"{100 * w[1] / all_of_it:.2f}", f"{100 * w[0] / all_of_it:.2f}")
                                 for (name, inlined), w in weights.items())
    got = collections.Counter()
    for line in open(path, encoding="utf-8"):
        found = re.match(r"\s+([\d.]+)%\s+([\d.]+)%\s+\[.\] (.*)$", line)
        if found:
            got[found.group(3), found.group(1), found.group(2)] += 1
    check(path, got, wanted)


def check_csv(path, weights):
    got = collections.Counter()
    for row in csv.DictReader(open(path, encoding="utf-8")):
        if int(row["children"]):
            got[row["symbol"], int(row["self"]), int(row["children"])] += 1
    check(path, got, collections.Counter((name + (" (inlined)" if inlined else ""), *w)
                                         for (name, inlined), w in weights.items()))


def main(args):
    physical = args[0] == "--physical"
    program, script, *outputs = args[physical:]
    stacks = list(samples(script, program, physical))
    weights, counts = add_up(stacks)
    selfs = {f: w[0] for f, w in weights.items() if w[0]}
    totals = {f: w[1] for f, w in weights.items()}
    for path in outputs:
        kind = os.path.basename(path)
        if kind == "report.json":
            check(path, of_report(path), weights)
        elif kind == "self.json":
            check(path, {f: w[0] for f, w in of_report(path).items()}, selfs)
        elif kind == "report.csv":
            check_csv(path, weights)
        elif kind == "report.txt":
            check_text(path, weights)
        elif kind == "folded":
            check(path, of_folded(path), by_name(stacks))
        elif kind == "page.html":
            check(path, of_page(path), weights)
        elif kind == "diff.json":
            check(path, of_diff(path), selfs)
        elif kind == "diff_children.json":
            check(path, of_diff(path), totals)
        elif kind == "graph.dot":
            check(path, of_graph(path), counts)
        else:
            sys.exit(f"{path}: which kind is it?")
    inlined = sum(w[0] for (_, is_inlined), w in weights.items() if is_inlined)
    print(f"{len(stacks)} {len(weights)} {100 * inlined // max(1, sum(selfs.values()))}")


if __name__ == "__main__":
    main(sys.argv[1:])
