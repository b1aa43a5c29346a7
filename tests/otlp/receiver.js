/*
 * A receiver of OTLP profiles for tests/cli/test_otlp_send.sh, on a free port of the loopback.
 *
 *	node receiver.js grpc|http|raw STEP,STEP... [CERT KEY [CLIENT_CA]]
 *
 * It writes its port to ./port, then for the n-th request its body to ./body.N, as sent over HTTP and decompressed over
 * gRPC, and its headers to ./head.N. Each request takes one step; the last one is repeated:
 *
 *	ok           accepts
 *	N            fails with that gRPC code or HTTP status
 *	N+MS         the same with a RetryInfo of MS milliseconds, or Retry-After of MS / 1000 seconds
 *	discard      accepts, and writes no files
 *	partial      accepts, but three profiles are rejected
 *	warning      accepts, with a message
 *	slow         accepts after half a second
 *	never        does not answer
 *	goaway       accepts, then sends GOAWAY on all connections
 *	reset        (raw) closes the connection after the first bytes
 *	silent       (raw) accepts the connection and reads nothing
 */
'use strict';
const fs = require('fs');
const [kind, script, cert, key, clientCa] = process.argv.slice(2);
const steps = script.split(',');
let requests = 0;

function nextStep() {
  return steps[Math.min(requests++, steps.length - 1)];
}

function keep(head, body) {
  fs.writeFileSync(`body.${requests}`, body);
  fs.writeFileSync(`head.${requests}`, JSON.stringify(head));
}

function ready(port) {
  fs.writeFileSync('port.new', String(port));
  fs.renameSync('port.new', 'port');
}

function field(number, bytes) {
  return Buffer.concat([Buffer.from([number << 3 | 2, bytes.length]), bytes]);
}

function varint(n) {
  const bytes = [];
  for (; n >= 128; n = Math.floor(n / 128)) bytes.push(n % 128 | 128);
  return Buffer.from([...bytes, n]);
}

/* google.rpc.Status with a RetryInfo */
function statusBytes(code, ms) {
  const duration = Buffer.concat([Buffer.from([0x08]), varint(Math.floor(ms / 1000)),
    Buffer.from([0x10]), varint(ms % 1000 * 1000000)]);
  const any = Buffer.concat([field(1, Buffer.from('type.googleapis.com/google.rpc.RetryInfo')),
    field(2, field(1, duration))]);
  return Buffer.concat([Buffer.from([8, code]), field(2, Buffer.from('later')), field(3, any)]);
}

function response(step) {
  if (step === 'partial') return Buffer.from('0a080803' + '12046c617465', 'hex');
  if (step === 'warning') return field(1, field(2, Buffer.from('too old')));
  return Buffer.alloc(0);
}

function serveGrpc() {
  const grpc = require('@grpc/grpc-js');
  const server = new grpc.Server({ 'grpc.max_receive_message_length': 64 << 20 });
  const same = (bytes) => bytes;
  const sessions = new Set();
  server.addService({
    Export: {
      path: '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
      requestStream: false, responseStream: false, requestSerialize: same, requestDeserialize: same,
      responseSerialize: same, responseDeserialize: same,
    },
  }, {
    Export(call, answer) {
      const step = nextStep();
      if (step !== 'discard') keep(call.metadata.getMap(), call.request);
      const [code, ms] = step.split('+').map(Number);
      if (step === 'never') return;
      if (!Number.isNaN(code)) {
        const metadata = new grpc.Metadata();
        if (ms !== undefined) metadata.set('grpc-status-details-bin', statusBytes(code, ms));
        answer({ code, details: 'no luck today', metadata });
        return;
      }
      setTimeout(() => answer(null, response(step)), step === 'slow' ? 500 : 0);
      if (step === 'goaway') setTimeout(() => server.drain(address, 100), 50);
    },
  });
  const pair = cert && [{ cert_chain: fs.readFileSync(cert), private_key: fs.readFileSync(key) }];
  const credentials = cert ?
    grpc.ServerCredentials.createSsl(clientCa ? fs.readFileSync(clientCa) : null, pair, !!clientCa) :
    grpc.ServerCredentials.createInsecure();
  let address;
  server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
    if (error) throw error;
    address = `127.0.0.1:${port}`;
    ready(port);
  });
}

function serveHttp() {
  const options = cert ? { cert: fs.readFileSync(cert), key: fs.readFileSync(key) } : {};
  const server = require(cert ? 'https' : 'http').createServer(options, (request, answer) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      const step = nextStep();
      const json = request.headers['content-type'] === 'application/json';
      keep({ ...request.headers, method: request.method, path: request.url }, Buffer.concat(pieces));
      const [status, ms] = step.split('+').map(Number);
      if (step === 'never') return;
      if (!Number.isNaN(status)) {
        answer.statusCode = status;
        if (ms !== undefined) answer.setHeader('Retry-After', String(Math.ceil(ms / 1000)));
        if (status >= 300 && status < 400) answer.setHeader('Location', 'http://127.0.0.1:1/');
        answer.setHeader('Content-Type', 'text/plain');
        answer.end('no luck today');
        return;
      }
      answer.setHeader('Content-Type', request.headers['content-type']);
      const partial = '{"partialSuccess":{"rejectedProfiles":"3","errorMessage":"late"}}';
      const body = json ? (step === 'partial' ? partial : '{}') : response(step);
      setTimeout(() => answer.end(body), step === 'slow' ? 500 : 0);
    });
  });
  server.listen(0, '127.0.0.1', () => ready(server.address().port));
}

function serveRaw() {
  const server = require('net').createServer((socket) => {
    const step = nextStep();
    socket.on('error', () => {});
    if (step === 'reset') socket.once('data', () => socket.resetAndDestroy());
    else socket.pause();
  });
  server.listen(0, '127.0.0.1', () => ready(server.address().port));
}

({ grpc: serveGrpc, http: serveHttp, raw: serveRaw })[kind]();
