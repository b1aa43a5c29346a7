"""Run the queries of dashboards on a database of pipad, as Grafana's SQLite plugin does.

    dashboard.py DASHBOARD.json DATABASE TABLE RECORD

Every query of the dashboard of the project, and the 23 of PIPA's dashboard ShowMeYourPIPA (its variables and panels, by the
shape of their SQL), has to succeed with rows. Only tables of results may be visible. The file is opened read-only.
"""

import json
import re
import sqlite3
import sys

CPU = "usr nice sys iowait steal irq soft guest gnice idle".split()
MEMORY = "kbmemfree kbmemused kbbuffers kbcached kbslab kbcommit".split()


def pipas_queries(table, record):
    """Names and texts, with the peculiarities of the original: `Record`, a value in double quotes, bare and quoted names."""
    where = 'from %s where Record = "%s"' % (table, record)
    yield "Table", "select name from sqlite_master where type='table'"
    yield "Record", "select record from %s" % table
    yield "Info", ("select '\"' || workload || '-' || username || '-' || platform || '-' || upload_time || '\"' " + where)
    yield "Show Me Your Datas", (
        "select username as Owner, workload as Workload, transactions as Transactions, run_time as 'Running Time', "
        "throughput as TransPerSec, cycles_per_second as CyclesPerSec, instructions_per_second as InstsPerSec, CPI, "
        "cycles_per_requests as CyclesPerReq, cpu_frequency_mhz as 'CPU Freq(MHz)', path_length as 'Path Length', "
        "platform as Platform, hw_info as 'HW Config', sw_info as 'SW Config', used_threads as 'Logical Cores', "
        'record as Record, comment as Comment from "%s"' % table)
    yield "Show You My Data", (
        "select transactions as Throught, throughput as TransPerSec, cycles_per_second as CyclesPerSec, "
        "instructions_per_second as InstsPerSec, cpu_frequency_mhz as 'CPU Freq(MHz)', CPI, cycles_per_requests as CyclesPerReq, "
        "path_length as 'Path Length', hw_info as 'HW Config', sw_info as 'SW Config', used_threads as 'Logical Cores' " + where)
    for name in CPU:
        yield "Avg CPU Utils " + name, "select cpu_%s as '%s%%' %s" % (name, name, where)
    for name in MEMORY:
        yield "Avg Mem Utils " + name, "select %s %s" % (name, where)
    yield "Average Mem Utils", (
        "select kbavail as memavail, percent_commit as 'memcommit%', percent_memused as 'memused%', kbactive as memactive, "
        "kbinact as meminact, kbdirty as memdirty, kbanonpg as memanonpg, kbkstack as memkstack, kbpgtbl as mempgtbl, "
        "kbvmused as memvmused, kbcommit as memcommit " + where)
    yield "Average DIsk I/O Utils", (
        "select dev as Dev, tps as 'Trans/s', disk_await as 'Disk Await', percent_disk_util as 'Disk Util%', rkB_s as 'ReadkB/s', "
        "wkB_s as 'WritekB/s', dkB_s as 'DiskkB/s', areq_sz as 'Request Size/REQ', aqu_sz as 'Queue Size/Q' " + where)


def own_queries(path, table, record, workload):
    """Names and texts of a dashboard, with its variables replaced as Grafana replaces them."""
    dashboard = json.load(open(path, encoding="utf-8"))

    def quote(text):
        return "'" + text.replace("'", "''") + "'"

    def expand(sql):
        for name, value in (("${record:sqlstring}", quote(record)), ("${workload:sqlstring}", quote(workload)),
                            ("$table", table), ("$__from", "0"), ("$__to", "4102444800000")):
            sql = sql.replace(name, value)
        assert "$" not in sql, "unknown variable: " + sql
        return sql

    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            assert variable["query"]["queryText"] == variable["query"]["rawQueryText"] == variable["definition"]
            yield "variable " + variable["name"], expand(variable["query"]["queryText"])
    names = {variable["name"] for variable in dashboard["templating"]["list"]}
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            assert target["queryText"] == target["rawQueryText"]
            assert target["datasource"]["type"] == "frser-sqlite-datasource"
            used = set(re.findall(r"\$\{?([a-z]+)", target["queryText"]))
            assert used <= names, used - names
            yield panel["title"], expand(target["queryText"])


def main():
    path, database, table, record = sys.argv[1:]
    connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    failed = n = 0
    tables = [row[0] for row in connection.execute("select name from sqlite_master where type='table'")]
    if tables != [table]:
        print("not ok: visible tables: %s, expected %s" % (tables, table))
        failed += 1
    workload = connection.execute("select workload from %s where record = ?" % table, (record,)).fetchone()[0]
    pipas = list(pipas_queries(table, record))
    assert len(pipas) == 23, len(pipas)
    for name, sql in pipas + list(own_queries(path, table, record, workload)):
        n += 1
        try:
            rows = connection.execute(sql).fetchall()
        except sqlite3.Error as error:
            print("not ok: %s: %s: %s" % (name, error, sql))
            failed += 1
            continue
        if not rows or all(value is None for row in rows for value in row):
            print("not ok: %s: no data: %s" % (name, sql))
            failed += 1
    print("%d of %d queries have data" % (n - failed, n))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
