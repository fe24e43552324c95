// `relata openapi`: prints the contract.
import type { Config } from "../config.ts";
import { describe } from "../openapi/document.ts";
import { resources } from "../resources/index.ts";
import { pages } from "../server/pages.ts";

export function openapi({ baseUrl }: Config): void {
  console.log(JSON.stringify(describe({ baseUrl, resources, pages }), null, 2));
}
