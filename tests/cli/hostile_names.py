"""
Run every command on names that hold control characters, and check that none of them gets out.

usage: hostile_names.py PIPA [NAME...]

The names are of programs, threads, symbols, objects, source files, directories, files, events, hosts, mount
points, interfaces and control groups. Of what a command writes, no line may hold a byte below 0x20 but a tab,
DEL, a C1 control (as UTF-8 or as a byte that is not UTF-8) or a bidirectional override, and a newline in a
name may not make a line of its own: every name has the words of SECOND after its newline, which may not be at
the start of a line. JSON must be valid. Colours (SGR) are allowed where they are asked for.

Run as root in namespaces of its own (unshare -m -n -u) where mounts, interfaces and the host's name are
tested; without these rights those are left out. One line for each command that fails.
"""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PIPA = os.path.realpath(sys.argv[1])
SECOND = b"SECOND"
# escape sequence, newline, carriage return, DEL, C1 as UTF-8 and as a byte, right-to-left override, invalid
EVIL = b"e\x1b[31m\n" + SECOND + b"\r\x7f\xc2\x9b\x9b\xe2\x80\xae\xff\x08"
LINE = EVIL.replace(b"\n", b"\v")  # where a newline would be the end anyway
SGR = re.compile(rb"\x1b\[[0-9;]*m")
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\udc80-\udcff]")

SOURCE = rb"""
# 1 "e\033[31m\nSECOND\r\177\302\233\233.c"
#include <sys/prctl.h>
#include <unistd.h>
volatile unsigned long sum;
__attribute__((noinline)) void work(unsigned long n)
{
	while (n--)
		sum += n ^ sum;
}
int main(int argc, char **argv)
{
	prctl(PR_SET_NAME, argc > 1 ? argv[1] : "x");
	for (int i = 0; i < 800 || argc > 2; i++) {
		work(100000);
		if (argc > 2) /* beside all commands: not the whole processor */
			usleep(1000);
	}
	return 0;
}
"""


def run(argv, **more):
    return subprocess.run(argv, capture_output=True, check=False, timeout=120, **more)


def problem_of(text, color):
    if color:
        text = SGR.sub(b"", text)
    for line in text.split(b"\n"):
        bad = BAD.search(line.decode("utf-8", "surrogateescape"))
        if bad:
            return "%r in %r" % (bad.group(), line[:200])
        if line.lstrip(b" |:#'\"").startswith(SECOND):
            return "a name is on two lines: %r" % line[:200]
    return None


# ---- what is hostile -----------------------------------------------------------------------------


def make_program(folder):
    """A program of that name with such a symbol, source file and comm; the path or None."""
    source, plain = os.path.join(folder, b"evil.c"), os.path.join(folder, b"plain")
    with open(source, "wb") as f:
        f.write(SOURCE)
    path = os.path.join(folder, EVIL)
    if run([b"cc", b"-g", b"-O1", b"-fno-omit-frame-pointer", b"-o", plain, source]).returncode:
        return None
    if run([b"objcopy", b"--redefine-sym", b"work=" + EVIL, plain, path]).returncode:
        shutil.copy(plain, path)
    os.chmod(path, 0o755)
    return path


def make_texts(folder):
    with open(os.path.join(folder, b"folded"), "wb") as f:
        f.write(b"main;%s;leaf%s 10\nmain;other 5\n" % (LINE, LINE))
    with open(os.path.join(folder, b"script"), "wb") as f:
        for i in range(5):
            f.write(b"%s  100/100 [000] %d.5:  1000 ev%s: \n\t  4005 fn%s+0x5 (/lib/%s)\n\n" % (LINE[:15], i + 1, LINE[:4], LINE, LINE))


def as_root(folder):
    """Mount points, interfaces, host and control groups, in namespaces of our own."""
    made = []
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or "HOSTILE_NAMESPACES" not in os.environ:
        return made
    host = LINE[:40]
    if libc.sethostname(host, len(host)) == 0:
        made.append("host")
    point = os.path.join(folder, b"mnt" + EVIL)
    os.mkdir(point)
    if libc.mount(b"evil\x1b[31m", point, b"tmpfs", 0, None) == 0:
        made.append("mount")
    if shutil.which("ip") and run([b"ip", b"link", b"set", b"lo", b"name", b"e\x1b[31m\x7f\x9b"]).returncode == 0:
        made.append("interface")
    return made


def cgroup():
    """A control group of that name, removed at the end; None where that is not permitted."""
    for top in (b"/sys/fs/cgroup/unified", b"/sys/fs/cgroup"):
        path = os.path.join(top, b"pipa-" + LINE)  # the kernel refuses a newline
        if os.path.exists(os.path.join(top, b"cgroup.procs")):
            try:
                os.mkdir(path)
                return path
            except OSError:
                pass
    return None


# ---- the commands ----------------------------------------------------------------------------------


def commands(folder, program, group, pid):
    rec, missing = b"re" + EVIL, b"no" + EVIL
    record = ["record", "-e", "cpu-clock", "-F", "2000", "-o", rec]
    yield "record", record + ["--", program, EVIL[:15]], {}
    yield "record-event", ["record", "-e", b"software/config=0,name=" + LINE + b"/", "-o", "named", "--", program], {}
    yield "record-print", ["record", "-e", b"software/config=0,name=" + LINE + b"/", "--print", "--", program], {}
    yield "record-missing", ["record", "-o", "x", "--", missing], {}
    heap = ["heap", "--rate", "1", "--leaks"]
    yield "heap", heap + ["-o", b"heap.pb.gz", "--", program, EVIL[:15]], {}
    yield "heap-json", heap + ["-f", "json", "--report-to", "/dev/stdout", "--", program, EVIL[:15]], {"json": True}
    yield "heap-missing", ["heap", "-o", missing + b"/x", "--", missing], {}
    yield "heap-dir", ["heap", "-o", missing + b"/x", "--", "true"], {}
    yield "heap-report", ["report", "--value", "alloc_space", b"heap.pb.gz"], {}
    yield "record-dir", ["record", "-o", missing + b"/x", "--", "true"], {}
    for file in (rec, b"named", b"folded", b"script"):
        name = {rec: "rec"}.get(file, file.decode("ascii", "replace"))
        for i, options in enumerate((
            ["--stdio"], ["--tree"], ["--tree", "-G"], ["--csv"], ["--json"], ["--stats"], ["--header"],
            ["--header-only"], ["-s", "comm,pid,tid,dso,symbol,srcline"], ["-s", "dso,srcline", "--csv"],
            ["--comms", missing], ["-p", LINE], ["--stats", "--json"],
        )):
            yield "report-%s-%d" % (name, i), ["report", "-i", file] + options, {"json": "--json" in options}
        yield "fold-" + name, ["fold", "--all", "--with-pid", file], {}
        yield "fold-event-" + name, ["fold", "-e", missing, file], {}
        for form in ("svg", "dot"):
            yield "graph-%s-%s" % (form, name), ["graph", "-f", form, "-o", "-", file], {}
        yield "flamegraph-svg-" + name, ["flamegraph", "-f", "svg", "-o", "-", file], {}
        for by in ("symbol", "dso", "srcline", "stack"):
            for form in ([], ["--csv"], ["--json"], ["--color", "always"]):
                yield "diff-%s-%s-%s" % (by, "".join(form), name), ["diff", "--by", by, file, file] + form, {
                    "json": form == ["--json"], "color": bool(form)}
        yield "graph-focus-" + name, ["graph", "--focus", missing, "-o", "-", file], {}
    for file in (rec, b"named"):
        yield "script-%r" % file[:2], ["script", file], {}
        yield "script-fields-%r" % file[:2], [
            "script", "-F", "comm,pid,tid,cpu,time,event,ip,sym,symoff,dso,srcline", file], {}
        yield "script-json-%r" % file[:2], ["script", "--json", file], {"json": True}
        yield "annotate-%r" % file[:2], ["annotate", file], {}
        yield "annotate-source-%r" % file[:2], ["annotate", "--source", file], {}
        yield "annotate-asm-%r" % file[:2], ["annotate", "--asm", "--color", "always", file], {"color": True}
        yield "annotate-json-%r" % file[:2], ["annotate", "--json", file], {"json": True}
        yield "annotate-missing-%r" % file[:2], ["annotate", file, missing], {}
        yield "bundle-%r" % file[:2], ["bundle", "-i", file, "-o", b"b" + EVIL + b".tar.zst"], {}
        yield "heatmap-%r" % file[:2], ["heatmap", "-o", missing + b"/x", file], {}
    for form in ([], ["--addr2line", "-a"], ["--json"]):
        yield "symbolize-" + "".join(form), ["symbolize", "-e", program, "@symbols"] + form, {"json": form == ["--json"]}
        if pid:
            yield "symbolize-pid-" + "".join(form), ["symbolize", "-p", str(pid), "@mapped"] + form, {
                "json": form == ["--json"]}
    named = b"software/config=0,name=" + LINE + b"/"
    for i, form in enumerate(([], ["-x", ","], ["--json"], ["--yaml"], ["-r", "2"], ["--color", "always"], ["-I", "100"])):
        yield "stat-named-%d" % i, ["stat", "-e", named] + form + ["--", program, EVIL[:15]], {
            "json": form == ["--json"], "color": "--color" in form}
        yield "stat-%d" % i, ["stat", "-e", "cpu-clock"] + form + ["--", program, EVIL[:15]], {
            "json": form == ["--json"], "color": "--color" in form}
        if pid:
            yield "stat-pid-%d" % i, ["stat", "-e", "cpu-clock", "--per-thread", "-p", str(pid), "--duration", "0.3"] + [
                word for word in form if word not in ("-r", "2")], {"json": form == ["--json"], "color": "--color" in form}
        if group:
            yield "stat-cgroup-%d" % i, ["stat", "-e", "cpu-clock", "-a", "-G", os.path.basename(group), "--duration", "0.3"] + [
                word for word in form if word not in ("-r", "2")], {"json": form == ["--json"], "color": "--color" in form}
    yield "stat-missing", ["stat", "--", missing], {}
    yield "stat-event", ["stat", "-e", missing, "true"], {}
    yield "stat-metric", ["stat", "-M", missing, "true"], {}
    yield "stat-cgroup-missing", ["stat", "-e", "cpu-clock", "-a", "-G", missing, "--", "true"], {}
    yield "stat-compare", ["stat", "--baseline", missing, "true"], {}
    for form in ("text", "json", "yaml"):
        yield "run-" + form, ["run", "-f", form, "-o", "/dev/stdout", "--keep", b"k" + EVIL + form.encode(), "--", program, EVIL[:15]], {
            "json": form == "json"}
        yield "run-output-" + form, ["run", "-f", form, "-o", "report", "--no-record", "--transactions-regex",
            "([0-9]+) things", "--", "printf", "7 things" + LINE.decode("latin-1")], {
                "file": "report", "json": form == "json"}
    # a word with white space is a command line for sh, whose messages are its own
    yield "run-missing", ["run", "--", missing.replace(b"\n", b"").replace(b"\r", b"")], {}
    yield "run-from", ["run", "--from", missing], {}
    yield "run-config", ["run", "--config", missing, "true"], {}
    for i, options in enumerate((["-A"], ["--processes", "--threads", "--idle"], ["--cgroups"], ["--fs"], ["--net"])):
        for form in ([], ["--csv"], ["--json"]):
            yield "monitor-%d%s" % (i, "".join(form)), ["monitor", "-i", "0.2", "-n", "2"] + options + form, {
                "json": form == ["--json"]}
    yield "monitor-from", ["monitor", "--from", missing], {}
    yield "monitor-record", ["monitor", "-n", "1", "-i", "0.1", "-o", missing + b"/x"], {}
    yield "monitor-iface", ["monitor", "-n", "1", "-i", "0.1", "--iface", missing], {}
    yield "top", ["top", "-b", "-d", "0.5", "-n", "2", "-s", "comm,dso,symbol"], {}
    yield "top-command", ["top", "-b", "-d", "0.5", "--", program, EVIL[:15]], {}
    yield "list", ["list"], {}
    yield "list-filter", ["list", missing], {}
    yield "doctor", ["doctor"], {}
    yield "collect", ["collect", "--duration-stat", "0.3", "--duration-record", "0.3", "-o", b"c" + EVIL + b".tar.gz"], {}
    yield "collect-missing", ["collect", "--duration-stat", "0.3", "--no-record", "-o", missing + b"/x.tar.gz"], {}
    # nothing listens on port 1: failures name the server, the file and the table
    no_server = ["--server", "127.0.0.1:1", "--retry", "0"]
    report = b"upload" + EVIL + b".json"
    values = {"schema": "pipa-run/1", "runs": 1, "notes": []}
    values.update((key, LINE.decode("latin-1")) for key in ("workload", "username", "platform", "comment", "DEV"))
    with open(os.path.join(folder, report), "w", encoding="utf-8") as f:
        json.dump(values, f)
    yield "upload-dry-run", ["upload", "--dry-run", "--add-label", b"key=" + LINE, "--table", LINE, report], {}
    yield "upload", ["upload", report, missing] + no_server, {}
    yield "upload-config", ["upload", "--config", missing], {}
    yield "upload-server", ["upload", report, "--server", missing, "--retry", "0"], {}
    yield "upload-token", ["upload", report, "--token-file", missing] + no_server, {}
    yield "download", ["download", "--table", missing, "-o", missing + b"/x"] + no_server, {}
    yield "query", ["query", "--metric", missing] + no_server, {}
    yield "query-by", ["query", "--metric", "CPI", "--by", missing] + no_server, {}
    yield "query-since", ["query", "--metric", "CPI", "--since", missing] + no_server, {}
    yield "unknown", [missing], {}
    for command in ("report", "script", "annotate", "symbolize", "fold", "export", "diff", "flamegraph", "heatmap", "graph",
                    "bundle", "stat", "run", "record", "monitor", "top", "list", "collect", "upload", "download", "query"):
        if command != "run": # see run-missing
            yield "missing-" + command, [command] + (["-e"] if command == "symbolize" else []) + [missing] + (
                [missing] if command == "diff" else []), {}
        yield "option-" + command, [command, b"--no" + EVIL], {}


def addresses(program):
    """An address for each symbol of the program's text, and of one process that runs it."""
    found = []
    for line in run(["nm", "-n", program]).stdout.split(b"\n"):
        words = line.split()
        if len(words) >= 3 and words[1] in (b"T", b"t") and re.match(rb"^[0-9a-f]+$", words[0]):
            found.append(int(words[0], 16))
    return found


def load_base(pid, program):
    with open("/proc/%d/maps" % pid, "rb") as f:
        for line in f:
            if SECOND in line and b" 00000000 " in line:
                return int(line.split(b"-")[0], 16)
    return 0


def main():
    wanted, failed, n = sys.argv[2:], [], 0
    folder = os.fsencode(tempfile.mkdtemp())
    os.chdir(folder)
    program = make_program(folder)
    if not program:
        print("there is no C compiler")
        return 77
    make_texts(folder)
    made, group = as_root(folder), cgroup()
    busy = subprocess.Popen([program, EVIL[:15], "for ever"])
    time.sleep(0.2)
    if group:
        with open(os.path.join(group, b"cgroup.procs"), "w") as f:
            f.write(str(busy.pid))
    symbols = addresses(program)
    base = load_base(busy.pid, program)
    try:
        for name, argv, how in commands(folder, program, group, busy.pid):
            if wanted and name != "record" and not any(word in name for word in wanted):
                continue
            if "@symbols" in argv or "@mapped" in argv:
                at = argv.index("@symbols" if "@symbols" in argv else "@mapped")
                argv[at:at + 1] = ["0x%x" % (a + 2 + (base if b"@mapped" in argv or "-p" in argv else 0)) for a in symbols]
            n += 1
            got = run([PIPA] + argv)
            text = got.stdout
            if how.get("file"):  # what the command itself wrote is passed on as it is
                with open(how["file"], "rb") as f:
                    text = f.read()
            problem = problem_of(text, how.get("color")) or problem_of(got.stderr, how.get("color"))
            if not problem and how.get("json"):
                for line in [text] if text.lstrip().startswith(b"{\n") else text.split(b"\n"):
                    try:
                        json.loads(line.decode() or "0")
                    except ValueError as e:
                        problem = "no JSON: %s in %r" % (e, line[:200])
            if got.returncode < 0:
                problem = "signal %d" % -got.returncode
            if problem:
                failed.append("%s: %s" % (name, problem))
            elif os.environ.get("VERBOSE"):
                print(name, got.returncode, got.stdout[-int(os.environ["VERBOSE"]):], got.stderr[-300:])
    finally:
        busy.kill()
        busy.wait()
        if group:
            os.rmdir(group)
        if "mount" in made:
            ctypes.CDLL(None).umount2(os.path.join(folder, b"mnt" + EVIL), 2)
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
    for line in failed:
        print(line)
    print("%d of %d commands are clean; also: %s" % (n - len(failed), n, " ".join(made + (["cgroup"] if group else []))))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
