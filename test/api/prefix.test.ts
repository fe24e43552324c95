// Needs: Deno
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Answer, type Service, startService } from "../service.ts";

for (const prefix of ["/relata", "/deep/er.v1"]) {
  const test = suite(`prefix ${prefix}`);
  let relata: Service;

  test.before(async () => {
    relata = await startService({ baseUrl: `http://relata.test${prefix}` });
    await relata.sql`insert into bar (name) values ('Bar one'), ('Bar two')`;
    await relata.sql`insert into foo (name, bar_id) values ('Foo one', 1), ('Foo two', 2)`;
    await relata.sql`insert into colere default values`;
    await relata.sql`insert into bottage (cul, colere_id) values ('One', 1), ('Two', 1)`;
  });
  test.after(() => relata.stop());

  for (
    const path of [
      ...["", "/", "/api/foos", "/api/foos/", "/api/foos/1", "/api/foos/1/", "/api/bars/"],
      ...["/api/bars/2/", "/api/foos/choices/bar/", "/colere/", "/colere/1/", "/bottage/"],
      ...["/bottage/last", "/bottage/1", "/bottage/choices/colere/", "/problems/not_found"],
      ...["/livez", "/readyz"],
    ]
  ) {
    test(`${prefix}${path} answers`, async () => {
      assert.is((await relata.send(`GET ${prefix}${path}`)).status, 200);
    });
  }

  test("the prefix alone is the page of links, in both spellings of the slash", async () => {
    const [without, with_] = [
      await relata.send(`GET ${prefix}`),
      await relata.send(`GET ${prefix}/`),
    ];
    assert.equal(without.body, with_.body);
  });

  for (
    const path of [
      ...["/", "/api/foos/", "/api/foos/1/", "/colere/", "/bottage/last", "/problems/not_found"],
      ...[`${prefix}x/`, `${prefix}x/api/foos/`, `${prefix}api/foos/`, `/x${prefix}/api/foos/`],
      ...[`${prefix}${prefix}/`, `${prefix}${prefix}/api/foos/`, `${prefix.toUpperCase()}/colere/`],
      ...[`/${prefix}/api/foos/`, `${prefix}//api/foos/`, `${prefix}/nope`, "/relatX/colere/"],
      ...["/deep/erxv1/colere/", "/deep/", "/deep/colere/"],
    ]
  ) {
    test(`nothing lives at ${path}`, async () => {
      for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]) {
        const answer = await relata.send(`${method} ${path}`, method === "POST" ? {} : undefined);
        assert.is(answer.status, 404, method);
      }
    });
  }

  for (const path of ["/livez", "/readyz"]) {
    test(`${path} answers at the root as well`, async () => {
      const [root, under] = [
        await relata.send(`GET ${path}`),
        await relata.send(`GET ${prefix}${path}`),
      ];
      assert.is(root.status, 200);
      assert.equal(root.body, under.body);
    });
  }

  for (
    const [path, body] of [
      ["/api/bars/", { name: "New" }],
      ["/api/foos/", { name: "New", bar: 1 }],
      ["/colere/", { name: "New" }],
      ["/bottage/", { cul: "New", colere: 1 }],
    ] as const
  ) {
    test(`Location of what is posted to ${path} leads to it`, async () => {
      const created = await relata.send(`POST ${prefix}${path}`, body);
      assert.is(created.status, 201);
      const location = created.headers.get("location") ?? "";
      assert.ok(location.startsWith(`${prefix}/`), location);
      assert.equal((await relata.send(`GET ${location}`)).body, created.body);
    });
  }

  for (
    const path of [
      ...["/api/bars/", "/api/foos/", "/bottage/"],
      ...["/api/foos/choices/bar/", "/bottage/choices/colere/"],
    ]
  ) {
    test(`next and Link of ${path} lead through all pages`, async () => {
      let pages = 0;
      for (let next: string | null = `${prefix}${path}?limit=1`; next !== null; pages++) {
        assert.ok(next.startsWith(`${prefix}${path}?`), next);
        const { status, headers, body }: Answer = await relata.send(`GET ${next}`);
        assert.is(status, 200);
        assert.is(headers.get("link"), body.next === null ? null : `<${body.next}>; rel="next"`);
        next = body.next;
      }
      assert.ok(pages >= 2);
    });
  }

  test("the references of a bar lead to the foos that refer to it", async () => {
    const { status, body } = await relata.send(`DELETE ${prefix}/api/bars/2/`);
    assert.is(status, 409);
    const href = `${prefix}/api/foos/?bar=2`;
    assert.equal(body.references, [{ resource: "foo", href }]);
    const { body: { items } } = await relata.send(`GET ${href}`);
    assert.equal(items.map(({ name }: { name: string }) => name), ["Foo two"]);
  });

  for (
    const request of [
      ...["GET /nope", `GET ${prefix}/nope`, `DELETE ${prefix}/api/foos/`],
      ...[`GET ${prefix}/api/foos/987654/`, `GET ${prefix}/api/foos/?nope=1`],
    ]
  ) {
    test(`the type of the problem that ${request} meets leads to its explanation`, async () => {
      const { status, body } = await relata.send(request);
      assert.ok(status >= 400);
      assert.ok(body.type.startsWith(`${prefix}/problems/`), body.type);
      assert.is((await relata.send(`GET ${body.type}`)).status, 200);
    });
  }

  test("the links of the first page lead to where they say", async () => {
    const { body } = await relata.send(`GET ${prefix}/`);
    const links = textsIn(body).filter((text) => text.startsWith("/"));
    assert.ok(links.length >= 4, "A link to each resource at least");
    for (const link of links) {
      assert.ok(link.startsWith(`${prefix}/`), link);
      assert.is((await relata.send(`HEAD ${link}`)).status, 200, link);
    }
  });

  test.run();
}

/** Every string in a JSON value. */
function textsIn(json: unknown): string[] {
  if (typeof json === "string") return [json];
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(textsIn) : [];
}
