// Search by address, type, site, name or value.
import { useRef, useState } from "preact/hooks";
import { nodeText } from "../inspect/telling";
import type { Columns } from "../model/columns";
import { hex } from "../model/values";
import { findNodes } from "../scope/find";
import type { Controller } from "./controller";

interface Hit {
  node: number;
  offset: number | null;
  title: string;
  detail: string;
}

const MOST = 40;
const NOTHING = Promise.resolve(null);

export function Search({ controller }: { controller: Controller }) {
  const [hits, setHits] = useState<Hit[] | null>(null);
  const [chosen, setChosen] = useState(0);
  const asked = useRef<Promise<Hit[] | null>>(NOTHING);
  const look = async (words: string) => {
    const question = words.trim() ? search(controller, words.trim()) : NOTHING;
    asked.current = question;
    const found = await question;
    if (question !== asked.current) return; // a later question may be answered before
    setChosen(0);
    setHits(found);
  };
  const close = () => {
    asked.current = NOTHING;
    setHits(null);
  };
  const take = (hit: Hit | undefined) => {
    if (!hit) return;
    close();
    void controller.reveal(hit.node, hit.offset);
  };
  /** What is chosen, or comes first in an answer that is still on its way. */
  const enter = async () => {
    const question = asked.current;
    const found = await question;
    if (question === asked.current) take(found?.[found === hits ? chosen : 0]);
  };
  return (
    <div class="search" role="search">
      <input
        id="search"
        type="search"
        placeholder="Search  /"
        aria-label="Search by address, type, site, name or value"
        autocomplete="off"
        onInput={(event) => void look(event.currentTarget.value)}
        onBlur={close}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setChosen(Math.min(chosen + 1, (hits?.length ?? 1) - 1));
          else if (event.key === "ArrowUp") setChosen(Math.max(chosen - 1, 0));
          else if (event.key === "Enter") void enter();
          else return;
          event.preventDefault();
        }}
      />
      {hits && (
        <ul id="hits" role="listbox" aria-label="Found">
          {hits.length === 0 && (
            <li class="dim" role="option" aria-selected={false}>
              nothing found in this window
            </li>
          )}
          {hits.map((hit, index) => (
            <li
              key={`${hit.node}-${hit.offset}`}
              role="option"
              aria-selected={index === chosen}
              onPointerDown={() => take(hit)}
            >
              <b>{hit.title}</b> <span class="dim">{hit.detail}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

async function search(controller: Controller, words: string): Promise<Hit[]> {
  const { story } = controller;
  await story.complete();
  const answer = await story.source.find(words).catch(() => null);
  const known = answer ? answered(answer) : [];
  const ids = new Set(known.map(({ node }) => node));
  // A server does not look for values: of these only the window is known.
  const here = inWindow(controller, words).filter(
    ({ node, offset }) => offset !== null || !ids.has(node),
  );
  return [...known, ...here].slice(0, MOST);
}

function inWindow({ story, state }: Controller, words: string): Hit[] {
  return findNodes(story.window, story.sites, words, state.t, MOST).map(({ row, offset, why }) => ({
    node: story.window.nodes.id[row] as number,
    offset,
    title: nodeText(story.window, row),
    detail: why,
  }));
}

/** Nodes that a server found: it says only who they are. */
function answered(columns: Columns): Hit[] {
  const table = columns.table("nodes");
  const [ids, shapes, addresses] = [
    table.numbers("id"),
    table.numbers("shape"),
    table.words("address"),
  ];
  const [name, label] = [table.texts("name"), table.texts("label")];
  return Array.from({ length: Math.min(table.rows, MOST) }, (_, row) => {
    const type = columns.header.shapes?.[shapes[row] as number]?.type ?? "node";
    return {
      node: ids[row] as number,
      offset: null,
      title: label(row) ?? name(row) ?? `${type} #${ids[row]}`,
      detail: hex(addresses[row] as bigint),
    };
  });
}
