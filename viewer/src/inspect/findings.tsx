// Findings, each one click from its moment.
import type { Controller } from "../app/controller";

export function FindingsPanel({ controller }: { controller: Controller }) {
  const { findings, trace } = controller.story.head;
  const t = controller.store.use((state) => state.t);
  if (findings.length === 0) {
    return (
      <p class="empty">
        No findings came with this page. <code>heapstory view {trace} --spec SPEC</code> has locate
        look for some.
      </p>
    );
  }
  return (
    <ol class="findings" id="findings">
      {findings.map((finding, index) => (
        <li key={index}>
          <button
            class={finding.ts === t ? "on" : ""}
            onClick={() => void controller.followFinding(index)}
          >
            <span class="tag">{finding.kind}</span>
            {finding.ts !== null && <span class="dim">at {finding.ts.toLocaleString("en")}</span>}
            <b>{finding.title}</b>
            <span class="more">{finding.text}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
