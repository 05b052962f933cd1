// A webhook on loopback that keeps what it is sent.
import http from 'node:http';
import { sleep } from './conversation.mjs';

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

  /** The task states told, whether the body is a task or wraps one or a status update. */
  get states() {
    return this.deliveries.map(({ body }) => (body.statusUpdate ?? body.task ?? body).status?.state ?? '');
  }

  /** Waits for the delivery that tells of the completed task. */
  async completion(limit = 8000) {
    const end = Date.now() + limit;
    while (Date.now() < end) {
      if (this.states.some((state) => /complet/i.test(state))) return true;
      await sleep(100);
    }
    return false;
  }
}
