// Field service with callers of its own: each sentence is what a proxy in front of the server had to see to, before the
// server knew who asks.
// Needs: Deno, the embedded database
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { following } from "../follow.ts";
import { startProject } from "../projects.ts";
import { type Answer, type Claims, failures, type Service } from "../service.ts";
import { FIRM, OTHER_FIRM, scheduling } from "./scheduling.ts";

const test = suite("field service");
let relata: Service;

/** Who asks. */
const callers = {
  ann: { sub: "ann", roles: ["technician"] },
  bob: { sub: "bob", roles: ["technician"] },
  dora: { sub: "dora", roles: ["dispatcher"] },
  hotel: { sub: "hotel", roles: ["customer"], customer: FIRM },
  none: null,
} satisfies Record<string, Claims | null>;

type Name = keyof typeof callers;

/** Identifiers that tell at sight what they are of: ann's and bob's job, visit, note. */
const uuid = (digits: string) => `00000000-0000-4000-8000-${digits.padStart(12, "0")}`;
const [SITE, DAIRY] = [uuid("a1"), uuid("a2")];
const [JOB, JOB_OF_BOB] = [uuid("b1"), uuid("b2")];
const [VISIT, VISIT_OF_BOB] = [uuid("c1"), uuid("c2")];
const [NOTE, NOTE_OF_BOB] = [uuid("d1"), uuid("d2")];

const morning = { starts: "2026-12-01T08:00:00Z", ends: "2026-12-01T10:00:00Z" };
const noon = { starts: "2026-12-01T11:00:00Z", ends: "2026-12-01T12:30:00Z" };

/** Sends a request as one of the callers. */
const as = (name: Name, ...sent: Parameters<Service["send"]>): Promise<Answer> =>
  relata.as(callers[name]).send(...sent);

/** The same, which has to succeed; gives what is answered. */
async function done(name: Name, ...sent: Parameters<Service["send"]>) {
  const { status, body } = await as(name, ...sent);
  assert.ok(status < 300, `${sent[0]}: ${JSON.stringify(body)}`);
  return body;
}

const idsIn = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

test.before(async () => {
  relata = await startProject(scheduling);
});
test.before.each(async () => {
  await relata.sql`
    truncate visit_event, note, usage, part, visit, job_skill, job, site,
      technician_skill, technician, skill restart identity`;
  for (
    const [path, ...rows] of [
      ["skills", { name: "Pipes" }, { name: "Heat pumps" }],
      ["technicians", { name: "Ann", subject: "ann", skills: [1] }, {
        name: "Bob",
        subject: "bob",
      }],
      [
        "sites",
        { id: SITE, name: "Main building", address: "Storgata 1", customer: FIRM },
        { id: DAIRY, name: "Dairy", address: "Sjøgata 2", customer: OTHER_FIRM },
      ],
      [
        "jobs",
        { id: JOB, title: "Noisy pump", site: SITE, needs: [2] },
        { id: JOB_OF_BOB, title: "Leak", site: DAIRY },
      ],
      [
        "parts",
        { code: "HP-7", name: "Fan", price: "99.50" },
        { code: "HP-8", name: "Filter", price: "5.00" },
      ],
      [
        "visits",
        { id: VISIT, job: JOB, technician: 1, ...morning, parts: [{ part: "HP-7", quantity: 2 }] },
        {
          id: VISIT_OF_BOB,
          job: JOB_OF_BOB,
          technician: 2,
          ...morning,
          parts: [{ part: "HP-7" }],
        },
      ],
    ] as const
  ) await done("dora", `POST /api/${path}/batch/`, rows);
  await done("ann", "POST /api/notes/", { id: NOTE, job: JOB, text: "The key is next door." });
  await done("bob", "POST /api/notes/", { id: NOTE_OF_BOB, job: JOB_OF_BOB, text: "Ring twice." });
});
test.after(() => relata.stop());

/** What there is of ann's and bob's, by the path. */
const owned = {
  visits: [VISIT, VISIT_OF_BOB],
  agenda: [VISIT, VISIT_OF_BOB],
  jobs: [JOB, JOB_OF_BOB],
  sites: [SITE, DAIRY],
  customers: [FIRM, OTHER_FIRM],
  notes: [NOTE, NOTE_OF_BOB],
  technicians: [1, 2],
};

for (const [path, [own, other]] of Object.entries(owned)) {
  test(`a technician lists their own ${path}, and counts no other; a dispatcher all`, async () => {
    for (
      const [who, of] of [["ann", [own]], ["bob", [other]], ["dora", [own, other]]] as const
    ) {
      const { items, count, next } = await done(who, `GET /api/${path}/?count=true`);
      assert.equal([idsIn({ items }).toSorted(), count, next], [of, of.length, null], who);
      assert.equal(
        idsIn(await done(who, `GET /api/${path}/?id__in=${own},${other}`)).toSorted(),
        of,
      );
    }
    assert.is((await as("none", `GET /api/${path}/`)).status, 401);
  });

  test(`what is another's of ${path} is 404, whatever is asked of it`, async () => {
    for (const [who, there, hidden] of [["ann", own, other], ["bob", other, own]] as const) {
      assert.is((await as(who, `GET /api/${path}/${there}/`)).status, 200);
      assert.is((await as(who, `GET /api/${path}/${hidden}/`)).status, 404);
    }
  });
}

test("nothing of another's is found by a filter, a search, or the order of a list", async () => {
  for (
    const query of [
      "visits/?technician=2",
      "visits/?technician__name=Bob",
      "visits/?job__title=Leak",
      `visits/?job=${JOB_OF_BOB}`,
      "jobs/?q=leak",
      `jobs/?site__customer=${OTHER_FIRM}`,
      `notes/?job=${JOB_OF_BOB}`,
    ]
  ) {
    assert.equal(idsIn(await done("ann", `GET /api/${query}`)), [], query);
    assert.is((await done("dora", `GET /api/${query}`)).items.length, 1, query);
  }
  const { items, next } = await done("ann", "GET /api/visits/?sort=technician__name&limit=1");
  assert.equal([idsIn({ items }), next], [[VISIT], null]);
});

test("a technician changes only their own visits, whatever is checked before", async () => {
  const { headers } = await as("dora", `GET /api/visits/${VISIT_OF_BOB}/`);
  const tag = headers.get("etag")!;
  for (const conditions of [{}, { "if-match": tag }, { "if-match": '"other"' }]) {
    for (
      const [method, sent] of [
        ["PATCH", { state: "working" }],
        ["PUT", { job: JOB, technician: 1, ...noon }],
        ["DELETE", undefined],
      ] as const
    ) {
      const path = `/api/visits/${VISIT_OF_BOB}/`;
      const { status } = await as("ann", `${method} ${path}`, sent, conditions);
      assert.is(status, method === "DELETE" ? 403 : 404);
    }
  }
  assert.is((await done("dora", `GET /api/visits/${VISIT_OF_BOB}/`)).state, "planned");
  assert.is(
    (await done("ann", `PATCH /api/visits/${VISIT}/`, { state: "working" })).state,
    "working",
  );
});

for (
  const [request, sent, errors] of [
    [`PATCH /api/visits/${VISIT}/`, { technician: 2 }, { "/technician": "does_not_exist" }],
    [`PATCH /api/agenda/${VISIT}/`, { technician: 2 }, { "/technician": "does_not_exist" }],
    [`PATCH /api/visits/${VISIT}/`, { job: JOB_OF_BOB }, { "/job": "does_not_exist" }],
    ["POST /api/notes/", { job: JOB_OF_BOB, text: "Hi" }, { "/job": "does_not_exist" }],
    [`PATCH /api/notes/${NOTE}/`, { job: JOB_OF_BOB }, { "/job": "does_not_exist" }],
    ["POST /api/notes/", { job: JOB, text: "Hi", author: "bob" }, { "/author": "read_only" }],
    [
      "POST /api/notes/batch/",
      [{ job: JOB, text: "Mine" }, { job: JOB_OF_BOB, text: "Not mine" }],
      { "/1/job": "does_not_exist" },
    ],
  ] as const
) {
  test(`a technician gets into nothing of another's by ${request} ${JSON.stringify(sent)}`, async () => {
    assert.equal(failures(await as("ann", request, sent)), errors);
    assert.is((await done("dora", "GET /api/notes/")).items.length, 2);
  });
}

test("the choices of a relation are what its caller reads", async () => {
  for (
    const [path, own, all] of [
      ["visits/choices/job", { [JOB]: "Noisy pump" }, {
        [JOB]: "Noisy pump",
        [JOB_OF_BOB]: "Leak",
      }],
      ["visits/choices/technician", { 1: "Ann" }, { 1: "Ann", 2: "Bob" }],
      ["notes/choices/job", { [JOB]: "Noisy pump" }, { [JOB]: "Noisy pump", [JOB_OF_BOB]: "Leak" }],
    ] as const
  ) {
    assert.equal((await done("ann", `GET /api/${path}/`)).choices, own);
    assert.equal((await done("dora", `GET /api/${path}/`)).choices, all);
  }
});

test("notes are read by way of their jobs, and changed by who wrote them", async () => {
  assert.is((await done("ann", `GET /api/notes/${NOTE}/`)).author, "ann");
  const { id } = await done("dora", "POST /api/notes/", { job: JOB, text: "Call first." });
  assert.is((await done("ann", `GET /api/notes/${id}/`)).author, "dora");
  assert.is((await as("ann", `PATCH /api/notes/${id}/`, { text: "Mine" })).status, 403);
  assert.is((await as("ann", `DELETE /api/notes/${id}/`)).status, 403);
  assert.is((await as("ann", `DELETE /api/notes/${NOTE}/`)).status, 204);
  await done("dora", `PATCH /api/visits/${VISIT}/`, { technician: 2, ...noon });
  assert.is((await as("ann", `GET /api/notes/${id}/`)).status, 404);
  assert.is((await as("bob", `GET /api/notes/${id}/`)).status, 200);
});

test("with a visit goes what belongs to it: the one who had it sees nothing any more", async () => {
  await done("dora", `PATCH /api/visits/${VISIT}/`, { technician: 2, ...noon });
  for (const [path, [id]] of Object.entries(owned).filter(([path]) => path !== "technicians")) {
    assert.equal((await done("ann", `GET /api/${path}/`)).items, [], path);
    assert.is((await as("bob", `GET /api/${path}/${id}/`)).status, 200, path);
  }
});

test("a technician follows what happens to their own visits", async () => {
  const follow = async (who: Name, query = "") =>
    following(
      await relata.as(callers[who]).fetch(
        new Request(`http://relata.test/api/events/${query}`, {
          headers: { accept: "text/event-stream" },
        }),
      ),
    );
  const begun = await follow("dora");
  const start = (await begun.take(1))[0]!.id;
  await begun.close();
  await done("ann", `PATCH /api/agenda/${VISIT}/`, { state: "working" });
  await done("bob", `PATCH /api/agenda/${VISIT_OF_BOB}/`, { state: "working" });
  await done("dora", `PATCH /api/visits/${VISIT}/`, { technician: 2, ...noon });
  for (
    const [who, expected] of [
      ["ann", [["changed", VISIT], ["gone", VISIT]]],
      ["bob", [["changed", VISIT_OF_BOB], ["created", VISIT]]],
    ] as const
  ) {
    const stream = await follow(who, `?after=${start}`);
    const events = await stream.take(expected.length);
    assert.equal(events.map(({ data }) => [data.what, data.visit]), expected, who);
    await stream.close();
  }
});

test("a technician is at one place at a time, also where callers ask at once", async () => {
  const answers = await Promise.all(
    Array.from(
      { length: 6 },
      () => as("dora", "POST /api/visits/", { job: JOB, technician: 1, ...noon }),
    ),
  );
  assert.equal(answers.map(({ status }) => status).toSorted(), [201, 422, 422, 422, 422, 422]);
  const refused = answers.find(({ status }) => status === 422)!;
  assert.equal(refused.body.errors, [
    { pointer: "", code: "taken", detail: "The technician is elsewhere at this time" },
  ]);
});

test("a finished visit stays as it is, in the words of the trigger", async () => {
  await done("ann", `PATCH /api/visits/${VISIT}/`, { state: "done" });
  const { status, body } = await as("ann", `PATCH /api/visits/${VISIT}/`, { state: "planned" });
  assert.equal([status, body.errors[0].detail], [422, "A finished visit stays as it is"]);
});

test("a technician changes what is for phones with a tag that is not that of the job", async () => {
  const tags = async () =>
    await Promise.all(
      ["agenda", "visits"].map(async (path) =>
        (await as("ann", `GET /api/${path}/${VISIT}/`)).headers.get("etag")
      ),
    );
  const before = await tags();
  await done("dora", `PATCH /api/jobs/${JOB}/`, { title: "Very noisy pump" });
  const after = await tags();
  assert.equal(after.map((tag, place) => tag === before[place]), [true, false]);
  const moved = await as("ann", `PATCH /api/agenda/${VISIT}/`, { state: "working" }, {
    "if-match": before[0]!,
  });
  assert.is(moved.status, 200);
});

test("a phone names what it makes offline, and sends it again after an answer was lost", async () => {
  const path = `/api/notes/${uuid("d3")}/`;
  const sent = { job: JOB, text: "The fan is new." };
  const first = await as("ann", `PUT ${path}`, sent);
  const again = await as("ann", `PUT ${path}`, sent);
  assert.equal([first.status, again.status, again.body], [201, 200, first.body]);
  assert.equal(failures(await as("bob", `PUT ${path}`, { ...sent, job: JOB_OF_BOB })), {
    "/id": "taken",
  });
});

test("a customer reads what is at their sites, sees no technician, and writes nothing", async () => {
  for (const path of ["customers", "sites", "jobs", "visits", "notes"] as const) {
    assert.equal(idsIn(await done("hotel", `GET /api/${path}/`)), [owned[path][0]], path);
    assert.is((await as("hotel", `GET /api/${path}/${owned[path][1]}/`)).status, 404);
    if (path === "customers") continue;
    for (const request of [`POST /api/${path}/`, `PATCH /api/${path}/${owned[path][0]}/`]) {
      assert.is((await as("hotel", request, {})).status, 403, request);
    }
  }
  const visit = await done("hotel", `GET /api/visits/${VISIT}/`);
  assert.equal([visit.technician, visit.job.site.customer.name], [{ id: 1 }, "Fjord Hotel"]);
  for (const path of ["technicians", "agenda", "events", "parts"]) {
    assert.is((await as("hotel", `GET /api/${path}/`)).status, 403, path);
  }
});

test("who is nobody reads what the firm can do, and nothing else", async () => {
  assert.is((await done("none", "GET /api/skills/")).items.length, 2);
  assert.is((await as("none", "POST /api/skills/", { name: "Roofs" })).status, 401);
  assert.is((await as("ann", "POST /api/skills/", { name: "Roofs" })).status, 403);
});

test("a technician without visits, or of a role without a subject, reads nothing of others", async () => {
  for (const claims of [{ sub: "new", roles: ["technician"] }, { sub: "ann" }]) {
    const { send } = relata.as(claims);
    for (const path of Object.keys(owned)) {
      const { status, body } = await send(`GET /api/${path}/`);
      assert.ok(status === 403 || status === 200 && body.items.length === 0, path);
    }
  }
  assert.is(
    (await relata.as({ sub: "x", roles: ["customer"] }).send("GET /api/jobs/")).body.items.length,
    0,
  );
});

test("who did what to a visit is kept, with what was built in, and dispatchers read it", async () => {
  await done("ann", `PATCH /api/visits/${VISIT}/`, { state: "working", parts: [] });
  const path = `/api/visits/${VISIT}/changes/`;
  const [last, first] = (await done("dora", `GET ${path}`)).items;
  assert.equal([first.caller, first.verb, first.before], ["dora", "created", null]);
  assert.equal([last.caller, last.verb, last.before], ["ann", "changed", first.after]);
  assert.equal([last.before.state, last.before.parts], ["planned", [{
    part: "HP-7",
    quantity: 2,
  }]]);
  assert.equal([last.after.state, last.after.parts], ["working", []]);
  for (const who of ["ann", "hotel"] as const) {
    assert.is((await as(who, `GET ${path}`)).status, 403);
  }
});

test("a technician follows what becomes of their own visits, and learns when one is theirs no more", async () => {
  const follow = async (who: Name, query = "") =>
    following(
      await relata.as(callers[who]).fetch(
        new Request(`http://relata.test/api/visits/changes/${query}`, {
          headers: { accept: "text/event-stream" },
        }),
      ),
    );
  const begun = await follow("dora");
  const start = (await begun.take(1))[0]!.id;
  await begun.close();
  await done("ann", `PATCH /api/visits/${VISIT}/`, { state: "working" });
  await done("bob", `PATCH /api/visits/${VISIT_OF_BOB}/`, { state: "working" });
  await done("dora", `PATCH /api/visits/${VISIT}/`, { technician: 2, ...noon });
  for (
    const [who, expected] of [
      ["ann", [["deleted", VISIT]]],
      ["bob", [["changed", VISIT_OF_BOB], ["created", VISIT]]],
    ] as const
  ) {
    const stream = await follow(who, `?after=${start}`);
    const events = await stream.take(expected.length);
    assert.equal(events.map(({ event, data }) => [event, data.id]), expected, who);
    await stream.close();
  }
});

test("a visit is written with what was built in, by who may update it", async () => {
  const path = `/api/visits/${VISIT}/`;
  const fan = { part: "HP-7", quantity: 3 };
  assert.is((await as("bob", `PATCH ${path}`, { parts: [] })).status, 404);
  const { parts } = await done("ann", `PATCH ${path}`, { parts: [{ part: "HP-8" }, fan] });
  assert.equal(parts, [
    { part: { code: "HP-7", name: "Fan", price: "99.50" }, quantity: 3 },
    { part: { code: "HP-8", name: "Filter", price: "5.00" }, quantity: 1 },
  ]);
  const twice = await as("ann", `PATCH ${path}`, { parts: [fan, { part: "HP-8" }, fan] });
  assert.equal(failures(twice), { "/parts/2/part": "duplicate" });
});

test("a job is planned with its visits and parts by one request, all of it or nothing", async () => {
  const job = uuid("b9");
  const visit = (digits: string, times: typeof noon) => ({
    id: uuid(digits),
    technician: 1,
    ...times,
    parts: [{ part: "HP-7", quantity: 2 }, { part: "HP-8" }],
  });
  const plan = { job, title: "New pump", site: SITE };
  const path = "POST /api/jobs/plan/";
  const taken = await as("dora", path, { ...plan, visits: [visit("c8", noon), visit("c9", noon)] });
  assert.equal(taken.body.errors, [
    { pointer: "", code: "taken", detail: "The technician is elsewhere at this time" },
  ]);
  assert.is((await as("dora", `GET /api/jobs/${job}/`)).status, 404);
  const evening = { starts: "2026-12-01T16:00:00Z", ends: "2026-12-01T17:00:00Z" };
  const visits = [visit("c8", noon), visit("c9", evening)];
  assert.equal(await done("dora", path, { ...plan, visits }), { visits: 2 });
  const { items } = await done("ann", `GET /api/visits/?job=${job}&sort=starts`);
  assert.equal(idsIn({ items }), [uuid("c8"), uuid("c9")]);
  assert.equal(
    items[0].parts.map(({ part, quantity }: { part: { code: string }; quantity: number }) => [
      part.code,
      quantity,
    ]),
    [["HP-7", 2], ["HP-8", 1]],
  );
  assert.is((await as("ann", path, { ...plan, visits })).status, 403);
});

test("visits are found by what was built in, and candidates for that are those of the visit", async () => {
  for (
    const [query, who, found] of [
      ["parts=HP-7", "dora", [VISIT, VISIT_OF_BOB]],
      ["parts=HP-7", "ann", [VISIT]],
      ["parts__part=HP-7", "dora", [VISIT, VISIT_OF_BOB]],
      ["parts__part=HP-8", "dora", []],
    ] as const
  ) {
    const { items } = await done(who, `GET /api/visits/?${query}`);
    assert.equal(idsIn({ items }).toSorted(), found, query);
  }
  const { choices } = await done("ann", "GET /api/visits/choices/parts/part/");
  assert.equal(choices, { "HP-7": "Fan", "HP-8": "Filter" });
});

test("a part that was built in stays, and the visits that have it are told", async () => {
  const { status, body } = await as("dora", "DELETE /api/parts/HP-7/");
  assert.equal([status, body.references], [409, [
    { resource: "visit", href: "/api/visits/?parts=HP-7" },
  ]]);
  assert.is((await as("dora", "DELETE /api/parts/HP-8/")).status, 204);
});

test("a report is for a role, or is narrowed by who asks", async () => {
  const workload = "GET /api/reports/workload/?day=2026-12-01";
  assert.equal((await done("dora", workload)).items, [
    { technician: "Ann", visits: 1, hours: "2.00" },
    { technician: "Bob", visits: 1, hours: "2.00" },
  ]);
  assert.is((await as("ann", workload)).status, 403);
  const used = async (who: Name) => (await done(who, "GET /api/reports/used/")).items;
  assert.equal(await used("ann"), [{ part: "Fan", quantity: 2 }]);
  assert.equal(await used("bob"), [{ part: "Fan", quantity: 1 }]);
  assert.equal(await used("hotel"), []);
});

test("callers at once read their own visits, in statements that they share", async () => {
  const asked = Array.from({ length: 100 }, (_, place) => ({
    who: (["ann", "bob"] as const)[place % 2]!,
    id: [VISIT, VISIT_OF_BOB][Math.floor(place / 2) % 2]!,
  }));
  const answers = await Promise.all(asked.map(({ who, id }) => as(who, `GET /api/visits/${id}/`)));
  assert.equal(
    answers.map(({ status }) => status),
    asked.map(({ who, id }) => (who === "ann") === (id === VISIT) ? 200 : 404),
  );
});

test.run();
