"""What a page of pipa holds, read as the page itself reads it: python3 view.py WHAT PAGE [REPORT]

tree      a line a node: depth, self, name
total     of all weights, and of samples
same      the weight, the samples and each function's share are those of the report (JSON by dso,symbol)
"""
import base64
import json
import re
import sys
import zlib


def varints(view, column):
    value = shift = 0
    bytes_ = base64.b64decode(view[column], validate=True)
    if column in view.get("deflate", []):
        bytes_ = zlib.decompress(bytes_, -15)
    for byte in bytes_:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def load(path):
    with open(path, encoding="utf-8") as page:
        found = re.findall(r'<script type="application/json" id="pipa-data">(.*?)</script>',
                           page.read(), re.DOTALL)
    if len(found) != 1:
        sys.exit(f"{len(found)} pieces of data")
    return json.loads(found[0])


def nodes(view, inlined=False):
    """(depth, self, name, object, kind) of each node; and whether it was inlined, if that is asked for."""
    strings = view["strings"]
    numbers = varints(view, "frames")
    frames = []
    for _ in range(next(numbers)):
        name, obj, kind = strings[next(numbers)], strings[next(numbers)], next(numbers)
        frames.append((name, obj, kind & 7, kind >= 8) if inlined else (name, obj, kind & 7))
    numbers = varints(view, "tree")
    depth = -1
    for _ in range(next(numbers)):
        depth += 1 - next(numbers)
        frame = next(numbers)
        yield depth, next(numbers), *frames[frame]
    if list(numbers):
        sys.exit("more numbers than nodes")


def totals(view):
    """By object and name, recursion once; whatever has no name is left out."""
    tree = list(nodes(view))
    sums = [node[1] for node in tree]
    parents, path = [], []
    for i, node in enumerate(tree):
        del path[node[0]:]
        parents.append(path[-1] if path else None)
        path.append(i)
    for i in reversed(range(len(tree))):
        if parents[i] is not None:
            sums[parents[i]] += sums[i]
    shares, path = {}, []
    for i, (depth, _, name, obj, kind) in enumerate(tree):
        del path[depth:]
        if kind != 4 and (obj, name) not in path:
            shares[obj, name] = shares.get((obj, name), 0) + sums[i]
        path.append((obj, name))
    return shares, sum(sums[i] for i in range(len(tree)) if parents[i] is None)


def compare(view, report):
    event = next(e for e in report["events"] if e["samples"])
    at = report["events"].index(event)
    shares, total = totals(view)
    if not total == view["total"] == event["weight"]:
        sys.exit(f"total: {total}, {view['total']} and {event['weight']}")
    if view["samples"] != event["samples"]:
        sys.exit(f"samples: {view['samples']} and {event['samples']}")
    wanted = {}
    for row in report["rows"]:
        key = (row["dso"] if row["dso"] != "[unknown]" else "", row["symbol"])
        wanted[key] = row["events"][at]["children"]
    if not shares:
        sys.exit("there are no functions")
    for key, weight in shares.items():
        if wanted.get(key) != weight:
            sys.exit(f"{key}: {weight}, and {wanted.get(key)} in the report")


def main(what, page, *report):
    view = load(page)
    if what == "tree":
        for node in nodes(view):
            print(*node[:3])
    elif what == "total":
        print(view["total"], view["samples"])
    else:
        with open(report[0], encoding="utf-8") as text:
            compare(view, json.load(text))


if __name__ == "__main__":
    main(*sys.argv[1:])
