// Producing: what the core lets pass goes to the platform's binding, with the arguments that the core gives.
import { Core } from "./core.mjs";
import { running } from "./event.mjs";
import { bytes, itemText, jsonText, numberOf } from "./text.mjs";

export class Queues {
  #env;
  /** What the core is told of the deployment: the names of the platform's queues, and the configuration. */
  #deployment;

  constructor(env, config) {
    this.#env = env;
    const names = Object.keys(env).filter((name) => isQueue(env[name]));
    const text = typeof config === "string" ? config : (jsonText(config) ?? "null");
    this.#deployment = [bytes(names.join("\n")), bytes(text)];
    Core.shared.call("deployment", [], this.#deployment);
  }

  async send(binding, body, delaySeconds = 0) {
    await this.#send(binding, bytes(jsonText(body)), delaySeconds);
  }

  async sendText(binding, text, delaySeconds = 0) {
    await this.#send(binding, bytes(text), delaySeconds);
  }

  async sendBatch(binding, items) {
    if (!Array.isArray(items)) return this.sendBatchText(binding, "null");
    const begin = (ask) => ask("batch_begin", [items.length], []);
    // Binding and number first: there may be far more items than a batch takes.
    this.#ask(binding, begin);
    // Getters and proxies may send something themselves: no batch is under way meanwhile.
    const texts = Array.from(items, itemText);
    const messages = this.#ask(binding, (ask, core) => {
      begin(ask);
      for (const [text, whole] of texts) core.call("batch_item", [whole ? 1 : 0], [bytes(text)]);
      return core.ask("batch_end");
    });
    await this.#tell(1, binding, "sendBatch", [messages]);
  }

  async sendBatchText(binding, text) {
    const messages = this.#ask(binding, (ask) => ask("send_batch_text", [], [bytes(text)]));
    await this.#tell(1, binding, "sendBatch", [messages]);
  }

  async #send(binding, text, delay) {
    const given = this.#ask(binding, (ask) => ask("send", [numberOf(delay)], [text]));
    await this.#tell(0, binding, "send", given);
  }

  /** Asks the core about a binding, for the event that runs here, if there is one. */
  #ask(binding, question) {
    const core = Core.shared;
    const event = running();
    const number = event?.core === core ? event.number : 0;
    const names = [...this.#deployment, bytes(binding)];
    const ask = (name, numbers, texts) => core.ask(name, [number, ...numbers], [...names, ...texts]);
    return event === undefined ? question(ask, core) : event.guard(() => question(ask, core));
  }

  async #tell(batch, binding, method, given) {
    try {
      await this.#env[binding][method](...given);
    } catch (cause) {
      const words = String(cause?.message ?? cause);
      throw Core.shared.error("refused", [batch], [bytes(words)], { cause });
    }
  }
}

function isQueue(binding) {
  return typeof binding?.send === "function" && typeof binding.sendBatch === "function";
}
