// The row above the timeline: the moment, its statement, and buttons to move.
import type { ComponentChildren } from "preact";
import type { Controller } from "../app/controller";
import { changeText } from "../inspect/telling";

export function Transport({
  controller,
  children,
}: {
  controller: Controller;
  children: ComponentChildren;
}) {
  const { store, story } = controller;
  const t = store.use((state) => state.t);
  const isPlaying = store.use((state) => state.playing);
  const against = store.use((state) => state.against);
  store.use((state) => state.picture);
  const change = controller.time.currentChange();
  return (
    <div class="transport">
      <button
        title="previous change (←)"
        aria-label="Previous change"
        onClick={() => controller.time.step(-1)}
      >
        ‹
      </button>
      <button
        title="play or stop (space)"
        aria-label={isPlaying ? "Stop" : "Play"}
        onClick={() => controller.time.togglePlay()}
      >
        {isPlaying ? "■" : "▶"}
      </button>
      <button
        title="next change (→)"
        aria-label="Next change"
        onClick={() => controller.time.step(1)}
      >
        ›
      </button>
      <label class="moment">
        <span class="for-readers">Timestamp</span>
        <input
          id="moment"
          type="number"
          min={0}
          max={story.head.last}
          value={t}
          onChange={(event) => controller.time.goTo(Number(event.currentTarget.value))}
        />
        <span>of {story.head.last.toLocaleString("en")}</span>
      </label>
      <button
        class={against === null ? "" : "on"}
        aria-pressed={against !== null}
        title="compare with this moment (c)"
        onClick={() => controller.time.toggleCompare()}
      >
        {against === null ? "compare" : `compared with ${against.toLocaleString("en")}`}
      </button>
      <p class="what" id="what">
        {change && change.timestamp !== t && <span class="dim">since {change.timestamp}: </span>}
        {change ? changeText(story, change) : "nothing of this window had changed by then"}
      </p>
      {children}
    </div>
  );
}
