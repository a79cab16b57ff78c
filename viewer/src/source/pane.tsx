// The source pane: the current statement in its file, beside it how often each line changed the
// heap; a click on a line lists its changes.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Controller } from "../app/controller";
import type { Finding, Head, Place } from "../model/head";
import type { Site } from "../model/sites";
import { plainText } from "../model/text";
import { LineChanges } from "./changes";
import { heatOf } from "./heat";

const MOST_LINES = 20000;

export function SourcePane({ controller }: { controller: Controller }) {
  const { store, story } = controller;
  const t = store.use((state) => state.t);
  store.use((state) => state.picture);
  const line = store.use((state) => state.line);
  const site = story.site(controller.time.currentChange()?.site ?? -1);
  const [kept, keep] = useState<Site | null>(null);
  useEffect(() => {
    if (site?.path && isThere(site.path)) keep(site); // a change elsewhere keeps the file open
  }, [site?.id]);
  const isThere = (path: string) => story.head.sources.includes(path);
  const here = site?.path && isThere(site.path) ? site : kept;
  const finding = findingAt(story.head, t);
  const path =
    line?.path ?? finding?.path ?? here?.path ?? story.head.sources[0] ?? site?.path ?? null;
  const text = useText(controller, path);
  return (
    <section class="source" aria-label="Source">
      <header>
        <h2 title={path ?? ""}>{path ? path.split("/").at(-1) : "source"}</h2>
        <span class="dim" title={site?.function ?? ""}>
          {site?.path === path ? site?.function : site?.text}
        </span>
      </header>
      {text === null ? (
        <p class="empty">
          {path
            ? `${path}:${site?.line ?? "?"} (its text is not in this file)`
            : "no source line is known"}
        </p>
      ) : (
        <Lines
          controller={controller}
          path={path as string}
          text={text}
          current={site?.path === path ? site.line : -1}
          found={finding?.path === path ? (finding.line ?? -1) : -1}
        />
      )}
      {line && <LineChanges controller={controller} path={line.path} line={line.line} />}
    </section>
  );
}

/** Where the first finding of a moment is, if its file came with the page. A read, or a store into
 * freed memory, is at the moment of the last change but not at its statement. */
function findingAt({ findings, sources }: Head, t: number): Place | null {
  const isHere = ({ ts, place }: Finding) => ts === t && sources.includes(place?.path ?? "");
  return findings.find(isHere)?.place ?? null;
}

function useText(controller: Controller, path: string | null): string | null {
  const [loaded, setLoaded] = useState<{ path: string; text: string | null } | null>(null);
  useEffect(() => {
    if (path === null) return;
    void controller.story.source.text(path).then((text) => setLoaded({ path, text }));
  }, [path]);
  return loaded?.path === path ? loaded.text : null;
}

interface LinesProps {
  controller: Controller;
  path: string;
  text: string;
  current: number;
  /** Where a finding of this moment is; no change need be there. */
  found: number;
}

function Lines({ controller, path, text, current, found }: LinesProps) {
  const { story, store } = controller;
  const box = useRef<HTMLDivElement>(null);
  const bands = store.use((state) => state.bands);
  // Made once for a file: a step changes only which line is the current one.
  const lines = useMemo(() => linesOf(controller, path, text), [path, text, bands, story.window]);
  useEffect(() => {
    const marked = [
      ["current", current],
      ["found", found],
    ].map(([mark, number]) => {
      const line = box.current?.querySelector(`[data-line="${number}"]`);
      line?.classList.add(mark as string);
      line?.scrollIntoView({ block: "nearest" });
      return () => line?.classList.remove(mark as string);
    });
    return () => marked.forEach((undo) => undo());
  }, [current, found, lines]);
  return (
    <div class="lines" ref={box} tabIndex={0} role="region" aria-label="Source text">
      {lines}
    </div>
  );
}

function linesOf({ story, store }: Controller, path: string, text: string) {
  const heat = heatOf(store.state.bands, story.sites, path);
  const most = Math.max(1, ...heat.values());
  const sliced = slicedLines(story.head, path);
  return text
    .split("\n")
    .slice(0, MOST_LINES)
    .map((content, index) => {
      const number = index + 1;
      const changes = heat.get(number) ?? 0;
      const level = changes ? Math.ceil((4 * Math.log1p(changes)) / Math.log1p(most)) : 0;
      return (
        <div
          key={number}
          class={`line${changes ? " hot" : ""}${sliced.has(number) ? " sliced" : ""}`}
          data-line={number}
          title={changes ? `${changes.toLocaleString("en")} changes` : undefined}
          onClick={() => changes && store.set({ line: { path, line: number } })}
        >
          <i class={`heat heat-${level}`} />
          <span class="number">{number}</span>
          <code>{plainText(content) || " "}</code>
        </div>
      );
    });
}

/** The lines of a file that are in the slice that came with the page. */
function slicedLines({ slice }: Head, path: string): Set<number> {
  const places = slice?.statements.filter((place) => place.path === path) ?? [];
  return new Set(places.map((place) => place.line ?? -1));
}
