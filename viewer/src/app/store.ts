// What the page shows now. One plain object; whoever draws is told when it changes.
import { useEffect, useState } from "preact/hooks";
import type { Columns } from "../model/columns";
import type { Picture } from "../scope/picture";
import type { Scope } from "../scope/starts";

export type Panel = "node" | "findings" | "summary";
export type Chart = "types" | "sites" | "births" | "statements";

export interface State {
  /** The moment. */
  t: number;
  /** The moment it is compared with. */
  against: number | null;
  /** Ids and offsets, as in the address of the page. */
  node: number | null;
  offset: number | null;
  scope: Scope;
  /** More nodes asked for behind a node, by its id. */
  opened: ReadonlyMap<number, number>;
  budget: number;
  picture: Picture | null;
  bands: Columns | null;
  /** The line whose changes are listed, if one was chosen. */
  line: { path: string; line: number } | null;
  panel: Panel;
  chart: Chart;
  /** The part of time that the timeline shows. */
  shown: [number, number];
  playing: boolean;
  help: boolean;
  busy: string | null;
  message: string | null;
}

type Listener = () => void;

export class Store {
  private readonly listeners = new Set<Listener>();

  constructor(public state: State) {}

  set(change: Partial<State>): void {
    const keys = Object.keys(change) as (keyof State)[];
    if (keys.every((key) => this.state[key] === change[key])) return;
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Part of the state, for a component that is drawn again when that part changes. */
  use<Part>(select: (state: State) => Part): Part {
    const [part, setPart] = useState(() => select(this.state));
    useEffect(() => {
      const update = () => setPart(() => select(this.state));
      update();
      return this.subscribe(update);
    }, []);
    return part;
  }
}
