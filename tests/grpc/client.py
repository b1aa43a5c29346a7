"""Call every method of pipad with python3-grpcio.

    client.py ADDRESS MESSAGES BYTES [CA [CERT KEY]]

MESSAGES is a directory with the modules that protoc made of proto/; BYTES is the size of the largest message. With CA the
connection has TLS, with CERT and KEY on both sides. Each case prints a line; the status is the number of failures.
"""

import hashlib
import re
import sys
import threading
import time
import traceback

import grpc

address, folder, largest = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = [open(path, "rb").read() for path in sys.argv[4:]]
sys.path.insert(0, folder)
# pylint: disable=import-error,wrong-import-position
import pipa_pb2 as pipa
from pipa.store.v1 import store_pb2 as store

HASH = re.compile(r"^[0-9a-f]{64}$")
kinds = {"uu": "unary_unary", "us": "unary_stream", "su": "stream_unary", "ss": "stream_stream"}
METHODS = {
    "Deploy": ("uu", pipa.DeployRequest, pipa.DeployResp),
    "DeployStreamReply": ("us", pipa.DeployRequest, pipa.DeployResp),
    "DeployBidiStream": ("ss", pipa.DeployRequest, pipa.DeployResp),
    "DownloadFullTable": ("uu", pipa.DownloadFullTableRequest, pipa.DownloadFullTableResp),
    "Upload": ("uu", store.UploadRequest, store.UploadResponse),
    "Query": ("uu", store.QueryRequest, store.QueryResponse),
    "QueryMetric": ("uu", store.QueryMetricRequest, store.QueryMetricResponse),
    "ListTables": ("uu", store.ListTablesRequest, store.ListTablesResponse),
    "Download": ("us", store.DownloadRequest, store.DownloadResponse),
    "UploadRecording": ("su", store.UploadRecordingRequest, store.UploadRecordingResponse),
    "DownloadRecording": ("us", store.DownloadRecordingRequest, store.DownloadRecordingResponse),
    "Delete": ("uu", store.DeleteRequest, store.DeleteResponse),
}


def connect(*options):
    options = (("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1)) + options
    if not files:
        return grpc.insecure_channel(address, options)
    ca, cert, key = (files + [None, None])[:3]
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(ca, key, cert), options)


def method(channel, name):
    kind, request, response = METHODS[name]
    service = "pipa.store.v1.Store" if issubclass(request, getattr(store, request.__name__, ())) else "pipa.PIPAD"
    return getattr(channel, kinds[kind])("/%s/%s" % (service, name), request.SerializeToString, response.FromString)


def result(n, workload="python", **fields):
    return pipa.DeployRequest(workload=workload, transactions=n, username="me", used_threads=[36, 37], cpu_usr=0, **fields)


def expect(got, wanted):
    assert got == wanted, "%r, expected %r" % (got, wanted)


def deploy(channel, *args, **fields):
    response = method(channel, "Deploy")(result(*args, **fields), timeout=60 + largest / 400e3)
    expect((response.status_code, response.message), (200, "deploy success"))
    return response


def case_deploy_answers_as_pipas_server(channel):
    first, second = deploy(channel, 1), deploy(channel, 1)
    expect(first.hash[0] + first.hash[-1], "''")
    assert HASH.match(first.hash[1:-1]), first.hash
    assert re.match(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$", first.upload_datetime), first.upload_datetime
    assert re.match(r"^\d+\.\d+$", first.time), first.time
    expect(first.username, "me")
    expect((second.hash, second.time), (first.hash, first.time))


def case_deploy_names_the_field_that_cannot_be_stored(channel):
    try:
        method(channel, "Deploy")(result(2, cycles=1 << 63), timeout=60)
        raise AssertionError("accepted")
    except grpc.RpcError as error:
        expect(error.code(), grpc.StatusCode.INVALID_ARGUMENT)
        assert "cycles" in error.details(), error.details()


def case_streams_of_deploy_acknowledge_each_record(channel):
    expect(len(list(method(channel, "DeployStreamReply")(result(3), timeout=60))), 1)
    answers = list(method(channel, "DeployBidiStream")((result(n, "bidi") for n in range(1, 201)), timeout=60))
    expect([answer.status_code for answer in answers], [200] * 200)
    expect(len({answer.hash for answer in answers}), 200)


def case_uploads_queries_tables_and_downloads(channel):
    labels = [store.Label(key="branch", value="main")]
    upload = method(channel, "Upload")
    responses = [upload(store.UploadRequest(result=result(n, "stored", CPI=n / 2), labels=labels), timeout=60)
                 for n in (1, 2, 3, 3)]
    expect([response.existed for response in responses], [False, False, False, True])
    expect(responses[2].upload_time_us, responses[3].upload_time_us)
    tables = method(channel, "ListTables")(store.ListTablesRequest(), timeout=60).tables
    expect([table.name for table in tables if table.is_default], ["example"])
    chosen = store.Filter(workload="stored", labels=labels, where="CPI >= 1")
    page = method(channel, "Query")(store.QueryRequest(filter=chosen, limit=1), timeout=60)
    expect([run.result.transactions for run in page.runs], [3])
    page = method(channel, "Query")(store.QueryRequest(filter=chosen, page_token=page.next_page_token), timeout=60)
    expect([run.result.transactions for run in page.runs], [2])
    groups = method(channel, "QueryMetric")(
        store.QueryMetricRequest(filter=chosen, metrics=["CPI"], by=["label:branch"]), timeout=60).groups
    expect([(list(group.by), group.metrics[0].count, group.metrics[0].mean) for group in groups], [(["main"], 2, 1.25)])
    csv = b"".join(part.chunk for part in method(channel, "Download")(store.DownloadRequest(filter=chosen), timeout=60))
    expect(len(csv.splitlines()), 3)
    whole = method(channel, "DownloadFullTable")(
        pipa.DownloadFullTableRequest(table_name="example", file_option="csv"), timeout=60).file_content
    assert whole.splitlines()[0].startswith(b"hash,upload_time,record,workload,"), whole[:100]
    status = refused(lambda: method(channel, "Query")(store.QueryRequest(filter=store.Filter(where="CPI >")), timeout=60))
    expect(status, grpc.StatusCode.INVALID_ARGUMENT)
    status = refused(lambda: list(method(channel, "Download")(
        store.DownloadRequest(filter=store.Filter(table="nothing")), timeout=60)))
    expect(status, grpc.StatusCode.NOT_FOUND)


def case_recordings_return_byte_for_byte(channel):
    key = deploy(channel, 4).hash.strip("'")
    data = bytes(i * 7 % 251 for i in range(1 << 16)) * 48
    digest = hashlib.sha256(data).hexdigest()

    def parts():
        yield store.UploadRecordingRequest(hash=key, name="a.pb.gz", size=len(data), id=digest)
        for start in range(0, len(data), 100000):
            yield store.UploadRecordingRequest(chunk=data[start:start + 100000])

    upload = method(channel, "UploadRecording")
    responses = [upload(parts(), timeout=60) for _ in range(2)]
    expect([response.existed for response in responses], [False, True])
    expect((responses[0].recording.id, responses[0].recording.size), (digest, len(data)))
    messages = list(method(channel, "DownloadRecording")(store.DownloadRecordingRequest(hash=key, id=digest), timeout=60))
    expect(messages[0].recording.name, "a.pb.gz")
    assert b"".join(message.chunk for message in messages) == data


def case_delete_removes_runs(channel):
    key = deploy(channel, 5).hash.strip("'")
    expect(method(channel, "Delete")(store.DeleteRequest(hashes=[key]), timeout=60).runs, 1)
    expect(method(channel, "Delete")(store.DeleteRequest(hashes=[key]), timeout=60).runs, 0)


def refused(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return None


def case_large_messages_are_accepted_and_larger_ones_refused(channel):
    deploy(channel, 6, comment="x" * (3 << 20))
    deploy(channel, 7, comment="y" * (largest - 1000))
    status = refused(lambda: deploy(channel, 8, comment="z" * (largest + (1 << 20))))
    expect(status, grpc.StatusCode.RESOURCE_EXHAUSTED)
    deploy(channel, 9)


def case_deadlines_and_cancellations_end_calls(channel):
    never = threading.Event()

    def wait():
        yield result(10, "deadline")
        never.wait(20)

    start = time.monotonic()
    status = refused(lambda: list(method(channel, "DeployBidiStream")(wait(), timeout=0.5)))
    expect(status, grpc.StatusCode.DEADLINE_EXCEEDED)
    assert time.monotonic() - start < 10
    call = method(channel, "DeployBidiStream")(wait())
    expect(next(call).status_code, 200)
    call.cancel()
    expect(refused(lambda: list(call)), grpc.StatusCode.CANCELLED)
    never.set()
    deploy(channel, 11)


def case_many_streams_in_parallel(channel):
    futures = [method(channel, "Deploy").future(result(n, "parallel"), timeout=60) for n in range(1, 501)]
    streams = [method(channel, "DeployBidiStream")(iter([result(n, "streams")] * 3), timeout=60) for n in range(1, 51)]
    expect({future.result().status_code for future in futures}, {200})
    expect({len(list(stream)) for stream in streams}, {3})


def case_keepalive_pings_are_answered(_channel):
    channel = connect(("grpc.keepalive_time_ms", 1000), ("grpc.keepalive_timeout_ms", 1000),
                      ("grpc.keepalive_permit_without_calls", 1), ("grpc.http2.max_pings_without_data", 0))
    deploy(channel, 12)
    time.sleep(3.5)
    states = []
    channel.subscribe(states.append)
    deploy(channel, 13)
    assert grpc.ChannelConnectivity.TRANSIENT_FAILURE not in states, states
    channel.close()


def case_unknown_methods_are_unimplemented(channel):
    call = channel.unary_unary("/pipa.PIPAD/Nothing", lambda message: b"", lambda message: message)
    expect(refused(lambda: call(None, timeout=60)), grpc.StatusCode.UNIMPLEMENTED)
    call = channel.unary_unary("/pipa.PIPAD/Deploy", lambda message: b"\x0a\xff", lambda message: message)
    expect(refused(lambda: call(None, timeout=60)), grpc.StatusCode.INVALID_ARGUMENT)


def main():
    channel = connect()
    failed = 0
    for name, case in list(globals().items()):
        if not name.startswith("case_"):
            continue
        try:
            case(channel)
            print("ok %s" % name[5:])
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print("not ok %s\n%s" % (name[5:], traceback.format_exc(limit=3)))
    channel.close()
    return failed


if __name__ == "__main__":
    sys.exit(main())
