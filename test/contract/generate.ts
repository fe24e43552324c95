// `npm run client`: writes the types that a client in TypeScript generates from the document.
import { writeFileSync } from "node:fs";
import generate, { astToString } from "openapi-typescript";
import { openapiDocument, pages, resources } from "../house.ts";

export const file = new URL("client.d.ts", import.meta.url);

export async function clientTypes(): Promise<string> {
  const document = openapiDocument({ baseUrl: "http://127.0.0.1:8000", resources, pages });
  return astToString(await generate(JSON.stringify(document)));
}

if (import.meta.main) writeFileSync(file, await clientTypes());
