#!/usr/bin/env python3
"""Check the structure of a file of pipa export and print its sums.

    timed_profile.py firefox|chrome FILE
"""
import collections
import json
import sys


def check_table(name, table):
    for key, column in table.items():
        if isinstance(column, list) and len(column) != table["length"]:
            sys.exit(f"{name}.{key} has {len(column)} rows, not {table['length']}")


def check_indexes(name, column, length):
    for value in column:
        if value is not None and not (value == -1 or 0 <= value < length):
            sys.exit(f"{name}: {value} is not an index of {length} rows")


def firefox(profile):
    shared = profile["shared"]
    strings, stacks, frames = shared["stringArray"], shared["stackTable"], shared["frameTable"]
    funcs, sources = shared["funcTable"], shared["sources"]
    for name, table in shared.items():
        if isinstance(table, dict):
            check_table(name, table)
    for row, prefix in enumerate(stacks["prefix"]):
        if prefix is not None and prefix >= row:
            sys.exit(f"stack {row} precedes its prefix {prefix}")
    check_indexes("frame", stacks["frame"], frames["length"])
    check_indexes("func", frames["func"], funcs["length"])
    check_indexes("category", frames["category"], len(profile["meta"]["categories"]))
    check_indexes("nativeSymbol", frames["nativeSymbol"], shared["nativeSymbols"]["length"])
    check_indexes("name", funcs["name"] + shared["nativeSymbols"]["name"], len(strings))
    check_indexes("resource", funcs["resource"], shared["resourceTable"]["length"])
    check_indexes("source", funcs["source"], sources["length"])
    check_indexes("filename", sources["filename"] + shared["resourceTable"]["name"], len(strings))
    check_indexes("lib", shared["resourceTable"]["lib"], len(profile["libs"]))
    count = 0
    for thread in profile["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        check_table("samples", samples)
        check_table("markers", markers)
        check_indexes("stack", samples["stack"], stacks["length"])
        if samples["time"] != sorted(samples["time"]):
            sys.exit("times are not sorted")
        count += sum(samples["weight"] or [1] * samples["length"])
        for name, start in zip(markers["name"], markers["startTime"]):
            if strings[name] != "CPU":
                print(strings[name], start)
    tids = [(thread["pid"], thread["tid"]) for thread in profile["threads"]]
    if len(set(tids)) != len(tids):
        sys.exit("two threads have the same TID")
    print("samples", count)


def chrome(trace):
    stacks, last = collections.defaultdict(list), collections.defaultdict(float)
    times, names = collections.Counter(), set()
    for event in trace["traceEvents"]:
        thread = event["pid"], event["tid"]
        if event["ph"] == "M":
            names.add(thread)
        elif event["ph"] == "i":
            print(event["name"], event["args"]["lost"])
        else:
            if thread not in names:
                sys.exit(f"thread {thread} has no name")
            if event["ts"] < last[thread]:
                sys.exit(f"{event} precedes the event before it")
            last[thread] = event["ts"]
            if event["ph"] == "B":
                stacks[thread].append(event)
            elif event["ph"] == "E" and stacks[thread]:
                slice_ = stacks[thread].pop()
                if slice_["name"] != event["name"]:
                    sys.exit(f"{event} ends {slice_}")
                times[slice_["name"]] += event["ts"] - slice_["ts"]
            else:
                sys.exit(f"unexpected {event}")
    if any(stacks.values()):
        sys.exit("a slice does not end")
    print("slices of", len(times), "functions")


def main():
    document = json.load(open(sys.argv[2], encoding="utf-8"))
    (firefox if sys.argv[1] == "firefox" else chrome)(document)


main()
