// Who answers at DATABASE_URL: with `sslmode=verify-full` only the host that it names, by a certificate
// of an authority that is trusted.
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Ended, relata, sentence } from "../program.ts";
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

/** Asks the cluster something, by one of its names and in some way of TLS. */
function ask(host: string, way: string, environment = {}): Promise<Ended> {
  const url = `${cluster.url.replace("127.0.0.1", host)}?${way}`;
  return relata(["migrate", "verify"], { DATABASE_URL: url, ...environment });
}

for (
  const [name, host, other] of [
    ["DNS:localhost", "localhost", "127.0.0.1"],
    ["IP:127.0.0.1", "127.0.0.1", "localhost"],
  ] as const
) {
  test(`with a certificate for ${name} is accepted as ${host} only${why}`, async () => {
    await certify(name);
    const trusted = { NODE_EXTRA_CA_CERTS: file("ca") };
    const own = `sslrootcert=${encodeURIComponent(file("ca"))}`;
    for (const way of ["sslmode=verify-full", "sslmode=require&channel_binding=require"]) {
      assert.is((await ask(host, way, trusted)).status, 0);
      sentence(await ask(other, way, trusted), [1]);
      sentence(await ask(host, way), [1]);
      assert.is((await ask(host, `${way}&${own}`)).status, 0);
      sentence(await ask(other, `${way}&${own}`), [1]);
    }
    for (const way of ["sslmode=verify-ca", "sslmode=require"]) {
      assert.is((await ask(other, `${way}&${own}`)).status, 0);
      sentence(await ask(other, `${way}&sslrootcert=${file("other")}`), [1]);
    }
    sentence(await ask(host, "sslmode=verify-ca"), [1]);
    for (const way of ["sslmode=require", "ssl=true", "sslmode=prefer", "sslmode=allow", ""]) {
      assert.is((await ask(other, way)).status, 0);
    }
  });
}

suiteOf.run();
