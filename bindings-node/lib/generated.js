"use strict";
// Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.

/** The stable codes that an error carries in `code`. */
exports.ErrorCode = Object.freeze({
  INVALID_OPTIONS: "INVALID_OPTIONS",
  INVALID_NAME: "INVALID_NAME",
  INVALID_TOPIC: "INVALID_TOPIC",
  INVALID_VALUE: "INVALID_VALUE",
  INVALID_HEADERS: "INVALID_HEADERS",
  INVALID_MESSAGE: "INVALID_MESSAGE",
  INVALID_SERVER: "INVALID_SERVER",
  INVALID_RECORD: "INVALID_RECORD",
  VERSION_COLLISION: "VERSION_COLLISION",
  VALUE_TOO_LARGE: "VALUE_TOO_LARGE",
  MESSAGE_TOO_LARGE: "MESSAGE_TOO_LARGE",
  MEMORY_FULL: "MEMORY_FULL",
  BUFFER_OVERFLOW: "BUFFER_OVERFLOW",
  SLOW_CONSUMER: "SLOW_CONSUMER",
  TIMEOUT: "TIMEOUT",
  CANCELLED: "CANCELLED",
  DISCONNECTED: "DISCONNECTED",
  DRAINING: "DRAINING",
  DRAIN_TIMEOUT: "DRAIN_TIMEOUT",
  DRAIN_IN_HANDLER: "DRAIN_IN_HANDLER",
  BLOCKING_IN_HANDLER: "BLOCKING_IN_HANDLER",
  CLOSED: "CLOSED",
  NO_RESPONDERS: "NO_RESPONDERS",
  NO_REPLY_SUBJECT: "NO_REPLY_SUBJECT",
  PERMISSION_DENIED: "PERMISSION_DENIED",
  AUTH_FAILED: "AUTH_FAILED",
  HANDLER_ERROR: "HANDLER_ERROR",
  FORKED: "FORKED",
  UNSUPPORTED: "UNSUPPORTED",
  CLOCK_REQUIRED: "CLOCK_REQUIRED",
  INTERNAL: "INTERNAL",
});

/** Limits that no option changes; durations in milliseconds. */
exports.LIMITS = Object.freeze({
  nameBytes: 128,
  idBytes: 128,
  valueDepth: 32,
  valueNodes: 20_000,
  valueBytes: 65_536,
  safeInteger: 9_007_199_254_740_991,
  counterDigits: 40,
  statusBytes: 2_048,
  reportTextChars: 240,
  reportIntervalMax: 2_147_483_647,
  onlineIntervals: 3,
  headerFixedBytes: 12,
  headerEntryBytes: 4,
  reconnectFirst: 100,
  reconnectMax: 5_000,
  reconnectJitter: 20,
  switchDrain: 5_000,
  peerTimeoutPercent: 80,
  takeOver: 2_000,
  localPort: 4_222,
  localWebsocketPort: 9_222,
});

/** Defaults of options that are numbers, by group; durations in milliseconds. */
exports.DEFAULTS = Object.freeze({
  hub: Object.freeze({
    timeout: 3_000,
    healthInterval: 5_000,
    probeInterval: 15_000,
    pingInterval: 5_000,
    pingMissed: 1,
    maxVariables: 10_000,
    maxMemoryBytes: 16_777_216,
    maxInstances: 1_024,
  }),
  selection: Object.freeze({
    improvementMs: 10,
    improvementRatio: 0.2,
    cooldown: 30_000,
  }),
  messaging: Object.freeze({
    subscriptions: 128,
    requests: 64,
    pendingMessages: 4_096,
    pendingBytes: 8_388_608,
    outboundBytes: 8_388_608,
    payloadBytes: 65_536,
    headerBytes: 4_096,
    headerEntries: 32,
    replies: 16,
    replyBytes: 1_048_576,
  }),
  subscription: Object.freeze({
    pendingMessages: 256,
    pendingBytes: 1_048_576,
    timeout: 3_000,
  }),
  request: Object.freeze({
    timeout: 3_000,
  }),
  requestMany: Object.freeze({
    timeout: 3_000,
    maxReplies: 16,
    maxBytes: 1_048_576,
  }),
  drain: Object.freeze({
    timeout: 5_000,
  }),
});
