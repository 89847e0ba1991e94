// The same module for `import`: there is one of it, however it is loaded.
import queue from "./index.js";

export const {
  ack,
  DeploymentError,
  EventFault,
  eventKind,
  PosthouseError,
  QueueError,
  Queues,
  readBatch,
  readBatchText,
  retry,
} = queue;
