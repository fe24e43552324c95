// `relata openapi`: prints the contract.
import { accessOf, type Config } from "../config.ts";
import { openapiDocument } from "../openapi/document.ts";
import { print } from "../terminal/output.ts";
import { pages } from "../api/pages.ts";
import { openProject } from "../project/project.ts";

export async function openapi(config: Config): Promise<void> {
  const { title, baseUrl, corsOrigins } = config;
  const { resources, reports } = await openProject(config);
  const access = accessOf(config);
  const served = { resources, reports, pages };
  const document = openapiDocument({ title, baseUrl, corsOrigins, ...served, ...access });
  await print(JSON.stringify(document, null, 2));
}
