// `relata openapi`: prints the contract.
import { accessOf, type Config } from "../config.ts";
import { describe } from "../openapi/document.ts";
import { resources } from "../resources/index.ts";
import { pages } from "../server/pages.ts";

export function openapi(config: Config): void {
  const { baseUrl, corsOrigins } = config;
  const document = describe({ baseUrl, resources, pages, corsOrigins, ...accessOf(config) });
  console.log(JSON.stringify(document, null, 2));
}
