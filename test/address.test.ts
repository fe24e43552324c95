// DATABASE_URL: what is read as psql reads it, what is refused, and what is never shown. If psql is
// installed, the table of forms is compared with it.
// Needs: time
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Address, askAsServer, openPostgres, readAddress, UsageError } from "./house.ts";
import { afterwards, endAll, relata, sentence } from "./program.ts";
import { psql, withPsql } from "./psql.ts";
import { freshDatabase, serviceOn } from "./service.ts";

const test = suite("address");
test.after.each(endAll);

const me = userInfo().username;
const file = fileURLToPath(import.meta.url); // any file that can be read

/** What an address is read as, where it differs from that of "postgres://me@h/d". */
const forms: [text: string, differs: Partial<Address>][] = [
  ["postgres://me@h/d", {}],
  ["postgresql://me@h/d", {}],
  ["postgres://me@h:5433/d", { hosts: [{ host: "h", port: 5433 }] }],
  ["postgres://me@h:/d", {}],
  ["postgres://me@127.0.0.1/d", { hosts: [{ host: "127.0.0.1", port: 5432 }] }],
  ["postgres://me@[::1]/d", { hosts: [{ host: "::1", port: 5432 }] }],
  ["postgres://me@[2001:db8::1]:77/d", { hosts: [{ host: "2001:db8::1", port: 77 }] }],
  ["postgres://me@one:5433,two/d", {
    hosts: [{ host: "one", port: 5433 }, { host: "two", port: 5432 }],
  }],
  ["postgres://me@one,two:5433/d", {
    hosts: [{ host: "one", port: 5432 }, { host: "two", port: 5433 }],
  }],
  ["postgres://me@one,[::1]:1,10.0.0.1:2/d", {
    hosts: [{ host: "one", port: 5432 }, { host: "::1", port: 1 }, { host: "10.0.0.1", port: 2 }],
  }],
  ["postgres://me@/d?host=one,two&port=5433", {
    hosts: [{ host: "one", port: 5433 }, { host: "two", port: 5433 }],
  }],
  ["postgres://me@h:1/d?host=one,two&port=2,3", {
    hosts: [{ host: "one", port: 2 }, { host: "two", port: 3 }],
  }],
  ["postgres://me@h:7/d?host=::1", { hosts: [{ host: "::1", port: 7 }] }],
  ["postgres://me@one%2Ctwo/d", {
    hosts: [{ host: "one", port: 5432 }, { host: "two", port: 5432 }],
  }],
  ["postgres://me@/d?host=/run/postgresql", { hosts: [{ path: "/run/postgresql/.s.PGSQL.5432" }] }],
  ["postgres:///d?host=/cloudsql/a:b:c&user=me", {
    hosts: [{ path: "/cloudsql/a:b:c/.s.PGSQL.5432" }],
  }],
  ["postgres://me@%2Frun%2Fpostgresql:6/d", { hosts: [{ path: "/run/postgresql/.s.PGSQL.6" }] }],
  ["postgres://me@/d?host=/run,h", {
    hosts: [{ path: "/run/.s.PGSQL.5432" }, { host: "h", port: 5432 }],
  }],
  ["postgres://h/d", { user: me }],
  ["postgres://me@h", { database: "me" }],
  ["postgres://me@h/", { database: "me" }],
  ["postgres://me@h?application_name=a", { database: "me", settings: { application_name: "a" } }],
  ["postgres://me@h/a2%20blank", { database: "a2 blank" }],
  ["postgres://me@h/a/b", { database: "a/b" }],
  ["postgres://me@h/%E2%82%AC%25", { database: "€%" }],
  ["postgres://me@h/d#e", { database: "d#e" }],
  ["postgres://me@h/d?dbname=e", { database: "e" }],
  ["postgres://m%40e:pass@h/d", { user: "m@e", password: "pass" }],
  ["postgres://me:pa%3Ass%2F%3F%40%25@h/d", { password: "pa:ss/?@%" }],
  ["postgres://me:pa:s+s?[#$@h/d", { password: "pa:s+s?[#$" }],
  ["postgres://me:@h/d", {}],
  ["postgres://:pass@h/d?user=me", { password: "pass" }],
  ["postgres://x:y@h/d?user=me&password=pass", { password: "pass" }],
  ["postgres://me@h/d?sslmode=disable", { tls: { mode: "disable", authorities: undefined } }],
  ["postgres://me@h/d?sslmode=allow", {}],
  ["postgres://me@h/d?sslmode=prefer", {}],
  ["postgres://me@h/d?sslmode=require", { tls: { mode: "require", authorities: undefined } }],
  ["postgres://me@h/d?ssl=true", { tls: { mode: "require", authorities: undefined } }],
  ["postgres://me@h/d?sslmode=verify-ca", { tls: { mode: "verify-ca", authorities: undefined } }],
  ["postgres://me@h/d?sslmode=disable&sslmode=verify-full", {
    tls: { mode: "verify-full", authorities: undefined },
  }],
  ["postgres://me@h/d?sslmode=require&channel_binding=require", {
    tls: { mode: "verify-full", authorities: undefined },
  }],
  ["postgres://me@h/d?channel_binding=prefer", {}],
  ["postgres://me@h/d?sslmode=verify-full&sslrootcert=system", {
    tls: { mode: "verify-full", authorities: undefined },
  }],
  ["postgres://me@h/d?connect_timeout=3", { connectTimeout: 3 }],
  ["postgres://me@h/d?connect_timeout=0", {}],
  ["postgres://me@h/d?target_session_attrs=read-write", { targetSessionAttrs: "read-write" }],
  ["postgres://me@h/d?options=-c%20a.b%3D1&application_name=an%20app", {
    settings: { options: "-c a.b=1", application_name: "an app" },
  }],
];

for (const [text, differs] of forms) {
  test(`${text} is read as psql reads it`, () => {
    const { shown: _, ...address } = readAddress(text);
    assert.equal(address, {
      hosts: [{ host: "h", port: 5432 }],
      user: "me",
      password: "",
      database: "d",
      tls: { mode: "prefer", authorities: undefined },
      connectTimeout: undefined,
      targetSessionAttrs: undefined,
      settings: {},
      ...differs,
    });
  });
}

/** What is wrong, in words that its sentence has. Every "secret" is a password, or a piece of one. */
const refused: [text: string, words: string][] = [
  ["localhost", 'must begin with "postgres://"'],
  ["mysql://user:secret@host/name", 'must begin with "postgres://"'],
  ["host=h dbname=d password=secret", "blanks"],
  ["postgres://user:secret@host/na me", "blanks"],
  ["postgres://", "names no host"],
  ["postgres:///name", "names no host"],
  ["postgres://user:secret@/name", "names no host"],
  ["postgres://h,/d", "a host"],
  ["postgres://a%20b/d", "a host"],
  ["postgres://[::1/d", "brackets"],
  ["postgres://[]/d", "brackets"],
  ["postgres://::1/d", "names no host"],
  ["postgres://user:secret/d", "a port"],
  ["postgres://h:0/d", "a port"],
  ["postgres://h:65536/d", "a port"],
  ["postgres://h:0x10/d", "a port"],
  ["postgres://one:1,two:2/d?port=1,2,3", "number of ports"],
  ["postgres://u:12/34secret@h/d", "%2F"],
  ["postgres://u:sec@ret@h/d", "%40"],
  ["postgres://u:1/secret?secret=1@h/d", "%40"],
  ["postgres://h?password=secret@h/d", "%3F"],
  ["postgres://h/d?user=me@tenant&password=secret", "%40"],
  ["postgres://u:100%secret@h/d", "password"],
  ["postgres://u:%00secret@h/d", "password"],
  ["postgres://u:%ffsecret@h/d", "password"],
  ["postgres://u%zz:secret@h/d", "user"],
  ["postgres://u:secret@h/d%2", "dbname"],
  ["postgres://u:secret@h/d?sslmode=verify_full", '"sslmode"'],
  ["postgres://u:secret@h/d?sslmode=", '"sslmode"'],
  ["postgres://u:secret@h/d?a=b", '"a"'],
  ["postgres://u:secret@h/d?ssl=1", '"ssl"'],
  ["postgres://u:secret@h/d?pgbouncer=true", '"pgbouncer"'],
  ["postgres://u:secret@h/d?sslpassword=secret", '"sslpassword"'],
  ["postgres://u:secret@h/d?sslmode", "name=value"],
  ["postgres://u:secret@h/d?options=-c%20a=b", "name=value"],
  ["postgres://u:secret@h/d?channel_binding=on", '"channel_binding"'],
  ["postgres://u:secret@h/d?target_session_attrs=master", '"target_session_attrs"'],
  ["postgres://u:secret@h/d?connect_timeout=1s", '"connect_timeout"'],
  ["postgres://u:secret@h/d?sslrootcert=/nowhere/ca.pem", "ENOENT"],
  ["postgres://u:secret@h/d?sslmode=require&sslrootcert=system", "verify-full"],
];

for (const [text, words] of refused) {
  test(`${text} is refused by a sentence that names the part, and no secret`, () => {
    try {
      readAddress(text);
    } catch (error) {
      assert.instance(error, UsageError);
      const { message } = error as UsageError;
      assert.match(message, /^DATABASE_URL [^\n]+[^.]$/);
      assert.ok(message.includes(words), message);
      return assert.not.match(message.replaceAll(/"ssl\w+"/g, ""), /sec|ret/);
    }
    throw new Error("It was read");
  });
}

for (
  const [text, shown] of [
    ["postgres://me@host/name", "postgres://me@host:5432/name"],
    ["postgresql://me:secret@one:1,[::1]/name", "postgres://me:***@one:1,[::1]:5432/name"],
    ["postgres://me:%73ecret@host", "postgres://me:***@host:5432/me"],
    ["postgres://host/name?user=me&password=secret", "postgres://me:***@host:5432/name"],
    [
      "postgres://me:secret@/a%20b?host=/run/postgresql&sslmode=disable&options=-c%20a%3D1",
      "postgres://me:***@%2Frun%2Fpostgresql:5432/a%20b?sslmode=disable&options=-c%20a%3D1",
    ],
  ] as const
) {
  test(`${text} is shown as ${shown}, which is read as the same but for the password`, () => {
    const address = readAddress(text);
    assert.is(address.shown, shown);
    assert.equal({ ...readAddress(shown), password: "" }, { ...address, password: "" });
  });
}

test("what an address leaves out is taken from the variables of psql", () => {
  const environment = {
    PGHOST: "one,two",
    PGPORT: "1,2",
    PGUSER: "me",
    PGPASSWORD: "pass",
    PGDATABASE: "d",
    PGSSLMODE: "disable",
  };
  const address = readAddress("postgres://", environment);
  assert.equal(address.hosts, [{ host: "one", port: 1 }, { host: "two", port: 2 }]);
  const { user, password, database, tls: { mode } } = address;
  assert.equal([user, password, database, mode], ["me", "pass", "d", "disable"]);
  const own = readAddress("postgres://u:p@h:3/e?sslmode=require", environment);
  assert.equal(own.hosts, [{ host: "h", port: 3 }]);
  assert.equal([own.user, own.password, own.database, own.tls.mode], ["u", "p", "e", "require"]);
});

test("the authorities to trust are those of sslrootcert, which makes of require what libpq does", () => {
  for (const mode of ["require", "verify-ca"]) {
    const { tls } = readAddress(`postgres://h/d?sslmode=${mode}&sslrootcert=${file}`);
    assert.is(tls.mode, "verify-ca");
    assert.match(tls.authorities!(), "DATABASE_URL");
  }
});

for (const name of ["PGSERVICE", "PGPASSFILE", "PGSSLCERT", "PGSSLKEY"]) {
  test(`${name}, by which psql would connect in another way, is refused in one sentence`, () => {
    const read = (text: string) => readAddress(text, { [name]: "/any" });
    assert.throws(() => read("postgres://me@h/d"), new RegExp(`^${name} is set`));
    if (name === "PGPASSFILE") assert.is(read("postgres://me:pass@h/d").password, "pass");
  });
}

test("a Postgres without TLS is told in one sentence where the address asks for TLS", async () => {
  const { url, stop } = await freshDatabase();
  afterwards(stop);
  for (const mode of ["require", "verify-full"]) {
    const ended = await relata(["migrate", "status"], { DATABASE_URL: `${url}?sslmode=${mode}` });
    const said = sentence(ended, [1]);
    assert.match(said, /^relata: The Postgres at "[^"]+" offers no TLS, which sslmode wants\n$/);
  }
});

// Nobody listens there, and psql says of each where it looked.
for (
  const text of [
    "postgres://127.0.0.2:1,127.0.0.3/d",
    "postgres://127.0.0.2,127.0.0.3:1/d",
    "postgres://127.0.0.2:1/d?host=127.0.0.3,127.0.0.4",
    "postgres://127.0.0.2:1,127.0.0.3:2/d?port=3",
    "postgres://[::1]:1,127.0.0.2:0002/d",
    "postgres://127.0.0.2:/d?port=4&host=127.0.0.9",
    "postgres://127.0.0.2:1/d?host=/nowhere,127.0.0.3",
    "postgres://%2Fnowhere:7/d",
    "postgres://127.0.0.2/d?port=%31",
  ]
) {
  withPsql(test, `psql looks for ${text} where this server does`, async () => {
    const { stderr } = await psql(text, ["-c", "select 1"]);
    const looked = [...stderr.matchAll(/on socket "(.*?)"|at "(.*?)".*?, port (\d+)/g)]
      .map(([, path, host, port]) => path ? { path } : { host, port: Number(port) });
    assert.equal(looked, readAddress(text).hosts);
  });
}

for (
  const text of [
    "postgres://127.0.0.2:x/d",
    "postgres://127.0.0.2:65536/d",
    "postgres://127.0.0.2/d?a=b",
    "postgres://127.0.0.2/d?a",
    "postgres://127.0.0.2/d?options=a=b",
    "postgres://127.0.0.2/d%2",
    "postgres://127.0.0.2/d%00",
    "postgres://[::1/d",
    "postgres://127.0.0.2/d?port=1,2",
    "postgres://127.0.0.2/d?sslmode=",
    "postgres://127.0.0.2/d?target_session_attrs=master",
  ]
) {
  withPsql(test, `psql refuses ${text} as well`, async () => {
    assert.throws(() => readAddress(text), (error: unknown) => error instanceof UsageError);
    const { status, stderr } = await psql(text, ["-c", "select 1"]);
    assert.is(status, 2);
    assert.not.match(stderr, /Connection refused|No such file/, stderr);
  });
}

test("a database whose name is percent-encoded is found, by whichever form of its address", async () => {
  const odd = `a2 b/"lank€${randomUUID()}`;
  const { url, sockets, stop } = await databaseNamed(odd);
  try {
    const { host, username, password } = new URL(url);
    const name = encodeURIComponent(odd);
    const [at = "", port] = host.split(":");
    const login = `user=${username}&password=${password}`;
    for (
      const address of [
        `postgres://${username}:${password}@${host}/${name}`,
        `postgresql://${username}:${password}@/?host=${at}&port=${port}&dbname=${name}`,
        `postgres://${host}/${name}?${login}&application_name=an%20app&options=-c%20geqo%3Doff`,
        `postgres://127.0.0.9:1,${host}/${name}?${login}&sslmode=prefer`,
        `postgres://127.0.0.9:1,${host}/${name}?${login}&target_session_attrs=any`,
        `postgres:///${name}?host=${sockets}&port=${port}&${login}`,
        `postgres://${encodeURIComponent(sockets)}:${port}/${name}?${login}&sslmode=require`,
      ]
    ) {
      const database = openPostgres(address, { sessions: 1 });
      afterwards(database.close);
      const [row] = await askAsServer(database, "select current_database() as name");
      assert.equal(row, { name: odd }, address);
    }
  } finally {
    await stop();
  }
});

test("what Postgres says at the start of a session is 503, whatever it is", async () => {
  const { url, stop } = await freshDatabase();
  try {
    const [wrongDatabase, wrongUser, wrongPassword] = [new URL(url), new URL(url), new URL(url)];
    wrongDatabase.pathname = "/nowhere";
    wrongUser.username = "nobody";
    wrongPassword.password = "wrong";
    for (
      const address of [
        wrongDatabase.href,
        wrongUser.href,
        wrongPassword.href,
        `${url}?options=-c%20no_such_thing%3D1`, // 42704
        `${url}?options=-c%20work_mem%3Dmuch`, // 22023
        `${url}?options=--x`, // 42601
        `${url}?sslmode=require`, // it has no TLS
      ]
    ) {
      const database = openPostgres(address, { sessions: 1, timeLimit: 60 });
      afterwards(database.close);
      const { send } = serviceOn(database);
      for (const request of ["GET /readyz", "GET /api/foos/", "GET /colere/"]) {
        const { status, body } = await send(request);
        assert.is(status, 503, `${address}: ${JSON.stringify(body)}`);
      }
    }
  } finally {
    await stop();
  }
});

test("no command shows any part of a password, of a right address or a wrong one", async () => {
  const [config, openapi, status] = [["config"], ["openapi"], ["migrate", "status"]];
  for (
    const [address, ...commands] of [
      ["postgres://u:12/34secret@h/d", config],
      ["postgres://u:sec@ret@127.0.0.9:1/d", config, openapi],
      ["postgres://u:%zzsecret@127.0.0.9:1/d", config],
      ["postgres://u:secret/d", config],
      ["postgres://127.0.0.9:1/d?password=secret&user=u", config, openapi, status],
      ["postgres://u:%73ecret@127.0.0.9:1/d", config, status],
    ] as const
  ) {
    for (const args of commands) {
      const { stdout, stderr } = await relata(args, { DATABASE_URL: address });
      assert.not.match(stdout.replace(/^{.*/s, "") + stderr, /34|sec|ret|%73/, address);
    }
  }
});

test("a wrong address is refused before anything is opened", async () => {
  const environment = { DATABASE_URL: "postgres://u:secret@h/d?sslcert=client.pem", PORT: "0" };
  for (const args of [[], ["config"], ["migrate", "up"], ["token", "list"]]) {
    const said = sentence(await relata(args, environment));
    assert.match(said, 'DATABASE_URL has the parameter "sslcert", which is not supported');
  }
});

test.run();

/** A database of that name, the address of another one beside it, and the folder of their sockets. */
async function databaseNamed(name: string) {
  const { sql, url, stop } = await freshDatabase();
  await sql`create database ${sql(name)}`;
  const [row] = await sql`select current_setting('unix_socket_directories') as sockets`;
  return {
    url,
    sockets: String(row!["sockets"]),
    async stop() {
      await sql`drop database ${sql(name)} with (force)`;
      await stop();
    },
  };
}
