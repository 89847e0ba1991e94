"use strict";
// The one error class of the package. The addon throws it, too.

/** What went wrong in an operation. `code` is stable and the same in every language. */
class PosthouseError extends Error {
  constructor(code, message, limit, actual) {
    super(message);
    this.code = code;
    if (limit !== undefined && limit !== null) this.limit = limit;
    if (actual !== undefined && actual !== null) this.actual = actual;
  }

  /** What a `requestMany` had collected when it failed; empty for everything else. */
  get partialReplies() {
    return this[partial] ?? [];
  }
}

const partial = Symbol("partialReplies");
Object.defineProperty(PosthouseError.prototype, "name", { value: "PosthouseError" });

/** Attaches what a collection had until it failed. */
function withPartial(error, replies) {
  Object.defineProperty(error, partial, { value: replies });
  return error;
}

/** `NAME: text` of anything that was thrown, also of what refuses to be looked at. */
function said(error) {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
    return `a thrown ${typeof error}: ${String(error)}`;
  } catch {
    return `a thrown ${typeof error} whose text cannot be made`;
  }
}

/** Shows it on the error stream, where the program has said nothing else. */
function show(text, error) {
  try {
    console.error(text, error);
  } catch {
    console.error(text);
  }
}

module.exports = { PosthouseError, said, show, withPartial };
