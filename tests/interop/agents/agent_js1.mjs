// Reference agent on the JavaScript SDK 1.x: JSON-RPC, HTTP+JSON and gRPC at protocol 1.0, and at 0.3 by its own compatibility.
// What it does with a message is chosen by the first word of its text; the README lists the commands.
import { parseArgs } from 'node:util';
import express from 'express';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { Role, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3';
import { createLegacyAwarePushNotificationSender } from '@a2a-js/sdk/compat/v0_3/server';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { SAMPLE_BYTES, SAMPLE_DATA, numbers, parse, sleep } from './commands.mjs';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '9106' },
    'grpc-port': { type: 'string', default: '10106' },
    name: { type: 'string', default: 'lab-js1' },
    transports: { type: 'string', default: 'JSONRPC,HTTP+JSON,GRPC' },
    versions: { type: 'string', default: '1.0,0.3' },
  },
});
const transports = options.transports.split(',');
const versions = options.versions.split(',');
const host = '127.0.0.1';
const base = `http://${host}:${options.port}`;
const grpcAddress = `${host}:${options['grpc-port']}`;

const part = (content, mediaType, filename = '') => ({ content, metadata: undefined, filename, mediaType });
const text = (value) => [part({ $case: 'text', value }, 'text/plain')];
const data = (value) => [part({ $case: 'data', value }, 'application/json')];
const file = (value) => [part({ $case: 'raw', value }, 'application/octet-stream', 'bytes.bin')];
const now = () => new Date().toISOString();

/** Publishes the events of one task. */
class Updater {
  constructor({ taskId, contextId }, bus) {
    Object.assign(this, { taskId, contextId, bus });
  }

  message(content, taskId = this.taskId) {
    return {
      role: Role.ROLE_AGENT,
      messageId: crypto.randomUUID(),
      parts: text(content),
      taskId,
      contextId: this.contextId,
      extensions: [],
      metadata: {},
      referenceTaskIds: [],
    };
  }

  status(state, content) {
    const message = content ? this.message(content) : undefined;
    const { taskId, contextId } = this;
    this.bus.publish(
      AgentEvent.statusUpdate({ taskId, contextId, metadata: {}, status: { state, timestamp: now(), message } }),
    );
  }

  artifact(parts, name, { append = false, lastChunk = true, artifactId = crypto.randomUUID() } = {}) {
    const artifact = { artifactId, name, description: '', parts, metadata: {}, extensions: [] };
    const { taskId, contextId } = this;
    this.bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, append, lastChunk, metadata: {}, artifact }));
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
      .filter((p) => p.content?.$case === 'text')
      .map((p) => p.content.value)
      .join('\n')
      .trim();
    const { name, argument } = parse(said);
    const updater = new Updater(context, bus);
    if (name === 'message') {
      bus.publish(AgentEvent.message(updater.message(`${options.name}: ${argument}`, '')));
    } else if (task) {
      bus.publish(AgentEvent.task(task));
      updater.status(TaskState.TASK_STATE_WORKING);
      updater.artifact(text(`got: ${said}`), 'answer');
      updater.status(TaskState.TASK_STATE_COMPLETED, 'thanks');
    } else {
      const status = { state: TaskState.TASK_STATE_SUBMITTED, timestamp: now(), message: undefined };
      bus.publish(
        AgentEvent.task({ id: taskId, contextId, artifacts: [], history: [userMessage], metadata: {}, status }),
      );
      await this.begin(updater, context, { name, argument, said });
    }
    bus.finished();
  }

  /** Plays the command that opens a task. */
  async begin(updater, context, { name, argument, said }) {
    const pauses = {
      ask: [TaskState.TASK_STATE_INPUT_REQUIRED, 'What is your name?'],
      auth: [TaskState.TASK_STATE_AUTH_REQUIRED, 'please authenticate'],
      fail: [TaskState.TASK_STATE_FAILED, 'failed on request'],
      reject: [TaskState.TASK_STATE_REJECTED, 'rejected on request'],
    };
    if (pauses[name]) return updater.status(...pauses[name]);

    updater.status(TaskState.TASK_STATE_WORKING);
    const runs = { stream: () => this.stream(updater, argument), slow: () => this.slow(updater, argument) };
    if (runs[name]) {
      const finished = await runs[name]();
      return updater.status(finished ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_CANCELED);
    }
    const answers = {
      data: () => data(SAMPLE_DATA),
      file: () => file(SAMPLE_BYTES),
      big: () => text('x'.repeat(1024 * numbers(argument, 100)[0])),
      headers: () => data({ headers: {}, extensions: [...(context.context?.requestedExtensions ?? [])] }),
      echo: () => text(`echo: ${argument}`),
    };
    updater.artifact(answers[name]?.() ?? text(`echo: ${said}`), 'answer');
    updater.status(TaskState.TASK_STATE_COMPLETED);
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
      updater.status(TaskState.TASK_STATE_WORKING, 'still working');
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
  inputModes: ['text/plain'],
  outputModes: ['text/plain', 'application/json'],
  securityRequirements: [],
});
const bindings = ['JSONRPC', 'HTTP+JSON', 'GRPC'];
const urls = [`${base}/`, `${base}/rest`, grpcAddress];
const interfaces = bindings.map((protocolBinding, i) => ({
  url: urls[i],
  protocolBinding,
  tenant: '',
  protocolVersion: '1.0',
}));
const card = {
  name: options.name,
  description: 'Reference agent on the JavaScript SDK 1.x',
  version: '1.0.0',
  provider: { organization: 'Interoperability lab', url: 'https://example.com' },
  supportedInterfaces: duplicateInterfacesForLegacy(interfaces, bindings).filter(
    ({ protocolBinding, protocolVersion }) =>
      transports.includes(protocolBinding) && versions.some((version) => protocolVersion.startsWith(version)),
  ),
  capabilities: {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    extensions: [
      { uri: 'https://example.com/ext/lab/v1', description: 'lab extension', required: false, params: undefined },
    ],
  },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [skill('lab', 'Lab echo')],
  documentationUrl: '',
  signatures: [],
};
const extendedCard = { ...card, skills: [...card.skills, skill('extended', 'Extended skill')] };

const pushConfigs = new InMemoryPushNotificationStore();
const pushSender = createLegacyAwarePushNotificationSender(pushConfigs, {
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
const legacyCompat = { enabled: versions.includes('0.3') };
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
app.use('/rest', restHandler({ requestHandler, userBuilder, legacyCompat }));
app.use('/', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }));
app.listen(Number(options.port), host);

const rpc = new Server();
rpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
rpc.addService(LegacyA2AService, legacyGrpcService({ requestHandler, userBuilder }));
rpc.bindAsync(grpcAddress, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
