// Fetches pages and keeps them. This knows neither store nor platform: whoever consumes a queue calls it with a batch, and says how a
// page is fetched and where it is kept.
// [cut]
export async function refreshPages(batch, { load, keep }) {
  for (const [n, { attempts, body }] of batch.readBatch().messages.entries()) {
    try {
      await keep(body.url, await load(body.url));
      batch.ack(n); // done, whatever becomes of the others
    } catch {
      batch.retry(n, 30 * attempts); // later, and later still the next time
    }
  }
}
// [/cut]
