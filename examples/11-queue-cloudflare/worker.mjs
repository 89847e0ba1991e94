// A Worker on both ends of a queue: `POST` the name of a page and it is fetched; `GET /?page=/x` gives it.
// [cut]
import { consume, QueueError, Queues } from "posthouse/cloudflare";
import { refreshPages } from "./handler.mjs";

const CONFIG = { grants: { QUEUE: ["PAGE_QUEUE"] } };

export default {
  async fetch(request, env) {
    if (request.method !== "POST") {
      return new Response(await env.PAGES.get(new URL(request.url).searchParams.get("page")));
    }
    try {
      await new Queues(env, CONFIG).send("PAGE_QUEUE", { kind: "page", url: await request.text() });
      return new Response("accepted\n", { status: 202 });
    } catch (error) {
      if (error instanceof QueueError) return new Response(`${error.message}\n`, { status: 400 });
      throw error;
    }
  },

  queue: consume((batch, env) =>
    refreshPages(batch, {
      load: async (url) => {
        const response = await env.SITE.fetch(new URL(url, "https://site.example"));
        if (!response.ok) throw new Error(`${url} has status ${response.status}`);
        return response.text();
      },
      keep: (url, text) => env.PAGES.put(url, text), // nothing else outlives a batch
    }),
  ),
};
// [/cut]
