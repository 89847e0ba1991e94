"use strict";
// `posthouse/queue`: queues in Node, by the contract that all stores and languages share.

const { PosthouseError } = require("../errors.js");
const { DeploymentError, EventFault, QueueError } = require("./errors.js");
const { ack, eventKind, readBatch, readBatchText, retry } = require("./event.js");
const { Queues } = require("./queues.js");

exports.DeploymentError = DeploymentError;
exports.EventFault = EventFault;
exports.PosthouseError = PosthouseError;
exports.QueueError = QueueError;
exports.Queues = Queues;
exports.ack = ack;
exports.eventKind = eventKind;
exports.readBatch = readBatch;
exports.readBatchText = readBatchText;
exports.retry = retry;
