// Scripted conversation of the official JavaScript client 1.x with a reference agent, directly or through a gateway.
import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Role, TaskState, taskStateToJSON } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { Skip, chunks, main, need, note, parseOptions, refused, sleep } from './conversation.mjs';
import { Webhook } from './webhook.mjs';

const EXTENSION = 'https://example.com/ext/lab/v1';
const SAMPLE_DATA = { key: 'value', count: 42, nested: { a: [1, 2.5, null, true, '\u00e9'] } };

const options = parseOptions();
const speaksV1 = options.protocol === '1.0';
let card, client;
/** The tasks that later steps come back to. */
let done, streamedId;

const message = (text, taskId = '', contextId = '') => ({
  messageId: crypto.randomUUID(),
  role: Role.ROLE_USER,
  parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
  taskId,
  contextId,
  extensions: [],
  metadata: {},
  referenceTaskIds: [],
});
const request = (content, { immediate = false, push } = {}) => ({
  tenant: '',
  metadata: {},
  message: content,
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: push,
    historyLength: undefined,
    returnImmediately: immediate,
  },
});
const joined = (parts) => parts.map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join('');
const artifactText = (task) => task.artifacts.map((artifact) => joined(artifact.parts)).join('');
const state = ({ status }) => taskStateToJSON(status.state).replace('TASK_STATE_', '').toLowerCase();
const kind = (event) => event.payload.$case;
/** The task state that an event tells, if it tells one. */
const eventState = (event) => (['task', 'statusUpdate'].includes(kind(event)) ? state(event.payload.value) : undefined);

async function task(content, sending) {
  const answer = await client.sendMessage(request(content, sending));
  need('status' in answer, `expected a task, got ${JSON.stringify(answer).slice(0, 120)}`);
  return answer;
}
const stream = (text, call) => client.sendMessageStream(request(message(text)), call);
const subscribe = (id) => client.resubscribeTask({ tenant: '', id });
const get = (id, historyLength) => client.getTask({ tenant: '', id, historyLength });
const cancelled = (id) => client.cancelTask({ tenant: '', id, metadata: {} });
async function collect(events) {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
}

const steps = {
  // Finding the agent

  async card_resolve() {
    const resolver = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } });
    card = await resolver.resolve(options.base, options.cardPath);
    note({ interfaces: card.supportedInterfaces.map((i) => `${i.protocolBinding} ${i.protocolVersion} ${i.url}`) });
  },

  async card_urls_on_base() {
    const here = new URL(options.base).host;
    const urls = card.supportedInterfaces.map(({ url }) => url).filter((url) => url.startsWith('http'));
    const strays = urls.filter((url) => new URL(url).host !== here);
    need(strays.length === 0, `interfaces that lead away from ${options.base}: ${strays}`);
  },

  async connect() {
    const usable = card.supportedInterfaces.filter(
      ({ protocolBinding, protocolVersion }) =>
        protocolBinding === options.binding && protocolVersion.startsWith(options.protocol),
    );
    need(usable.length > 0, `the card has no ${options.binding} interface at ${options.protocol}`);
    const Transport = {
      JSONRPC: JsonRpcTransportFactory,
      'HTTP+JSON': RestTransportFactory,
      GRPC: GrpcTransportFactory,
    }[options.binding];
    const factory = new ClientFactory({
      transports: [new Transport({ legacyCompat: { enabled: true } })],
      preferredTransports: [options.binding],
    });
    client = await factory.createFromAgentCard({ ...card, supportedInterfaces: usable });
    return client.protocolVersion;
  },

  // Sending

  async send_blocking() {
    done = await task(message('echo hello'));
    need(artifactText(done) === 'echo: hello', `artifact ${artifactText(done)}`);
    return state(done);
  },

  async send_message_reply() {
    const answer = await client.sendMessage(request(message('message hi there')));
    need('messageId' in answer, `expected a message, got ${JSON.stringify(answer).slice(0, 120)}`);
    return joined(answer.parts).split(': ')[1];
  },

  async send_stream() {
    const [count, gap] = [8, 150];
    const events = [];
    const times = [];
    for await (const event of stream(`stream ${count} ${gap}`)) {
      events.push(event);
      if (kind(event) === 'artifactUpdate') times.push(performance.now());
    }
    const updates = events.filter((event) => kind(event) === 'artifactUpdate').map((event) => event.payload.value);
    const text = updates.map(({ artifact }) => joined(artifact.parts)).join('');
    need(text === chunks(count), `chunks out of order or lost: ${text}`);
    need(
      updates.every(({ append }, i) => append === i > 0),
      'append flags',
    );
    need(
      updates.every(({ lastChunk }, i) => lastChunk === (i === count - 1)),
      'last chunk flags',
    );
    need(eventState(events.at(-1)) === 'completed', `last event ${JSON.stringify(events.at(-1))}`);
    const spread = Math.round(times.at(-1) - times[0]);
    note({ spread_ms: spread });
    const sentOver = gap * (count - 1);
    need(spread > 0.3 * sentOver, `buffered: ${spread} ms for what was sent over ${sentOver} ms`);
    streamedId = updates[0].taskId;
    return events.map(kind);
  },

  // Looking after tasks

  async get_task() {
    const stored = await get(streamedId);
    need(artifactText(stored) === chunks(8), `stored artifact ${artifactText(stored)}`);
    return [state(stored), stored.history.length, stored.artifacts.length];
  },

  async get_history_length() {
    const { history } = await get(done.id, 0);
    need(history.length === 0, `history length 0 gave ${history.length}`);
  },

  async list_tasks() {
    if (!speaksV1) throw new Skip('0.3 has no such operation over JSON-RPC');
    const list = (filter) =>
      client.listTasks({
        tenant: '',
        contextId: '',
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageToken: '',
        ...filter,
      });
    const ofContext = await list({ contextId: done.contextId });
    need(
      isDeepStrictEqual(
        ofContext.tasks.map(({ id }) => id),
        [done.id],
      ),
      'the context filter gave other tasks',
    );
    const first = await list({ pageSize: 1 });
    need(first.tasks.length === 1 && first.nextPageToken, 'page size 1 gave no first page of one');
    const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
    need(second.tasks.length === 1 && second.tasks[0].id !== first.tasks[0].id, 'the second page repeats the first');
  },

  async poll_long_task() {
    let polled = await task(message('slow 1.2'), { immediate: true });
    need(['submitted', 'working'].includes(state(polled)), `returned ${state(polled)}: not at once`);
    for (const end = Date.now() + 12_000; state(polled) !== 'completed' && Date.now() < end;) {
      await sleep(150);
      polled = await get(polled.id);
    }
    need(artifactText(polled) === 'slow done', `artifact ${artifactText(polled)}`);
    return state(polled);
  },

  async cancel() {
    const { id } = await task(message('slow 20'), { immediate: true });
    await sleep(300);
    const answer = await cancelled(id);
    return [state(answer), state(await get(id))];
  },

  cancel_terminal_error: () => refused(cancelled(done.id), 'TaskNotCancelable'),

  async resubscribe() {
    const { id } = await task(message('slow 1.5'), { immediate: true });
    const events = await collect(subscribe(id));
    note({ events: events.length });
    const told = events.map(eventState).filter(Boolean).at(-1);
    need(told === 'completed', `ended with ${told}`);
    return [kind(events[0]), kind(events.at(-1))];
  },

  async resubscribe_after_drop() {
    const dropped = new AbortController();
    let id;
    let seen = 0;
    for await (const event of stream('stream 15 100', { signal: dropped.signal })) {
      if (kind(event) === 'artifactUpdate' && ++seen === 3) {
        id = event.payload.value.taskId;
        break;
      }
    }
    dropped.abort();
    await sleep(250);
    let text = '';
    let told;
    for await (const event of subscribe(id)) {
      told = eventState(event) ?? told;
      if (kind(event) === 'task') text = artifactText(event.payload.value);
      if (kind(event) === 'artifactUpdate') text += joined(event.payload.value.artifact.parts);
    }
    need(told === 'completed', `ended with ${told}`);
    const stored = artifactText(await get(id));
    need(stored === chunks(15), `stored artifact ${stored}`);
    note({ gapless: text === stored });
  },

  subscribe_terminal_error: () => {
    if (!speaksV1) throw new Skip('0.3 leaves open what happens');
    return refused(collect(subscribe(done.id)), 'UnsupportedOperation');
  },

  async input_required() {
    const asked = await task(message('ask'));
    const answered = await task(message('Ada', asked.id, asked.contextId));
    need(answered.id === asked.id, 'another task id');
    need(answered.contextId === asked.contextId, 'another context id');
    need(artifactText(answered) === 'got: Ada', `artifact ${artifactText(answered)}`);
    return [state(asked), state(answered)];
  },

  async context_continuity() {
    const contextId = crypto.randomUUID();
    const answer = await task(message('echo one', '', contextId));
    need(answer.contextId === contextId, `sent context ${contextId}, got ${answer.contextId}`);
  },

  // Push notifications and the extended card

  async push_crud() {
    const { id: taskId } = await task(message('slow 6'), { immediate: true });
    const url = 'http://127.0.0.1:9/none';
    const config = { tenant: '', taskId, id: 'config-1' };
    const created = await client.createTaskPushNotificationConfig({ ...config, url, token: 'token' });
    need(created.url === url, `created ${created.url}`);
    const got = await client.getTaskPushNotificationConfig(config);
    need(got.id === config.id && got.url === url, `got ${JSON.stringify(got)}`);
    const listed = async () => {
      const { configs } = await client.listTaskPushNotificationConfig({
        tenant: '',
        taskId,
        pageSize: 0,
        pageToken: '',
      });
      return configs.map(({ id }) => id).join();
    };
    need((await listed()) === config.id, `listed ${await listed()}`);
    await client.deleteTaskPushNotificationConfig(config);
    need((await listed()) === '', 'still listed after it was deleted');
    await cancelled(taskId);
  },

  async push_delivery() {
    const webhook = new Webhook();
    const push = { tenant: '', id: 'config-2', taskId: '', url: await webhook.open(), token: 'secret' };
    try {
      const { id } = await task(message('slow 1'), { immediate: true, push });
      return await webhook.completion(id);
    } finally {
      webhook.close();
    }
  },

  async extended_card() {
    const { skills } = await client.getAgentCard();
    need(
      skills.some(({ id }) => id === 'extended'),
      `skills ${skills.map(({ id }) => id)}`,
    );
  },

  // Errors

  unknown_task_error: () => refused(get(crypto.randomUUID()), 'TaskNotFound'),

  cancel_unknown_error: () => refused(cancelled(crypto.randomUUID()), 'TaskNotFound'),

  send_to_unknown_task_error: () => refused(task(message('echo x', crypto.randomUUID())), 'TaskNotFound'),

  send_to_terminal_error: () =>
    refused(
      task(message('echo again', done.id, done.contextId)),
      'UnsupportedOperation',
      'RequestMalformed',
      'InvalidParams',
    ),

  bad_params_error: () =>
    refused(
      task({ ...message(''), messageId: '', parts: [] }),
      'RequestMalformed',
      'InvalidParams',
      'JsonRpcTransportError',
    ),

  // Payloads and outcomes

  async data_and_file() {
    const data = (await task(message('data'))).artifacts[0].parts[0];
    need(isDeepStrictEqual(data.content.value, SAMPLE_DATA), `data ${JSON.stringify(data.content.value)}`);
    const file = (await task(message('file'))).artifacts[0].parts[0];
    const bytes = [...file.content.value];
    need(bytes.length === 256 && bytes.every((byte, i) => byte === i), `file of ${bytes.length} bytes`);
    return [data.mediaType, file.filename, file.mediaType];
  },

  async big_2mb() {
    const size = artifactText(await task(message('big 2048'))).length;
    need(size === 2048 * 1024, `${size} characters`);
  },

  failed_task: async () => [state(await task(message('fail'))), state(await task(message('reject')))],

  auth_required: async () => state(await task(message('auth'))),

  // Many at once, and what travels along

  async concurrency_20() {
    const all = Array.from({ length: 20 }, (_, i) => task(message(`echo n${i}`)));
    const texts = (await Promise.all(all)).map(artifactText);
    need(
      texts.every((text, i) => text === `echo: n${i}`),
      `answers mixed up: ${texts}`,
    );
  },

  async parallel_streams_5() {
    const text = async () => {
      const events = await collect(stream('stream 6 40'));
      const updates = events.filter((event) => kind(event) === 'artifactUpdate');
      return updates.map((event) => joined(event.payload.value.artifact.parts)).join('');
    };
    const texts = await Promise.all(Array.from({ length: 5 }, text));
    need(
      texts.every((each) => each === chunks(6)),
      `${texts}`,
    );
  },

  async headers_forwarded() {
    const serviceParameters = { 'A2A-Extensions': EXTENSION, 'x-lab-probe': '42' };
    const answer = await client.sendMessage(request(message('headers')), { serviceParameters });
    const { headers, extensions } = answer.artifacts[0].parts[0].content.value;
    note({ probe_reached_agent: 'x-lab-probe' in headers });
    need(extensions.includes(EXTENSION), `the extension did not reach the agent: ${extensions}`);
  },
};

const manifest = new URL('../node_modules/@a2a-js/sdk/package.json', import.meta.url);
await main(`JavaScript ${JSON.parse(fs.readFileSync(manifest)).version}`, options, steps);
