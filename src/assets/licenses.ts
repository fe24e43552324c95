// The licences of everything in the program, as its packages state them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** A licensed part: its title, and the texts that must be included. */
interface Licensed {
  title: string;
  texts: string[];
}

const RULE = "=".repeat(80);

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The licences of this program, of its packages and what they contain, and of Node if it is included. */
export function licenses({ withNode = false } = {}): string {
  return [
    packageAt("."),
    ...productionPackages().map(packageAt),
    postgres,
    ...withNode ? [node()] : [],
  ].map(({ title, texts }) => [RULE, title, RULE, ...texts].join("\n\n")).join("\n\n");
}

/** The folders of the packages, without those for development. */
function productionPackages(): string[] {
  const { packages }: { packages: Record<string, { dev?: boolean; devOptional?: boolean }> } = JSON
    .parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder && !dev && !devOptional)
    .map(([folder]) => folder);
}

function packageAt(folder: string): Licensed {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const files = readdirSync(path).filter((file) => /licen[cs]e|^notice|^copying/i.test(file));
  return {
    title: `${name} ${version}: ${license}`,
    texts: files.map((file) => readFileSync(join(path, file), "utf8").trim()),
  };
}

/** The licence of the Node that runs this: beside it, or in the package that it came in. */
function node(): Licensed {
  const home = dirname(dirname(process.execPath));
  const [text] = [home, join(home, "node_modules", `node-${process.platform}-${process.arch}`)]
    .map((folder) => join(folder, "LICENSE"))
    .filter((file) => existsSync(file));
  if (!text) throw new Error(`The licence of "${basename(process.execPath)}" is not in "${home}"`);
  const title = `Node.js ${process.versions.node}: MIT, and those of what is in it`;
  return { title, texts: [readFileSync(text, "utf8").trim()] };
}

/** The parts of @electric-sql/pglite whose licences are not in its package. */
const postgres: Licensed = {
  title: "PostgreSQL, in @electric-sql/pglite: PostgreSQL",
  texts: [`PostgreSQL Database Management System
(also known as Postgres, formerly known as Postgres95)

Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group

Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its
documentation for any purpose, without fee, and without a written agreement
is hereby granted, provided that the above copyright notice and this
paragraph and the following two paragraphs appear in all copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR
DIRECT, INDIRECT, SPECIAL, INCIDENTAL, OR CONSEQUENTIAL DAMAGES, INCLUDING
LOST PROFITS, ARISING OUT OF THE USE OF THIS SOFTWARE AND ITS
DOCUMENTATION, EVEN IF THE UNIVERSITY OF CALIFORNIA HAS BEEN ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS FOR A PARTICULAR PURPOSE.  THE SOFTWARE PROVIDED HEREUNDER IS
ON AN "AS IS" BASIS, AND THE UNIVERSITY OF CALIFORNIA HAS NO OBLIGATIONS TO
PROVIDE MAINTENANCE, SUPPORT, UPDATES, ENHANCEMENTS, OR MODIFICATIONS.`],
};
