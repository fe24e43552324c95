// Who answers at DATABASE_URL: with `sslmode=verify-full` only the host that it names, by a certificate
// of an authority that is trusted.
// Needs: Deno, time
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, copyFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { askAsServer, openPostgres } from "../house.ts";
import { relata, sentence, until } from "../program.ts";
import { type Cluster, reason, startCluster } from "./cluster.ts";

const openssl = spawnSync("openssl", ["version"]).status === 0;
const why = reason || (openssl ? "" : " (skipped: no openssl)");
const suiteOf = suite("a Postgres behind TLS");
const test = why ? suiteOf.skip : suiteOf;

let cluster: Cluster;
/** A file beside the data of the cluster. */
const file = (name: string) => join(cluster.folder, name);

suiteOf.before(async () => {
  if (why) return;
  cluster = await startCluster();
  await cluster.run("alter system set ssl_cert_file = 'certificate'");
  await cluster.run("alter system set ssl_key_file = 'key'");
  await cluster.run("alter system set ssl = on");
  const request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  run([...request, "-x509", "-subj", "/CN=CA", "-keyout", file("ca.key"), "-out", file("ca")]);
  run([...request, "-subj", "/CN=db", "-keyout", file("key"), "-out", file("request")]);
  const { uid, gid } = statSync(cluster.folder); // Postgres reads no key but its own
  chownSync(file("key"), uid, gid);
  run([...request, "-x509", "-subj", "/CN=Other", "-keyout", file("key2"), "-out", file("other")]);
});
suiteOf.after(() => why ? undefined : cluster.remove());

function run(words: string[]): void {
  execFileSync("openssl", words, { stdio: "ignore" });
}

/** Has the cluster prove that it has a name. */
async function certify(name: string): Promise<void> {
  await cluster.stop("fast");
  writeFileSync(file("names"), `subjectAltName=${name}`);
  run([
    ...["x509", "-req", "-in", file("request"), "-CA", file("ca"), "-CAkey", file("ca.key")],
    ...["-CAcreateserial", "-extfile", file("names"), "-out", file("certificate")],
  ]);
  await cluster.start();
}

/** The address of the cluster by one of its names, in some way of TLS. */
function addressOf(host: string, way: string): string {
  return `${cluster.url.replace("127.0.0.1", host)}?${way}`;
}

/** Whether the cluster is accepted there. */
async function accepts(host: string, way: string): Promise<boolean> {
  const database = openPostgres(addressOf(host, way), { sessions: 1 });
  try {
    await askAsServer(database, "select 1");
    return true;
  } catch (error) {
    assert.match(String((error as Error).cause ?? error), /certificate|altnames/i);
    return false;
  } finally {
    await database.close();
  }
}

/** The same for a process that trusts the authority of the cluster. */
async function trusts(host: string, way: string): Promise<boolean> {
  const environment = { DATABASE_URL: addressOf(host, way), NODE_EXTRA_CA_CERTS: file("ca") };
  const ended = await relata(["migrate", "verify"], environment);
  if (ended.status !== 0) sentence(ended, [1]);
  return ended.status === 0;
}

for (
  const [name, host, other] of [
    ["DNS:localhost", "localhost", "127.0.0.1"],
    ["IP:127.0.0.1", "127.0.0.1", "localhost"],
  ] as const
) {
  test(`with a certificate for ${name} is accepted as ${host} only${why}`, async () => {
    await certify(name);
    const own = `sslrootcert=${encodeURIComponent(file("ca"))}`;
    const foreign = `sslrootcert=${encodeURIComponent(file("other"))}`;
    for (const way of ["sslmode=verify-full", "sslmode=require&channel_binding=require"]) {
      assert.equal([await trusts(host, way), await trusts(other, way)], [true, false], way);
      assert.not(await accepts(host, way), way);
      assert.ok(await accepts(host, `${way}&${own}`), way);
      assert.not(await accepts(other, `${way}&${own}`), way);
    }
    for (const way of ["sslmode=verify-ca", "sslmode=require"]) {
      assert.ok(await accepts(other, `${way}&${own}`), way);
      assert.not(await accepts(other, `${way}&${foreign}`), way);
    }
    assert.not(await accepts(host, "sslmode=verify-ca"));
    for (const way of ["sslmode=require", "ssl=true", "sslmode=prefer", "sslmode=allow", ""]) {
      assert.ok(await accepts(other, way), way);
    }
  });
}

test(`whose authority was renewed is accepted by the sessions that begin then${why}`, async () => {
  await certify("DNS:localhost");
  copyFileSync(file("other"), file("trusted"));
  const way = `sslmode=verify-full&sslrootcert=${encodeURIComponent(file("trusted"))}`;
  const database = openPostgres(addressOf("localhost", way), { sessions: 1 });
  const asks = () => askAsServer(database, "select 1").then(() => true, () => false);
  assert.not(await asks());
  copyFileSync(file("ca"), file("trusted"));
  await until("it is accepted", asks);
  await database.close();
});

suiteOf.run();
