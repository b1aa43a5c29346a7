#!/usr/bin/env python3
"""What a heap profiler costs whole programs: CPU time of interleaved runs, each compared with the bare run of its round.

    heap_paired.py PIPA LIBRARY BENCH_HEAP ROUNDS DIRECTORY

Prints the median of the rounds' differences in percent and its 95 % interval, from the order of the differences, so
that a round in which the machine was busy with something else counts as one round and no more. "program" is the
measured program with the library, "with report" is all of pipa heap: its start, the program, symbols and report.
Programs of one thread stay on one CPU: their migrations cost more than what is measured.
Files are written to DIRECTORY.
"""
import glob
import math
import os
import shutil
import statistics
import sys

SQL = """create table t(a, b);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) insert into t select i, hex(i) from n;
create index k on t(b); select count(*), max(b) from t;"""
JSON = """import json
rows = [{"n": i, "text": "x" * (i % 100)} for i in range(60000)]
print(len(json.dumps(json.loads(json.dumps(rows)))))"""
RATE = "524288"
LEAST = 6  # rounds, for an interval of 95 %


def cpu(argv, env):
    """CPU seconds of a command and the children it waited for."""
    null = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (1, 2)]
    pid = os.posix_spawnp(argv[0], argv, {**os.environ, **env}, file_actions=null)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"heap_paired.py: {argv[0]} with {env} ended with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def interval(values):
    """The median of values and its 95 % interval: the ranks between which it is with that probability."""
    values = sorted(values)
    n = len(values)
    below, low = 0.0, 0
    while low < n // 2:
        below += math.comb(n, low) / 2**n
        if below > 0.025:
            break
        low += 1
    low = max(low - 1, 0)
    return statistics.median(values), values[low], values[n - 1 - low]


def show(what, values):
    print("  %-26s %+7.2f %%  (95 %%: %+.2f .. %+.2f)" % (what, *interval(values)), flush=True)


class Variants:
    """Runs of one program in several ways, interleaved; the first is the one to compare with."""

    def __init__(self, directory, ways):
        self.directory = directory
        self.ways = ways  # name: (command, environment)
        self.seconds = {name: [] for name in ways}

    def run(self, rounds):
        names = list(self.ways)
        for i in range(rounds + 1):
            for name in names[i % len(names):] + names[:i % len(names)]:
                shutil.rmtree(self.directory, True)
                os.mkdir(self.directory)
                seconds = cpu(*self.ways[name])
                if i:  # the first fills caches
                    self.seconds[name].append(seconds)

    def added(self, name, base):
        return [(b / a - 1) * 100 for a, b in zip(self.seconds[base], self.seconds[name])]


def find(name):
    """A library below /usr/lib or in a folder there."""
    return next((path for depth in ("", "*/", "*/*/") for path in glob.glob(f"/usr/lib/{depth}{name}")), None)


def main():
    pipa, library, program, rounds, directory = sys.argv[1:]
    rounds = max(int(rounds), LEAST)
    ours = {"LD_PRELOAD": library, "PIPA_HEAP": f"rate={RATE} dir={directory}"}
    heaptrack = find("libheaptrack_preload.so*")
    theirs = {"LD_PRELOAD": heaptrack, "DUMP_HEAPTRACK_OUTPUT": f"{directory}/trace"}
    tcmalloc = find("libtcmalloc.so.4")
    programs = {
        "sqlite3": ["sqlite3", ":memory:", SQL],
        "python3": ["/usr/bin/python3", "-c", JSON],
        "threads": [program, "threads", "1500000"],
    }
    cpus = os.sched_getaffinity(0)
    for name, command in programs.items():
        os.sched_setaffinity(0, cpus if name == "threads" else {max(cpus)})
        if not shutil.which(command[0]):
            print(f"{name}: not installed")
            continue
        runs = Variants(directory, {"bare": (command, {}), "program": (command, ours),
                                    "with report": ([pipa, "heap", "-q", "--"] + command, {})})
        runs.run(rounds)
        print("%s: bare %.1f ms, %d rounds" % (name, statistics.median(runs.seconds["bare"]) * 1e3, rounds))
        added = runs.added("program", "bare")
        show("program", added)
        show("with report", runs.added("with report", "bare"))
        if heaptrack:
            runs = Variants(directory, {"bare": (command, {}), "heaptrack": (command, theirs)})
            runs.run(max(rounds // 5, LEAST))
            peer = runs.added("heaptrack", "bare")
            show("program with heaptrack", peer)
            median, _, most = interval(added)
            times = "%.0f times" % (interval(peer)[0] / median) if median > 0 else "more than can be measured,"
            print("  heaptrack adds %s as much" % times, end="")
            print("; at least %.0f times by the upper end (target 20)" % (interval(peer)[0] / most) if most > 0 else "")
    if tcmalloc:
        command = programs["threads"]
        runs = Variants(directory, {
            "off": (command, {"LD_PRELOAD": tcmalloc}),
            "on": (command, {"LD_PRELOAD": tcmalloc, "TCMALLOC_SAMPLE_PARAMETER": RATE}),
            "ours": (command, {**ours, "LD_PRELOAD": f"{library}:{tcmalloc}"})})
        runs.run(rounds)
        print("threads with tcmalloc: %.1f ms" % (statistics.median(runs.seconds["off"]) * 1e3))
        show("its own sampling", runs.added("on", "off"))
        show("program", runs.added("ours", "off"))
    shutil.rmtree(directory, True)


main()
