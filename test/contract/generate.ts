// Writes the types that a client in TypeScript generates from the document. They are made anew before
// types are checked, and not kept.
import { writeFileSync } from "node:fs";
import generate, { astToString } from "openapi-typescript";
import { openapiDocument, pages, resources } from "../house.ts";

const document = openapiDocument({ baseUrl: "http://127.0.0.1:8000", resources, pages });
writeFileSync(
  new URL("client.d.ts", import.meta.url),
  astToString(await generate(JSON.stringify(document))),
);
