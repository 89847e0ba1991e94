// Gives batches that come over HTTP to the main worker, as the platform does, and tells what came of the event.
export default {
  async fetch(request, env) {
    const { queue, messages } = await request.json();
    const given = messages.map((message) => ({ ...message, timestamp: new Date(message.timestamp) }));
    const { outcome, explicitAcks, retryMessages } = await env.MAIN.queue(queue, given);
    return Response.json({ outcome, explicitAcks, retryMessages });
  },
};
