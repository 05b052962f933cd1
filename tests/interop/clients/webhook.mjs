// A webhook on loopback that keeps what it is sent.
import http from 'node:http';
import { need, sleep } from './conversation.mjs';

const WRAPPERS = ['task', 'message', 'statusUpdate', 'artifactUpdate'];

export class Webhook {
  deliveries = [];

  /** Starts to listen and returns the URL. */
  async open() {
    this.server = http.createServer(async (request, response) => {
      const parts = await request.toArray();
      const token = request.headers['x-a2a-notification-token'];
      this.deliveries.push({ token, body: JSON.parse(Buffer.concat(parts).toString()) });
      response.end();
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.server.address().port}/hook`;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** What was told: whether a member around it says what it is, as in 1.0, and not a `kind` within; and the rest. */
  get told() {
    return this.deliveries.map(({ token, body }) => {
      const wrapper = WRAPPERS.find((member) => member in body);
      const { taskId, id, status } = wrapper ? body[wrapper] : body;
      return { token, isWrapped: wrapper !== undefined, taskId: taskId ?? id, state: status?.state ?? '' };
    });
  }

  /** Waits for the delivery that tells of the completed task, and returns what all had in common. */
  async completion(taskId, limit = 8000) {
    const end = Date.now() + limit;
    while (!this.told.some(({ state }) => /complet/i.test(state))) {
      need(Date.now() < end, `never told of the end: ${this.told.map(({ state }) => state)}`);
      await sleep(100);
    }
    const strays = this.told.filter((each) => each.taskId !== taskId);
    need(strays.length === 0, `told of ${strays.map((each) => each.taskId)}, not of ${taskId}`);
    return [...new Set(this.told.map(({ token, isWrapped }) => `${token}, ${isWrapped ? 'wrapped' : 'bare'}`))];
  }
}
