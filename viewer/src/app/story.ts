// Everything the page knows of a trace: what was loaded, and indexes made when first needed.
import type { Columns } from "../model/columns";
import type { Head } from "../model/head";
import { Incoming } from "../model/incoming";
import { Sites, type Site } from "../model/sites";
import type { Source } from "../model/source";
import { Timeline } from "../model/timeline";
import { Window } from "../model/window";

const DONE = Promise.resolve();
const AROUND = 200_000; // changes before and after a moment that a server is asked for at once

/** The part of time to ask a server for; a file has what it has. It begins at a round timestamp: a
 * server is quick where it began before. */
export function around({ last }: Head, t: number): { first: number; last: number } {
  const first = (Math.floor(t / AROUND) - 1) * AROUND;
  return { first: Math.max(0, first), last: Math.min(last, first + 3 * AROUND) };
}

export class Story {
  readonly head: Head;
  readonly sites = new Sites();
  private current: Window;
  private byTime: Timeline | null = null;
  private byTarget: Incoming | null = null;

  private constructor(
    readonly source: Source,
    columns: Columns,
    /** Null while only what is shown first is there, and nobody asked for the rest. */
    private rest: Promise<void> | null,
  ) {
    this.head = source.head;
    this.sites.add(columns);
    this.current = new Window(columns);
  }

  static async open(source: Source): Promise<Story> {
    const { head } = source;
    const opening = await source.opening();
    const query = head.serve ? { start: head.start, at: head.at, ...around(head, head.at) } : {};
    return new Story(source, opening ?? (await source.window(query)), opening ? null : DONE);
  }

  get window(): Window {
    return this.current;
  }

  /** Every change of the window in order of time. */
  get timeline(): Timeline {
    this.byTime ??= new Timeline(this.current);
    return this.byTime;
  }

  /** The rest of what the file has. */
  complete(): Promise<void> {
    this.rest ??= this.source.window({}).then((columns) => this.use(columns));
    return this.rest;
  }

  use(columns: Columns): void {
    this.sites.add(columns);
    this.current = new Window(columns);
    this.byTime = null;
    this.byTarget = null;
  }

  /** The fields that lead to a node as of T. */
  incoming(node: number, t: number): number[] {
    this.byTarget ??= new Incoming(this.current);
    return this.byTarget.at(node, t);
  }

  site(id: number): Site | null {
    return this.sites.get(id);
  }
}
