"use strict";
// Who else is in the namespace.

const native = require("./native.js");

class Instances {
  constructor(hub) {
    Object.defineProperty(this, "_hub", { value: hub });
  }

  async list() {
    return JSON.parse(native.instances(this._hub._id));
  }

  watch(callback) {
    return this._hub._watches.instances(callback);
  }
}

module.exports = { Instances };
