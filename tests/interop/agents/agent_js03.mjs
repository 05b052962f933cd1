// Reference agent on the JavaScript SDK 0.3: JSON-RPC and HTTP+JSON at protocol 0.3.
// What it does with a message is chosen by the first word of its text; the README lists the commands.
import { parseArgs } from 'node:util';
import express from 'express';
import {
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { SAMPLE_BYTES, SAMPLE_DATA, numbers, parse, sleep } from './commands.mjs';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '9107' },
    name: { type: 'string', default: 'lab-js03' },
    transports: { type: 'string', default: 'JSONRPC,HTTP+JSON' },
  },
});
const host = '127.0.0.1';
const base = `http://${host}:${options.port}`;

const FINAL = ['completed', 'failed', 'canceled', 'rejected', 'input-required', 'auth-required'];

const text = (content) => [{ kind: 'text', text: content }];
const data = (content) => [{ kind: 'data', data: content }];
const file = (content) => [
  {
    kind: 'file',
    file: { bytes: content.toString('base64'), name: 'bytes.bin', mimeType: 'application/octet-stream' },
  },
];
const now = () => new Date().toISOString();

/** Publishes the events of one task. */
class Updater {
  constructor({ taskId, contextId }, bus) {
    Object.assign(this, { taskId, contextId, bus });
  }

  message(content) {
    const { taskId, contextId } = this;
    return { kind: 'message', role: 'agent', messageId: crypto.randomUUID(), parts: text(content), taskId, contextId };
  }

  status(state, content) {
    const status = { state, timestamp: now(), ...(content && { message: this.message(content) }) };
    const { taskId, contextId } = this;
    this.bus.publish({ kind: 'status-update', taskId, contextId, final: FINAL.includes(state), status });
  }

  artifact(parts, name, { append = false, lastChunk = true, artifactId = crypto.randomUUID() } = {}) {
    const { taskId, contextId } = this;
    this.bus.publish({
      kind: 'artifact-update',
      taskId,
      contextId,
      append,
      lastChunk,
      artifact: { artifactId, name, parts },
    });
  }
}

/** Plays the command in each message. */
class LabExecutor {
  cancelled = new Set();

  cancelTask = async (taskId) => {
    this.cancelled.add(taskId);
  };

  async execute(context, bus) {
    const { userMessage, taskId, contextId, task } = context;
    const said = userMessage.parts
      .filter((p) => p.kind === 'text')
      .map((p) => p.text)
      .join('\n')
      .trim();
    const { name, argument } = parse(said);
    const updater = new Updater(context, bus);
    if (name === 'message') {
      const { taskId: _, ...message } = updater.message(`${options.name}: ${argument}`);
      bus.publish(message);
    } else if (task) {
      updater.status('working');
      updater.artifact(text(`got: ${said}`), 'answer');
      updater.status('completed', 'thanks');
    } else {
      const status = { state: 'submitted', timestamp: now() };
      bus.publish({ kind: 'task', id: taskId, contextId, history: [userMessage], artifacts: [], status });
      await this.begin(updater, context, { name, argument, said });
    }
    bus.finished();
  }

  /** Plays the command that opens a task. */
  async begin(updater, context, { name, argument, said }) {
    const pauses = {
      ask: ['input-required', 'What is your name?'],
      auth: ['auth-required', 'please authenticate'],
      fail: ['failed', 'failed on request'],
      reject: ['rejected', 'rejected on request'],
    };
    if (pauses[name]) return updater.status(...pauses[name]);

    updater.status('working');
    const runs = { stream: () => this.stream(updater, argument), slow: () => this.slow(updater, argument) };
    if (runs[name]) return updater.status((await runs[name]()) ? 'completed' : 'canceled');
    const answers = {
      data: () => data(SAMPLE_DATA),
      file: () => file(SAMPLE_BYTES),
      big: () => text('x'.repeat(1024 * numbers(argument, 100)[0])),
      headers: () => data({ headers: {}, extensions: [...(context.context?.requestedExtensions ?? [])] }),
      echo: () => text(`echo: ${argument}`),
    };
    updater.artifact(answers[name]?.() ?? text(`echo: ${said}`), 'answer');
    updater.status('completed');
  }

  /** Sends the chunks; false if the task was cancelled meanwhile. */
  async stream(updater, argument) {
    const [count, gap] = numbers(argument, 5, 100);
    for (let i = 0; i < count; i++) {
      if (this.cancelled.delete(updater.taskId)) return false;
      updater.artifact(text(`chunk-${i};`), 'stream', {
        append: i > 0,
        lastChunk: i === count - 1,
        artifactId: 'stream-1',
      });
      await sleep(gap);
    }
    return true;
  }

  /** Works for some seconds; false if the task was cancelled meanwhile. */
  async slow(updater, argument) {
    const end = Date.now() + numbers(argument, 3)[0] * 1000;
    while (Date.now() < end) {
      await sleep(Math.min(500, Math.max(0, end - Date.now())));
      if (this.cancelled.delete(updater.taskId)) return false;
      updater.status('working', 'still working');
    }
    updater.artifact(text('slow done'), 'result');
    return true;
  }
}

const skill = (id, name) => ({
  id,
  name,
  description: 'echo, stream, slow, ask, data, file',
  tags: ['lab', 'test'],
  examples: ['echo hi'],
});
const urls = { JSONRPC: `${base}/`, 'HTTP+JSON': `${base}/rest` };
const transports = options.transports.split(',');
const card = {
  name: options.name,
  description: 'Reference agent on the JavaScript SDK 0.3',
  version: '1.0.0',
  protocolVersion: '0.3.0',
  url: urls[transports[0]],
  preferredTransport: transports[0],
  additionalInterfaces: transports.map((transport) => ({ url: urls[transport], transport })),
  provider: { organization: 'Interoperability lab', url: 'https://example.com' },
  capabilities: {
    streaming: true,
    pushNotifications: true,
    extensions: [{ uri: 'https://example.com/ext/lab/v1', description: 'lab extension', required: false }],
  },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [skill('lab', 'Lab echo')],
  supportsAuthenticatedExtendedCard: true,
};
const extendedCard = { ...card, skills: [...card.skills, skill('extended', 'Extended skill')] };

const pushConfigs = new InMemoryPushNotificationStore();
const pushSender = new DefaultPushNotificationSender(pushConfigs, {
  timeout: 5000,
  tokenHeaderName: 'X-A2A-Notification-Token',
});
const requestHandler = new DefaultRequestHandler(
  card,
  new InMemoryTaskStore(),
  new LabExecutor(),
  undefined,
  pushConfigs,
  pushSender,
  // A function: given as an object, the SDK serves it to authenticated users only.
  async () => extendedCard,
);
const userBuilder = UserBuilder.noAuthentication;
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rest', restHandler({ requestHandler, userBuilder }));
app.use('/', jsonRpcHandler({ requestHandler, userBuilder }));
app.listen(Number(options.port), host);
