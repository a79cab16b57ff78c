// The bar at the top: which program, where the picture begins, search, what was left out.
import type { Scope } from "../scope/starts";
import { plainText } from "../model/text";
import { toggleTheme } from "./commands";
import type { Controller } from "./controller";
import { Search } from "./search";

export function Bar({ controller }: { controller: Controller }) {
  const { head } = controller.story;
  const program = plainText(head.program.join(" "));
  return (
    <header class="bar">
      <h1 title={head.path}>{head.trace}</h1>
      <span class="program" title={program}>
        {program}
      </span>
      <span class="tag">{head.mode}</span>
      <span class={`tag${head.exit?.signal ? " bad" : ""}`}>{ending(head.exit)}</span>
      <Start controller={controller} />
      <Search controller={controller} />
      {head.left_out.length > 0 && (
        <details class="left-out-list">
          <summary>not all is here</summary>
          <ul>
            {head.left_out.map((each, index) => (
              <li key={index}>
                {each.what} <code>{each.how}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      <button title="light or dark (t)" aria-label="Light or dark" onClick={toggleTheme}>
        ◐
      </button>
      <button
        title="help (?)"
        aria-label="Help"
        onClick={() => controller.store.set({ help: true })}
      >
        ?
      </button>
    </header>
  );
}

function ending(exit: { code: number | null; signal: string | number | null } | null): string {
  if (exit?.signal) return `signal ${exit.signal}`;
  return exit?.code === null || exit === null ? "cut off" : `exit ${exit.code}`;
}

/** Where the picture begins: variables, a type or an allocation site. */
function Start({ controller }: { controller: Controller }) {
  const { store, story } = controller;
  const scope = store.use((state) => state.scope);
  store.use((state) => state.picture);
  const types = new Set<string>();
  const sites = new Map<number, string>();
  const { window } = story;
  for (let row = 0; row < window.nodes.count; row++) {
    if (window.nodes.kind(row) !== "heap") continue;
    const type = window.typeName(row);
    if (type) types.add(type);
    const site = story.site(window.nodes.bornSite[row] as number);
    if (site) sites.set(site.id, site.text);
  }
  return (
    <label class="start">
      <span>from</span>
      <select
        id="start"
        value={JSON.stringify(scope)}
        onChange={(event) => void controller.begin(JSON.parse(event.currentTarget.value) as Scope)}
      >
        <option value={JSON.stringify({ kind: "roots" })}>variables</option>
        {scope.kind === "node" && <option value={JSON.stringify(scope)}>node #{scope.node}</option>}
        <optgroup label="type">
          {[...types].sort().map((type) => (
            <option key={type} value={JSON.stringify({ kind: "type", type })}>
              {type}
            </option>
          ))}
        </optgroup>
        <optgroup label="allocated at">
          {[...sites].map(([site, text]) => (
            <option key={site} value={JSON.stringify({ kind: "site", site })}>
              {text}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}
