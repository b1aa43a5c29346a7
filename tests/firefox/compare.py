#!/usr/bin/env python3
"""Compare the functions that profiler-cli lists with pipa report --json --sort dso,symbol.

    compare.py LOADED REPORT

LOADED has a JSON document per thread. The profiler counts samples; unresolved code is one function
per object there and an address in the report.
"""
import collections
import json
import sys


def documents(path):
    """Return the JSON documents of a file, one after the other."""
    text, decoder, at, result = open(path, encoding="utf-8").read(), json.JSONDecoder(), 0, []
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        result.append(document)
        while at < len(text) and text[at].isspace():
            at += 1
    return result


def main():
    got, want = collections.Counter(), collections.Counter()
    for thread in documents(sys.argv[1]):
        for function in thread["functions"]:
            got[function["name"]] += function["selfSamples"]
    report = json.load(open(sys.argv[2], encoding="utf-8"))
    for row in report["rows"]:
        dso, name = row["dso"], row["symbol"]
        if name.startswith("0x"):
            name = dso if dso.startswith("[") else f"[{dso}]"
        want[name] += sum(event["samples"] for event in row["events"])
    for name in set(want) | set(got):
        if want[name] != got[name]:
            sys.exit(f"{name}: {got[name]} samples, not {want[name]}")
    if got.total() != report["samples"]:
        sys.exit(f"{got.total()} samples, not {report['samples']}")
    if [n for n, _ in got.most_common(1)] != [n for n, _ in want.most_common(1)]:
        sys.exit("another top function")


main()
