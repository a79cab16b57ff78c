// The next change of a node or by a statement, where it is not in the window: asked of the server.
import { Timeline, type Change } from "../model/timeline";
import { Window } from "../model/window";
import type { Story } from "./story";

const AT_ONCE = 1_000_000; // changes of a window that a server answers with
const MOST_WINDOWS = 40;
const FEW = 10_000; // changes by a statement that a server answers with

/** A timestamp, or how far it was searched for in vain; null: to the end. */
export interface Beyond {
  found: number | null;
  until: number | null;
}

export function changeOf(
  window: Window,
  node: number,
  offset: number | null,
): (change: Change) => boolean {
  const row = window.row(node);
  const field = offset === null ? -1 : window.field(row, offset);
  return (change) => (offset === null ? change.node === row : field >= 0 && change.field === field);
}

/** Window after window of this node alone. */
export async function nextOfNode(
  story: Story,
  node: number,
  offset: number | null,
  direction: 1 | -1,
): Promise<Beyond> {
  const { head, source } = story;
  const words: [number, number][] = offset === null ? [] : [[node, offset]];
  let edge = direction > 0 ? story.window.to : story.window.from;
  for (let windows = 0; windows < MOST_WINDOWS; windows++) {
    if (edge === (direction > 0 ? head.last : 0)) return { found: null, until: null };
    const other = Math.min(Math.max(edge + direction * AT_ONCE, 0), head.last);
    const [first, last] = direction > 0 ? [edge, other] : [other, edge];
    const window = new Window(await source.window({ nodes: [node], first, last, words }));
    const found = new Timeline(window).next(edge, direction, changeOf(window, node, offset));
    if (found !== null) return { found, until: null };
    edge = other;
  }
  return { found: null, until: edge };
}

/** The server lists the changes of a statement forward: backward it is asked for ever longer parts
 * of time. */
export async function nextOfSite(
  { head, source }: Story,
  site: number,
  t: number,
  direction: 1 | -1,
): Promise<Beyond> {
  const times = async (first: number, last: number, limit: number) => {
    const found = await source.changes({ site, first, last, limit });
    return found?.table("changes").numbers("timestamp") ?? [];
  };
  if (direction > 0) return { found: (await times(t, head.last, 1))[0] ?? null, until: null };
  let span = FEW;
  for (let last = t - 1; last > 0; span *= 4) {
    const begin = Math.max(0, last - span);
    let found = await times(begin, last, FEW);
    for (let more = found; more.length === FEW;) {
      more = await times(found[FEW - 1] as number, last, FEW);
      if (more.length > 0) found = more;
    }
    if (found.length > 0) return { found: found[found.length - 1] as number, until: null };
    last = begin;
  }
  return { found: null, until: null };
}
