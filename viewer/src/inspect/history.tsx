// Every version of a field, and why the current one is there.
import type { Controller } from "../app/controller";
import type { Finding } from "../model/head";
import type { Window } from "../model/window";
import { versionText, type Row } from "../scope/rows";
import { Moment, PlaceLink } from "./parts";

const MOST = 300;

export function FieldHistory({ controller, row }: { controller: Controller; row: Row }) {
  const { story, store } = controller;
  const { window } = story;
  const field = row.fields[0] as number;
  const current = window.version(field, store.state.t);
  const first = window.firstVersion(field);
  const end = window.endVersion(field);
  const begin = Math.max(first, Math.min(current - MOST / 2, end - MOST));
  const shown = Array.from({ length: Math.min(MOST, end - begin) }, (_, index) => begin + index);
  return (
    <>
      {current >= 0 && (
        <Why controller={controller} row={row} version={loud(window, current, first)} />
      )}
      <h3>
        history of {row.name} <span class="dim">{(end - first).toLocaleString("en")} versions</span>
      </h3>
      <ol class="history" id="history">
        {begin > first && <li class="dim">{begin - first} earlier</li>}
        {shown.map((version) => (
          <Version
            key={version}
            controller={controller}
            row={row}
            version={version}
            isCurrent={version === current}
          />
        ))}
        {begin + shown.length < end && <li class="dim">{end - begin - shown.length} later</li>}
      </ol>
    </>
  );
}

interface VersionProps {
  controller: Controller;
  row: Row;
  version: number;
  isCurrent: boolean;
}

function Version({ controller, row, version, isCurrent }: VersionProps) {
  const { versions } = controller.story.window;
  const kind = versions.kind(version);
  const state = versions.state(version);
  const text = versionText(controller.story.window, row, version) ?? "?";
  return (
    <li
      class={`${state}${isCurrent ? " on" : ""}${versions.silent[version] ? " silent" : ""}`}
      aria-current={isCurrent}
    >
      <Moment controller={controller} t={versions.from[version] as number} />
      <span class="held">{kind === "meaning" ? `becomes ${state}` : text}</span>
      {kind !== "meaning" && (
        <PlaceLink controller={controller} site={versions.site[version] as number} />
      )}
      {versions.silent[version] ? <span class="dim">silent</span> : null}
    </li>
  );
}

/** The version behind silent stores, which wrote again what was there. */
function loud({ versions }: Window, version: number, first: number): number {
  let found = version;
  while (found > first && versions.silent[found]) found--;
  return found;
}

/** Who stored it, when, replacing what, and what it breaks. */
function Why({ controller, row, version }: { controller: Controller; row: Row; version: number }) {
  const { story } = controller;
  const { window } = story;
  const { versions } = window;
  const stored = versions.stored[version] as number;
  const field = row.fields[0] as number;
  const before = replaced(controller, field, version);
  const broken = story.head.findings.filter((finding) =>
    concerns(finding, controller, row, stored),
  );
  const command = `heapstory slice ${story.head.trace} --criterion @${stored}`;
  const thread = versions.thread[version] as number;
  return (
    <div class="why" id="why">
      <h3>why</h3>
      <p>
        {versions.kind(version) === "initial" ? "there from the start" : "stored"} at{" "}
        <Moment controller={controller} t={stored} />{" "}
        <PlaceLink controller={controller} site={versions.site[version] as number} />
        {story.head.threads.length > 1 && thread >= 0 && ` by thread ${thread}`}
        {before >= 0 && `, replacing ${versionText(window, row, before) ?? "?"}`}
      </p>
      {versions.kind(version) === "meaning" && (
        <p>
          {versions.state(version)} since{" "}
          <Moment controller={controller} t={versions.from[version] as number} />: the node it leads
          to was freed
        </p>
      )}
      {broken.map((finding) => (
        <p key={finding.title} class="broken">
          {finding.constraint ? `breaks ${finding.constraint}: ` : ""}
          {finding.title}
        </p>
      ))}
      <p class="copy">
        <code>{command}</code>
        <button onClick={() => void copy(controller, command)} aria-label="Copy the command">
          copy
        </button>
      </p>
    </div>
  );
}

/** The last version before the store behind this one that held something else. */
function replaced(controller: Controller, field: number, version: number): number {
  const { versions } = controller.story.window;
  const first = controller.story.window.firstVersion(field);
  const stored = versions.stored[version] as number;
  let before = version - 1;
  while (before >= first && (versions.stored[before] as number) >= stored) before--;
  return before >= first ? before : -1;
}

function concerns(finding: Finding, controller: Controller, row: Row, stored: number): boolean {
  if (finding.ts !== null && finding.ts === stored) return true;
  return finding.node === controller.state.node && finding.offset === row.offset;
}

async function copy(controller: Controller, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    controller.store.set({ message: "copied" });
  } catch {
    controller.store.set({
      message: "this browser does not let the page copy: select the text instead",
    });
  }
}
