// People who sign in on the page, at an issuer of the tests, and what they see of rows that are not theirs.
// Needs: a browser
/// <reference lib="dom" />
import type { Page, Request } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { barriers, runInBrowser, saved, type Site, startSite, visit } from "./browser.ts";
import {
  action,
  authenticated,
  claim,
  identifier,
  nullable,
  owned,
  relation,
  type Resource,
  resource,
  role,
  text,
} from "./house.ts";
import { type Provider, startProvider } from "./issuer.ts";
import { until } from "./program.ts";
import { AUDIENCE } from "./signer.ts";
import { grant } from "./tokens.ts";

const test = suite("signing in on the page");
let provider: Provider;
let site: Site | undefined;
let root = "";

const project = resource("project", {
  path: "/projects/",
  display: "name",
  access: authenticated({ owner: claim("sub") }),
  fields: { id: identifier(), name: text(), owner: text({ default: claim("sub") }) },
});

const remark: Resource = resource("remark", {
  fields: { id: identifier(), note: relation(() => note), project: nullable(relation(project)) },
});

const note: Resource = resource("note", {
  path: "/notes/",
  display: "title",
  access: {
    read: authenticated(),
    write: authenticated({ owner: claim("sub") }),
    delete: role("admin"),
  },
  fields: {
    id: identifier(),
    title: text(),
    owner: text({ default: claim("sub") }),
    project: nullable(relation(project)),
    remarks: owned(remark, { parent: "note" }),
  },
});

const transfer = action("transfer", {
  path: "/notes/{note}/transfer/",
  summary: "Give a note to a project",
  input: { note: relation(note), project: relation(project), why: text() },
  statement: (sql, { note, project, why }) =>
    sql`update note set project_id = ${project}, title = ${why} where id = ${note}`,
});

const tables = `
  create table project (
    id bigint generated always as identity primary key,
    name text not null,
    owner text not null
  );
  create table note (
    id bigint generated always as identity primary key,
    title text not null,
    owner text not null,
    project_id bigint references project (id)
  );
  create table remark (
    id bigint generated always as identity primary key,
    note_id bigint not null references note,
    project_id bigint references project (id)
  );
  insert into project (name, owner) values ('Of ann', 'ann'), ('Of bob', 'bob');
  insert into note (title, owner, project_id) values ('First', 'ann', 1), ('Second', 'ann', 2), ('Third', 'bob', 2);
`;

const PARAMETERS = new URLSearchParams({
  client_id: "docs",
  scope: "openid read write",
  resource: AUDIENCE,
  login_hint: "ann",
});

async function start() {
  provider = await startProvider();
  try {
    await startAt(provider);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function stop() {
  await site?.stop();
  await provider.stop();
}

async function startAt(provider: Provider) {
  const issuer = {
    url: provider.url,
    audiences: [AUDIENCE],
    audienceClaim: "aud",
    keys: undefined,
    readScope: undefined,
    writeScope: undefined,
  };
  const common = { authRequired: true, resources: [project, remark, note], actions: [transfer] };
  site = await startSite([
    { ...common, issuer: { ...issuer, signIn: String(PARAMETERS) } },
    { ...common, issuer: { ...issuer, signIn: `${PARAMETERS}&prompt=none` } },
    { ...common, issuer: { ...issuer, signIn: String(PARAMETERS), url: "http://127.0.0.1:9" } },
  ], { tables });
  root = site!.services[0]!.root;
  for (const { send } of site!.services.slice(0, 2)) {
    await until("the issuer is known", async () => {
      return (await send("GET /docs/")).body.includes(provider.url);
    });
  }
}

function browse(
  title: string,
  at: string,
  work: (page: Page, asked: Request[]) => Promise<void>,
  place = 0,
) {
  test(title, async () => {
    await site!.context.clearCookies();
    const { root } = site!.services[place]!;
    const asked: Request[] = [];
    await visit(
      site!.context,
      { root, path: `/docs/${at}`, issuer: provider.url },
      async (page) => {
        page.on("request", (request) => asked.push(request));
        await work(page, asked);
      },
    );
  });
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const hashOf = (page: Page) => new URL(page.url()).hash;

async function signIn(page: Page) {
  await button(page, "Sign in").click();
  await page.getByText("ann", { exact: true }).first().waitFor();
}

/** All that the browser keeps for the page. */
const kept = (page: Page) =>
  page.evaluate(() => ({
    tab: Object.entries(sessionStorage),
    browser: Object.entries(localStorage),
    cookies: document.cookie,
    state: JSON.stringify(history.state),
  }));

/** Works while the server takes the token of a path for one that has ended. */
async function whileEnded(page: Page, path: string, work: () => Promise<void>) {
  await page.route(path, (route) =>
    route.fulfill({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="relata", error="invalid_token"' },
      contentType: "application/problem+json",
      body: JSON.stringify({ title: "Unauthorized", detail: "The token has expired" }),
    }));
  await work();
  await page.unroute(path);
}

function define() {
  browse(
    "somebody signs in and is back where it began, with a token and nothing else",
    "#/notes/?title=First",
    async (page, asked) => {
      assert.equal(await barriers(page), []);
      await signIn(page);
      await page.getByRole("rowheader", { name: "First" }).waitFor();
      assert.is(page.url(), `${root}/docs/#/notes/?title=First`);
      const { tab, browser, cookies, state } = await kept(page);
      const { [`${root} token`]: token, ...others } = Object.fromEntries(tab);
      assert.equal(Object.keys(others), [`${root} list of note`]);
      const [, payload = ""] = token!.split(".");
      assert.is(JSON.parse(atob(payload)).sub, "ann");
      assert.equal([browser, cookies], [[], ""]);
      assert.not.match(state, /verifier|code/);
      const addresses = asked.map((request) => request.url());
      assert.not(
        addresses.some((url) => url.startsWith(root) && /code=|state=/.test(url)),
        "The server gets no code",
      );
      assert.equal(await barriers(page), []);
      await page.reload();
      await page.getByRole("rowheader", { name: "First" }).waitFor();
    },
  );

  browse(
    "answers that this tab did not ask for are refused before any request",
    "#/",
    async (page, asked) => {
      for (
        const answer of [
          "#code=foreign&state=foreign",
          "#error=access_denied&state=foreign&error_description=Call+us",
          "?code=foreign&state=foreign",
        ]
      ) {
        await page.goto("about:blank");
        await page.goto(`${root}/docs/${answer}`);
        await page.getByText("This tab did not ask for the answer that came").waitFor();
        assert.is(page.url(), `${root}/docs/#/`);
      }
      assert.is(asked.filter((request) => request.url().startsWith(provider.url)).length, 0);
      assert.equal((await kept(page)).tab, []);
    },
  );

  for (
    const [what, change, why] of [
      ["state is not that of this tab", { state: "foreign" }, "This tab did not ask"],
      ["issuer is another one", { iss: "https://evil.example" }, "The answer is of another issuer"],
      ["code is not of this issuer", {}, "grant request is invalid"],
    ] as [what: string, change: Record<string, string>, why: string][]
  ) {
    browse(`an answer is refused whose ${what}`, "#/notes/", async (page) => {
      await page.route((url) => url.pathname === "/auth", (route) => {
        const state = new URL(route.request().url()).searchParams.get("state") ?? "";
        const answer = new URLSearchParams({ state, ...change, code: "foreign" });
        return route.fulfill({
          contentType: "text/html",
          body: `<script>location.replace("${root}/docs/#${answer}")</script>`,
        });
      });
      await button(page, "Sign in").click();
      await page.getByText("Nobody is signed in").waitFor();
      await page.getByText(why).waitFor();
      assert.not.match(page.url(), "foreign");
      assert.equal((await kept(page)).tab, []);
    });
  }

  browse("an issuer that signs nobody in says why", "#/notes/", async (page) => {
    await button(page, "Sign in").click();
    await page.getByText("End-User authentication is required").waitFor();
    await button(page, "Sign in").waitFor();
    assert.is(hashOf(page), "#/notes/");
    assert.equal((await kept(page)).tab, []);
  }, 1);

  browse(
    "an address of another server leads to none",
    "#//evil.example/notes/!token",
    async (page) => {
      await page.goto(`${root}/docs/#//evil.example/notes/`);
      await page.evaluate(() => location.hash = "#/notes/");
      await signIn(page);
      await page.goto(`${root}/docs/#//evil.example/notes/`);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.ok(page.url().startsWith(`${root}/docs/#`));
    },
  );

  browse(
    "what was typed is kept while somebody signs in again",
    "#/notes/1/!edit",
    async (page) => {
      await signIn(page);
      await field(page, "title").fill("First, edited");
      await whileEnded(page, "**/notes/1/", async () => {
        await button(page, "Save").click();
        await button(page, "Sign in again").waitFor();
      });
      await button(page, "Sign in again").click();
      await page.waitForURL((url) => url.hash === "#/notes/1/!edit");
      await page.getByText("1 field is changed").waitFor();
      assert.is(await field(page, "title").inputValue(), "First, edited");
      assert.equal((await kept(page)).tab.map(([name]) => name), [`${root} token`]);
      await button(page, "Save").click();
      await saved(page);
      await title(page, "First, edited").waitFor();
    },
  );

  browse(
    "a new row is kept while somebody signs in again, also a text that is no candidate yet",
    "#/notes/",
    async (page) => {
      await signIn(page);
      await page.goto(`${root}/docs/#/notes/!new`);
      await field(page, "title").fill("Written twice");
      await button(page, "Add a remark").click();
      await button(page, "Add a remark").click();
      const remark = page.getByRole("group", { name: "remark 2" })
        .getByLabel("project", { exact: true });
      const create = page.getByRole("button", { name: "Create the note" });
      await whileEnded(page, "**/notes/", async () => {
        await create.click();
        await button(page, "Sign in again").waitFor();
      });
      await field(page, "project").first().fill("Of nobody");
      await remark.fill("Of some");
      await button(page, "Sign in again").click();
      await page.waitForURL((url) => url.hash === "#/notes/!new");
      for (const at of [0, 1]) await page.getByText("No candidate has this text").nth(at).waitFor();
      assert.is(await field(page, "project").first().inputValue(), "Of nobody");
      assert.is(await field(page, "title").inputValue(), "Written twice");
      assert.is(await remark.inputValue(), "Of some");
      await remark.fill("Of ann");
      await field(page, "project").first().fill("Of ann");
      await create.click();
      await title(page, "Written twice").waitFor();
      await link(page, "Of ann").nth(1).waitFor();
    },
  );

  browse(
    "what an action was to do is kept while somebody signs in again",
    "#/notes/",
    async (page) => {
      await signIn(page);
      const [{ id }] = await site!.sql<[{ id: number }]>`
        insert into note (title, owner) values ('Before', 'ann') returning id::integer`;
      await page.goto(`${root}/docs/#/notes/${id}/transfer/`);
      await field(page, "why").fill("Because");
      await whileEnded(page, "**/transfer/", async () => {
        await field(page, "project").fill("Of ann");
        await button(page, "Transfer").click();
        await button(page, "Sign in again").waitFor();
      });
      await field(page, "project").fill("Of nobody");
      await button(page, "Sign in again").click();
      await page.waitForURL((url) => url.hash === `#/notes/${id}/transfer/`);
      await page.getByText("No candidate has this text").waitFor();
      assert.is(await field(page, "why").inputValue(), "Because");
      assert.is(await field(page, "note").inputValue(), "Before");
      await field(page, "project").fill("Of ann");
      await button(page, "Transfer").click();
      await page.getByRole("heading", { name: "Done" }).waitFor();
      await page.goto(`${root}/docs/#/notes/${id}/`);
      await link(page, "Of ann").waitFor();
    },
  );

  browse(
    "what was chosen between two versions is kept while somebody signs in again",
    "#/notes/",
    async (page) => {
      const [{ id }] = await site!.sql<[{ id: number }]>`
        insert into note (title, owner) values ('Before', 'ann') returning id::integer`;
      const edit = `#/notes/${id}/!edit`;
      await signIn(page);
      await page.goto(`${root}/docs/${edit}`);
      await field(page, "title").fill("Mine");
      await site!.sql`update note set title = 'Theirs', project_id = 1 where id = ${id}`;
      await button(page, "Save").click();
      await page.getByRole("heading", { level: 1, name: "Another was faster" }).waitFor();
      await whileEnded(page, `**/notes/${id}/`, async () => {
        await button(page, "Save this").click();
        await button(page, "Sign in again").waitFor();
      });
      await button(page, "Sign in again").click();
      await page.waitForURL((url) => url.hash === edit);
      await page.getByText("1 field is changed").waitFor();
      assert.is(await field(page, "title").inputValue(), "Mine");
      assert.is(await field(page, "project").inputValue(), "Of ann");
      await button(page, "Save").click();
      await saved(page);
      await title(page, "Mine").waitFor();
      await link(page, "Of ann").waitFor();
    },
  );

  browse(
    "who signs out is led to the issuer, and the token is forgotten",
    "#/notes/",
    async (page) => {
      await signIn(page);
      await button(page, "Sign out").click();
      await page.waitForURL((url) => url.href.startsWith(`${provider.url}/session/end`));
      const given = new URL(page.url()).searchParams;
      assert.is(given.get("client_id"), "docs");
      assert.is(given.get("post_logout_redirect_uri"), `${root}/docs/`);
      await page.goto(`${root}/docs/#/notes/`);
      await button(page, "Sign in").waitFor();
      assert.equal((await kept(page)).tab, []);
    },
  );

  browse("nothing of what was typed stays of who signs out", "#/notes/1/", async (page) => {
    await signIn(page);
    await page.goto(`${root}/docs/#/notes/1/!edit`);
    await field(page, "title").fill("Mine");
    page.once("dialog", (dialog) => dialog.accept());
    await button(page, "Sign out").click();
    await page.waitForURL((url) => url.href.startsWith(`${provider.url}/session/end`));
    await page.goto(`${root}/docs/#/notes/1/!edit`);
    await button(page, "Sign in").waitFor();
    assert.equal((await kept(page)).tab, []);
  });

  browse("a token of our own stays beside it, and is only forgotten", "#/notes/", async (page) => {
    await field(page, "Token").fill(await grant(site!.sql));
    await button(page, "Use this token").click();
    await page.getByRole("rowheader", { name: "First" }).waitFor();
    await button(page, "Sign out").click();
    await button(page, "Sign in").waitFor();
    assert.equal((await kept(page)).tab, []);
  });

  browse(
    "verbs that the caller's rules do not have are not offered",
    "#/notes/1/",
    async (page) => {
      await signIn(page);
      await page.getByText("editor", { exact: true }).waitFor();
      await link(page, "Edit").or(page.getByRole("link", { name: "Edit" })).first().waitFor();
      assert.is(await page.getByRole("link", { name: "Delete" }).count(), 0);
    },
  );

  browse(
    "a row within a row that may not be read is shown without a link",
    "#/notes/2/",
    async (page) => {
      await signIn(page);
      await title(page, "Second").waitFor();
      await page.locator(".fields").getByText("project 2", { exact: true }).waitFor();
      assert.is(await page.getByRole("link", { name: "project 2" }).count(), 0);
      await page.goto(`${root}/docs/#/notes/`);
      await page.getByRole("row").getByText("project 2").first().waitFor();
      assert.is(await page.getByRole("link", { name: "project 2" }).count(), 0);
      await link(page, "Of ann").first().waitFor();
    },
  );

  browse("what may not be written is said at its field", "#/notes/!new", async (page) => {
    await page.goto(`${root}/docs/#/notes/`);
    await signIn(page);
    await page.goto(`${root}/docs/#/notes/!new`);
    await field(page, "title").fill("Of another");
    await field(page, "owner").fill("bob");
    await button(page, "Create the note⌘↵").or(
      page.getByRole("button", { name: "Create the note" }),
    ).first().click();
    await page.locator("#field-owner-error").getByText("not_allowed").waitFor();
  });

  browse(
    "a change that is another's to make is refused, and another may sign in",
    "#/notes/3/!edit",
    async (page) => {
      await signIn(page);
      await field(page, "title").fill("Of ann now");
      await button(page, "Save⌘↵").or(page.getByRole("button", { name: "Save" })).first().click();
      await page.getByRole("alert").getByText(/^403/).waitFor();
      await page.getByRole("heading", { name: "Somebody else may do this" }).waitFor();
      assert.is(await page.getByText("With the scope").count(), 0);
      await button(page, "Sign in").waitFor();
    },
  );

  browse(
    "where the browser has no cryptography there is the field alone",
    "#/notes/",
    async (page) => {
      await page.addInitScript(() => Object.defineProperty(crypto, "subtle", { value: undefined }));
      await page.reload();
      await field(page, "Token").waitFor();
      assert.is(await button(page, "Sign in").count(), 0);
    },
  );

  browse("while the issuer cannot be read there is the field alone", "#/notes/", async (page) => {
    await field(page, "Token").waitFor();
    assert.is(await button(page, "Sign in").count(), 0);
  }, 2);

  test("the page may send requests to the token endpoint, and tells nobody its address", async () => {
    const [usual, , away] = site!.services;
    const policy = async (service = usual!) =>
      (await service.send("GET /docs/")).headers.get("content-security-policy") ?? "";
    assert.match(await policy(), `connect-src 'self' ${provider.url};`);
    assert.match(await policy(away), "connect-src 'self';");
  });
}

runInBrowser(test, start, define);
