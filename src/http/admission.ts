// How long a request may take, and how many may ask the database at once. Each request has one
// deadline, and one seat while it waits for the database; all limits are shares of TIME_LIMIT.
import { setTimeout } from "node:timers";
import type { Load } from "../metrics.ts";
import { Problem } from "../problem.ts";

/** How long a request waits for a seat, as a share of the time it has. It waits because a refusal
 * costs as much as an answer: clients that try again at once would leave no time for the others. */
const PATIENCE = 1 / 10;

/** How far apart the looks at the clock are, as a share of the time a request has. */
const TICK = 1 / 100;

/** A place in a line. Whoever leaves lets go of its neighbours: an entry that the garbage collector
 * has moved to the old generation would otherwise keep all later ones alive. (A `Set` does that with
 * its tables: it cost ten times as many full collections.) */
class Place {
  /** When its time is up, as `performance.now()` counts. */
  readonly due: number;
  before: Place = this;
  after: Place = this;

  constructor(due: number) {
    this.due = due;
  }

  leave(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this.after = this;
  }
}

/** A line of those who may all wait equally long, so the first in is the first due. */
class Line<Member extends Place> {
  /** Closes the ring. */
  readonly #ends = new Place(Infinity);
  readonly #expire: (member: Member) => void;

  constructor(expire: (member: Member) => void) {
    this.#expire = expire;
  }

  get first(): Member | undefined {
    const { after } = this.#ends;
    return after === this.#ends ? undefined : after as Member;
  }

  join(member: Member): void {
    member.before = this.#ends.before;
    member.after = this.#ends;
    member.before.after = this.#ends.before = member;
  }

  /** Has those leave whose time is up. */
  look(now: number): void {
    while (this.first && this.first.due <= now) {
      const { first } = this;
      first.leave();
      this.#expire(first);
    }
  }
}

/** A request that was admitted. */
export class Ticket extends Place {
  /** Whether its body is still arriving: then it is the client who is late. */
  isArriving = false;
  /** Why it was given up; undefined while it has time. */
  late: Problem | undefined;
  /** Its place among those who wait for a seat. */
  waiting: Waiting | undefined;
  readonly giveUp: (problem: Problem) => void;

  constructor(due: number, giveUp: (problem: Problem) => void) {
    super(due);
    this.giveUp = giveUp;
  }
}

class Waiting extends Place {
  readonly enter: () => void;
  readonly refuse: (problem: Problem) => void;

  constructor(due: number, enter: () => void, refuse: (problem: Problem) => void) {
    super(due);
    this.enter = enter;
    this.refuse = refuse;
  }
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
  const underWay = new Line<Ticket>((ticket) => {
    ticket.late = lateness(ticket, timeLimit);
    ticket.waiting?.leave();
    ticket.waiting?.refuse(ticket.late);
    ticket.giveUp(ticket.late);
  });
  const queue = new Line<Waiting>(({ refuse }) => {
    load.refused++;
    refuse(new Problem("unavailable", "Too many requests are under way"));
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idle: PromiseWithResolvers<void> | undefined;

  function look(): void {
    const now = performance.now();
    underWay.look(now);
    queue.look(now);
    timer = underWay.first && setTimeout(look, milliseconds * TICK).unref();
  }

  /** Waits for a seat that another request leaves. */
  async function wait(ticket: Ticket): Promise<void> {
    await new Promise<void>((enter, refuse) => {
      const due = performance.now() + milliseconds * PATIENCE;
      queue.join(ticket.waiting = new Waiting(due, enter, refuse));
    });
    ticket.waiting = undefined;
  }

  return {
    load,

    begin(giveUp) {
      load.underWay++;
      const ticket = new Ticket(performance.now() + milliseconds, giveUp);
      underWay.join(ticket);
      timer ??= setTimeout(look, milliseconds * TICK).unref();
      return ticket;
    },

    async seated(ticket, work) {
      if (ticket.late) throw ticket.late;
      if (load.seated < capacity) load.seated++;
      else await wait(ticket);
      try {
        return await work();
      } finally {
        const next = queue.first;
        next?.leave();
        if (next) next.enter();
        else load.seated--;
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
