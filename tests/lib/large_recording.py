#!/usr/bin/env python3
"""Write a large recording in perf's pipe format to standard output.

    large_recording.py SAMPLES [rounds] [times]

SAMPLES samples of 10,000 distinct stacks of 24 frames, of one process without files. The first 100,000
are made, and repeated; they have no time, so that their order does not matter, unless "times" asks for
it: 100 us from one to the next. With "rounds" each repetition ends a round, as perf writes it; without,
the stream never says how far it has come.
"""
import random
import struct
import sys

IP, TID, TIME, CALLCHAIN, PERIOD = 1 << 0, 1 << 1, 1 << 2, 1 << 5, 1 << 8
ATTR_SIZE, BATCH = 128, 100000
TIME_AT = 8 + 8 + 8  # after header, ip, pid and tid
TIMES = "times" in sys.argv[2:]


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def head():
    attr = bytearray(ATTR_SIZE)
    struct.pack_into("<IIQQQ", attr, 0, 1, ATTR_SIZE, 0, 1, IP | TID | CALLCHAIN | PERIOD | TIMES * TIME)
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
        yield record(9, 2, struct.pack("<QII", frames[0], 7, 7) + bytes(8 * TIMES) +
                     struct.pack("<QQ", 1, depth + 1) +
                     struct.pack("<%dQ" % (depth + 1), 0xFFFFFFFFFFFFFE00, *frames))


def main():
    n = int(sys.argv[1])
    round_end = record(68, 0, b"") if "rounds" in sys.argv[2:] else b""
    out = sys.stdout.buffer
    out.write(head())
    batch = list(samples(min(n, BATCH), 10000, 24))
    whole = bytearray(b"".join(batch) + round_end)
    done = 0
    while n - done >= len(batch):
        if TIMES:
            size = len(batch[0])
            for i in range(len(batch)):
                struct.pack_into("<Q", whole, i * size + TIME_AT, (done + i) * 100000)
        out.write(whole)
        done += len(batch)
    out.write(b"".join(batch[:n - done]))


main()
