// How long a request may take, and how many may ask the database at once. Each request has one
// deadline, and one seat while it waits for the database; all limits are shares of TIME_LIMIT.
import { setTimeout } from "node:timers";
import type { Load } from "../metrics.ts";
import { Problem } from "../problem.ts";
import { SHARES } from "../time.ts";

/** A request that was admitted, in a ring of all that are under way. It leaves by letting go of its
 * neighbours: one that the garbage collector has moved to the old generation would otherwise keep all
 * later ones alive, as a `Set` or an array does. */
export class Ticket {
  /** When its time is up, as `performance.now()` counts. */
  readonly due: number;
  /** Tells it so. */
  readonly giveUp: (problem: Problem) => void;
  /** Whether its body is still arriving: then it is the client who is late. */
  isArriving = false;
  /** Why it was given up; undefined while it has time. */
  late: Problem | undefined;
  before: Ticket = this;
  after: Ticket = this;

  constructor(due: number, giveUp: (problem: Problem) => void = () => {}) {
    this.due = due;
    this.giveUp = giveUp;
  }

  follow(other: Ticket): void {
    this.before = other;
    this.after = other.after;
    other.after = this.after.before = this;
  }

  leave(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this.after = this;
  }
}

/** One that waits for a seat. */
interface Waiting {
  ticket: Ticket;
  due: number;
  enter(): void;
  refuse(problem: Problem): void;
}

export interface Admission {
  load: Load;
  /** Starts the clock of a request; tells if its time is up before `end`. */
  begin(giveUp: (problem: Problem) => void): Ticket;
  /** Does work that asks the database once a seat is free, which it keeps until the work ends; throws
   * a problem where no seat became free in time. */
  seated<Result>(ticket: Ticket, work: () => Result | Promise<Result>): Promise<Result>;
  /** Forgets a request that was answered. */
  end(ticket: Ticket): void;
  /** Resolves when no request is under way. */
  drain(): Promise<void>;
}

/** Admits requests that have `timeLimit` seconds each, `capacity` of them to the database at once. */
export function createAdmission(capacity: number, timeLimit: number): Admission {
  const milliseconds = timeLimit * 1000;
  const load: Load = { underWay: 0, seated: 0, refused: 0 };
  /** Closes the ring: after it is the first that is due. */
  const ends = new Ticket(Infinity);
  /** In the order in which they came. */
  const queue: Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idle: PromiseWithResolvers<void> | undefined;

  function look(): void {
    const now = performance.now();
    for (let first = ends.after; first.due <= now; first = ends.after) {
      first.leave();
      first.late = lateness(first, timeLimit);
      first.giveUp(first.late);
    }
    while (queue.length > 0 && queue[0]!.due <= now) {
      load.refused++;
      queue.shift()!.refuse(new Problem("unavailable", "Too many requests are under way"));
    }
    timer = load.underWay > 0 ? setTimeout(look, milliseconds * SHARES.look).unref() : undefined;
  }

  /** Gives a seat to the one that has waited longest and still has time. */
  function pass(): void {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!next.ticket.late) return next.enter();
      next.refuse(next.ticket.late);
    }
    load.seated--;
  }

  return {
    load,

    begin(giveUp) {
      load.underWay++;
      const ticket = new Ticket(performance.now() + milliseconds, giveUp);
      ticket.follow(ends.before);
      timer ??= setTimeout(look, milliseconds * SHARES.look).unref();
      return ticket;
    },

    async seated(ticket, work) {
      if (ticket.late) throw ticket.late;
      if (load.seated < capacity) load.seated++;
      else {
        const due = performance.now() + milliseconds * SHARES.seat;
        await new Promise<void>((enter, refuse) => queue.push({ ticket, due, enter, refuse }));
      }
      try {
        return await work();
      } finally {
        pass();
      }
    },

    end(ticket) {
      ticket.leave();
      load.underWay--;
      if (load.underWay > 0) return;
      idle?.resolve();
      idle = undefined;
    },

    async drain() {
      if (load.underWay > 0) await (idle ??= Promise.withResolvers()).promise;
    },
  };
}

/** What a request is told whose time is up: either its client or this server was too slow. */
function lateness({ isArriving }: Ticket, seconds: number): Problem {
  return isArriving
    ? new Problem("request_timeout", `The body took more than ${seconds} seconds`)
    : new Problem("out_of_time", `The request took more than ${seconds} seconds`);
}
