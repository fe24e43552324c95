// The files that operators deploy with, as far as they can be tested without containers: the systemd unit is
// verified, the others are read.
// Needs: Deno
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { accessOf, ENDING, readConfig, settings, SHARES } from "./house.ts";
import { embeddedFolder, endAll, paths, serve } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const test = suite("deploy");
test.after.each(endAll);

const root = fileURLToPath(new URL("..", import.meta.url));
const text = (name: string) => readFileSync(join(root, "deploy", name), "utf8");

// The unit

/** What the unit assigns, by name; a name that is there twice has its last value. */
const assigned = Object.fromEntries(
  [...text("relata.service").matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
);

const verify = (path: string) => spawnSync("systemd-analyze", ["verify", path]);
const known = "the unit holds nothing that systemd does not know";
if (verify("--help").error) test.skip(`${known} (skipped: no systemd-analyze)`);
else {
  test(known, () => {
    const folder = temporaryFolder();
    const unit = join(folder.path, "relata.service");
    // The program that it starts has to be there.
    writeFileSync(unit, text("relata.service").replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
    const { status, stderr } = verify(unit);
    folder.remove();
    assert.equal([status, stderr.toString()], [0, ""]);
  });
}

test("the unit keeps the data where it may write, and sets nothing but settings", () => {
  const [name, value] = assigned["Environment"]!.split("=");
  assert.equal([name, value], ["DATA_DIR", `/var/lib/${assigned["StateDirectory"]}`]);
  assert.match(assigned["ExecStart"], /^\/usr\/local\/bin\/relata serve$/);
});

test("the unit does not restart a server with a wrong setting, which ends with status 2", () => {
  assert.is(assigned["Restart"], "on-failure");
  assert.is(assigned["RestartPreventExitStatus"], "2");
});

test("the unit waits longer for the end than requests and connections take", () => {
  const needed = Number(settings.TIME_LIMIT.fallback) + ENDING / 1000;
  assert.ok(Number(assigned["TimeoutStopSec"]) > needed);
});

// The proxy and the pooler

const timeLimit = Number(settings.TIME_LIMIT.fallback);

test("the proxy waits longer for an answer than an instance takes", () => {
  const [, seconds] = /^ +timeout server (\d+)s$/m.exec(text("haproxy.cfg")) ?? [];
  assert.ok(Number(seconds) > timeLimit, seconds);
});

test("the role on the pooler has the limits that a session has elsewhere", () => {
  const file = text("pgbouncer.ini");
  const [, statement] = /statement_timeout = '(\d+)s'/.exec(file) ?? [];
  const [, lock] = /lock_timeout = '(\d+)ms'/.exec(file) ?? [];
  assert.equal(
    [Number(statement), Number(lock)],
    [timeLimit * SHARES.statement, timeLimit * SHARES.lock * 1000],
  );
});

test("the nginx of the guide waits as long as the proxy, has its limit of bodies, and closes idle connections sooner", () => {
  const [, config = ""] = /^```nginx\n(.*?)^```$/ms.exec(text("README.md")) ?? [];
  const setting = (name: string) => new RegExp(`^ +${name} (\\w+);`, "m").exec(config)?.[1];
  assert.match(text("haproxy.cfg"), `timeout server ${setting("proxy_read_timeout")}\n`);
  assert.ok(Number.parseInt(setting("keepalive_timeout")!) < Number(settings.KEEP_ALIVE.fallback));
  const megabytes = Number(settings.BODY_LIMIT.fallback) / 2 ** 20;
  assert.is(setting("client_max_body_size"), `${megabytes}m`);
});

test("the guide has the shares of TIME_LIMIT", () => {
  const guide = text("README.md");
  const fractions: [string, number][] = [
    ["a tenth", SHARES.seat],
    ["a fifth", SHARES.lock],
    ["a quarter", SHARES.session],
    ["a half", SHARES.statement],
    ["three fifths", SHARES.silence],
  ];
  const told = [...guide.matchAll(/^\| (an? \w+|three fifths) +\|/gm)].map(([, words]) => words);
  assert.equal(told, fractions.map(([words]) => words));
  assert.equal(fractions.map(([, share]) => share), [1 / 10, 1 / 5, 1 / 4, 1 / 2, 3 / 5]);
});

test("the file for Citus names what the schema has, in the order that worked, and that no test runs it", () => {
  const file = text("citus.sql");
  const schema = readFileSync(join(root, "sql/0001_initial.up.sql"), "utf8");
  assert.match(file, "No test here runs this file");
  const steps = [
    ...file.matchAll(/^(?:alter table (\w+) (drop|add)|select create_(\w+)_table\('(\w+)')/gm),
  ]
    .map(([, table, change, kind, name]) => `${change ?? kind} ${table ?? name}`);
  assert.equal(steps, [
    "drop bottage",
    "drop foo",
    "drop bottage",
    "reference bar",
    "reference colere",
    "distributed foo",
    "distributed bottage",
    "add foo",
    "add bottage",
  ]);
  const added = /add constraint (\w+) foreign key \((\w+)\) references (\w+) \(id\)/g;
  for (const [, constraint, column, other] of file.matchAll(added)) {
    assert.ok(file.includes(`drop constraint ${constraint};`), constraint);
    assert.ok(constraint!.endsWith(`_${column}_fkey`), constraint);
    assert.ok(schema.includes(`${column} bigint not null references ${other} (id)`), column);
  }
});

// The image

interface Instruction {
  name: string;
  rest: string;
}

/** The stages of the Dockerfile, each with its instructions. */
const stages = instructions(text("Dockerfile")).reduce<Instruction[][]>((stages, instruction) => {
  if (instruction.name === "FROM") stages.push([]);
  stages.at(-1)!.push(instruction);
  return stages;
}, []);
const [build = [], image = []] = stages;

/** What instructions of a name say, in their order. */
const of = (stage: Instruction[], name: string) =>
  stage.filter((each) => each.name === name).map(({ rest }) => rest);

const environment = Object.fromEntries(
  of(image, "ENV").flatMap((rest) => rest.split(" ")).map((pair) => pair.split("=")),
);

test("the image is built in a stage of its own, from files that exist and are not ignored", () => {
  assert.is(stages.length, 2);
  assert.equal(of(build, "RUN"), ["npm ci", "npm run build"]);
  const admitted = text("Dockerfile.dockerignore").trim().split("\n");
  assert.is(admitted.shift(), "*");
  const copied = of(build, "COPY").flatMap((rest) => rest.split(" ").slice(0, -1));
  assert.equal(admitted.toSorted(), copied.map((source) => `!${source}`).toSorted());
  for (const source of copied) assert.ok(existsSync(join(root, source)), source);
});

test("the image has the file that the build makes, and no other", () => {
  const source = readFileSync(join(root, paths.build), "utf8");
  const [, output] = /output = "(.+)"/.exec(source) ?? [];
  const [, folder] = /(\S+)/.exec(of(build, "WORKDIR")[0]!) ?? [];
  assert.equal(of(image, "COPY"), [`--from=build ${folder}/${output} /usr/local/bin/relata`]);
  assert.equal(of(image, "ENTRYPOINT"), ['["relata"]']);
  assert.equal(of(image, "CMD"), ['["serve"]']);
});

test("the image has the major version of Node that the project is developed with", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [, major] = /^\^(\d+)/.exec(devDependencies.node) ?? [];
  assert.match(of(build, "FROM")[0]!, new RegExp(`^node:${major}-`));
});

test("the image serves every address on its port, to those who have a token", () => {
  for (const name of Object.keys(environment)) assert.ok(Object.hasOwn(settings, name), name);
  const config = readConfig(environment);
  assert.is(config.host, "0.0.0.0");
  assert.equal(of(image, "EXPOSE"), [settings.PORT.fallback]);
  assert.is(config.port, Number(settings.PORT.fallback));
  assert.is(accessOf(config).authRequired, true);
});

test("the image runs as an unprivileged user, who owns the folder of the data", () => {
  const [user] = of(image, "USER");
  assert.is.not(user, "root");
  const [run = ""] = of(image, "RUN");
  const [volume] = of(image, "VOLUME");
  assert.match(run, new RegExp(`useradd .*--home-dir ${volume} --create-home ${user}$`));
  assert.is(environment["DATA_DIR"], volume);
});

test("the image is healthy while the server is live, and not otherwise", async () => {
  const [check = ""] = of(image, "HEALTHCHECK");
  const [program = "", ...args] = JSON.parse(check.slice(check.indexOf("[")));
  const isHealthy = (port: string) =>
    spawnSync(program, args, { env: { ...process.env, PORT: port }, timeout: 20_000 }).status === 0;
  const folder = embeddedFolder();
  const server = await serve({ DATA_DIR: folder.path });
  const { port } = new URL(server.url);
  assert.is(isHealthy(port), true);
  await server.kill("SIGTERM");
  assert.is(isHealthy(port), false);
  folder.remove();
});

test.run();

/** The instructions of a Dockerfile, each on one line and without comments. */
function instructions(file: string): Instruction[] {
  return file
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\s*\\\n\s*/g, " ")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return { name, rest };
    });
}
