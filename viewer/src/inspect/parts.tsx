// Links that every panel has: to a moment, a node, a place.
import type { Controller } from "../app/controller";

export function Moment({ controller, t }: { controller: Controller; t: number }) {
  if (t < 0) return <span>before the recording</span>;
  return (
    <button class="link" onClick={() => controller.time.goTo(t)}>
      {t.toLocaleString("en")}
    </button>
  );
}

interface NodeLinkProps {
  controller: Controller;
  node: number;
  offset?: number | null;
  text?: string;
}

export function NodeLink({ controller, node, offset = null, text }: NodeLinkProps) {
  return (
    <button class="link" onClick={() => void controller.reveal(node, offset)}>
      {text ?? `#${node}`}
    </button>
  );
}

/** A statement; a click lists its changes beside the source. */
export function PlaceLink({ controller, site }: { controller: Controller; site: number }) {
  const known = controller.story.site(site);
  if (!known) return null;
  const { path, line } = known;
  const isLine = path !== null && line > 0;
  return (
    <button
      class="link place"
      title={known.function ?? ""}
      disabled={!isLine}
      onClick={() => isLine && controller.store.set({ line: { path, line } })}
    >
      {known.text}
    </button>
  );
}
