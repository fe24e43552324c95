// The documentation in a browser: static files, which load the contract from this server and show it.
import * as v from "valibot";
import { documentationTexts } from "../assets/files.ts";
import { Problem, shortened } from "../errors/problem.ts";
import type { Page } from "../model/model.ts";
import { readConditions } from "./conditions.ts";
import { packed } from "./packed.ts";

const inAttribute = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** The media types by file extension. */
const mediaTypes: Record<string, string> = { css: "text/css", js: "text/javascript" };

export const documentationPages: Record<string, Page> = {
  "/docs/": {
    id: "getDocumentation",
    summary: "Open the documentation in a browser",
    holds: v.string(),
    mediaTypes: ["text/html"],
    packed: true,
    headers: readConditions,
    prepare({ prefix, signIn }) {
      // Absolute paths, because the page is served with and without a final slash
      const folder = `${inAttribute(prefix)}/docs/`;
      const page = packed((told) => {
        const body = documentationTexts().get("index.html")!
          .replaceAll('="./', () => `="${folder}`)
          .replace('content=""', () => `content="${inAttribute(told)}"`);
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
    mediaTypes: Object.values(mediaTypes),
    example: "docs.css",
    packed: true,
    headers: readConditions,
    prepare: () =>
      packed((file) => {
        const mediaType = mediaTypes[file.slice(file.lastIndexOf(".") + 1)];
        const body = documentationTexts().get(file);
        if (body !== undefined && mediaType) return { body, mediaType };
        throw new Problem(
          "not_found",
          `No file of the documentation is named "${shortened(file)}"`,
        );
      }),
  },
};
