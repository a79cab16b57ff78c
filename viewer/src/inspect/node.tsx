// The selected node: what it is, its fields now, who leads to it, and the history of a field.
import type { Controller } from "../app/controller";
import { hex } from "../model/values";
import { BROKEN_STATES, POINTER_STATES } from "../model/window";
import { rowsOf, rowText, type Row } from "../scope/rows";
import { FieldHistory } from "./history";
import { Incoming } from "./incoming";
import { Moment, NodeLink, PlaceLink } from "./parts";

const MOST_FIELDS = 200;

export function NodePanel({ controller }: { controller: Controller }) {
  const { store, story } = controller;
  const node = store.use((state) => state.node);
  const offset = store.use((state) => state.offset);
  const t = store.use((state) => state.t);
  store.use((state) => state.picture);
  if (node === null)
    return <p class="empty">Click a node or a field of the graph, or search (/).</p>;
  const { window } = story;
  const row = window.row(node);
  if (row < 0 || !window.covers(t))
    return <p class="empty">{absent(node, t, window.covers(t), story.head.serve)}</p>;
  const rows = rowsOf(window, row);
  const chosen = offset === null ? undefined : rows.find((each) => each.offset === offset);
  return (
    <div class="node-panel">
      <About controller={controller} row={row} />
      <h3>fields at {t.toLocaleString("en")}</h3>
      {rows.length === 0 && <p class="dim">nothing was ever written to it</p>}
      <table class="fields" id="fields">
        <tbody>
          {rows.slice(0, MOST_FIELDS).map((each) => (
            <FieldRow
              key={each.offset}
              controller={controller}
              row={each}
              isChosen={each === chosen}
            />
          ))}
        </tbody>
      </table>
      {rows.length > MOST_FIELDS && <p class="dim">{rows.length - MOST_FIELDS} more fields</p>}
      <LeftOut controller={controller} words={window.nodes.wordsLeftOut[row] as number} />
      <Incoming controller={controller} node={node} />
      {chosen && <FieldHistory controller={controller} row={chosen} />}
    </div>
  );
}

function absent(node: number, t: number, isCovered: boolean, isServed: boolean): string {
  if (!isCovered) return isServed ? "reading…" : `The graph at ${t} was left out of this file.`;
  return isServed
    ? `Node ${node} does not exist in this stretch of time.`
    : `Node ${node} was left out of this file.`;
}

function LeftOut({ controller, words }: { controller: Controller; words: number }) {
  const count = words.toLocaleString("en");
  if (words === 0) return null;
  if (!controller.story.head.serve) return <p class="dim">{count} words are not in this file</p>;
  return (
    <p class="dim">
      {count} more words <button onClick={() => controller.openSelected()}>show some</button>
    </p>
  );
}

function About({ controller, row }: { controller: Controller; row: number }) {
  const { story } = controller;
  const { nodes } = story.window;
  const born = nodes.born[row] as number;
  const freed = nodes.freed[row] as number;
  return (
    <header class="about">
      <h2>{story.window.title(row)}</h2>
      <p>
        {story.window.typeName(row) ?? nodes.kind(row)},{" "}
        {(nodes.size[row] as number).toLocaleString("en")} bytes,{" "}
        <code>{hex(nodes.address[row] as bigint)}</code>
      </p>
      {(nodes.source[row] as number) >= 0 && (
        <p>
          split off <NodeLink controller={controller} node={nodes.source[row] as number} />
        </p>
      )}
      <p>
        {born > 0 || nodes.kind(row) === "heap" ? (
          <>
            allocated at <Moment controller={controller} t={born} />{" "}
            <PlaceLink controller={controller} site={nodes.bornSite[row] as number} />
          </>
        ) : (
          "there from the start"
        )}
        {freed >= 0 && (
          <>
            <br />
            freed at <Moment controller={controller} t={freed} />{" "}
            <PlaceLink controller={controller} site={nodes.freedSite[row] as number} />
          </>
        )}
      </p>
    </header>
  );
}

function FieldRow({
  controller,
  row,
  isChosen,
}: {
  controller: Controller;
  row: Row;
  isChosen: boolean;
}) {
  const { store, story } = controller;
  const { window } = story;
  const { t, node } = store.state;
  const version = window.version(row.fields[0] as number, t);
  const state = version < 0 ? "unwritten" : window.versions.state(version);
  const target =
    version >= 0 && POINTER_STATES.has(state as never)
      ? (window.versions.target[version] as number)
      : -1;
  const text = rowText(window, row, t) ?? "not written yet";
  return (
    <tr class={`${state}${isChosen ? " on" : ""}`} data-offset={row.offset}>
      <th scope="row">
        <button onClick={() => controller.select(node, row.offset)} aria-pressed={isChosen}>
          {row.name}
        </button>
      </th>
      <td>
        {target >= 0 ? <NodeLink controller={controller} node={target} text={text} /> : text}
        {BROKEN_STATES.has(state as never) && <em class={state}>{state}</em>}
        {state === "aliased" && (
          <>
            {" by "}
            <NodeLink controller={controller} node={window.versions.by[version] as number} />
          </>
        )}
      </td>
    </tr>
  );
}
