// The rules, which are the core's: calls into its WebAssembly module. Texts go in as bytes one behind the other, with
// their lengths; what comes out is JSON.
import module from "./core.wasm";
import { PosthouseError, told, toldFault } from "./errors.mjs";

const decoder = new TextDecoder();
const ERROR = 1;
const FAULT = 2;
const NOTHING = 3;

export class Core {
  #exports = new WebAssembly.Instance(module, {}).exports;
  #broken;

  /** The instance that everybody uses, a new one where the last broke. */
  static get shared() {
    if (shared === undefined || shared.#broken !== undefined) shared = new Core();
    return shared;
  }

  /** Calls a function with numbers and texts. Gives its answer as text, or undefined where there is nothing to do. */
  call(name, numbers, texts) {
    if (this.#broken === undefined) {
      try {
        return this.#call(name, numbers, texts);
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError)) throw error;
        this.#broken = error;
      }
    }
    const text =
      "the core of the queues has stopped, most likely for want of memory; what was under way is not to be trusted";
    throw new PosthouseError("INTERNAL", text, { cause: this.#broken });
  }

  /** The same, for answers that are JSON. */
  ask(name, numbers, texts) {
    const answer = this.call(name, numbers, texts);
    return answer === undefined || answer === "" ? undefined : JSON.parse(answer);
  }

  /** The error that a function tells, which does nothing else. */
  error(name, numbers, texts, options) {
    const [, answer] = this.#raw(name, numbers, texts);
    return told(JSON.parse(answer), options);
  }

  #call(name, numbers, texts) {
    const [status, answer] = this.#raw(name, numbers, texts);
    if (status === ERROR) throw told(JSON.parse(answer));
    if (status === FAULT) throw toldFault(JSON.parse(answer));
    return status === NOTHING ? undefined : answer;
  }

  #raw(name, numbers = [], texts = []) {
    const { memory, input, output, output_length, [name]: function_ } = this.#exports;
    const lengths = texts.map((text) => text.length);
    let at = input(lengths.reduce((sum, length) => sum + length, 0));
    for (const text of texts) {
      new Uint8Array(memory.buffer, at, text.length).set(text);
      at += text.length;
    }
    const status = function_(...numbers, ...lengths);
    // The memory may have moved in between.
    return [status, decoder.decode(new Uint8Array(memory.buffer, output(), output_length()))];
  }
}

let shared;
