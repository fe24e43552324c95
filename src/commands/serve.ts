// `relata`: opens the database and the port, and serves until a signal ends it.
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { createApp } from "../app.ts";
import { accessOf, addressOf, type Config, processesOf } from "../config.ts";
import { openDatabase } from "../db/open.ts";
import { migrateUp } from "../migrate/migrations.ts";
import { openProject, samplesIn } from "../project/project.ts";
import { compareSchema } from "../schema/check/check.ts";
import { isSeen } from "../schema/check/finding.ts";
import { readiness } from "../schema/ready.ts";
import { listen, type Listener } from "../serve/listen.ts";
import { keyTable } from "../statements/once.ts";
import { log } from "../telemetry/log.ts";
import { print } from "../terminal/output.ts";
import { serveTogether } from "./cluster.ts";
import { untilTold } from "./signals.ts";

/** The seats for each connection to the database; requests beyond them wait for one. */
const SEATS_PER_CONNECTION = 250;

/** Resolves to the exit status when it has ended. */
export async function serve(config: Config): Promise<number> {
  const ends = new AbortController();
  const ended = untilTold().then(() => ends.abort()); // also while the database opens
  const access = accessOf(config);
  const project = await openProject(config);
  if (processesOf(config) > 1) return await serveTogether(config, ended);
  const { host, baseUrl, timeLimit, shutdownDelay } = config;
  const say = log(config.logLevel);
  const isWatched = process.stdout.isTTY;
  const tell = (text: string) => print(text).catch(({ message }: Error) => say("warn", message));
  const opened = await openDatabase(config, {
    limited: true,
    makes: true,
    ...isWatched && { onMake: () => tell(`Relata makes its database in ${config.dataDir}`) },
    onSilence: (what) => say("warn", "A session was given up", { statement: what }),
  });
  const { database } = opened;
  if (opened.embedded && !ends.signal.aborted) await migrateUp(database, project.migrations);
  if (ends.signal.aborted) {
    await opened.close();
    return 0;
  }
  opened.serve?.();
  opened.lost?.then(({ message }) => say("error", message));
  const app = createApp({
    ...config,
    ...project,
    ...access,
    ending: ends.signal,
    database,
    whyUnready: readiness({ ...project, ...access, database }),
    capacity: database.sessions().most * SEATS_PER_CONNECTION,
    log: say,
  });
  let listener: Listener;
  try {
    listener = await listen(app, config);
  } catch (error) {
    await opened.close();
    throw error;
  }
  const address = addressOf(host, listener.port);
  const url = baseUrl === undefined || baseUrl === address ? address : `${baseUrl} on ${address}`;
  const lines = isWatched
    ? [
      `Relata serves ${url}`,
      `Its data is in ${opened.location}`,
      `Look at ${baseUrl ?? address}/docs/`,
    ]
    : [`Relata serves ${url} with its data in ${opened.location}`];
  const samples = samplesIn(config);
  if (samples !== undefined) lines.splice(1, 0, `It serves ${samples}`);
  // Not awaited: a signal may follow at once, and the server goes on even if nobody reads this
  tell(lines.join("\n"));
  const { resources, reports, actions } = project;
  const ruled = [...resources, ...reports, ...actions].filter(({ access }) => access);
  if (ruled.length > 0 && !access.authRequired) {
    const names = ruled.map(({ name }) => name).join(", ");
    say("warn", `AUTH=off sets access aside: everybody may do everything to all rows of ${names}`);
  }
  const { issuer } = access;
  if (ruled.length === 0 && issuer && !issuer.readScope && !issuer.writeScope) {
    say(
      "warn",
      "Every JWT of the issuer may read and write all rows: declare access, or set JWT_READ_SCOPE and " +
        "JWT_WRITE_SCOPE",
    );
  }
  const own = access.authRequired ? undefined : [keyTable];
  compareSchema(database, project, own).then(
    ({ findings }) =>
      findings.filter((one) => !isSeen(one, project.seen))
        .forEach(({ sentence }) => say("warn", sentence)),
    () => {}, // /readyz tells why
  );
  try {
    await Promise.race([ended, listener.failed]);
    await delay(shutdownDelay * 1000);
  } finally {
    ends.abort();
    const answered = app.drain().then(() => listener.close());
    await Promise.race([answered, delay(timeLimit * 1000)]);
    await opened.close();
  }
  return 0;
}
