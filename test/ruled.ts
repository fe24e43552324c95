// A project whose only resource has access, for what commands say of it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterwards } from "./program.ts";
import { temporaryFolder } from "./service.ts";

/** The settings of such a project, with an embedded database; both are gone after the test. */
export function ruledProject(): { PROJECT_DIR: string; DATA_DIR: string } {
  const { path, remove } = temporaryFolder();
  afterwards(remove);
  mkdirSync(join(path, "resources"));
  writeFileSync(
    join(path, "resources", "note.ts"),
    `import { authenticated, claim, identifier, resource, text } from "relata";

export default resource("note", {
  path: "/notes/",
  access: authenticated({ owner: claim("sub") }),
  fields: { id: identifier(), owner: text({ default: claim("sub") }) },
});
`,
  );
  return { PROJECT_DIR: path, DATA_DIR: join(path, "data") };
}
