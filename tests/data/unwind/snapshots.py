# Run by gdb (make-fixtures): stop at each place, step on from there, and write down registers, the
# stack and gdb's own chain of callers at each new address.
import os

import gdb

ARCH = os.environ["FIXTURE_ARCH"]
OUT = open(os.environ["FIXTURE_OUT"], "w")
NAMES = {
    "x86_64": "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split(),
    "aarch64": ["x%d" % i for i in range(31)] + ["sp"],
    "riscv64": ["x%d" % i for i in range(32)],
}[ARCH]
# where to stop, at which hit, and for how many instructions to go on
PLACES = [
    ("deep", 1, 12), ("deep", 21, 0), ("aligned", 1, 40), ("leaf", 2, 6), ("of_any_size", 1, 50),
    ("calls_last", 1, 16), ("called_last", 1, 14), ("wide", 1, 60), ("compare", 2, 14),
    ("handler", 1, 24), ("handler", 2, 12),
]
MASK = (1 << 64) - 1
MOST_BYTES = 12288
last = [None]

# sizes of the stacks from an earlier run, when this one's chains are not to be trusted
SIZES = {}
if "FIXTURE_SIZES" in os.environ:
    for line in open(os.environ["FIXTURE_SIZES"]):
        if line.startswith("sample "):
            of = line.split()[1]
        elif line.startswith("size "):
            SIZES[of] = int(line.split()[1])


def signed(frame, name):
    return int(frame.read_register(name)) & MASK


def words_of(data):
    """Words of the stack, runs of equal ones shortened to WORD*COUNT."""
    words = [int.from_bytes(bytes(data[i:i + 8]), "little") for i in range(0, len(data) // 8 * 8, 8)]
    out, i = [], 0
    while i < len(words):
        n = 1
        while i + n < len(words) and words[i + n] == words[i]:
            n += 1
        out.append("%x*%d" % (words[i], n) if n > 1 else "%x" % words[i])
        i += n
    return " ".join(out)


def snapshot(label):
    frame = gdb.newest_frame()
    regs = {i: signed(frame, name) for i, name in enumerate(NAMES)}
    pc, sp = frame.pc(), signed(frame, "sp")
    chain, top, same_stack = [], sp, True
    end = "complete"
    while frame is not None and len(chain) < 200:
        try:
            chain.append(frame.pc())
            here = signed(frame, "sp")
            if here < top or here - top > MOST_BYTES:
                same_stack, end = False, "elsewhere"
            top = max(top, here) if same_stack else top
            frame = frame.older()
        except gdb.error:  # gdb itself gives up; whatever is above may be needed
            end, top, frame = "further", top + 1024, None
    size = min(top - sp + 64, MOST_BYTES) if same_stack else 2048
    size = SIZES.get(label, size)
    stack = gdb.selected_inferior().read_memory(sp, size)
    OUT.write("sample %s\npc %x\nregs %s\n" % (
        label, pc, " ".join("%d=%x" % item for item in regs.items() if item[1])))
    words = words_of(stack)
    OUT.write("size %d\n" % size)
    OUT.write("stack %s\n" % ("same" if words == last[0] else words))
    last[0] = words
    OUT.write("frames %s\n" % " ".join("%x" % address for address in chain))
    OUT.write("end %s\n\n" % end)


def around(address):
    """Code that says nothing of itself: stubs behind a signal handler and of the PLT."""
    data = bytes(gdb.selected_inferior().read_memory(address, 16))
    return "code %x %s\n" % (address, data.hex())


def main():
    places = {(name, hit): steps for name, hit, steps in PLACES}
    seen, hits, starts, label, budget, step = set(), {}, {}, "", -1, 0
    for name in sorted({place[0] for place in PLACES}):
        gdb.execute("break *%s" % name, to_string=True)
        starts[int(gdb.parse_and_eval("(long)&%s" % name)) & MASK] = name
    gdb.execute("handle SIGUSR1 SIGUSR2 nostop noprint pass", to_string=True)
    gdb.execute(os.environ["FIXTURE_START"], to_string=True)
    while gdb.selected_inferior().pid:
        frame = gdb.newest_frame()
        name = starts.get(frame.pc())
        if name:
            hits[name] = hits.get(name, 0) + 1
            place = (name, hits[name])
            if places.get(place, -1) > budget:
                label, budget, step = "%s/%d" % place, places[place], 0
            if place == ("handler", 1):
                OUT.write(around(frame.older().pc()))
        if budget >= 0 and (label, frame.pc()) not in seen:
            seen.add((label, frame.pc()))
            if "@plt" in (frame.name() or "@plt"):
                OUT.write(around(frame.pc()))
            snapshot("%s+%d" % (label, step))
        gdb.execute("stepi" if budget > 0 else "continue", to_string=True)
        budget, step = max(budget - 1, -1), step + 1
    OUT.close()


try:
    main()
except gdb.error as error:  # the program has ended
    print(error)
OUT.close()
