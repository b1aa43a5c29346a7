#!/usr/bin/env bash
#
# Our description of a machine equals the output of its own tools: lscpu, lsblk, df, ip, lspci, dmidecode, bash.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# Our description of this machine in ./spec.yaml, or of the tree of files that is named.
describe() {
	need_workloads
	need_program python3
	python3 -c 'import yaml' 2> /dev/null || skip 'needs python3-yaml'
	run "$PIPA_WORKLOADS/spec_info" "$@"
	status 0
	mv out spec.yaml
}

# agree < PROGRAM: Python that finds our description in `spec`, reads theirs from ./theirs, and calls
# same(WHAT, OURS, THEIRS)
agree() {
	{
		cat << 'END'
import json, re, yaml
spec = yaml.safe_load(open("spec.yaml"))
theirs = open("theirs").read()
bad = []
def same(what, ours, want):
    if ours != want:
        bad.append("%s: ours %r, theirs %r" % (what, ours, want))
END
		cat
		echo 'print(*bad, sep=chr(10))'
	} > compare.py
	run python3 compare.py
	status 0
	same 'differences' "$(cat out)" ''
}

test_cpus_are_those_of_lscpu() {
	need_program lscpu
	describe
	lscpu -J > theirs
	agree << 'END'
def flat(rows):
    for row in rows:
        yield row["field"].rstrip(":"), row.get("data")
        yield from flat(row.get("children", []))
rows = dict(flat(json.loads(theirs)["lscpu"]))
cpu = spec["cpu_info"]
for name in "Architecture", "CPU(s)", "Model name", "Vendor ID", "BogoMIPS", "Flags", \
        "Socket(s)", "Core(s) per socket", "Thread(s) per core":
    if rows.get(name, "-") != "-": # unknown to lscpu: sockets of an arm64 machine without DMI
        same(name, str(cpu.get(name)), rows[name])
if "CPU max MHz" in rows:
    same("CPU max MHz", cpu["CPU MHz (max)"], rows["CPU max MHz"])
END
}

test_disks_are_those_of_lsblk() {
	need_program lsblk
	describe
	lsblk -Jb -o NAME,KNAME,SIZE,ROTA,TYPE > theirs 2> /dev/null || skip 'lsblk finds no device'
	agree << 'END'
disks = {disk["name"]: disk for disk in spec["disk_info"].get("block_devices", [])}
for want in json.loads(theirs)["blockdevices"]:
    if want["type"] != "disk" or re.match("loop|ram", want["kname"]):
        continue
    ours = disks.get(want["kname"], {"partitions": []})
    same(want["kname"] + " size", ours.get("size_bytes"), want["size"])
    same(want["kname"] + " turns", ours.get("rotational"), "HDD" if want["rota"] else "SSD")
    parts = [(p["kname"], p["size"]) for p in want.get("children", []) if p["type"] == "part"]
    same(want["kname"] + " parts",
         sorted((p["name"], p["size_bytes"]) for p in ours["partitions"]), sorted(parts))
END
}

test_the_usage_of_disks_is_that_of_df() {
	local mount

	describe
	while read -r mount; do
		df -B1 --output=target,size,used,avail,pcent "$mount" | tail -n 1
	done < <(sed -n 's/^ *mount: "\(.*\)"$/\1/p' spec.yaml) > theirs
	[[ -s theirs ]] || skip 'no disk of this machine is mounted'
	agree << 'END'
def usages(value):
    for disk in value:
        if "fs_usage" in disk:
            yield disk["fs_usage"]
        yield from usages(disk.get("partitions", []))
ours = {u["mount"]: u for u in usages(spec["disk_info"]["block_devices"])}
for line in theirs.splitlines():
    place, size, used, free, percent = line.rsplit(None, 4)
    usage = ours[place]
    same(place + " size", usage["total"], int(size))
    same(place + " percent", abs(usage["percent"] - int(percent.rstrip("%"))) <= 1, True)
    # others may write meanwhile
    same(place + " used", abs(usage["used"] - int(used)) < int(size) // 50, True)
    same(place + " free", abs(usage["free"] - int(free)) < int(size) // 50, True)
END
}

test_interfaces_are_those_of_ip() {
	need_program ip
	describe
	ip -j addr > theirs 2> /dev/null
	[[ -s theirs ]] || skip 'this ip has no JSON'
	agree << 'END'
ours = spec["net_info"].get("network_interfaces", {})
wanted = json.loads(theirs)
same("interfaces", sorted(ours), sorted(one["ifname"] for one in wanted))
for one in wanted:
    name, got = one["ifname"], ours.get(one["ifname"], {})
    same(name + " state", got.get("state"), one["flags"])
    same(name + " mac", got.get("mac"), one.get("address", "N/A"))
    for key, family in ("ipv4", "inet"), ("ipv6", "inet6"):
        same(name + " " + key, sorted(got.get(key, [])),
             sorted("%s/%d" % (a["local"], a["prefixlen"]) for a in one["addr_info"]
                    if a["family"] == family))
END
}

test_devices_are_those_of_lspci() {
	need_program lspci
	describe
	lspci > theirs 2> /dev/null
	[[ -s theirs ]] || skip 'lspci finds no device'
	agree << 'END'
same("devices", ["%s %s" % (d["device"], d["details"])
                 for d in spec["pci_info"].get("pci_devices", [])], theirs.splitlines())
END
}

test_limits_are_those_of_bash() {
	[[ $(ulimit -a) == *'real-time non-blocking time'* ]] || skip 'this bash does not know all limits'
	ulimit -S -c 0 -f 4194304 -s 4096 2> /dev/null # sanitizers switch core files off themselves
	describe
	ulimit -a > theirs
	agree << 'END'
want = [(re.sub(" +", " ", line[:line.rindex(")") + 1]), line[line.rindex(")") + 1:].strip())
        for line in theirs.splitlines()]
same("limits", list(spec["ulimit_info"].items()), want)
END
}

test_firmware_is_read_as_dmidecode_reads_it() {
	need_program dmidecode
	need_program python3
	mkdir -p machine/proc machine/sys/firmware/dmi/tables
	python3 - << 'END' || fail 'the invented tables' 'two files' "$?"
import struct
def one(kind, fields, *texts):
    return bytes([kind, len(fields) + 4, kind, 0]) + fields + \
        (b"".join(t.encode() + b"\0" for t in texts) or b"\0") + b"\0"
table = one(0, bytes([1, 2, 0, 0xe8, 3, 0]) + bytes(10), "American Megatrends", "3.7", "09/30/2024")
table += one(1, bytes([1, 2, 3, 4]) + bytes(16) + bytes([6, 5, 6]), "Huawei", "TaiShan 200", "V1",
             "serial", "SKU1", "Kunpeng")
table += one(2, bytes([1, 2, 3, 0, 0, 0, 0, 0, 0, 10, 0]), "Board maker", "Board", "B1")
table += one(3, bytes([1, 23, 2, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0]), "Case maker", "C1")
for socket in 1, 2:
    table += one(4, bytes([1, 3, 0xb3, 2]) + bytes(8) + bytes([3, 0, 100, 0]) +
                 struct.pack("<HH", 4000, 2600) + bytes([0x41, 0]) + bytes(9) +
                 bytes([64, 48, 128, 0, 0, 0, 0]) + struct.pack("<HHH", 64, 48, 128),
                 "CPU%d" % socket, "Intel(R) Corporation", "Xeon")
for slot, size, wide in (1, 0x7fff, 131072), (2, 16384, 0), (3, 0, 0):
    table += one(17, bytes(4) + bytes(4) + struct.pack("<H", size) + bytes([9, 0, 1, 2, 34, 0, 0]) +
                 struct.pack("<H", 4800) + bytes([3, 0, 0, 4, 0]) + struct.pack("<IH", wide, 4400) +
                 bytes(6), "DIMM %d" % slot, "BANK %d" % slot, "Samsung", "M321")
table += one(127, b"")
start = bytearray(b"_SM3_\0\x18\x03\x03\0\x01\0" + struct.pack("<IQ", len(table), 32))
start[5] = -sum(start) & 0xff
open("dump", "wb").write(bytes(start).ljust(32, b"\0") + table)
open("machine/sys/firmware/dmi/tables/DMI", "wb").write(table)
END
	describe machine
	dmidecode --from-dump dump > theirs || fail 'dmidecode' 'exit 0' "$(cat theirs)"
	agree << 'END'
blocks = {}
for block in theirs.split("\n\n"):
    kind = re.search(r"DMI type (\d+),", block)
    if kind:
        blocks.setdefault(int(kind.group(1)), []).append(
            dict(line.strip().split(": ", 1) for line in block.splitlines() if ": " in line))
info = spec["bios_hardware_info"]
for name, kind in ("bios", 0), ("system", 1), ("baseboard", 2), ("chassis", 3):
    for key, value in info[name].items():
        same(name + " " + key, value, blocks[kind][0].get(key))
same("processors", len(info["processor"]), len(blocks[4]))
memory = [b for b in blocks[17] if b["Size"] != "No Module Installed"]
same("modules", len(info["memory"]), len(memory))
for name, ours, wanted in ("processor", info["processor"], blocks[4]), ("memory", info["memory"], memory):
    for one, want in zip(ours, wanted):
        for key, value in one.items():
            same(name + " " + key, value, want.get(key))
END
}

run_tests "$@"
