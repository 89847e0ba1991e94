"use strict";
// Programs that share state, events and requests by name.

const native = require("./native.js");
const { PosthouseError } = require("./errors.js");
const { ErrorCode } = require("./generated.js");
const { Headers } = require("./headers.js");
const { Hub } = require("./hub.js");

exports.ErrorCode = ErrorCode;
exports.Headers = Headers;
exports.Hub = Hub;
exports.PosthouseError = PosthouseError;
exports.version = native.version();
