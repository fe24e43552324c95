// `relata openapi`: prints the contract.
import { type Config, isAuthRequired } from "../config.ts";
import { describe } from "../openapi/document.ts";
import { resources } from "../resources/index.ts";
import { pages } from "../server/pages.ts";

export function openapi(config: Config): void {
  const { baseUrl } = config;
  const authRequired = isAuthRequired(config);
  console.log(JSON.stringify(describe({ baseUrl, resources, pages, authRequired }), null, 2));
}
