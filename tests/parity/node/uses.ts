// Written by `cargo run -p xtask -- gen` from core/machine/api.toml. Do not edit.
import { ErrorCode, Headers, Hub, version } from "posthouse";
import type { Lamp } from "./given.js";

// case: hub.open
export const use0 = async () => {
  void (new Hub(namespace, hubOptions));
};

// case: hub.namespace
export const use1 = async () => {
  void (hub.namespace);
};

// case: hub.instance_id
export const use2 = async () => {
  void (hub.instanceId);
};

// case: hub.var
export const use3 = async () => {
  void (hub.var(name));
};

// case: hub.state
export const use4 = async () => {
  void (hub.state);
};

// case: hub.status
export const use5 = async () => {
  void (hub.status());
};

// case: hub.watch
export const use6 = async () => {
  void (hub.watch(callback));
};

// case: hub.watch
export const use7 = async () => {
  void (hub.watch());
};

// case: hub.instances.list
export const use8 = async () => {
  void (await hub.instances.list());
};

// case: hub.instances.watch
export const use9 = async () => {
  void (hub.instances.watch(callback));
};

// case: hub.instances.watch
export const use10 = async () => {
  void (hub.instances.watch());
};

// case: hub.connected
export const use11 = async () => {
  void (await hub.connected(timeout));
};

// case: hub.ready
export const use12 = async () => {
  void (await hub.ready(timeout));
};

// case: hub.flush
export const use13 = async () => {
  void (await hub.flush(timeout));
};

// case: hub.drain
export const use14 = async () => {
  void (await hub.drain(timeout));
};

// case: hub.close
export const use15 = async () => {
  void (await hub.close());
};

// case: hub.scope
export const use16 = async () => {
  void (await hub[Symbol.asyncDispose]());
};

// case: variable.name
export const use17 = async () => {
  void (variable.name);
};

// case: variable.value
export const use18 = async () => {
  void (variable.value);
};

// case: variable.get
export const use19 = async () => {
  void (variable.get(fallback));
};

// case: variable.get
export const use20 = async () => {
  void (variable.get());
};

// case: variable.get_as
export const use21 = async () => {
  void (hub.var<Lamp>(name).value);
};

// case: variable.set
export const use22 = async () => {
  void (await variable.set(value));
};

// case: variable.set_as
export const use23 = async () => {
  void (await hub.var<Lamp>(name).set(lamp));
};

// case: variable.delete
export const use24 = async () => {
  void (await variable.delete());
};

// case: variable.meta
export const use25 = async () => {
  void (variable.meta);
};

// case: variable.ready
export const use26 = async () => {
  void (await variable.ready(timeout));
};

// case: variable.watch
export const use27 = async () => {
  void (variable.watch(callback));
};

// case: variable.watch
export const use28 = async () => {
  void (variable.watch());
};

// case: variable.watch_value
export const use29 = async () => {
  void (variable.watchValue(callback));
};

// case: variable.watch_value
export const use30 = async () => {
  void (variable.watchValue());
};

// case: watch.stop
export const use31 = async () => {
  void (watch.stop());
};

// case: watch.stop
export const use32 = async () => {
  void (watch());
};

// case: watch.iterate
export const use33 = async () => {
  void (watch[Symbol.asyncIterator]());
};

// case: variable.publish
export const use34 = async () => {
  void (await variable.publish(data, { headers }));
};

// case: variable.publish
export const use35 = async () => {
  void (await variable.pub(data, { headers }));
};

// case: variable.publish
export const use36 = async () => {
  void (await variable.publish());
};

// case: variable.pub_as
export const use37 = async () => {
  void (await hub.var<Lamp>(name).pub(lamp));
};

// case: variable.subscribe
export const use38 = async () => {
  void (await variable.subscribe(handler, subscribeOptions));
};

// case: variable.subscribe
export const use39 = async () => {
  void (await variable.sub(handler, subscribeOptions));
};

// case: variable.subscribe
export const use40 = async () => {
  void (await variable.subscribe(subscribeOptions));
};

// case: variable.subscribe
export const use41 = async () => {
  void (await variable.sub());
};

// case: variable.sub_as
export const use42 = async () => {
  void (await hub.var<Lamp>(name).sub(onLamp));
};

// case: variable.handle
export const use43 = async () => {
  void (await variable.handle(handler, subscribeOptions));
};

// case: variable.request
export const use44 = async () => {
  void (await variable.request(data, requestOptions));
};

// case: variable.request
export const use45 = async () => {
  void (await variable.req(data, requestOptions));
};

// case: variable.request
export const use46 = async () => {
  void (await variable.request());
};

// case: variable.request_details
export const use47 = async () => {
  void ((await variable.request(data, { details: true })).headers);
};

// case: variable.request_many
export const use48 = async () => {
  void (await variable.requestMany(data, requestManyOptions));
};

// case: variable.request_many
export const use49 = async () => {
  void (await variable.requestMany());
};

// case: variable.request_many_details
export const use50 = async () => {
  void ((await variable.requestMany(data, { details: true })).reason);
};

// case: request.cancel
export const use51 = async () => {
  void (await variable.request(data, { signal }));
};

// case: request.cancel
export const use52 = async () => {
  void (await variable.requestMany(data, { signal }));
};

// case: reply.data
export const use53 = async () => {
  void (reply.data);
};

// case: reply.headers
export const use54 = async () => {
  void (reply.headers);
};

// case: many.replies
export const use55 = async () => {
  void (many.replies);
};

// case: many.reason
export const use56 = async () => {
  void (many.reason);
};

// case: subscription.status
export const use57 = async () => {
  void (subscription.status());
};

// case: subscription.unsubscribe
export const use58 = async () => {
  void (await subscription.unsubscribe());
};

// case: subscription.drain
export const use59 = async () => {
  void (await subscription.drain(timeout));
};

// case: subscription.iterate
export const use60 = async () => {
  void (subscription[Symbol.asyncIterator]());
};

// case: subscription.scope
export const use61 = async () => {
  void (await subscription[Symbol.asyncDispose]());
};

// case: context.topic
export const use62 = async () => {
  void (context.topic);
};

// case: context.headers
export const use63 = async () => {
  void (context.headers);
};

// case: context.reply
export const use64 = async () => {
  void (await context.reply(data, { headers }));
};

// case: context.reply
export const use65 = async () => {
  void (await context.reply());
};

// case: context.reply_headers
export const use66 = async () => {
  void (handleContext.replyHeaders);
};

// case: headers.new
export const use67 = async () => {
  void (new Headers());
};

// case: headers.new
export const use68 = async () => {
  void (new Headers(entries));
};

// case: headers.get
export const use69 = async () => {
  void (headers.get(name));
};

// case: headers.get
export const use70 = async () => {
  void (headers.has(name));
};

// case: headers.get_all
export const use71 = async () => {
  void (headers.getAll(name));
};

// case: headers.entries
export const use72 = async () => {
  void (headers.entries());
};

// case: headers.entries
export const use73 = async () => {
  void (headers.keys());
};

// case: headers.entries
export const use74 = async () => {
  void (headers.size);
};

// case: headers.entries
export const use75 = async () => {
  void (headers[Symbol.iterator]());
};

// case: headers.set
export const use76 = async () => {
  void (headers.set(name, text));
};

// case: headers.append
export const use77 = async () => {
  void (headers.append(name, text));
};

// case: error.code
export const use78 = async () => {
  void (error.code);
};

// case: error.message
export const use79 = async () => {
  void (error.message);
};

// case: error.limit
export const use80 = async () => {
  void (error.limit);
};

// case: error.actual
export const use81 = async () => {
  void (error.actual);
};

// case: error.partial_replies
export const use82 = async () => {
  void (error.partialReplies);
};

// case: code.name
export const use83 = async () => {
  void (ErrorCode.NO_RESPONDERS);
};

// case: beyond the contract
export const use84 = async () => {
  void (subscription.name);
};

// case: beyond the contract
export const use85 = async () => {
  void (handleContext.topic);
};

// case: beyond the contract
export const use86 = async () => {
  void (handleContext.headers);
};

// case: beyond the contract
export const use87 = async () => {
  void (headers.delete(name));
};

// case: beyond the contract
export const use88 = async () => {
  void (version);
};

// case: options: hub
export const use89 = async () => {
  void (hubOptions.servers);
};

// case: options: hub
export const use90 = async () => {
  void (hubOptions.node);
};

// case: options: hub
export const use91 = async () => {
  void (hubOptions.token);
};

// case: options: hub
export const use92 = async () => {
  void (hubOptions.user);
};

// case: options: hub
export const use93 = async () => {
  void (hubOptions.password);
};

// case: options: hub
export const use94 = async () => {
  void (hubOptions.nkey);
};

// case: options: hub
export const use95 = async () => {
  void (hubOptions.credentials);
};

// case: options: hub
export const use96 = async () => {
  void (hubOptions.tls);
};

// case: options: hub
export const use97 = async () => {
  void (hubOptions.timeout);
};

// case: options: hub
export const use98 = async () => {
  void (hubOptions.peerTimeout);
};

// case: options: hub
export const use99 = async () => {
  void (hubOptions.healthInterval);
};

// case: options: hub
export const use100 = async () => {
  void (hubOptions.probeInterval);
};

// case: options: hub
export const use101 = async () => {
  void (hubOptions.pingInterval);
};

// case: options: hub
export const use102 = async () => {
  void (hubOptions.pingMissed);
};

// case: options: hub
export const use103 = async () => {
  void (hubOptions.maxVariables);
};

// case: options: hub
export const use104 = async () => {
  void (hubOptions.maxMemoryBytes);
};

// case: options: hub
export const use105 = async () => {
  void (hubOptions.maxInstances);
};

// case: options: hub
export const use106 = async () => {
  void (hubOptions.selection);
};

// case: options: hub
export const use107 = async () => {
  void (hubOptions.messaging);
};

// case: options: hub
export const use108 = async () => {
  void (hubOptions.onCallbackError);
};

// case: options: tls
export const use109 = async () => {
  void (hubOptions.tls?.caFile);
};

// case: options: tls
export const use110 = async () => {
  void (hubOptions.tls?.certFile);
};

// case: options: tls
export const use111 = async () => {
  void (hubOptions.tls?.keyFile);
};

// case: options: tls
export const use112 = async () => {
  void (hubOptions.tls?.handshakeFirst);
};

// case: options: selection
export const use113 = async () => {
  void (hubOptions.selection?.improvementMs);
};

// case: options: selection
export const use114 = async () => {
  void (hubOptions.selection?.improvementRatio);
};

// case: options: selection
export const use115 = async () => {
  void (hubOptions.selection?.cooldown);
};

// case: options: messaging
export const use116 = async () => {
  void (hubOptions.messaging?.subscriptions);
};

// case: options: messaging
export const use117 = async () => {
  void (hubOptions.messaging?.requests);
};

// case: options: messaging
export const use118 = async () => {
  void (hubOptions.messaging?.pendingMessages);
};

// case: options: messaging
export const use119 = async () => {
  void (hubOptions.messaging?.pendingBytes);
};

// case: options: messaging
export const use120 = async () => {
  void (hubOptions.messaging?.outboundBytes);
};

// case: options: messaging
export const use121 = async () => {
  void (hubOptions.messaging?.payloadBytes);
};

// case: options: messaging
export const use122 = async () => {
  void (hubOptions.messaging?.headerBytes);
};

// case: options: messaging
export const use123 = async () => {
  void (hubOptions.messaging?.headerEntries);
};

// case: options: messaging
export const use124 = async () => {
  void (hubOptions.messaging?.replies);
};

// case: options: messaging
export const use125 = async () => {
  void (hubOptions.messaging?.replyBytes);
};

// case: options: subscription
export const use126 = async () => {
  void (subscribeOptions.queue);
};

// case: options: subscription
export const use127 = async () => {
  void (subscribeOptions.pendingMessages);
};

// case: options: subscription
export const use128 = async () => {
  void (subscribeOptions.pendingBytes);
};

// case: options: subscription
export const use129 = async () => {
  void (subscribeOptions.timeout);
};

// case: options: publish
export const use130 = async () => {
  void (publishOptions.headers);
};

// case: options: request
export const use131 = async () => {
  void (requestOptions.timeout);
};

// case: options: request
export const use132 = async () => {
  void (requestOptions.headers);
};

// case: options: request
export const use133 = async () => {
  void (requestOptions.details);
};

// case: options: request
export const use134 = async () => {
  void (requestOptions.signal);
};

// case: options: request many
export const use135 = async () => {
  void (requestManyOptions.timeout);
};

// case: options: request many
export const use136 = async () => {
  void (requestManyOptions.maxReplies);
};

// case: options: request many
export const use137 = async () => {
  void (requestManyOptions.maxBytes);
};

// case: options: request many
export const use138 = async () => {
  void (requestManyOptions.headers);
};

// case: options: request many
export const use139 = async () => {
  void (requestManyOptions.details);
};

// case: options: request many
export const use140 = async () => {
  void (requestManyOptions.signal);
};

// case: options: drain
export const use141 = async () => {
  void (drainOptions.timeout);
};

// case: error codes
export const use142 = async () => {
  void (ErrorCode.INVALID_OPTIONS);
};

// case: error codes
export const use143 = async () => {
  void (ErrorCode.INVALID_NAME);
};

// case: error codes
export const use144 = async () => {
  void (ErrorCode.INVALID_TOPIC);
};

// case: error codes
export const use145 = async () => {
  void (ErrorCode.INVALID_VALUE);
};

// case: error codes
export const use146 = async () => {
  void (ErrorCode.INVALID_HEADERS);
};

// case: error codes
export const use147 = async () => {
  void (ErrorCode.INVALID_MESSAGE);
};

// case: error codes
export const use148 = async () => {
  void (ErrorCode.INVALID_SERVER);
};

// case: error codes
export const use149 = async () => {
  void (ErrorCode.INVALID_RECORD);
};

// case: error codes
export const use150 = async () => {
  void (ErrorCode.VERSION_COLLISION);
};

// case: error codes
export const use151 = async () => {
  void (ErrorCode.VALUE_TOO_LARGE);
};

// case: error codes
export const use152 = async () => {
  void (ErrorCode.MESSAGE_TOO_LARGE);
};

// case: error codes
export const use153 = async () => {
  void (ErrorCode.MEMORY_FULL);
};

// case: error codes
export const use154 = async () => {
  void (ErrorCode.BUFFER_OVERFLOW);
};

// case: error codes
export const use155 = async () => {
  void (ErrorCode.SLOW_CONSUMER);
};

// case: error codes
export const use156 = async () => {
  void (ErrorCode.TIMEOUT);
};

// case: error codes
export const use157 = async () => {
  void (ErrorCode.CANCELLED);
};

// case: error codes
export const use158 = async () => {
  void (ErrorCode.DISCONNECTED);
};

// case: error codes
export const use159 = async () => {
  void (ErrorCode.DRAINING);
};

// case: error codes
export const use160 = async () => {
  void (ErrorCode.DRAIN_TIMEOUT);
};

// case: error codes
export const use161 = async () => {
  void (ErrorCode.DRAIN_IN_HANDLER);
};

// case: error codes
export const use162 = async () => {
  void (ErrorCode.BLOCKING_IN_HANDLER);
};

// case: error codes
export const use163 = async () => {
  void (ErrorCode.CLOSED);
};

// case: error codes
export const use164 = async () => {
  void (ErrorCode.NO_RESPONDERS);
};

// case: error codes
export const use165 = async () => {
  void (ErrorCode.NO_REPLY_SUBJECT);
};

// case: error codes
export const use166 = async () => {
  void (ErrorCode.PERMISSION_DENIED);
};

// case: error codes
export const use167 = async () => {
  void (ErrorCode.AUTH_FAILED);
};

// case: error codes
export const use168 = async () => {
  void (ErrorCode.HANDLER_ERROR);
};

// case: error codes
export const use169 = async () => {
  void (ErrorCode.FORKED);
};

// case: error codes
export const use170 = async () => {
  void (ErrorCode.UNSUPPORTED);
};

// case: error codes
export const use171 = async () => {
  void (ErrorCode.CLOCK_REQUIRED);
};

// case: error codes
export const use172 = async () => {
  void (ErrorCode.INTERNAL);
};

// case: error codes
export const use173 = async () => {
  void (ErrorCode.QUEUE_BINDING);
};

// case: error codes
export const use174 = async () => {
  void (ErrorCode.DEPLOYMENT);
};

// case: error codes
export const use175 = async () => {
  void (ErrorCode.QUEUE_BODY_JSON);
};

// case: error codes
export const use176 = async () => {
  void (ErrorCode.QUEUE_BODY_UNICODE);
};

// case: error codes
export const use177 = async () => {
  void (ErrorCode.QUEUE_BODY_RESERVED);
};

// case: error codes
export const use178 = async () => {
  void (ErrorCode.QUEUE_BODY_SIZE);
};

// case: error codes
export const use179 = async () => {
  void (ErrorCode.QUEUE_BODY_DEPTH);
};

// case: error codes
export const use180 = async () => {
  void (ErrorCode.QUEUE_DELAY);
};

// case: error codes
export const use181 = async () => {
  void (ErrorCode.QUEUE_BATCH_JSON);
};

// case: error codes
export const use182 = async () => {
  void (ErrorCode.QUEUE_BATCH_COUNT);
};

// case: error codes
export const use183 = async () => {
  void (ErrorCode.QUEUE_BATCH_ITEM);
};

// case: error codes
export const use184 = async () => {
  void (ErrorCode.QUEUE_BATCH_SIZE);
};

// case: error codes
export const use185 = async () => {
  void (ErrorCode.QUEUE_BATCH_TEXT);
};

// case: error codes
export const use186 = async () => {
  void (ErrorCode.QUEUE_STORE);
};

// case: error codes
export const use187 = async () => {
  void (ErrorCode.QUEUE_NO_EVENT);
};

// case: error codes
export const use188 = async () => {
  void (ErrorCode.QUEUE_BODY_NOT_JSON);
};

// case: error codes
export const use189 = async () => {
  void (ErrorCode.QUEUE_INDEX);
};

// case: error codes
export const use190 = async () => {
  void (ErrorCode.QUEUE_LEASE_LOST);
};
