/*
 * Call every method of pipad with @grpc/grpc-js, its health service and its reflection with other packages.
 *
 *	node client.js ADDRESS PROTOS BYTES [CA [CERT KEY]]
 *
 * PROTOS is the directory proto/; BYTES is the size of the largest message. With CA the connection has TLS, with CERT and KEY
 * on both sides. Each case prints a line; the status is 1 after a failure.
 */
'use strict';
const assert = require('assert');
const crypto = require('crypto');
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const health = require('grpc-health-check');
const reflection = require('grpc-reflection-js');

const [address, protos, bytes, ...paths] = process.argv.slice(2);
const largest = Number(bytes);
const files = paths.map((path) => fs.readFileSync(path));
const options = { keepCase: true, longs: String, enums: String, defaults: true, includeDirs: [protos] };
const loaded = grpc.loadPackageDefinition(loader.loadSync(['pipa.proto', 'pipa/store/v1/store.proto'], options));
const Pipad = loaded.pipa.PIPAD;
const Store = loaded.pipa.store.v1.Store;

function credentials() {
  return files.length ? grpc.credentials.createSsl(files[0], files[2] || null, files[1] || null)
    : grpc.credentials.createInsecure();
}

function connect(Service, more) {
  return new Service(address, credentials(), {
    'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1, 'grpc.use_local_subchannel_pool': 1, ...more,
  });
}

const pipad = connect(Pipad);
const store = connect(Store);

// by default a minute, and what the largest message takes at 400 KB/s on a busy machine
function deadline(ms = 60000 + largest / 400) {
  return { deadline: Date.now() + ms };
}

// a promise of the response of a unary call
function call(client, method, request, more) {
  return new Promise((resolve, reject) => {
    client[method](request, more || deadline(), (error, response) => (error ? reject(error) : resolve(response)));
  });
}

// a promise of all responses of a stream
function all(stream) {
  return new Promise((resolve, reject) => {
    const messages = [];
    stream.on('data', (message) => messages.push(message));
    stream.on('error', reject);
    stream.on('end', () => resolve(messages));
  });
}

async function code(promise) {
  try {
    await promise;
  } catch (error) {
    return error.code;
  }
  return 0;
}

function result(n, workload = 'javascript', more = {}) {
  return { workload, transactions: String(n), username: 'me', used_threads: [36, 37], cpu_usr: 0, ...more };
}

async function deploy(n, workload, more, client = pipad) {
  const response = await call(client, 'Deploy', result(n, workload, more));
  assert.strictEqual(response.message, 'deploy success');
  assert.strictEqual(response.status_code, 200);
  return response;
}

function keyOf(response) {
  const match = /^'([0-9a-f]{64})'$/.exec(response.hash);
  assert.ok(match, response.hash);
  return match[1];
}

const cases = {
  async 'Deploy answers as PIPA\'s server'() {
    const first = await deploy(1);
    const second = await deploy(1);
    assert.strictEqual(keyOf(first), keyOf(second));
    assert.strictEqual(first.time, second.time);
    assert.match(first.upload_datetime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);
    const cycles = '9223372036854775808';
    await assert.rejects(call(pipad, 'Deploy', result(2, undefined, { cycles })),
      { code: grpc.status.INVALID_ARGUMENT, details: /cycles/ });
  },

  async 'streams of Deploy acknowledge each record'() {
    assert.strictEqual((await all(pipad.DeployStreamReply(result(3), deadline()))).length, 1);
    const stream = pipad.DeployBidiStream(deadline());
    const answers = all(stream);
    for (let n = 1; n <= 200; n++)
      stream.write(result(n, 'bidi'));
    stream.end();
    assert.deepStrictEqual((await answers).map((answer) => answer.status_code), Array(200).fill(200));
  },

  async 'uploads, queries, tables and downloads'() {
    const labels = [{ key: 'branch', value: 'js' }];
    const existed = [];
    for (const n of [1, 2, 3, 3])
      existed.push((await call(store, 'Upload', { result: result(n, 'js', { CPI: n / 2 }), labels })).existed);
    assert.deepStrictEqual(existed, [false, false, false, true]);
    const { tables } = await call(store, 'ListTables', {});
    assert.deepStrictEqual(tables.filter((table) => table.is_default).map((table) => table.name), ['example']);
    const filter = { workload: 'js', labels, where: 'CPI >= 1' };
    const page = await call(store, 'Query', { filter, limit: 1 });
    assert.deepStrictEqual(page.runs.map((run) => run.result.transactions), ['3']);
    const metric = await call(store, 'QueryMetric', { filter, metrics: ['CPI'], by: ['label:branch'] });
    assert.deepStrictEqual(metric.groups.map((group) => [group.by, group.metrics[0].count, group.metrics[0].mean]),
      [[['js'], '2', 1.25]]);
    const parts = await all(store.Download({ filter, format: 'FORMAT_CSV' }, deadline()));
    assert.strictEqual(Buffer.concat(parts.map((part) => part.chunk)).toString().trimEnd().split('\n').length, 3);
    const whole = await call(pipad, 'DownloadFullTable', { table_name: 'example', file_option: 'csv' });
    assert.match(whole.file_content.toString(), /^hash,upload_time,record,workload,/);
    assert.strictEqual(await code(call(store, 'Query', { filter: { where: 'CPI >' } })), grpc.status.INVALID_ARGUMENT);
    assert.strictEqual(await code(call(store, 'Query', { filter: { table: 'nothing' } })), grpc.status.NOT_FOUND);
  },

  async 'recordings return byte for byte'() {
    const hash = keyOf(await deploy(4));
    const data = Buffer.alloc(3 << 20, 'recording');
    const id = crypto.createHash('sha256').update(data).digest('hex');
    for (const expected of [false, true]) {
      const response = await new Promise((resolve, reject) => {
        const stream = store.UploadRecording(deadline(), (error, answer) => (error ? reject(error) : resolve(answer)));
        stream.write({ hash, name: 'a.pb.gz', size: String(data.length), id });
        for (let at = 0; at < data.length; at += 100000)
          stream.write({ chunk: data.subarray(at, at + 100000) });
        stream.end();
      });
      assert.strictEqual(response.existed, expected);
      assert.strictEqual(response.recording.id, id);
    }
    const parts = await all(store.DownloadRecording({ hash, id }, deadline()));
    assert.strictEqual(parts[0].recording.name, 'a.pb.gz');
    assert.ok(Buffer.concat(parts.map((part) => part.chunk)).equals(data));
  },

  async 'Delete removes runs'() {
    const hash = keyOf(await deploy(5));
    assert.strictEqual((await call(store, 'Delete', { hashes: [hash] })).runs, '1');
  },

  async 'large messages are accepted and larger ones refused'() {
    await deploy(6, undefined, { comment: 'x'.repeat(3 << 20) });
    await deploy(7, undefined, { comment: 'y'.repeat(largest - 1000) });
    assert.strictEqual(await code(deploy(8, undefined, { comment: 'z'.repeat(largest + (1 << 20)) })),
      grpc.status.RESOURCE_EXHAUSTED);
    await deploy(9);
  },

  async 'deadlines and cancellations end calls'() {
    const late = pipad.DeployBidiStream(deadline(500));
    const answers = all(late);
    late.write(result(10, 'deadline'));
    assert.strictEqual(await code(answers), grpc.status.DEADLINE_EXCEEDED);
    const stream = pipad.DeployBidiStream(deadline());
    const cancelled = code(all(stream));
    stream.write(result(10, 'deadline'));
    stream.once('data', () => stream.cancel());
    assert.strictEqual(await cancelled, grpc.status.CANCELLED);
    await deploy(11);
  },

  async 'many streams in parallel'() {
    const calls = [];
    for (let n = 1; n <= 500; n++)
      calls.push(deploy(n, 'parallel'));
    for (let n = 1; n <= 50; n++) {
      const stream = pipad.DeployBidiStream(deadline());
      calls.push(all(stream).then((answers) => assert.strictEqual(answers.length, 3)));
      for (let k = 0; k < 3; k++)
        stream.write(result(n, 'streams'));
      stream.end();
    }
    await Promise.all(calls);
  },

  async 'keepalive pings are answered'() {
    const client = connect(Pipad, { 'grpc.keepalive_time_ms': 1000, 'grpc.keepalive_timeout_ms': 1000,
      'grpc.keepalive_permit_without_calls': 1 });
    await deploy(12, undefined, undefined, client);
    await new Promise((resolve) => setTimeout(resolve, 3500));
    assert.strictEqual(client.getChannel().getConnectivityState(false), grpc.connectivityState.READY);
    await deploy(13, undefined, undefined, client);
    client.close();
  },

  async 'health is served to grpc-health-check'() {
    const proto = loader.loadSync(health.protoPath || require.resolve('grpc-health-check/proto/health/v1/health.proto'),
      options);
    const client = connect(grpc.loadPackageDefinition(proto).grpc.health.v1.Health);
    for (const service of ['', 'pipa.PIPAD', 'pipa.store.v1.Store'])
      assert.strictEqual((await call(client, 'Check', { service })).status, 'SERVING');
    assert.strictEqual(await code(call(client, 'Check', { service: 'nothing' })), grpc.status.NOT_FOUND);
    const watch = client.Watch({ service: '' });
    const first = await new Promise((resolve, reject) => {
      watch.once('data', resolve);
      watch.once('error', reject);
    });
    assert.strictEqual(first.status, 'SERVING');
    watch.on('error', () => {});
    watch.cancel();
    client.close();
  },

  async 'reflection describes all services to grpc-reflection-js'() {
    const client = new reflection.Client(address, credentials());
    const services = await client.listServices();
    for (const service of ['pipa.PIPAD', 'pipa.store.v1.Store', 'grpc.health.v1.Health'])
      assert.ok(services.includes(service), services.join());
    let root = await client.fileContainingSymbol('pipa.PIPAD');
    assert.strictEqual(root.lookupType('pipa.DeployRequest').fieldsArray.length, 55);
    assert.deepStrictEqual(Object.keys(root.lookupService('pipa.PIPAD').methods),
      ['Deploy', 'DeployStreamReply', 'DeployBidiStream', 'DownloadFullTable']);
    root = await client.fileContainingSymbol('pipa.store.v1.Store');
    assert.strictEqual(root.lookupType('pipa.store.v1.Run').fields.result.id, 7);
    client.grpcClient.close();
  },
};

async function main() {
  let failed = 0;
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run();
      console.log(`ok ${name}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${name}: ${error.stack.split('\n').slice(0, 6).join('\n')}`);
    }
  }
  pipad.close();
  store.close();
  process.exit(failed ? 1 : 0);
}

main();
