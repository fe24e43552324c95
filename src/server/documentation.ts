// The documentation a person reads and tries in a browser: plain files, which ask this server for its
// contract and show what that says.
import * as v from "valibot";
import type { Page } from "../declaration/declaration.ts";
import { documentationTexts } from "../files.ts";
import { Problem } from "../problem.ts";

/** The media types of what the documentation is made of, by how its files' names end. */
const mediaTypes: Record<string, string> = { css: "text/css", js: "text/javascript" };

export const documentationPages: Record<string, Page> = {
  "/docs/": {
    id: "readDocumentation",
    summary: "The documentation, for a person with a browser",
    holds: v.string(),
    mediaTypes: ["text/html"],
    prepare({ prefix }) {
      // Paths from the root, since the page answers in both spellings of the final slash.
      const folder = `${prefix.replaceAll("&", "&amp;")}/docs/`;
      return () => {
        const page = documentationTexts().get("index.html")!;
        const body = page.replaceAll('="./', () => `="${folder}`);
        return { status: 200, body, mediaType: "text/html" };
      };
    },
  },
  "/docs/{file}": {
    id: "readDocumentationFile",
    summary: "What the documentation is made of",
    holds: v.string(),
    mediaTypes: Object.values(mediaTypes),
    example: "docs.css",
    prepare: () => (file) => {
      const mediaType = mediaTypes[file.slice(file.lastIndexOf(".") + 1)];
      const body = documentationTexts().get(file);
      if (body !== undefined && mediaType) return { status: 200, body, mediaType };
      throw new Problem("not_found", `No file of the documentation is named "${file}"`);
    },
  },
};
