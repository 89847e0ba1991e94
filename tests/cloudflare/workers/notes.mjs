// What the worker tells the tests: errors as they see them, what reached the platform, what handlers saw.
import { DeploymentError, EventFault, PosthouseError, QueueError } from "posthouse/cloudflare";

const notes = [];

export function note(entry) {
  notes.push(entry);
}

/** What was noted since the last time. */
export function noted() {
  return notes.splice(0);
}

/** What a call gave or threw. */
export async function told(call) {
  try {
    const result = await call();
    return { result: typeof result === "function" ? "a function" : (result ?? null) };
  } catch (error) {
    return { error: described(error) };
  }
}

export function described(error) {
  const { name, message, code, index, limit, actual } = error;
  const kinds = Object.entries({ DeploymentError, EventFault, PosthouseError, QueueError });
  const types = kinds.filter(([, type]) => error instanceof type).map(([name]) => name);
  return { name, message, code, index, limit, actual, types, cause: error.cause?.message };
}

/** A batch that notes what reaches the platform. */
export function spy(batch) {
  const messages = batch.messages.map((message, index) => ({
    id: message.id,
    timestamp: message.timestamp,
    attempts: message.attempts,
    body: message.body,
    ack: (...given) => {
      note(["platform", "ack", index, given]);
      message.ack(...given);
    },
    retry: (...given) => {
      note(["platform", "retry", index, given]);
      message.retry(...given);
    },
  }));
  return { queue: batch.queue, messages };
}
