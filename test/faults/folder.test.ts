// The folder of the embedded database: what ends a start there, in one sentence that says what to do, and
// with which exit status; and what becomes of a server whose folder is taken from under it.
// Needs: Deno, time
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  afterwards,
  ask,
  embeddedFolder,
  endAll,
  relata,
  sentence,
  serve,
  source,
  until,
} from "../program.ts";
import { temporaryFolder } from "../service.ts";

const test = suite("the folder of the embedded database");
test.after.each(endAll);

/** Some other user of the system. */
const NOBODY = 65534;

/** Runs relata as that user. */
const asNobody = {
  command: ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...source],
};

const isRoot = process.getuid?.() === 0;
const maySet = isRoot && spawnSync("setpriv", ["--version"]).status === 0;

/** What is done to a folder with a database in it, what the sentence says then, and how it ends. */
const damages: [what: string, harm: (folder: string) => void, words: string[], status: number][] = [
  [
    "a database of another Postgres",
    (folder) => writeFileSync(join(folder, "postgres/PG_VERSION"), "15\n"),
    ["FATAL: database files are incompatible", "version 15", "relata dump"],
    2,
  ],
  [
    "a truncated log of writes",
    (folder) => eachLog(folder, (file) => truncateSync(file, 4096)),
    ["PANIC: could not locate a valid checkpoint record", "backup of DATA_DIR"],
    2,
  ],
  [
    "no log of writes",
    (folder) => eachLog(folder, (file) => rmSync(file)),
    ["PANIC: could not locate a valid checkpoint record", "backup of DATA_DIR"],
    2,
  ],
  [
    "no control file",
    (folder) => rmSync(join(folder, "postgres/global/pg_control")),
    ['PANIC: could not open file "global/pg_control"', "backup of DATA_DIR"],
    2,
  ],
  [
    "a folder in the place of the lock",
    (folder) => {
      rmSync(join(folder, "lock"), { force: true });
      mkdirSync(join(folder, "lock"));
    },
    ["cannot be used"],
    2,
  ],
  [
    "a lock that is no lock",
    (folder) => writeFileSync(join(folder, "lock"), "not a lock, but some other text\n".repeat(99)),
    ["cannot be used"],
    2,
  ],
];

for (const [what, harm, words, status] of damages) {
  test(`with ${what} it is not opened, and one sentence says what to do`, async () => {
    const folder = embeddedFolder();
    afterwards(folder.remove);
    harm(folder.path);
    const said = sentence(await relata([], { DATA_DIR: folder.path, PORT: "0" }), [status]);
    for (const word of words) assert.ok(said.includes(word), said);
    assert.ok(said.includes(folder.path), said);
    assert.not.match(said, /\[object|initialize properly|Aborted/);
  });
}

for (const megabytes of [1, 30]) {
  const title = `on a disk of ${megabytes} MB it is not made, which may pass: exit status 1`;
  const disk = smallDisk(megabytes);
  if (!disk) {
    test.skip(`${title} (skipped: this process may not mount a file system)`);
    continue;
  }
  test(title, async () => {
    afterwards(disk.remove);
    const folder = join(disk.path, "data");
    const said = sentence(await relata([], { DATA_DIR: folder, PORT: "0" }), [1]);
    assert.match(said, /ENOSPC|No space left on device/);
    assert.match(said, "make room");
    assert.equal(readdirSync(folder).filter((name) => name.startsWith("postgres")), []);
  });
}

const readOnly =
  "on a file system that is read-only nothing is served, and a sentence says what to do";
const readOnlyDisk = smallDisk(200);
if (!readOnlyDisk) test.skip(`${readOnly} (skipped: this process may not mount a file system)`);
else {
  test(readOnly, async () => {
    afterwards(readOnlyDisk.remove);
    const { path: disk } = readOnlyDisk;
    const mixed = embeddedFolder();
    const home = join(mixed.path, "postgres");
    cpSync(mixed.path, join(disk, "full"), { recursive: true });
    mkdirSync(join(disk, "empty"));
    execFileSync("mount", ["-o", "remount,ro", disk]);
    execFileSync("mount", ["--bind", join(disk, "full/postgres"), home]);
    afterwards(() => {
      execFileSync("umount", [home]);
      mixed.remove();
    });
    const folders = ["new", "empty", "full"].map((name) => join(disk, name));
    for (const path of [...folders, mixed.path]) {
      const said = sentence(await relata([], { DATA_DIR: path, PORT: "0" }), [2]);
      assert.ok(said.includes(path), said);
      assert.match(said, "let DATA_DIR name a folder that can be written");
    }
  });
}

/** What belongs to somebody else, and how the folder is left to the user that runs relata. */
const foreign: [what: string, harm: (folder: string) => void][] = [
  ["the lock", (folder) => {
    writeFileSync(join(folder, "lock"), "");
    give(folder);
    chownSync(join(folder, "lock"), 0, 0);
    chmodSync(join(folder, "lock"), 0o644);
  }],
  ["the folder, as a volume of root", (folder) => chmodSync(folder, 0o755)],
  ["the folder of an empty volume", (folder) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }],
  ["the database", (folder) => {
    rmSync(join(folder, "lock"), { force: true });
    chownSync(folder, NOBODY, NOBODY);
  }],
];

for (const [what, harm] of foreign) {
  const title = `where ${what} belongs to another user, nothing is served`;
  if (!maySet) {
    test.skip(`${title} (skipped: not run by root, or no setpriv)`);
    continue;
  }
  test(title, async () => {
    const parent = temporaryFolder("/var/tmp");
    afterwards(parent.remove);
    chmodSync(parent.path, 0o755);
    const folder = join(parent.path, "data");
    cpSync(process.env["TEST_EMBEDDED_TEMPLATE"]!, folder, { recursive: true });
    harm(folder);
    const environment = { DATA_DIR: folder, PORT: "0", HOME: parent.path };
    const said = sentence(await relata([], environment, asNobody), [2]);
    assert.ok(said.includes(folder), said);
    assert.match(said, /EACCES|EPERM/);
    assert.match(said, "to the user that runs relata");
  });
}

/** How a folder is taken from under a server. */
const takings: [what: string, take: (folder: string) => void][] = [
  ["the lock is removed", (folder) => rmSync(join(folder, "lock"))],
  ["the lock is replaced", (folder) => {
    writeFileSync(join(folder, "other"), "");
    renameSync(join(folder, "other"), join(folder, "lock"));
  }],
  ["the folder is moved away", (folder) => renameSync(folder, `${folder}.away`)],
  ["another database takes its place", (folder) => {
    renameSync(join(folder, "postgres"), join(folder, "away"));
    cpSync(join(folder, "away"), join(folder, "postgres"), { recursive: true });
  }],
];

for (const [what, take] of takings) {
  test(`a server stops writing when ${what}, and says so`, async () => {
    const parent = temporaryFolder();
    afterwards(parent.remove);
    const folder = join(parent.path, "data");
    cpSync(process.env["TEST_EMBEDDED_TEMPLATE"]!, folder, { recursive: true });
    const server = await serve({ DATA_DIR: folder });
    const create = () => ask(server.url, "POST /api/bars/", { name: "Bar" });
    assert.is((await create()).status, 201);
    take(folder);
    await until("the log says so", () => server.stderr().includes("removed or replaced"));
    for (let round = 0; round < 3; round++) assert.is((await create()).status, 503);
    assert.is((await ask(server.url, "GET /readyz")).status, 503);
    assert.is((await ask(server.url, "GET /livez")).status, 200);
    const { status } = await server.kill("SIGTERM");
    assert.is(status, 0);
  });
}

test("a server that lost its folder leaves the new one in its place alone", async () => {
  const parent = temporaryFolder();
  afterwards(parent.remove);
  const folder = join(parent.path, "data");
  cpSync(process.env["TEST_EMBEDDED_TEMPLATE"]!, folder, { recursive: true });
  const first = await serve({ DATA_DIR: folder });
  rmSync(join(folder, "lock"));
  await until("the log says so", () => first.stderr().includes("removed or replaced"));
  const second = await serve({ DATA_DIR: folder });
  const { status, body } = await ask(second.url, "POST /api/bars/", { name: "Kept" });
  assert.is(status, 201);
  assert.is((await ask(first.url, "POST /api/bars/", { name: "Lost" })).status, 503);
  await first.kill("SIGTERM");
  assert.is((await ask(second.url, "POST /api/bars/", { name: "Kept" })).status, 201);
  await second.kill();
  const third = await serve({ DATA_DIR: folder });
  assert.equal((await ask(third.url, `GET /api/bars/${body.id}/`)).body, body);
});

// What may pass is no wrong setting: whoever supervises the server is to start it again.
for (
  const [what, environment, status, words] of [
    ["an address that is not there yet", { HOST: "192.0.2.1" }, 1, "192.0.2.1"],
    ["a host that has no address", { HOST: "nowhere.invalid", AUTH: "off" }, 2, "nowhere.invalid"],
  ] as const
) {
  test(`${what} ends a start with status ${status}`, async () => {
    const DATABASE_URL = "postgres://127.0.0.1:1/none";
    for (const PROCESSES of ["1", "2"]) {
      const ended = await relata(["serve"], {
        DATABASE_URL,
        AUTH: "off",
        PORT: "0",
        PROCESSES,
        ...environment,
      });
      assert.match(sentence(ended, [status]), `Cannot listen on ${words}`);
    }
  });
}

test("a database that is away ends a command with one sentence, however its host is written", async () => {
  for (
    const host of [
      "127.0.0.1:1",
      "localhost:1",
      "[::1]:1,127.0.0.1:1",
      "%2Fnowhere",
      "nowhere.invalid",
    ]
  ) {
    const ended = await relata(["migrate", "status"], { DATABASE_URL: `postgres://u@${host}/d` });
    assert.match(sentence(ended, [1]), /ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL/);
  }
});

test.run();

function eachLog(folder: string, harm: (file: string) => void): void {
  const logs = join(folder, "postgres/pg_wal");
  for (const name of readdirSync(logs)) if (/^[0-9A-F]{24}$/.test(name)) harm(join(logs, name));
}

function give(folder: string): void {
  execFileSync("chown", ["-R", String(NOBODY), folder]);
}

/** A small disk in memory; undefined where this process may not mount one. */
function smallDisk(megabytes: number): { path: string; remove(): void } | undefined {
  const { path, remove } = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], {
      stdio: "ignore",
    });
  } catch {
    return void remove();
  }
  return {
    path,
    remove() {
      execFileSync("umount", [path]);
      remove();
    },
  };
}
