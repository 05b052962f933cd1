// The frame of a scripted conversation: runs the steps in the order they are written and reports how each went.
import { parseArgs } from 'node:util';

const STEP_TIMEOUT_MS = 25_000;
// Without these there is nobody to talk to: when one fails the conversation ends.
const ESSENTIAL = ['card_resolve', 'connect'];
// With --only these run all the same, because the other steps build on them.
const GROUNDWORK = [...ESSENTIAL, 'send_blocking'];

const USAGE =
  'usage: BASE [--binding JSONRPC|HTTP+JSON|GRPC] [--protocol 1.0|0.3] [--card-path PATH]\n' +
  '            [--only STEP,…] [--json]';

/** Thrown by a step that does not apply, with the reason. */
export class Skip extends Error {}

/** Thrown by a step that finds something else than it needs. */
class Unmet extends Error {}

/** Fails the running step unless the condition holds. */
export function need(condition, otherwise) {
  if (!condition) throw new Unmet(otherwise);
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The text of all chunks that a `stream` command sends. */
export const chunks = (count) => Array.from({ length: count }, (_, i) => `chunk-${i};`).join('');

let notes = {};

/** Adds to the running step's report what may differ from run to run. */
export const note = (measured) => Object.assign(notes, measured);

/** Awaits a call that must fail, in one of the expected ways if any are named, and returns the error's class. */
export async function refused(call, ...expected) {
  let answer;
  try {
    answer = await call;
  } catch (error) {
    const seen = error.constructor.name;
    note({ message: error.message.slice(0, 160) });
    const matches = expected.some((name) => seen.includes(name));
    need(expected.length === 0 || matches, `wanted ${expected.join(' or ')}, got ${seen}: ${error.message}`);
    return seen;
  }
  throw new Unmet(`no error; got ${JSON.stringify(answer)?.slice(0, 200)}`);
}

export function parseOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      binding: { type: 'string', default: 'JSONRPC' },
      protocol: { type: 'string', default: '1.0' },
      'card-path': { type: 'string' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  if (positionals.length !== 1) {
    console.error(USAGE);
    process.exit(2);
  }
  return { ...values, base: positionals[0], cardPath: values['card-path'] };
}

async function runStep(name, step) {
  notes = {};
  const report = { step: name, status: 'pass', ms: 0, observed: null, problem: null };
  const started = performance.now();
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Unmet(`no end after ${STEP_TIMEOUT_MS} ms`)), STEP_TIMEOUT_MS);
  });
  try {
    // What a step returns must be the same with and without a gateway in between.
    report.observed = (await Promise.race([step(), timeout])) ?? null;
  } catch (error) {
    report.status = error instanceof Skip ? 'skip' : 'fail';
    const isReason = error instanceof Skip || error instanceof Unmet;
    report.problem = isReason ? error.message : `${error?.constructor?.name}: ${error?.message}`;
  }
  clearTimeout(timer);
  return { ...report, ms: Math.round(performance.now() - started), notes };
}

/** Runs the steps, prints the report and exits with 1 if a step failed. */
export async function main(client, options, steps) {
  const only = options.only && [...GROUNDWORK, ...options.only.split(',')];
  const reports = [];
  for (const [name, step] of Object.entries(steps)) {
    if (only && !only.includes(name)) continue;
    reports.push(await runStep(name, step));
    if (reports.at(-1).status === 'fail' && ESSENTIAL.includes(name)) break;
  }
  const count = (status) => reports.filter((report) => report.status === status).length;
  if (options.json) {
    console.log(JSON.stringify({ client, base: options.base, binding: options.binding, steps: reports }));
  } else {
    for (const { status, ms, step, problem } of reports) {
      console.log(`${status.padEnd(5)}${String(ms).padStart(6)} ms  ${step} ${problem ?? ''}`);
    }
    console.log(`${client}: ${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`);
  }
  process.exit(count('fail') ? 1 : 0);
}
