// The page: bar, source, graph, panels, timeline.
import { GraphPane } from "../graph/pane";
import { FindingsPanel } from "../inspect/findings";
import { NodePanel } from "../inspect/node";
import { SummaryPanel } from "../inspect/summary";
import { SourcePane } from "../source/pane";
import { TimePane } from "../time/timeline";
import { Bar } from "./bar";
import type { Controller } from "./controller";
import { Help } from "./help";
import type { Panel } from "./store";

export function App({ controller }: { controller: Controller }) {
  const { head } = controller.story;
  const message = controller.store.use((state) => state.message);
  const isHelp = controller.store.use((state) => state.help);
  return (
    <>
      <Bar controller={controller} />
      {!head.complete && (
        <p class="banner" role="status">
          This trace is incomplete, and so is what is shown: {head.damage}
        </p>
      )}
      <SourcePane controller={controller} />
      <GraphPane controller={controller} />
      <Panels controller={controller} />
      <TimePane controller={controller} />
      {message && (
        <p class="message" role="alert">
          {message}
        </p>
      )}
      {isHelp && <Help controller={controller} />}
    </>
  );
}

const PANELS: [Panel, string][] = [
  ["node", "Node"],
  ["findings", "Findings"],
  ["summary", "Summary"],
];

function Panels({ controller }: { controller: Controller }) {
  const panel = controller.store.use((state) => state.panel);
  const count = controller.story.head.findings.length;
  return (
    <section class="panels" aria-label="Details">
      <div class="tabs" role="tablist" aria-label="Details">
        {PANELS.map(([name, title]) => (
          <button
            key={name}
            role="tab"
            id={`tab-${name}`}
            aria-selected={panel === name}
            aria-controls="panel"
            onClick={() => controller.store.set({ panel: name })}
          >
            {title}
            {name === "findings" && count > 0 && <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${panel}`} tabIndex={0}>
        {panel === "node" && <NodePanel controller={controller} />}
        {panel === "findings" && <FindingsPanel controller={controller} />}
        {panel === "summary" && <SummaryPanel controller={controller} />}
      </div>
    </section>
  );
}
