// The documentation in a browser: a page, and what it loads. The page names that by its tags, so that a browser which
// has been here asks for the page alone.
import * as v from "valibot";
import { documentationTexts } from "../assets/files.ts";
import { joinModules } from "../assets/joined.ts";
import { Problem, shortened } from "../errors/problem.ts";
import type { Page, Service } from "../model/model.ts";
import { readConditions, tagOf } from "./conditions.ts";
import { packed } from "./packed.ts";

interface File {
  mediaType: string;
  text(): string;
}

/** The files of the page, by their names. */
const files: Record<string, File> = {
  "docs.css": { mediaType: "text/css", text: () => documentationTexts().get("docs.css")! },
  "docs.js": {
    mediaType: "text/javascript",
    text: () => joinModules(documentationTexts(), "docs.js"),
  },
};

/** What the page loads. `contractOf` writes the contract of a service. */
type ContractOf = (service: Service) => string;
const loadedBy = (service: Service, contractOf: ContractOf): Record<string, File> => ({
  ...files,
  "openapi.json": { mediaType: "application/json", text: () => contractOf(service) },
});

const sent = (files: Record<string, File>) =>
  packed((name) => {
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    if (file) return { body: file.text(), mediaType: file.mediaType };
    throw new Problem("not_found", `No file of the documentation is named "${shortened(name)}"`);
  });

const inAttribute = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

export const documentationPages = (contractOf: ContractOf): Record<string, Page> => ({
  "/docs/": {
    id: "getDocumentation",
    summary: "Open the documentation in a browser",
    holds: v.string(),
    mediaTypes: ["text/html"],
    packed: true,
    headers: readConditions,
    prepare(service) {
      const { prefix, signIn } = service;
      const page = packed((told) => {
        let body = documentationTexts().get("index.html")!;
        // Absolute paths, because the page is served with and without a final slash
        for (const [name, { text }] of Object.entries(loadedBy(service, contractOf))) {
          const path = `${inAttribute(prefix)}/docs/${tagOf(text())}/${name}`;
          body = body.replace(`="./${name}"`, () => `="${path}"`);
        }
        body = body.replace('content=""', () => `content="${inAttribute(told)}"`);
        const connects = told === "" ? undefined : new URL(JSON.parse(told).token).origin;
        return { body, mediaType: "text/html", connects };
      });
      // It is in the page, not beside it, so that the policy and the tag of the page always go with it
      return (call) => page({ ...call, parameter: JSON.stringify(signIn?.()) ?? "" });
    },
  },
  "/docs/{file}": {
    id: "getDocumentationFile",
    summary: "Read a file of the documentation",
    holds: v.string(),
    mediaTypes: ["text/css", "text/javascript"],
    example: "docs.css",
    packed: true,
    headers: readConditions,
    prepare: () => sent(files),
  },
  "/docs/{version}/{file}": {
    id: "getDocumentationVersion",
    summary: "Read what the documentation loads, which caches keep where its tag is the version",
    // A text, or the contract with all its members
    holds: v.pipe(v.unknown(), v.metadata({ additionalProperties: true })),
    mediaTypes: ["text/css", "text/javascript", "application/json"],
    example: "0/docs.css",
    packed: true,
    mayLast: true,
    headers: readConditions,
    prepare(service) {
      const read = sent(loadedBy(service, contractOf));
      // Under another version it is what is there now: servers are replaced one by one, and each gets any request
      return async ({ path: { version, file } }) => {
        const answer = await read({ parameter: String(file) });
        return { ...answer, isLasting: answer.tag === version };
      };
    },
  },
});
