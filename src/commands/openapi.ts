// `relata openapi`: prints the contract.
import { accessOf, type Config } from "../config.ts";
import { openapiDocument } from "../openapi/document.ts";
import { print } from "../terminal/output.ts";
import { pages } from "../api/pages.ts";
import { openProject } from "../project/project.ts";

export async function openapi(config: Config): Promise<void> {
  const project = await openProject(config);
  const document = openapiDocument({ ...config, ...project, ...accessOf(config), pages });
  await print(JSON.stringify(document, null, 2));
}
