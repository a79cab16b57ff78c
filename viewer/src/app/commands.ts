// Everything that can be done from the keyboard. The help overlay lists this table.
import type { Controller } from "./controller";
import { downloadDot, downloadSvg } from "./export";

export interface Command {
  keys: string[];
  group: "Time" | "Graph" | "Page";
  title: string;
  run: (controller: Controller) => void;
}

const focus = (selector: string) => () => document.querySelector<HTMLElement>(selector)?.focus();

export const COMMANDS: Command[] = [
  {
    keys: ["ArrowRight"],
    group: "Time",
    title: "next change of what is shown",
    run: (c) => c.time.step(1),
  },
  {
    keys: ["ArrowLeft"],
    group: "Time",
    title: "previous change of what is shown",
    run: (c) => c.time.step(-1),
  },
  {
    keys: ["Shift+ArrowRight"],
    group: "Time",
    title: "next timestamp",
    run: (c) => c.time.goTo(c.state.t + 1),
  },
  {
    keys: ["Shift+ArrowLeft"],
    group: "Time",
    title: "previous timestamp",
    run: (c) => c.time.goTo(c.state.t - 1),
  },
  { keys: ["Home"], group: "Time", title: "the beginning", run: (c) => c.time.goTo(0) },
  { keys: ["End"], group: "Time", title: "the end", run: (c) => c.time.goTo(c.story.head.last) },
  { keys: [" "], group: "Time", title: "play or stop", run: (c) => c.time.togglePlay() },
  {
    keys: ["n"],
    group: "Time",
    title: "next change of the selected node or field",
    run: (c) => c.time.stepSelected(1),
  },
  {
    keys: ["p"],
    group: "Time",
    title: "previous change of it",
    run: (c) => c.time.stepSelected(-1),
  },
  {
    keys: ["]"],
    group: "Time",
    title: "next change by this source line",
    run: (c) => c.time.stepLine(1),
  },
  { keys: ["["], group: "Time", title: "previous change by it", run: (c) => c.time.stepLine(-1) },
  {
    keys: ["b"],
    group: "Time",
    title: "first bad C-point",
    run: (c) => c.firstBad(),
  },
  { keys: ["g"], group: "Time", title: "go to a timestamp", run: focus("#moment") },
  { keys: ["+", "="], group: "Time", title: "zoom into time", run: (c) => c.time.zoom(0.5) },
  { keys: ["-"], group: "Time", title: "zoom out of time", run: (c) => c.time.zoom(2) },
  {
    keys: ["c"],
    group: "Graph",
    title: "compare with this moment, or stop comparing",
    run: (c) => c.time.toggleCompare(),
  },
  {
    keys: ["l"],
    group: "Graph",
    title: "lay out for this moment and the time shown",
    run: (c) => void c.draw(),
  },
  {
    keys: ["f"],
    group: "Graph",
    title: "fit into the pane",
    run: () => document.querySelector("#graph")?.dispatchEvent(new Event("fit")),
  },
  {
    keys: ["o"],
    group: "Graph",
    title: "show only what the selected node leads to",
    run: (c) => c.focusSelected(),
  },
  {
    keys: ["r"],
    group: "Graph",
    title: "start from the variables again",
    run: (c) => void c.begin({ kind: "roots" }),
  },
  {
    keys: ["m"],
    group: "Graph",
    title: "unfold what is behind the selected node",
    run: (c) => c.openSelected(),
  },
  { keys: ["j"], group: "Graph", title: "select the next node", run: (c) => c.selectNext(1) },
  { keys: ["k"], group: "Graph", title: "select the previous node", run: (c) => c.selectNext(-1) },
  {
    keys: ["ArrowDown"],
    group: "Graph",
    title: "select its next field",
    run: (c) => c.selectField(1),
  },
  {
    keys: ["ArrowUp"],
    group: "Graph",
    title: "select its previous field",
    run: (c) => c.selectField(-1),
  },
  {
    keys: ["Enter"],
    group: "Graph",
    title: "follow the selected pointer",
    run: (c) => c.followPointer(),
  },
  {
    keys: ["/"],
    group: "Page",
    title: "search: address, type, site, value",
    run: focus("#search"),
  },
  {
    keys: ["1"],
    group: "Page",
    title: "node and history",
    run: (c) => c.store.set({ panel: "node" }),
  },
  { keys: ["2"], group: "Page", title: "findings", run: (c) => c.store.set({ panel: "findings" }) },
  {
    keys: ["3"],
    group: "Page",
    title: "summary by type and site",
    run: (c) => c.store.set({ panel: "summary" }),
  },
  { keys: ["s"], group: "Page", title: "save the picture as SVG", run: downloadSvg },
  { keys: ["d"], group: "Page", title: "save the picture as DOT", run: downloadDot },
  { keys: ["t"], group: "Page", title: "light or dark", run: () => toggleTheme() },
  {
    keys: ["?"],
    group: "Page",
    title: "this help",
    run: (c) => c.store.set({ help: !c.state.help }),
  },
  { keys: ["Escape"], group: "Page", title: "close, deselect", run: (c) => c.escape() },
];

/** Light, dark, and what the system prefers are one class on the page. */
export function toggleTheme(): void {
  const root = document.documentElement;
  const isDark = root.dataset["theme"]
    ? root.dataset["theme"] === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = isDark ? "light" : "dark";
}

export function listen(controller: Controller): void {
  const byKey = new Map(COMMANDS.flatMap((command) => command.keys.map((key) => [key, command])));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input, select, textarea");
    if (isTyping && event.key !== "Escape") return;
    if (isTyping) target.blur();
    if (belongsTo(target, event.key)) return;
    const shifted =
      event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
    const command = byKey.get(shifted);
    if (!command) return;
    event.preventDefault();
    command.run(controller);
  });
}

/** Keys that the focused element needs itself: buttons are pressed, panels scrolled. */
function belongsTo(target: HTMLElement, key: string): boolean {
  if (key === " " || key === "Enter") return target.matches("button, a, summary");
  return (key === "ArrowUp" || key === "ArrowDown") && target.matches(".panel, .lines, ol");
}
