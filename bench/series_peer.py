"""Read the CSV files of a collection with pandas, as series.sh's peer: prints the CPU time in nanoseconds."""
import sys
import time

import pandas

start = time.process_time()
session = sys.argv[1] + "/attach_session/"
tables = [pandas.read_csv(session + name, sep=";") for name in ("sar_cpu.csv", "sar_disk.csv")]
tables.append(pandas.read_csv(session + "perf_stat.txt", header=None))
print(f"{(time.process_time() - start) * 1e9:.0f}")
