#!/usr/bin/python3
"""A stand-in of PIPA's server, by its design, for bench/pipad.sh.

    pipad_peer.py [-a ADDRESS] [-p PORT] [-d DATABASE] [-t TABLE]

A gRPC server of python3-grpcio with one worker thread. Deploy opens an SQLite connection, creates the table if it is missing,
inserts the row with a statement put together as a string, commits and closes. Columns are the fields that are present, in
the order of their numbers. The response has the texts and types of PIPA's. Nothing is slower than in the design it
stands for: messages are decoded by the protobuf library that is installed, SQLite has its defaults (rollback journal,
synchronous=FULL), and errors are answered with status_code 500.

protoc and proto/pipa.proto make the messages at the start. Prints "listening PORT" when it accepts calls; port 0 chooses one.
"""

import argparse
import concurrent.futures
import datetime
import importlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

import grpc

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proto")


def load_messages():
    """The module of the messages, made by protoc in a directory that is removed again."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "-I", PROTO, "--python_out=" + folder, "pipa.proto"], check=True)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        try:
            return importlib.import_module("pipa_pb2")
        finally:
            sys.path.remove(folder)


def sql_type(field, value):
    if isinstance(value, (str, list)):
        return "TEXT"
    return "REAL" if field.cpp_type == field.CPPTYPE_DOUBLE else "INTEGER"


def literal(value):
    if isinstance(value, (str, list)):
        return "'" + str(value).replace("'", "''") + "'"
    return repr(value)


class Server:
    def __init__(self, messages, database, table):
        self.messages = messages
        self.database = database
        self.table = table

    def deploy(self, request, _context):
        now = time.time()
        when = datetime.datetime.fromtimestamp(now).strftime("%Y-%m-%d %H:%M:%S.%f")
        fields = [(field, list(value) if field.label == field.LABEL_REPEATED else value)
                  for field, value in request.ListFields()]
        pairs = tuple((field.name, str(value)) for field, value in fields) + (now,)
        key = str(hash(pairs))
        columns = ["hash TEXT PRIMARY KEY", "upload_time INTEGER", "record TEXT"]
        columns += ["%s %s" % (field.name, sql_type(field, value)) for field, value in fields]
        names = ["hash", "upload_time", "record"] + [field.name for field, _ in fields]
        record = "%s %s %s" % (request.workload, when, uuid.uuid4())
        values = [literal(key), repr(now), literal(record)] + [literal(value) for _, value in fields]
        try:
            connection = sqlite3.connect(self.database)
            try:
                connection.execute("CREATE TABLE IF NOT EXISTS %s (%s)" % (self.table, ", ".join(columns)))
                connection.execute("INSERT INTO %s (%s) VALUES (%s)" % (self.table, ", ".join(names), ", ".join(values)))
                connection.commit()
            finally:
                connection.close()
        except sqlite3.Error as error:
            return self.messages.DeployResp(message="deploy failed: %s" % error, status_code=500)
        return self.messages.DeployResp(message="deploy success", username=request.username, time=str(now),
                                        hash="'%s'" % key, upload_datetime=when, status_code=200)

    def download(self, request, context):
        if request.file_option != "csv":
            context.abort(grpc.StatusCode.UNKNOWN, "only csv")
        connection = sqlite3.connect(self.database)
        try:
            cursor = connection.execute("SELECT * FROM %s" % request.table_name)
            lines = [",".join(column[0] for column in cursor.description)]
            lines += [",".join("" if value is None else str(value) for value in row) for row in cursor]
        except sqlite3.Error as error:
            context.set_code(grpc.StatusCode.INTERNAL)
            context.set_details(str(error))
            return self.messages.DownloadFullTableResp()
        finally:
            connection.close()
        return self.messages.DownloadFullTableResp(file_content=("\n".join(lines) + "\n").encode())


def main():
    parser = argparse.ArgumentParser(description="stand-in of PIPA's server")
    parser.add_argument("-a", "--address", default="127.0.0.1")
    parser.add_argument("-p", "--port", type=int, default=0)
    parser.add_argument("-d", "--database", default="example.db")
    parser.add_argument("-t", "--table", default="example")
    args = parser.parse_args()
    messages = load_messages()
    service = Server(messages, args.database, args.table)
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=1))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("pipa.PIPAD", {
        "Deploy": grpc.unary_unary_rpc_method_handler(
            service.deploy, messages.DeployRequest.FromString, messages.DeployResp.SerializeToString),
        "DownloadFullTable": grpc.unary_unary_rpc_method_handler(
            service.download, messages.DownloadFullTableRequest.FromString,
            messages.DownloadFullTableResp.SerializeToString),
    }),))
    port = server.add_insecure_port("%s:%d" % (args.address, args.port))
    server.start()
    print("listening %d" % port, flush=True)
    try:
        server.wait_for_termination()
    except KeyboardInterrupt:
        server.stop(5).wait()


if __name__ == "__main__":
    main()
