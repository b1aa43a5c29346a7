#!/usr/bin/env python3
"""Write a large recording in perf's pipe format to standard output.

    large_recording.py SAMPLES [rounds]

SAMPLES samples of 10,000 distinct stacks of 24 frames, of one process without files. The first 100,000
are made, and repeated; they have no time, so that their order does not matter. With "rounds" each
repetition ends a round, as perf writes it; without, the stream never says how far it has come.
"""
import random
import struct
import sys

IP, TID, CALLCHAIN, PERIOD = 1 << 0, 1 << 1, 1 << 5, 1 << 8
ATTR_SIZE, BATCH = 128, 100000


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def head():
    attr = bytearray(ATTR_SIZE)
    struct.pack_into("<IIQQQ", attr, 0, 1, ATTR_SIZE, 0, 1, IP | TID | CALLCHAIN | PERIOD)
    name = b"large\0\0\0"
    path = b"/nowhere/large\0\0"
    return b"".join([
        struct.pack("<QQ", 0x32454C4946524550, 16),  # PERFILE2, pipe mode
        record(64, 0, bytes(attr) + struct.pack("<Q", 1)),
        record(3, 0, struct.pack("<II", 7, 7) + name),
        record(1, 2, struct.pack("<IIQQQ", 7, 7, 0x400000, 0x10000000, 0) + path),
    ])


def samples(n, stacks, depth):
    rng = random.Random(1)
    for i in range(n):
        rng.seed(i % stacks)
        frames = [0x400000 + 64 * rng.randrange(50000) for _ in range(depth)]
        yield record(9, 2, struct.pack("<QIIQQ", frames[0], 7, 7, 1, depth + 1) +
                     struct.pack("<%dQ" % (depth + 1), 0xFFFFFFFFFFFFFE00, *frames))


def main():
    n = int(sys.argv[1])
    round_end = record(68, 0, b"") if "rounds" in sys.argv[2:] else b""
    out = sys.stdout.buffer
    out.write(head())
    batch = list(samples(min(n, BATCH), 10000, 24))
    whole = b"".join(batch) + round_end
    while n >= len(batch):
        out.write(whole)
        n -= len(batch)
    out.write(b"".join(batch[:n]))


main()
