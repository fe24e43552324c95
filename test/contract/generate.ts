// Writes the types of a client in TypeScript, generated from the document. `npm run types` runs it
// before it checks the tests, so the file is never out of date, and git ignores it.
import { writeFileSync } from "node:fs";
import generate, { astToString } from "openapi-typescript";
import { openapiDocument, pages, resources } from "../house.ts";

const document = openapiDocument({ baseUrl: "http://127.0.0.1:8000", resources, pages });
writeFileSync(
  new URL("client.d.ts", import.meta.url),
  astToString(await generate(JSON.stringify(document))),
);
