// Reads what another server publishes.
import { Buffer } from "node:buffer";

/** The most bytes of an answer. */
const MOST = 1_000_000;

const MOST_REDIRECTS = 3;

/** The text at an address, within so many milliseconds. Throws if it is longer than a megabyte, or if the server
 * answers with an error or sends the reader to another origin. */
export async function download(address: string, milliseconds: number): Promise<string> {
  const signal = AbortSignal.timeout(milliseconds);
  let url = new URL(address);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await fetch(url, { redirect: "manual", signal });
    if (response.ok) return await textOf(response, url);
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (response.status >= 400 || location === null) {
      throw new Error(`"${url}" answers with status ${response.status}`);
    }
    const next = new URL(location, url);
    if (next.origin !== url.origin) throw new Error(`"${url}" redirects to another origin`);
    url = next;
  }
  throw new Error(`"${address}" redirects too often`);
}

async function textOf({ body }: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST) throw new Error(`"${url}" answers with more than ${MOST} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
