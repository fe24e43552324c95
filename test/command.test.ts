// Needs: Deno, time
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import manifest from "../package.json" with { type: "json" };
import { migrateDown, settings } from "./house.ts";
import { copyWith } from "./copy.ts";
import {
  afterwards,
  embeddedFolder,
  endAll,
  type Environment,
  relata,
  sentence,
  through,
  until,
} from "./program.ts";
import { freshPostgres, temporaryFolder } from "./service.ts";

const test = suite("command");
const RELEASED = fileURLToPath(new URL("contract/released.json", import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;

test.before.each(() => {
  folder = temporaryFolder();
});
test.after.each(async () => {
  await endAll();
  folder.remove();
});

test("refuses a DATA_DIR that is a file or inside one", async () => {
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  for (const path of [file, join(file, "below")]) {
    const refused = await relata([], { DATA_DIR: path, PORT: "0" });
    assert.match(sentence(refused), `DATA_DIR "${path}"`);
  }
});

for (
  const words of [
    "declare bar",
    "dump",
    "migrate down",
    "migrate status",
    "migrate verify",
    "token list",
    "token revoke 1",
  ]
) {
  test(`creates no embedded database to ${words}`, async () => {
    const DATA_DIR = join(folder.path, "data");
    const refused = sentence(await relata(words.split(" "), { DATA_DIR }));
    assert.match(
      refused,
      `DATA_DIR "${DATA_DIR}" holds no database, which relata migrate up makes, and DATABASE_URL ` +
        "names none either",
    );
    assert.not.ok(existsSync(DATA_DIR));
  });
}

test("refuses an address of another machine, and a port that is in use", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await until("the port is taken", () => taken.listening);
  const { port } = taken.address() as { port: number };
  try {
    // The port is opened before the first statement, so no database is needed here
    const DATABASE_URL = "postgres://127.0.0.1:1/relata";
    const inUse = await relata([], { DATABASE_URL, PORT: String(port) });
    assert.match(sentence(inUse, [1]), `Cannot listen on 127.0.0.1 port ${port}`);
    const HOST = "192.0.2.1"; // an address for documentation (RFC 5737)
    for (const PROCESSES of ["1", "2"]) {
      const environment = { DATABASE_URL, HOST, AUTH: "off", PORT: "0", PROCESSES };
      const elsewhere = await relata([], environment);
      assert.match(sentence(elsewhere, [1]), `Cannot listen on ${HOST} port 0`);
    }
  } finally {
    taken.close();
  }
});

for (
  const [name, value] of [
    ["PORT", "http"],
    ["DATABASE_URL", "mysql://user:secret@host/name"],
    ["DATABASE_URL", "postgres://user:secret@host:99999/name"],
    ["DATABASE_URL", "postgres://user:secret%zz@host/name"],
    ["BODY_LIMIT", "1MB"],
    ["HOST", "0.0.0.0"],
  ] as const
) {
  test(`refuses ${name} "${value}" with one sentence before it touches anything`, async () => {
    const path = join(folder.path, "data");
    const refused = await relata([], { DATA_DIR: path, PORT: "0", [name]: value });
    assert.match(sentence(refused), name);
    assert.not.match(refused.stderr, "secret");
    assert.not.ok(existsSync(path));
  });
}

for (
  const args of [
    ["frobnicate"],
    ["migrate", "sideways"],
    ["migrate", "up", "twice"],
    ["migrate", "up", "-x"],
    ["migrate", "up", "--to", "last"],
    ["migrate", "up", "--to", "9999"],
    ["migrate", "down", "--to", "-1"],
    ["migrate", "down", "--to=01"],
    ["--version", "now"],
    ["serve", "--version"],
    ["--version", "--licenses"],
    ["migrate", "sideways", "--help"],
  ]
) {
  test(`refuses \`${["relata", ...args].join(" ")}\` with one sentence`, async () => {
    const path = join(folder.path, "data");
    sentence(await relata(args, { DATA_DIR: path, PORT: "0" }));
    assert.not.ok(existsSync(path));
  });
}

for (const options of [[], ["--json"], ["--to", "1"]]) {
  const asked = ["migrate", ...options];
  test(`says what to add to \`relata ${asked.join(" ")}\`, which lacks its second word`, async () => {
    const refused = sentence(await relata(asked));
    assert.match(refused, '"migrate" takes one of up, down, status, verify, print');
  });
}

for (
  const [asked, used] of [
    ["token revoke", "token revoke ID"],
    ["token revoke relata_secret twice", "token revoke ID"],
    ["contract check old.json", "contract check OLD NEW [--json]"],
    ["declare", "declare TABLE…"],
    ["migrate up --json", "migrate up [--to N]"],
    ["serve now", "serve"],
  ] as const
) {
  test(`says how to use the command that \`relata ${asked}\` means`, async () => {
    const refused = sentence(await relata(asked.split(" ")));
    assert.is(refused, `relata: The command is used as "relata ${used}"\n`);
  });
}

test("names an unknown option, and says no more", async () => {
  const refused = sentence(await relata(["--frobnicate"]));
  assert.is(refused, 'relata: Unknown option "--frobnicate": see relata --help\n');
});

test("lists every command and setting with --help, whatever is set", async () => {
  const { status, stdout, stderr } = await relata(["--help"], { PORT: "bad" });
  assert.equal([status, stderr], [0, ""]);
  const commands = [
    "migrate up",
    "migrate down",
    "migrate status",
    "migrate verify",
    "migrate print",
    "migrate grants",
    "token create",
    "--help",
    "--version",
  ];
  for (const command of commands) assert.match(stdout, `relata ${command}`);
  for (const name of Object.keys(settings)) {
    assert.match(stdout, new RegExp(`^ +${name} `, "m"));
  }
  for (const name of ["HOST", "PORT", "BASE_URL", "DATABASE_URL", "DATA_DIR", "LOG_LEVEL"]) {
    assert.match(stdout, new RegExp(`^ +${name} `, "m"));
  }
});

test("says with --help what each command takes, and how it ends", async () => {
  const { stdout } = await relata(["--help"]);
  const [, list = ""] = /^Usage\n(.*?)\n\n/ms.exec(stdout) ?? [];
  const usages = list.split("\n").map((line) => line.trim().split(/ {2,}/))
    .filter(([usage]) => !usage?.startsWith("relata --"));
  assert.ok(usages.length >= 10);
  const groups = new Set(usages.map(([usage = ""]) => usage.split(" ")[1]!));
  const manuals: string[] = [];
  for (const group of groups) {
    const helped = await relata([group, "--help"], { PORT: "bad" });
    assert.equal([helped.status, helped.stderr], [0, ""]);
    manuals.push(...helped.stdout.trimEnd().split(/\n\n(?=relata )/));
  }
  assert.equal(
    manuals.map((manual) => manual.split("\n")[0]),
    usages.map(([usage, meaning]) => `${usage}: ${meaning}`),
  );
  for (const [place, [usage = ""]] of usages.entries()) {
    const taken = usage.match(/--[a-z]+|(?<= )[A-Z]+(?= |…|$)/g) ?? [];
    for (const name of [...taken, "0", "1", "2"]) {
      const about = manuals[place]!.match(new RegExp(`^  ${name}( \\S+)?  +\\S`, "gm")) ?? [];
      assert.is(about.length, 1, `${name} of ${usage}`);
    }
  }
  for (
    const [words, ending] of [
      ["migrate status", "one is pending"],
      ["migrate verify", "there are some"],
      ["contract check", "it is broken, or something differs that is not judged"],
    ] as const
  ) {
    const manual = manuals.find((manual) => manual.startsWith(`relata ${words}`));
    assert.match(manual!, new RegExp(`^  1  ${ending}`, "m"));
  }
});

test("says with --help what one command of a group does, whatever follows", async () => {
  const one = await relata(["token", "revoke", "1", "--help"]);
  assert.match(one.stdout, /^relata token revoke ID: /);
  assert.not.match(one.stdout, /^relata token (create|list)/m);
});

test("prints with config what is in force and where it comes from, but no secret", async () => {
  const defaults = await relata(["config"]);
  assert.equal([defaults.status, defaults.stderr], [0, ""]);
  const lines = defaults.stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  const derived: Record<string, string> = { AUTH: "off", BASE_URL: "http://127.0.0.1:8000" };
  assert.equal(
    lines,
    Object.entries(settings).map(([name, { fallback }]) =>
      [name, "default", derived[name] ?? fallback].filter(Boolean)
    ),
  );

  const { stdout } = await relata(["config"], {
    DATABASE_URL: "postgres://me:secret@host/name?sslmode=require",
    AUTH: "required",
    PORT: "80",
    DATA_DIR: "",
  });
  const told = stdout.split("\n").map((line) => line.split(/ {2,}/).join(" "));
  for (
    const line of [
      "DATABASE_URL set postgres://me:***@host:5432/name?sslmode=require",
      "AUTH set required",
      "PORT set 80",
      "BASE_URL default http://127.0.0.1:80",
      "DATA_DIR default ./data",
    ]
  ) assert.ok(told.includes(line), `${line} is not in ${stdout}`);
});

for (
  const [what, environment] of [
    ["PORT", { PORT: "http" }],
    ["AUTH", { HOST: "0.0.0.0" }],
    ["RATE_LIMIT", { RATE_LIMIT: "9" }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://user:secret/name" }],
    ["PROCESSES", { PROCESSES: "2" }],
  ] as [string, Environment][]
) {
  test(`refuses with config what the server would refuse of ${what}, in the same words`, async () => {
    const said = sentence(await relata(["config"], environment));
    assert.is(said, sentence(await relata(["serve"], { PORT: "0", ...environment })));
    assert.match(said, what);
    assert.not.match(said, "secret");
  });
}

test("prints with --licenses the licence of every package that it needs, and of Postgres", async () => {
  const { status, stdout, stderr } = await relata(["--licenses"]);
  assert.equal([status, stderr], [0, ""]);
  const { packages } = JSON.parse(
    readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"),
  );
  const needed = Object.entries<Record<string, unknown>>(packages)
    .filter(([folder, { dev, devOptional }]) => folder && !dev && !devOptional);
  assert.ok(needed.length >= Object.keys(manifest.dependencies).length);
  for (const [folder, { version, license }] of needed) {
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    assert.ok(stdout.includes(`\n\n${name} ${version}: ${license}\n\n`), name);
  }
  for (
    const text of [
      `relata ${manifest.version}: MIT`,
      "Copyright (c) Fabian Hiller", // valibot's
      "PostgreSQL Global Development Group",
    ]
  ) assert.ok(stdout.includes(text), text);
  assert.not.match(stdout, "typescript", "What is for development is not inside");
});

/** A database for a command to print from: a migration is left for the one that prints what it did, and
 * what dumps needs the embedded one. */
async function databaseFor(asked: string): Promise<Environment> {
  if (asked === "dump") {
    const data = embeddedFolder();
    afterwards(data.remove);
    return { DATA_DIR: data.path };
  }
  const { url, stop } = await freshPostgres();
  afterwards(stop);
  if (asked === "migrate up") await migrateDown(url);
  return { DATABASE_URL: url };
}

/** Linux's device that takes nothing, as a full disk. */
const FULL = "/dev/full";
const isMissing = existsSync(FULL) ? "" : ` (skipped: no ${FULL})`;
const onFull = isMissing ? test.skip : test;

for (
  const args of [
    ["--version"],
    ["--help"],
    ["config"],
    ["openapi"],
    ["contract", "check", RELEASED, RELEASED],
    ["migrate", "print"],
    ["migrate", "grants"],
    ["migrate", "status"],
    ["migrate", "up"],
    ["token", "create"],
    ["token", "list"],
    ["dump"],
  ]
) {
  const asked = args.map((word) => word === RELEASED ? "DOCUMENT" : word).join(" ");
  onFull(`fails if the output of \`relata ${asked}\` cannot be written${isMissing}`, async () => {
    const environment = await databaseFor(asked);
    const command = through(`"$@" > ${FULL}`);
    const { status, stderr } = await relata(args, environment, { command });
    assert.match(stderr, /^relata: Cannot write the output: .*no space left on device.*$/im);
    assert.is(status, 1);
  });
}

onFull(`does its work even if it cannot write its messages${isMissing}`, async () => {
  const command = through(`"$@" 2> ${FULL}`);
  const made = await relata(["token", "create"], await databaseFor("token create"), { command });
  assert.match(made.stdout, /^relata_/);
  assert.is(made.status, 0);
  assert.is((await relata(["frobnicate"], {}, { command })).status, 2);
});

test("succeeds if the reader of its output stops early", async () => {
  const command = through('{ "$@"; echo "$?" >&2; } | head -n 1');
  const ended = await relata(["openapi"], {}, { command });
  assert.equal(ended, { status: 0, stdout: "{\n", stderr: "0\n" });
});

test("prints its version with --version", async () => {
  const ended = await relata(["--version"]);
  assert.equal(ended, { status: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

if ("Deno" in globalThis) {
  test.skip("skipped: Deno keeps what it makes of the source itself", () => {});
} else {
  const COMPILED = "node_modules/.cache/relata";

  test("uses on its second start what Node compiled on the first", async () => {
    const { how, remove } = copyWith();
    const environment = { NODE_COMPILE_CACHE: "", NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
    try {
      await relata(["--version"], environment, how);
      const { stderr } = await relata(["--version"], environment, how);
      assert.match(stderr, join(how.folder!, COMPILED));
      assert.match(stderr, /retrieving transpile cache for .*\/commands\/index\.ts\.\.\.success/);
    } finally {
      remove();
    }
  });

  test("starts if nothing can be cached, and says nothing about it", async () => {
    const { how, remove } = copyWith();
    try {
      writeFileSync(join(how.folder!, COMPILED, ".."), "");
      const ended = await relata(["--version"], { NODE_COMPILE_CACHE: "" }, how);
      assert.equal(ended, { status: 0, stdout: `${manifest.version}\n`, stderr: "" });
    } finally {
      remove();
    }
  });
}

test.run();
