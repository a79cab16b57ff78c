import worker from "heapstory:worker";
import { render } from "preact";
import { BUDGET, follow, fromHash } from "./app/address";
import { App } from "./app/app";
import { listen } from "./app/commands";
import { Controller } from "./app/controller";
import { Store, type State } from "./app/store";
import { Story } from "./app/story";
import { LayoutWorker } from "./layout/layout";
import { documentSource } from "./model/source";
import { during, watchWork } from "./model/work";

const MOST_AT_ONCE = 2000;

async function open(root: HTMLElement): Promise<void> {
  const layouts = new LayoutWorker(worker); // compiles while the data is unpacked
  const source = documentSource(document);
  const story = await Story.open(source);
  const { head } = source;
  const asked = fromHash(location.hash);
  const state: State = {
    t: Math.min(asked.t ?? head.at, head.last),
    against: asked.against ?? null,
    node: asked.node ?? head.node,
    offset: asked.offset ?? null,
    scope: asked.scope ?? { kind: "roots" },
    opened: new Map(),
    budget: asked.budget ?? BUDGET,
    picture: null,
    line: null,
    panel: head.findings.length > 0 ? "findings" : head.nodes > MOST_AT_ONCE ? "summary" : "node",
    chart: "types",
    bands: null,
    shown: eventful(story, head.last),
    playing: false,
    help: false,
    busy: null,
    message: null,
  };
  if (state.node !== null) state.panel = "node";
  const controller = new Controller(story, new Store(state), layouts);
  root.replaceChildren();
  render(<App controller={controller} />, root);
  listen(controller);
  follow(controller);
  await Promise.all([controller.start(), controller.loadBands()]);
  await story.complete();
  setTimeout(() => story.timeline); // made before the first step wants it
  if (state.node !== null) await controller.reveal(state.node, state.offset);
}

/** Time from the first allocation on: what the loader did before it is of little interest. */
function eventful(story: Story, last: number): [number, number] {
  const { nodes } = story.window;
  let first = last;
  for (let row = 0; row < nodes.count; row++) {
    if (nodes.kind(row) === "heap") first = Math.min(first, nodes.born[row] as number);
  }
  const margin = Math.ceil((last - first) / 40);
  return first > last / 4 && first < last ? [first - margin, last] : [0, Math.max(last, 1)];
}

const root = document.getElementById("view") as HTMLElement;
watchWork((isBusy) => root.setAttribute("aria-busy", String(isBusy)));
during(open(root)).catch((error: unknown) => {
  const message = document.createElement("p");
  message.className = "failed";
  message.setAttribute("role", "alert");
  message.textContent = error instanceof Error ? error.message : String(error);
  root.replaceChildren(message);
});
