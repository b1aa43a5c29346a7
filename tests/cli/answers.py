"""Answer the questions of a command on a terminal.

    answers.py COMMAND [ARGUMENT...] < ANSWERS

Each line of ANSWERS is typed when the next question, a text that ends in ": ", is shown; "EOF" types Ctrl-D and "INT"
Ctrl-C. What the terminal shows goes to standard output; the exit status is that of the command, 128 + N if a
signal killed it.
"""

import os
import pty
import select
import sys

KEYS = {b"EOF": b"\x04", b"INT": b"\x03"}


def main():
    answers = sys.stdin.buffer.read().splitlines()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    shown = pending = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 30)
        if not ready:
            os.kill(pid, 9)
            print("answers.py: no output for 30 s", file=sys.stderr)
            break
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
        pending += data
        if pending.endswith(b": ") and answers:
            answer = answers.pop(0)
            os.write(terminal, KEYS.get(answer, answer + b"\n"))
            pending = b""
    status = os.waitpid(pid, 0)[1]
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


sys.exit(main())
