// Raw sockets for the faults of HTTP: they send bytes unchanged, and collect the answers.
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

/** One answer as it came. */
export interface Answer {
  status: number;
  /** The lines of its head but for the first, in small letters as far as the names go. */
  headers: Record<string, string>;
  body: string;
}

export interface Wire {
  socket: Socket;
  send(bytes: string): void;
  /** The answers that have come whole so far. */
  answers(): Answer[];
  /** Every byte that has come so far. */
  received(): string;
  isClosed(): boolean;
  /** Resolves when the server, or this side, has closed the connection. */
  closed: Promise<void>;
}

/** The head of a request, without the empty line. */
export function head(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n");
}

/** Opens a connection. */
export function open(port: number): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setEncoding("latin1").setNoDelay();
    let [received, rest, isClosed] = ["", "", false];
    const answers: Answer[] = [];
    socket.on("data", (text) => {
      received += text;
      rest = parse(rest + text, answers);
    });
    const closed = new Promise<void>((close) =>
      socket.once("close", () => {
        isClosed = true;
        close();
      })
    );
    socket.on("error", reject); // after "connect", an error is only how a connection ends
    socket.once("connect", () =>
      resolve({
        socket,
        send: (bytes) => void socket.write(bytes, "latin1"),
        answers: () => answers,
        received: () => received,
        isClosed: () => isClosed,
        closed,
      }));
  });
}

/** Adds the answers that stand in what was received, and returns the part of one that is left. */
function parse(received: string, answers: Answer[]): string {
  let rest = received;
  while (rest.includes("\r\n\r\n")) {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const length = Number(headers["content-length"] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) break;
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(first) ?? [];
    answers.push({ status: Number(status), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return rest;
}

/** The files and sockets that a process has open, as Linux lists them. */
export function openFiles(pid: number | "self"): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Whether who listens at a port still holds a connection, as Linux tells: 01 is its code for an
 * established one. */
export function isHeld(port: number, { socket }: Wire): boolean {
  const [listener, client] = [port, socket.localPort!].map((number) =>
    number.toString(16).toUpperCase().padStart(4, "0")
  );
  const connection = new RegExp(`:${listener} \\w+:${client} 01 `);
  return connection.test(readFileSync("/proc/net/tcp", "latin1"));
}
