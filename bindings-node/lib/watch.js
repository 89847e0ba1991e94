"use strict";
// Watches: of a variable, of the hub's status, of the instances.
//
// Calling a watch stops it, at once and for good. Without a callback it is an asynchronous iterator instead.
// Either way only the latest state is kept: a slow reader skips states, never the last.

const { said } = require("./errors.js");
const native = require("./native.js");

/** There is no news. */
const NOTHING = Symbol("nothing");

/** What all watches can do; made into the function that the program gets by `face`. */
class Watch {
  constructor(hub, where, callback) {
    if (callback !== undefined && typeof callback !== "function") {
      throw new TypeError(`a watch callback must be a function, not ${typeof callback}`);
    }
    this.hub = hub;
    this.where = where;
    this.callback = callback;
    this.stopped = false;
    this.changed = false;
    this.waiter = undefined;
    hub._retain();
  }

  onChange() {
    if (this.stopped) return;
    if (this.callback === undefined) {
      this.changed = true;
      this.notify();
      return;
    }
    const state = this.take();
    if (state === NOTHING) return;
    try {
      const result = this.callback(...this.arguments(state));
      // Its order is that of the calls, not of what they wait for; but no failure goes unseen.
      if (typeof result?.then === "function") result.then(undefined, (error) => this.failed(error));
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error) {
    this.hub._callbackFailed(this.where, error);
  }

  stop() {
    if (this.stopped) return;
    this.stopped = true;
    this.release();
    this.hub._letGo();
    this.notify();
  }

  notify() {
    const waiter = this.waiter;
    this.waiter = undefined;
    waiter?.();
  }

  async next() {
    while (!this.stopped) {
      if (this.changed) {
        this.changed = false;
        const state = this.take();
        if (state !== NOTHING) return { done: false, value: this.item(state) };
        continue;
      }
      if (this.waiter !== undefined) throw new Error("somebody else waits for this watch already");
      await new Promise((resolve) => {
        this.waiter = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return() {
    this.stop();
    return { done: true, value: undefined };
  }

  face() {
    const stop = () => this.stop();
    stop.stop = stop;
    stop[Symbol.asyncIterator] = () => this;
    if (Symbol.dispose !== undefined) stop[Symbol.dispose] = stop;
    return stop;
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

class VariableWatch extends Watch {
  constructor(variable, callback, values) {
    super(variable._hub, `a watch of ${JSON.stringify(variable.name)}`, callback);
    this.values = values;
    try {
      this.id = native.watch(this.hub._id, variable._id);
    } catch (error) {
      this.hub._letGo();
      throw error;
    }
  }

  /** `[meta]` or `[meta, value]` */
  take() {
    const text = native.takeWatch(this.hub._id, this.id);
    return text === undefined ? NOTHING : JSON.parse(text);
  }

  arguments([meta, value]) {
    return this.values ? [value] : [value, meta];
  }

  item([meta, value]) {
    return this.values ? value : [value, meta];
  }

  release() {
    this.hub._watches.variables.delete(this.id);
    native.unwatch(this.hub._id, this.id);
  }
}

/** A watch of what a report changes, too: the same failure over and over is one report, or it would never end. */
class HubWatch extends Watch {
  constructor(hub, where, callback, look, owners) {
    super(hub, where, callback);
    this.take = () => {
      try {
        return look();
      } catch {
        // A hub that failed inside has nothing to tell any more.
        return NOTHING;
      }
    };
    this.last = undefined;
    this.owners = owners;
    this.changed = true;
    owners.add(this);
    if (callback !== undefined) queueMicrotask(() => this.onChange());
  }

  failed(error) {
    const text = said(error);
    this.hub._callbackFailed(this.where, error, text !== this.last);
    this.last = text;
  }

  arguments(state) {
    return [state];
  }

  item(state) {
    return state;
  }

  release() {
    this.owners.delete(this);
  }
}

/** All watches of one hub. */
class Watches {
  constructor(hub) {
    this.hub = hub;
    this.variables = new Map();
    this.ofStatus = new Set();
    this.ofInstances = new Set();
  }

  variable(variable, callback, values) {
    const watch = new VariableWatch(variable, callback, values);
    this.variables.set(watch.id, watch);
    return watch.face();
  }

  status(callback) {
    const look = () => JSON.parse(native.status(this.hub._id));
    return new HubWatch(this.hub, "a watch of the hub's status", callback, look, this.ofStatus).face();
  }

  instances(callback) {
    const look = () => JSON.parse(native.instances(this.hub._id));
    return new HubWatch(this.hub, "a watch of the instances", callback, look, this.ofInstances).face();
  }

  changed(id) {
    this.variables.get(id)?.onChange();
  }

  statusChanged() {
    for (const watch of [...this.ofStatus]) watch.onChange();
  }

  instancesChanged() {
    for (const watch of [...this.ofInstances]) watch.onChange();
  }

  /** The hub is closed: nothing changes any more. */
  end() {
    for (const watch of [...this.variables.values(), ...this.ofStatus, ...this.ofInstances]) watch.stop();
  }
}

module.exports = { Watches };
