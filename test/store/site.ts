// The music store and its rows, for tests in a browser.
import { type Site, startSite } from "../browser.ts";
import type { Options } from "../service.ts";
import { fill } from "./rows.ts";
import { resources, up } from "./store.ts";

export interface StoreSite extends Site {
  service: Site["services"][number];
}

/** Starts a service of the store, with its rows, and a browser that visits it. */
export async function startStoreSite(options: Options = {}): Promise<StoreSite> {
  const site = await startSite([{ resources, ...options }], { tables: up });
  const [service] = site.services as [StoreSite["service"]];
  await fill(service);
  return { ...site, service };
}
