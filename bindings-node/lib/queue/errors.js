"use strict";
// What queues throw. Faults are apart from errors: what catches errors of queues does not catch them.

const { PosthouseError } = require("../errors.js");

/** An error of queues. */
class QueueError extends PosthouseError {}

/** Ends the current request or event as failed, whatever becomes of it. No `PosthouseError`. */
class EventFault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** A binding is used that is not granted or not configured. */
class DeploymentError extends EventFault {}

// By hand, for bundlers may rename classes.
const NAMES = { QueueError, EventFault, DeploymentError };
for (const [value, type] of Object.entries(NAMES)) Object.defineProperty(type.prototype, "name", { value });

/** What the core tells, as the class that it belongs to. The addon calls it with `new`. */
function Told(code, message, limit, actual, index, fault) {
  if (fault === true)
    return code === "DEPLOYMENT" ? new DeploymentError(code, message) : new EventFault(code, message);
  const type = code.startsWith("QUEUE_") ? QueueError : PosthouseError;
  const error = new type(code, message, limit, actual);
  if (typeof index === "number") error.index = index;
  return error;
}

module.exports = { DeploymentError, EventFault, QueueError, Told };
