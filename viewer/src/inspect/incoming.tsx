// Who points to the selected node: fields of the window, and what a server knows of others.
import { useEffect, useState } from "preact/hooks";
import type { Controller } from "../app/controller";
import { beginWork } from "../model/work";
import { rowsOf } from "../scope/rows";
import { NodeLink } from "./parts";

const MOST = 50;
const PAUSE_MILLISECONDS = 200; // who scrubs asks for nothing

/** A field of a node. */
interface Holder {
  node: number;
  offset: number;
  text: string;
}

export function Incoming({ controller, node }: { controller: Controller; node: number }) {
  const { story, store } = controller;
  const { t } = store.state;
  const own = holders(controller, story.incoming(node, t));
  const isOwn = new Set(own.map((each) => `${each.node} ${each.offset}`));
  const [others, said] = useServed(controller, node, t);
  const found = [...own, ...others.filter((each) => !isOwn.has(`${each.node} ${each.offset}`))];
  return (
    <>
      <h3>who points here</h3>
      {found.length === 0 && <p class="dim">{said ?? "no field of this window"}</p>}
      <ul class="incoming">
        {found.slice(0, MOST).map((each) => (
          <li key={`${each.node} ${each.offset}`}>
            <NodeLink
              controller={controller}
              node={each.node}
              offset={each.offset}
              text={each.text}
            />
          </li>
        ))}
        {found.length > MOST && <li class="dim">{found.length - MOST} more</li>}
      </ul>
    </>
  );
}

function holders({ story }: Controller, fields: number[]): Holder[] {
  const { window } = story;
  return fields.map((field) => {
    const source = window.fields.node[field] as number;
    const offset = window.fields.offset[field] as number;
    const row = rowsOf(window, source).find((each) => each.fields.includes(field));
    return {
      node: window.nodes.id[source] as number,
      offset: row?.offset ?? offset,
      text: `${window.title(source)}.${row?.name ?? `+${offset}`}`,
    };
  });
}

/** The same from a server, which looks at all nodes; and what it said instead. */
function useServed(controller: Controller, node: number, t: number): [Holder[], string | null] {
  const [found, setFound] = useState<Holder[]>([]);
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false; // somebody looks at another node or moment by now
    const ask = async () => {
      try {
        const columns = await controller.story.source.pointing({ node, first: t, last: t });
        const table = columns?.table("pointing");
        if (!table || isOver) return;
        const [sources, offsets] = [table.numbers("source"), table.numbers("offset")];
        setFound(
          Array.from({ length: table.rows }, (_, row) => {
            const [source, offset] = [sources[row] as number, offsets[row] as number];
            return { node: source, offset, text: `node ${source}.+${offset}` };
          }),
        );
        setSaid("no field");
      } catch (error) {
        if (!isOver) setSaid(error instanceof Error ? error.message : String(error));
      }
    };
    const end = beginWork();
    const timer = setTimeout(() => void ask().then(end), PAUSE_MILLISECONDS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      end();
      setFound([]);
    };
  }, [node, t]);
  return [found, said];
}
