import { suite } from "uvu";
import * as assert from "uvu/assert";
import { accessOf, prefixOf, readConfig, settings, UsageError } from "./house.ts";

const test = suite("config");

test("has a default for every setting", () => {
  const { logLevel, timeLimit, poolSize, ...config } = readConfig({});
  assert.equal(config, {
    host: "127.0.0.1",
    port: 8000,
    authRequired: false,
    jwtIssuer: undefined,
    jwtAudience: undefined,
    jwtAudienceClaim: undefined,
    jwtKeys: undefined,
    jwtRoles: undefined,
    jwtReadScope: undefined,
    jwtWriteScope: undefined,
    signIn: undefined,
    rateLimit: undefined,
    corsOrigins: [],
    baseUrl: "http://127.0.0.1:8000",
    databaseUrl: undefined,
    title: "Relata",
    projectDir: undefined,
    dataDir: "./data",
    fsync: true,
    bodyLimit: 1024 * 1024,
    keepAlive: 75,
    shutdownDelay: 0,
    idempotencyHours: 24,
    historyDays: 30,
    preparedStatements: true,
    processes: 1,
    reusePort: false,
  });
  assert.equal([logLevel, String(timeLimit), String(poolSize)], [
    settings.LOG_LEVEL.fallback,
    settings.TIME_LIMIT.fallback,
    settings.POOL_SIZE.fallback,
  ]);
  assert.ok(timeLimit > 0 && poolSize > 0);
});

for (
  const [name, value, member, expected] of [
    ["HOST", "::1", "host", "::1"],
    ["HOST", "localhost", "host", "localhost"],
    ["PORT", "0", "port", 0],
    ["PORT", "65535", "port", 65_535],
    ["AUTH", "required", "authRequired", true],
    ["AUTH", "off", "authRequired", false],
    ["JWT_AUDIENCE", "https://api.example.org", "jwtAudience", ["https://api.example.org"]],
    ["JWT_AUDIENCE", "store, other store", "jwtAudience", ["store", "other store"]],
    ["JWT_AUDIENCE_CLAIM", "client_id", "jwtAudienceClaim", "client_id"],
    [
      "JWT_KEYS",
      "https://login.example.org/keys?v=2",
      "jwtKeys",
      "https://login.example.org/keys?v=2",
    ],
    ["JWT_KEYS", "/etc/relata/keys.json", "jwtKeys", "/etc/relata/keys.json"],
    ["JWT_ROLES", "https://example.org/roles", "jwtRoles", "https://example.org/roles"],
    [
      "JWT_ROLES",
      "/resource_access/~1store~0/roles",
      "jwtRoles",
      "/resource_access/~1store~0/roles",
    ],
    ["JWT_READ_SCOPE", "store:read", "jwtReadScope", "store:read"],
    ["JWT_WRITE_SCOPE", "api://store/write", "jwtWriteScope", "api://store/write"],
    ["SIGN_IN", "client_id=docs", "signIn", "client_id=docs&scope=openid"],
    [
      "SIGN_IN",
      "client_id=docs&scope=openid profile&resource=https://a.example&resource=urn:b",
      "signIn",
      "client_id=docs&scope=openid+profile&resource=https%3A%2F%2Fa.example&resource=urn%3Ab",
    ],
    ["RATE_LIMIT", "600", "rateLimit", 600],
    ["CORS_ORIGINS", "https://app.example.org", "corsOrigins", ["https://app.example.org"]],
    ["CORS_ORIGINS", "http://localhost:3000, http://[::1]:1", "corsOrigins", [
      "http://localhost:3000",
      "http://[::1]:1",
    ]],
    ["BASE_URL", "https://api.example.org", "baseUrl", "https://api.example.org"],
    ["BASE_URL", "https://api.example.org/", "baseUrl", "https://api.example.org"],
    ["BASE_URL", "http://[::1]:80/relata", "baseUrl", "http://[::1]:80/relata"],
    ["TITLE", "Le café d’à côté", "title", "Le café d’à côté"],
    ["DATA_DIR", "/var/lib/relata data", "dataDir", "/var/lib/relata data"],
    ["DATA_DIR", "./~é", "dataDir", "./~é"],
    ["FSYNC", "off", "fsync", false],
    ["LOG_LEVEL", "info", "logLevel", "info"],
    ["LOG_LEVEL", "error", "logLevel", "error"],
    ["BODY_LIMIT", "1", "bodyLimit", 1],
    ["TIME_LIMIT", "30", "timeLimit", 30],
    ["KEEP_ALIVE", "3600", "keepAlive", 3600],
    ["SHUTDOWN_DELAY", "15", "shutdownDelay", 15],
    ["IDEMPOTENCY_HOURS", "720", "idempotencyHours", 720],
    ["HISTORY_DAYS", "3650", "historyDays", 3650],
    ["POOL_SIZE", "20", "poolSize", 20],
    ["PREPARED_STATEMENTS", "off", "preparedStatements", false],
    ["PROCESSES", "2", "processes", 2],
    ["REUSE_PORT", "on", "reusePort", true],
  ] as const
) {
  test(`reads ${name} "${value}"`, () => {
    const { baseUrl, ...config } = readConfig({ [name]: value });
    const { baseUrl: _, ...defaults } = readConfig({});
    if (member === "baseUrl") assert.is(baseUrl, expected);
    assert.equal(config, member === "baseUrl" ? defaults : { ...defaults, [member]: expected });
  });
}

for (
  const [host, port, baseUrl] of [
    ["localhost", "80", "http://localhost:80"],
    ["::1", "8001", "http://[::1]:8001"],
    ["localhost", "0", undefined],
  ] as const
) {
  test(`finds the base URL ${baseUrl} of ${host} and port ${port} where none is set`, () => {
    assert.is(readConfig({ HOST: host, PORT: port }).baseUrl, baseUrl);
  });
}

for (
  const [name, values] of Object.entries({
    HOST: ["a b", "300.1.1.1", "[::1]", "http://localhost", "host:80"],
    PORT: ["x", "-1", "65536", "80.5", "8e3", "0x50", " 80", "80 ", "99999999999"],
    AUTH: ["on", "Required", "token", "false"],
    RATE_LIMIT: ["0", "-1", "1.5", "10/s", "off"],
    JWT_ISSUER: [
      "login.example.org",
      "ftp://login.example.org",
      "https://login.example.org/?tenant=1",
      "https://login.example.org/#a",
      "https://user:secret@login.example.org",
      "https://login.example.org/a b",
    ],
    JWT_AUDIENCE: [",", "store,", "store,,other"],
    JWT_AUDIENCE_CLAIM: ["/client~id", "a\nb"],
    JWT_KEYS: ["ftp://login.example.org/keys", "https://user@login.example.org/", "~/keys.json"],
    JWT_ROLES: ["/realm~2/roles", "\0"],
    JWT_READ_SCOPE: ["read write", 'a"b'],
    JWT_WRITE_SCOPE: ["write ", "a\\b"],
    SIGN_IN: [
      "on",
      "scope=openid",
      "client_id=",
      "client_id=docs&client_secret=secret",
      "client_id=docs&redirect_uri=https://app.example.org/",
      "client_id=docs&state=1",
      "client_id=docs&response_type=token",
      "client_id=docs&code_challenge=a",
      "client_id=docs&code_challenge_method=plain",
      "client_id=docs&client_id=other",
      "client_id=docs&scope=a&scope=b",
    ],
    CORS_ORIGINS: [
      "*",
      "null",
      "app.example.org",
      "https://*.example.org",
      "https://app.example.org/",
      "https://App.example.org",
      "https://app.example.org:443",
      "https://user@app.example.org",
      "file://",
      "https://app.example.org,",
      "https://app.example.org https://other.example.org",
    ],
    BASE_URL: [
      "api.example.org",
      "/relata",
      "http://",
      "ftp://api.example.org",
      "https://api.example.org/?a=b",
      "https://api.example.org/#a",
      "https://user:secret@api.example.org",
      "https://api.example.org/a b",
      "https:api.example.org",
      "https://api.example.org//relata",
    ],
    TITLE: ["two\u0085lines", "a\u2028b", "a\0b", "x".repeat(101)],
    DATA_DIR: ["data\r", "~", "~/data", "a\nb", "\u200b/data"],
    PROJECT_DIR: ["store\r", "~/store"],
    LOG_LEVEL: ["loud", "INFO", "info "],
    BODY_LIMIT: ["0", "-1", "1.5", "1MB", "4000001"],
    TIME_LIMIT: ["0", "-1", "1.5", "10s"],
    KEEP_ALIVE: ["0", "3601", "0.5", "off"],
    SHUTDOWN_DELAY: ["-1", "3601", "1.5", "5s"],
    IDEMPOTENCY_HOURS: ["0", "721", "1.5", "24h"],
    HISTORY_DAYS: ["0", "3651", "1.5", "30d"],
    POOL_SIZE: ["0", "-1", "1.5", "many"],
    PREPARED_STATEMENTS: ["no", "Off"],
    PROCESSES: ["0", "65", "all"],
    REUSE_PORT: ["yes", "ON"],
  })
) {
  for (const value of values) {
    test(`refuses ${name} "${value}" with one sentence that names it`, () => {
      const message = refusal(() => readConfig({ [name]: value }));
      assert.ok(message.startsWith(`${name} `), message);
      assert.not.match(message, "\n");
    });
  }
}

test("has the title of the folder of the project, unless there is another", () => {
  for (const PROJECT_DIR of ["/srv/store", "/srv/store/", "/srv/other/../store"]) {
    assert.is(readConfig({ PROJECT_DIR }).title, "store");
  }
  assert.is(readConfig({ PROJECT_DIR: "/srv/store", TITLE: "Music" }).title, "Music");
});

test("refuses an empty DATABASE_URL: what is written would be in the embedded database", () => {
  assert.match(
    refusal(() => readConfig({ DATABASE_URL: "" })),
    /^DATABASE_URL is empty: unset it /,
  );
});

for (const name of Object.keys(settings).filter((name) => name !== "DATABASE_URL")) {
  test(`treats an empty ${name} as not set`, () => {
    assert.equal(readConfig({ [name]: "" }), readConfig({}));
  });
}

test("ignores variables that are not settings", () => {
  assert.equal(readConfig({ PATH: "/bin", port: "1", TEST: "x" }), readConfig({}));
});

test("is frozen", () => {
  assert.ok(Object.isFrozen(readConfig({})));
});

for (const host of ["127.0.0.1", "127.3.2.1", "::1", "0:0:0:0:0:0:0:1", "localhost"]) {
  test(`treats AUTH as off on the loopback address ${host}`, () => {
    assert.is(accessOf(readConfig({ HOST: host })).authRequired, false);
  });
}

for (
  const host of [
    "0.0.0.0",
    "::",
    "192.0.2.1",
    "2001:db8::1",
    "127.0.0.1.example.org",
    "localhost.example.org",
    "127.1",
    "::ffff:192.0.2.1",
  ]
) {
  test(`demands AUTH on ${host}, in a sentence that explains both choices`, () => {
    const message = refusal(() => accessOf(readConfig({ HOST: host })));
    for (const part of [`"${host}"`, "AUTH=required", "AUTH=off", "relata token create"]) {
      assert.ok(message.includes(part), message);
    }
    assert.not.match(message, "\n");
    for (const [AUTH, authRequired] of [["required", true], ["off", false]] as const) {
      assert.is(accessOf(readConfig({ HOST: host, AUTH })).authRequired, authRequired);
    }
  });
}

test("refuses RATE_LIMIT if no token is needed", () => {
  const counted = (environment: Record<string, string>) =>
    accessOf(readConfig({ RATE_LIMIT: "9", ...environment })).rateLimit;
  assert.is(counted({ AUTH: "required" }), 9);
  for (const environment of [{}, { AUTH: "off" }]) {
    const message = refusal(() => counted(environment));
    assert.match(message, /^RATE_LIMIT .* AUTH=required$/);
  }
});

const JWTS = { JWT_ISSUER: "https://login.example.org/", JWT_AUDIENCE: "store" };

for (const HOST of ["127.0.0.1", "0.0.0.0", "::1"]) {
  test(`needs tokens on ${HOST} once there is an issuer, and takes its JWTs`, () => {
    assert.equal(accessOf(readConfig({ HOST, ...JWTS })), {
      authRequired: true,
      rateLimit: undefined,
      issuer: {
        url: "https://login.example.org/",
        audiences: ["store"],
        audienceClaim: "aud",
        keys: undefined,
        readScope: undefined,
        writeScope: undefined,
        signIn: undefined,
      },
      rolesClaim: "roles",
    });
  });
}

test("limits the rate of the callers of an issuer", () => {
  assert.is(accessOf(readConfig({ RATE_LIMIT: "9", ...JWTS })).rateLimit, 9);
});

const { JWT_ISSUER, JWT_AUDIENCE } = JWTS;
const contradictions: [environment: Record<string, string>, sentence: RegExp][] = [
  [{ JWT_ISSUER }, /^JWT_ISSUER requires JWT_AUDIENCE: /],
  [{ ...JWTS, AUTH: "off" }, /^JWT_ISSUER .* AUTH=required$/],
  [{ JWT_AUDIENCE, AUTH: "required" }, /^JWT_AUDIENCE .* JWT_ISSUER$/],
  [{ JWT_AUDIENCE_CLAIM: "azp" }, /^JWT_AUDIENCE_CLAIM .* JWT_ISSUER$/],
  [{ JWT_KEYS: "keys.json" }, /^JWT_KEYS .* JWT_ISSUER$/],
  [{ JWT_ROLES: "groups" }, /^JWT_ROLES .* JWT_ISSUER$/],
  [{ JWT_READ_SCOPE: "read" }, /^JWT_READ_SCOPE .* JWT_ISSUER$/],
  [{ JWT_WRITE_SCOPE: "write" }, /^JWT_WRITE_SCOPE .* JWT_ISSUER$/],
  [{ SIGN_IN: "client_id=docs" }, /^SIGN_IN .* JWT_ISSUER$/],
];
for (const [environment, sentence] of contradictions) {
  test(`refuses ${Object.keys(environment).join(" with ")} ${environment["AUTH"] ?? ""} in one sentence`, () => {
    const message = refusal(() => accessOf(readConfig(environment)));
    assert.match(message, sentence);
    assert.not.match(message, "\n");
  });
}

for (
  const [baseUrl, prefix] of [
    ["http://127.0.0.1:8000", ""],
    ["https://api.example.org/", ""],
    ["https://api.example.org/relata", "/relata"],
    ["https://api.example.org/relata/", "/relata"],
    ["https://api.example.org/a/b", "/a/b"],
  ] as const
) {
  test(`finds the prefix "${prefix}" in BASE_URL ${baseUrl}`, () => {
    assert.is(prefixOf(baseUrl), prefix);
    assert.is(prefixOf(readConfig({ BASE_URL: baseUrl }).baseUrl), prefix);
  });
}

test.run();

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.instance(error, UsageError);
    return (error as UsageError).message;
  }
  throw new Error("The setting was accepted");
}
