"""Complete a command line in an interactive shell on a pseudo terminal.

    complete.py bash|zsh SCRIPT LINE

Starts the shell without its start-up files, loads the completion script, types LINE, the key Tab and the key
Enter, and prints the arguments that the function pipa was called with.
"""
import os
import pty
import re
import select
import sys
import time

shell, script, line = sys.argv[1:]
setup = {
    'bash': f"PS1='> '; bind 'set enable-bracketed-paste off'; source '{script}'; "
            "pipa() { printf 'ARGS:%s:END\\n' \"$*\"; }; echo rea''dy\n",
    'zsh': f"PS1='> '; unsetopt zle_bracketed_paste; fpath=('{os.path.dirname(script)}' $fpath); "
           "autoload -Uz compinit; compinit -D -u; "
           "pipa() { print -r -- \"ARGS:$*:END\" }; echo rea''dy\n",
}[shell]
argv = {'bash': ['bash', '--norc', '--noprofile', '-i'], 'zsh': ['zsh', '-f', '-i']}[shell]

pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM='dumb', HOME='/nonexistent', INPUTRC='/dev/null')
    os.execvp(argv[0], argv)

seen = ''


def wait_for(pattern, seconds):
    """Read until the pattern is in what was read since the last match; return the match or None."""
    global seen
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        match = re.search(pattern, seen)
        if match:
            seen = seen[match.end():]
            return match
        if select.select([fd], [], [], 0.1)[0]:
            try:
                seen += os.read(fd, 65536).decode(errors='replace')
            except OSError:
                return None
    return None


os.write(fd, setup.encode())
wait_for(r'ready\r?\n', 20)
wait_for(r'> ', 5)
os.write(fd, line.encode() + b'\t')
wait_for(r'(?s).+', 5)  # the shell completes before it reads the next key
os.write(fd, b'\n')
match = wait_for(r'ARGS:([^\r\n]*?):END', 20)
print(match.group(1).strip() if match else 'nothing: ' + repr(seen))
os.write(fd, b'exit\n')
os.close(fd)
