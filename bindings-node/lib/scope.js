"use strict";
// Which handler the current code runs for.
//
// A drain that waits for a handler must not be called by that handler, nor by what the handler waits for.
// An AsyncLocalStorage knows both. It holds the scope of one call of a handler, or of a batch of calls that
// never gave up the thread; a scope ends with them, so what outlives its handler may drain again.

const { AsyncLocalStorage } = require("node:async_hooks");

const storage = new AsyncLocalStorage();

class Scope {
  constructor(hub, subscription) {
    this.hub = hub;
    this.subscription = subscription;
    this.active = true;
    this.outer = storage.getStore();
  }
}

/** Whether this code belongs to a running handler for which `fits` says yes. */
function inside(fits) {
  for (let scope = storage.getStore(); scope !== undefined; scope = scope.outer) {
    if (scope.active && fits(scope)) return true;
  }
  return false;
}

module.exports = { Scope, inside, storage };
