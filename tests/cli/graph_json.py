#!/usr/bin/env python3
"""Compare the call graph of pipa export -f graph-json with pipa report --json --sort dso,symbol.

    graph_json.py GRAPH REPORT [SCHEMA]
"""
import collections
import json
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None


def sums(rows, key, columns):
    """Add up the rows of equal keys, which inlined functions share with others."""
    result = collections.defaultdict(lambda: [0] * columns)
    for row in rows:
        name, values = key(row)
        result[name] = [a + b for a, b in zip(result[name], values)]
    return result


def main():
    graph = json.load(open(sys.argv[1], encoding="utf-8"))
    report = json.load(open(sys.argv[2], encoding="utf-8"))
    if jsonschema and len(sys.argv) > 3:
        jsonschema.validate(graph, json.load(open(sys.argv[3], encoding="utf-8")))
    columns = len(graph["events"])
    for theirs, ours in (("self", "self"), ("children", "total"), ("samples", "self_samples")):
        want = sums(report["rows"], lambda row: ((row["dso"], row["symbol"]),
                    [event[theirs] for event in row["events"]]), columns)
        got = sums(graph["nodes"], lambda node: ((node["module"], node["function"]), node[ours]),
                   columns)
        for name in set(want) | set(got):
            if want[name] != got[name]:
                sys.exit(f"{ours} of {name}: {got[name]}, not {want[name]}")
    for k, event in enumerate(graph["events"]):
        if sum(module["self"][k] for module in graph["modules"]) != event["weight"]:
            sys.exit(f"modules do not add up to {event}")
    if sorted(i for m in graph["modules"] for i in m["functions"]) != list(range(len(graph["nodes"]))):
        sys.exit("a function is not in exactly one module")
    for edge in graph["edges"]:
        for end in ("from", "to"):
            total = graph["nodes"][edge[end]]["total"]
            if any(w > t for w, t in zip(edge["weight"], total)):
                sys.exit(f"{edge} is heavier than its {end}")


main()
