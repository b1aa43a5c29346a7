"""
Run pipa commands whose output blocks, send them signals, and check that they end by themselves.

usage: blocked_output.py PIPA [NAME...]

Each case is a row of CASES: a command, which streams block, what they are (a full pipe, a full socket, a
terminal stopped with TCOOFF, a terminal whose other end is not read), the signals, and what is expected of
the exit status, of standard error and of a file that was written. All cases run at the same time. With names
only the cases run whose name contains one of them. One line for each case that failed; status 1 if any did.
"""

import fcntl
import os
import pty
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

PIPA = os.path.realpath(sys.argv[1])
# computes for a part of the time: all cases run at once, and leave time for each other
BUSY = ["sh", "-c", "while :; do i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; sleep 0.05; done"]
# far more than one second: a failure is a process that never ends
END_S = int(os.environ.get("END_S", "60"))

WRITE_CALLS = {"x86_64": (1, 20), "aarch64": (64, 66), "riscv64": (64, 66)}.get(os.uname().machine, ())


class Case:
    def __init__(self, name, argv, blocked, status, screen=False, file=None, prepare=None, says=True):
        self.name, self.argv, self.blocked, self.status = name, argv, blocked, status
        self.screen, self.file, self.prepare, self.says = screen, file, prepare, says


# ---- things that block ----------------------------------------------------------------------------


def fill(fd, chunk=4096):
    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    for size in (chunk, 1):
        try:
            while True:
                os.write(fd, b"x" * size)
        except BlockingIOError:
            pass
    fcntl.fcntl(fd, fcntl.F_SETFL, flags)


def full_pipe():
    r, w = os.pipe()
    fill(w)
    return w, [r]


def full_socket():
    a, b = socket.socketpair()
    w = a.detach()
    fill(w)
    return w, [b.detach()]


def terminal():
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    return master, slave


def stopped_terminal():
    master, slave = terminal()
    termios.tcflow(slave, termios.TCOOFF)
    return slave, [master]


def unread_terminal():
    master, slave = terminal()
    fill(slave)
    return slave, [master]


KINDS = {
    "pipe": full_pipe,
    "socket": full_socket,
    "stopped": stopped_terminal,
    "unread": unread_terminal,
}


# ---- one case ------------------------------------------------------------------------------------


def tasks(pid):
    try:
        return os.listdir("/proc/%d/task" % pid)
    except OSError:
        return []


def is_writing(pid):
    for task in tasks(pid):
        try:
            with open("/proc/%d/task/%s/syscall" % (pid, task)) as f:
                call = f.read().split()[0]
        except OSError:
            continue
        if call.isdigit() and int(call) in WRITE_CALLS:
            return True
    return False


def wait_blocked(process):
    """Wait until it writes and stays there; where that cannot be seen, for two seconds."""
    end = time.monotonic() + (20 if WRITE_CALLS else 2)
    seen = 0
    while seen < 5 and time.monotonic() < end and process.poll() is None:
        seen = seen + 1 if is_writing(process.pid) else 0
        time.sleep(0.05)


def children(pid):
    found = []
    for task in tasks(pid):
        try:
            with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                found += [int(word) for word in f.read().split()]
        except OSError:
            pass
    return found


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def run_case(case, kind, signals, folder):
    os.makedirs(folder)
    if case.prepare:
        case.prepare(folder)
    blocked_fd, others = KINDS[kind]()
    err_path = os.path.join(folder, "stderr")
    with open(err_path, "wb") as err, open(os.devnull, "rb") as null:
        process = subprocess.Popen(
            [PIPA] + case.argv,
            cwd=folder,
            stdin=blocked_fd if case.screen else null,
            stdout=blocked_fd if "out" in case.blocked else subprocess.DEVNULL,
            stderr=blocked_fd if "err" in case.blocked else err,
            env=dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8"),
            start_new_session=True,
        )
    # os.close(blocked_fd) comes later: a terminal with no slave open would hang up
    wait_blocked(process)
    below = children(process.pid)
    for i, number in enumerate(signals):
        if i:
            time.sleep(0.3)
        process.send_signal(number)
    try:
        status = process.wait(END_S)
        problem = check(case, status, signals, err_path, below, folder)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        problem = "still runs after the signal"
    for pid in below:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
    for fd in [blocked_fd] + others:
        os.close(fd)
    return problem


def check(case, status, signals, err_path, below, folder):
    with open(err_path, errors="replace") as f:
        err = f.read()
    if case.status is None:
        if status not in (-signals[0], 128 + signals[0]):
            return "exit status %d, expected %d" % (status, -signals[0])
    elif status != case.status:
        return "exit status %d, expected %d; %s" % (status, case.status, err[-300:])
    if case.says and "err" not in case.blocked and "gave up" not in err and "given up" not in err:
        return "standard error does not tell of the loss: %r" % err[-300:]
    if any(is_alive(pid) for pid in below):
        return "a child is left"
    if case.file:
        path = os.path.join(folder, case.file)
        read = subprocess.run([PIPA, "report", "--stdio", "-i", path], capture_output=True, check=False)
        if read.returncode != 0:
            return "%s cannot be read: %s" % (case.file, read.stderr[-300:])
        if b"damaged" in read.stderr or b"truncated" in read.stderr:
            return "%s is not complete: %s" % (case.file, read.stderr[-300:])
    return None


# ---- the table -----------------------------------------------------------------------------------


def report_input(folder):
    with open(os.path.join(folder, "report.json"), "w") as f:
        f.write('{"schema": "pipa-run/1", "workload": "w"}')


def fold_input(folder):
    with open(os.path.join(folder, "stacks"), "w") as f:
        for i in range(20000):
            f.write("main;first_function_%d;second_function_%d 1\n" % (i % 100, i))


CASES = [
    Case("monitor", ["monitor", "-i", "0.1"], "out", 1),
    Case("monitor-csv", ["monitor", "-i", "0.1", "--csv"], "out", 1),
    Case("top", ["top", "-b", "-d", "0.1"], "out", 1),
    Case("top-command", ["top", "-b", "-d", "0.1", "--"] + BUSY, "out", 1),
    Case("stat", ["stat", "-I", "100", "-e", "cpu-clock", "-a", "-o", "/dev/stdout"], "out", 125),
    Case("stat-command", ["stat", "-e", "cpu-clock", "-I", "100", "--"] + BUSY, "err", 125),
    Case("stat-report", ["stat", "-e", "cpu-clock", "true"], "err", 125),
    Case("record", ["record", "-e", "cpu-clock", "-a", "-o", "-"], "out", 125),
    Case("record-command", ["record", "-e", "cpu-clock", "-o", "-", "--"] + BUSY, "out", 125),
    Case("record-print", ["record", "-e", "cpu-clock", "-a", "--print"], "out", 125),
    Case(
        "record-print-file",
        ["record", "-e", "cpu-clock", "-o", "kept", "--print", "--"] + BUSY,
        "out",
        125,
        file="kept",
    ),
    Case(
        "record-file",
        ["record", "-e", "cpu-clock", "-o", "kept", "--"] + ["sh", "-c", "i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done"],
        "err",
        125,
        file="kept",
    ),
    Case("heap-report", ["heap", "--rate", "1", "--", "true"], "err", 125),
    Case("run", ["run", "--no-record", "--", "yes"], "out", 125),
    Case("run-report", ["run", "--no-record", "--", "true"], "out", 125),
    Case("run-both", ["run", "--no-record", "--", "yes"], "out err", 125),
    Case("collect", ["collect", "--duration-stat", "1", "--duration-record", "1"], "err", 1),
    Case("report-text", ["report", "--stdio", "-i", "stacks"], "out", None, prepare=fold_input, says=False),
    Case("fold", ["fold", "stacks"], "out", None, prepare=fold_input, says=False),
    Case("flamegraph", ["flamegraph", "-o", "-", "stacks"], "out", None, prepare=fold_input, says=False),
    Case("list", ["list"], "out", None, says=False),
    Case("upload", ["upload", "--dry-run", "report.json"], "out", None, prepare=report_input, says=False),
]

SCREENS = [
    Case("monitor-screen", ["monitor"], "out", 1, screen=True),
    Case("top-screen", ["top"], "out", 1, screen=True),
    Case("report-screen", ["report", "-i", "stacks"], "out", 1, screen=True, prepare=fold_input),
]

SIGNALS = {
    "int": [signal.SIGINT],
    "term": [signal.SIGTERM],
    "int-int": [signal.SIGINT, signal.SIGINT],
    "int-term": [signal.SIGINT, signal.SIGTERM],
}


def table():
    for signals in SIGNALS:
        for case in CASES:
            for kind in ("pipe", "stopped"):
                if kind == "stopped" and case.argv[:3] == ["record", "-e", "cpu-clock"] and "-" in case.argv:
                    continue  # a recording does not go to a terminal
                yield case, kind, signals
        for case in SCREENS:
            for kind in ("stopped", "unread"):
                yield case, kind, signals
    yield CASES[0], "socket", "int"
    yield CASES[7], "socket", "term"


def main():
    wanted = sys.argv[2:]
    failed, slots, lock = [], threading.Semaphore(int(os.environ.get("PARALLEL", "12"))), threading.Lock()

    def work(name, case, kind, signals):
        with slots:
            try:
                problem = run_case(case, kind, SIGNALS[signals], os.path.join(top, name))
            except OSError as e:
                problem = str(e)
        if problem:
            with lock:
                failed.append("%s: %s" % (name, problem))

    with tempfile.TemporaryDirectory() as top:
        threads = []
        for case, kind, signals in table():
            name = "%s/%s/%s" % (case.name, kind, signals)
            if not wanted or any(word in name for word in wanted):
                threads.append(threading.Thread(target=work, args=(name.replace("/", "."), case, kind, signals)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for line in sorted(failed):
        print(line)
    print("%d of %d cases ended as expected" % (len(threads) - len(failed), len(threads)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
