// What a line of source changed, in order: of the window, or of all of a trace that is served.
import { useEffect, useState } from "preact/hooks";
import type { Controller } from "../app/controller";
import { changeText } from "../inspect/telling";
import type { Columns } from "../model/columns";

const MOST_CHANGES = 200;

interface Listed {
  t: number;
  text: string;
}

interface Props {
  controller: Controller;
  path: string;
  line: number;
}

export function LineChanges({ controller, path, line }: Props) {
  const { store } = controller;
  const t = store.use((state) => state.t);
  const changes = useServed(controller, path, line) ?? ofWindow(controller, path, line);
  return (
    <aside class="line-changes" aria-label={`Changes by line ${line}`}>
      <header>
        <h3>line {line}</h3>
        <button aria-label="Close" onClick={() => store.set({ line: null })}>
          ×
        </button>
      </header>
      <ol tabIndex={0}>
        {changes.slice(0, MOST_CHANGES).map((change, index) => (
          <li key={index}>
            <button
              class={change.t === t ? "on" : ""}
              onClick={() => controller.time.goTo(change.t)}
            >
              <b>{change.t}</b> {change.text}
            </button>
          </li>
        ))}
        {changes.length > MOST_CHANGES && <li class="dim">and more: ] goes on</li>}
      </ol>
    </aside>
  );
}

function ofWindow({ story }: Controller, path: string, line: number): Listed[] {
  const sites = story.sites.ofLine(path, line);
  return story.timeline
    .select(MOST_CHANGES + 1, (change) => sites.has(change.site) && change.what !== "meaning")
    .map((change) => ({
      t: change.timestamp,
      text: changeText(story, { ...change, site: -1 }),
    }));
}

/** What the server says; null until it does, and where there is none. */
function useServed(controller: Controller, path: string, line: number): Listed[] | null {
  const { story } = controller;
  const [served, setServed] = useState<Listed[] | null>(null);
  useEffect(() => {
    const [site] = story.sites.ofLine(path, line);
    setServed(null);
    if (site === undefined) return;
    let isOver = false; // another line was chosen by now
    story.source
      .changes({ site, limit: MOST_CHANGES + 1 })
      .then((columns) => !isOver && setServed(columns && listed(columns)))
      .catch((error: unknown) => controller.fail(error));
    return () => {
      isOver = true;
    };
  }, [path, line]);
  return served;
}

function listed(columns: Columns): Listed[] {
  const table = columns.table("changes");
  const [times, nodes] = [table.numbers("timestamp"), table.numbers("node")];
  const [kind, offsets] = [table.texts("kind"), table.numbers("offset")];
  return Array.from({ length: table.rows }, (_, row) => {
    const node = nodes[row] as number;
    const isField = kind(row) !== "alloc" && kind(row) !== "free" && node >= 0;
    const field = isField ? `+${offsets[row]}` : "";
    return { t: times[row] as number, text: `${kind(row)} ${node < 0 ? "?" : `#${node}`}${field}` };
  });
}
