// What is thrown. Faults are apart from errors: what catches errors of queues does not catch them.

/** What went wrong in an operation. `code` is stable and the same in every language. */
export class PosthouseError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}

/** An error of queues. */
export class QueueError extends PosthouseError {}

/** Ends the current request or event as failed, whatever becomes of it. No `PosthouseError`. */
export class EventFault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** A binding is used that is not granted or not configured. */
export class DeploymentError extends EventFault {}

// By hand, for bundlers may rename classes.
const NAMES = { PosthouseError, QueueError, EventFault, DeploymentError };
for (const [value, type] of Object.entries(NAMES)) Object.defineProperty(type.prototype, "name", { value });

/** The error that the core tells. */
export function told({ code, message, ...figures }, options) {
  const type = code.startsWith("QUEUE_") ? QueueError : PosthouseError;
  return Object.assign(new type(code, message, options), figures);
}

/** The fault that the core tells. */
export function toldFault({ code, message }) {
  return code === "DEPLOYMENT" ? new DeploymentError(code, message) : new EventFault(code, message);
}
