// The worker that the tests talk to: it sends what it is told to, with a record between it and the platform, and handles batches by
// the handler whose name is the queue's.
import {
  ack,
  consume,
  DeploymentError,
  eventKind,
  QueueError,
  Queues,
  readBatch,
  readBatchText,
  retry,
} from "posthouse/cloudflare";
import { handlers } from "./handlers.mjs";
import { note, noted, spy, told } from "./notes.mjs";
import { value } from "./values.mjs";

const consuming = { ack, eventKind, readBatch, readBatchText, retry };
const CONFIG = { grants: { QUEUE: ["Q", "FULL", "FULL_LATE", "GONE", "PLAIN"] } };

/** The platform's queues with a record before them, and some that refuse. */
function environment(env, calls) {
  const recorder = (real) => ({
    send: (...given) => {
      calls.push(["send", ...given]);
      return real.send(...given);
    },
    sendBatch: (...given) => {
      calls.push(["sendBatch", ...given]);
      return real.sendBatch(...given);
    },
  });
  const full = () => {
    throw new Error("Queue is full");
  };
  const late = () => Promise.reject(new Error("Queue is full"));
  const queues = {
    Q: recorder(env.Q),
    FULL: recorder({ send: full, sendBatch: full }),
    FULL_LATE: recorder({ send: late, sendBatch: late }),
    UNGRANTED: recorder(env.Q),
    PLAIN: "a variable",
  };
  return { ...env, ...queues };
}

const actions = {
  /** Calls an operation; a parameter `{"$": name}` is a value that JSON has no form for. */
  async produce(env, operation, ...parameters) {
    const calls = [];
    const queues = new Queues(environment(env, calls), CONFIG);
    const given = parameters.map((parameter) => value(parameter));
    return { ...(await told(() => queues[operation](...given))), calls };
  },

  /** Sends as another producer would, past the contract. */
  async raw(env, parameter, options) {
    await env.Q.send(value(parameter), options);
    return null;
  },

  configure: (env, config) => told(() => new Queues(env, config)),
  consume: (_, parameter) => told(() => consume(value(parameter))),

  /** An operation of consuming, in a request. */
  outside: (_, operation, ...parameters) => told(() => consuming[operation](...parameters)),

  /** What catches errors of queues does not catch a fault of the deployment. */
  async fault(env) {
    const queues = new Queues(env, { grants: {} });
    try {
      await queues.send("Q", 1);
      return "sent";
    } catch (error) {
      const { name, code } = error;
      return {
        name,
        code,
        queue: error instanceof QueueError,
        deployment: error instanceof DeploymentError,
      };
    }
  },

  noted: () => noted(),
};

export default {
  async fetch(request, env) {
    const [action, ...parameters] = await request.json();
    return Response.json(await actions[action](env, ...parameters));
  },

  async queue(batch, env, context) {
    const handler = handlers[batch.queue];
    await consume(handler)(spy(batch), env, context);
    note(["after", eventKind()]);
  },
};
