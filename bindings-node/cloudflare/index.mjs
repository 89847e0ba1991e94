// `posthouse/cloudflare`: queues in a Worker, by the contract that all stores and languages share.
export { DeploymentError, EventFault, PosthouseError, QueueError } from "./errors.mjs";
export { ack, consume, eventKind, readBatch, readBatchText, retry } from "./event.mjs";
export { Queues } from "./queues.mjs";
