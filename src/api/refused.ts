// Which row of an array the database refuses: the error of a statement for all of them does not tell.
import type { Resource, Service } from "../model/model.ts";
import { type Row, within } from "./input.ts";
import { isAboutRow, problemThrower } from "./rejection.ts";
import { TRIAL, trialOf } from "../statements/create.ts";

/** Makes the function that gets the error of a create of rows, and throws the problem of the first one that is
 * refused. It looks for it by halves: the rows up to it fail, those before it do not. */
export function firstProblemThrower(
  resource: Resource,
  service: Service,
): (error: unknown, rows: Row[]) => Promise<never> {
  const throwProblem = problemThrower(resource, service);

  /** The error of these rows, if they cannot be created. */
  async function errorOf(rows: Row[]): Promise<unknown> {
    try {
      await service.database.script(trialOf(resource, JSON.stringify(rows)));
    } catch (error) {
      return (error as Error).message.includes(TRIAL) ? undefined : error;
    }
  }

  return async (error, rows) => {
    if (!isAboutRow(error)) throw error;
    let fault = rows.length === 1 ? error : await errorOf(rows);
    let [good, bad] = [0, rows.length];
    while (fault && bad - good > 1) {
      const middle = (good + bad) >> 1;
      const found = await errorOf(rows.slice(0, middle));
      if (found) [fault, bad] = [found, middle];
      else good = middle;
    }
    const place = bad - 1;
    if (fault) {
      await throwProblem(fault, {
        row: rows[place]!,
        inBody: (each) => within(each, place),
      });
    }
    // By now nothing refuses them: what did so is gone
    return await throwProblem(error, { inBody: (each) => ({ ...each, pointer: "" }) });
  };
}
