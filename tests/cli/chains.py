#!/usr/bin/env python3
"""Accuracy of call chains of recordings whose true chains are known.

    chains.py NAME < output of `pipa script --json`

Prints: NAME, samples, samples with the true chain, percentage, incomplete stacks. The exit status is 1 when
the recording misses its target (more than one sample with another chain; see CHAINS). NAME is that of a
recording of the corpus, program.dwarf or program.fp (tests/data/chains).
"""
import json
import re
import sys

START = ["_start", "__libc_start_main", "__libc_start_call_main"]
SIGNAL = ["__kernel_rt_sigreturn", "handler", "hleaf", "leaf"]

# Every sample's chain is one of these from the start up to some frame.
CHAINS = {
    "dup": [START + ["main", "m1", "m2", "f", "g"]],
    "nocfi_fp": [START + ["main", "a", "b", "c", "leaf"]],
    "nocfi_signal": [
        START + ["main", "sigwork", "leaf"] + SIGNAL,
        START + ["main", "sigwork"] + SIGNAL,
        START + ["main"] + SIGNAL,
    ],
    "omit_vdso": [
        START + ["main", "vd", "clock_gettime", "__kernel_clock_gettime"],
        START + ["main", "clock_gettime", "__kernel_clock_gettime"],
    ],
}

# tests/data/chains/chains.c; the stub that returns from a handler has another name on every architecture
BEGIN = ["_start", "begin"]
HANDLER = ["<stub>", "handler", "hleaf", "leaf"]
PROGRAM = [
    BEGIN + ["dup", "m1", "m2", "f", "g"],
    BEGIN + ["chain", "a", "b", "c", "leaf"],
    BEGIN + ["edges", "e1", "e2", "e3"],
    BEGIN + ["written", "by_hand", "leaf"],
    BEGIN + ["by_signal", "sigwork", "leaf"] + HANDLER,
    BEGIN + ["by_signal", "sigwork"] + HANDLER,
    BEGIN + ["by_signal"] + HANDLER,
]
STUBS = ("restore", "__kernel_rt_sigreturn", "__vdso_rt_sigreturn")

GO_OUTERMOST = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go", "runtime.mcall"}


def read(stream):
    """Chains, outermost first, each with whether it is marked as incomplete."""
    for line in stream:
        sample = json.loads(line)
        frames = sample.get("stack", [])
        # lib!code@0x10 is the range between two symbols: the frame has none
        names = [f["sym"] if f.get("sym") and "!code@" not in f["sym"] else "[%s]" % f.get("dso", "") for f in frames]
        yield names[::-1], "truncated" in sample


def same(got, want):
    """libc may have no symbol for its own functions; a name of its start-up code stands for any."""
    if got == want or (want == "<stub>" and (got in STUBS or got.startswith("["))):
        return True
    return want in START[1:] + ["clock_gettime"] and ("libc" in got)


def is_prefix(names, chain):
    return len(names) <= len(chain) and all(map(same, names, chain))


def is_part(names, chain):
    """Are all frames frames of the chain, in its order?"""
    rest = iter(chain)
    return all(any(same(name, want) for want in rest) for name in names)


def judge(name, samples):
    base, mode = name.split(".")[:2]
    if base == "program":
        # along frame pointers the callers of functions without frame records are missing
        fits = is_part if mode == "fp" else is_prefix
        if mode != "fp" and any("[" in name for names, _ in samples for name in names[2:]):
            return [False] * len(samples)
        return [any(fits(names, c) for c in PROGRAM) for names, cut in samples]
    chains = CHAINS.get("dup" if base.startswith("dup") else base)
    if base == "gostrip":
        if mode == "dwarf":
            return [names[0] in GO_OUTERMOST and not cut for names, cut in samples]
        return [cut for names, cut in samples]
    if base in ("node", "java"):
        pattern = {"node": r"^(JS:|Builtins_|LazyCompile|Function)", "java": r"^(?!Interpreter)[^\[]"}
        return [
            len(names) < 2 or names[-1] != names[-2] or not re.match(pattern[base], names[-1])
            for names, cut in samples
        ]
    if mode == "fp" and base not in ("dup_cfi", "dup_fp", "nocfi_fp"):
        # not in the recorded bytes: no false frame, and known to be incomplete
        return [
            any(is_prefix(names, c) or (cut and is_part(names, c)) for c in chains)
            for names, cut in samples
        ]
    return [any(is_prefix(names, c) for c in chains) and not cut for names, cut in samples]


def main():
    name = sys.argv[1]
    samples = list(read(sys.stdin))
    right = judge(name, samples)
    wrong = right.count(False)
    share = {"node": 1, "java": 1, "program": 2}.get(name.split(".")[0], 0)
    allowed = max(1, len(samples) * share // 100) if share != 1 else len(samples) // 100
    cut = sum(1 for _, c in samples if c)
    share = 100.0 * (len(samples) - wrong) / max(len(samples), 1)
    print("%-20s %5d %5d %7.2f %% %5d" % (name, len(samples), len(samples) - wrong, share, cut))
    if wrong > allowed:
        for (names, _), ok in list(zip(samples, right)):
            if not ok:
                print("  e.g. " + ";".join(names))
                break
    return not samples or wrong > allowed


if __name__ == "__main__":
    sys.exit(main())
