// The help overlay: every command with its keys, and what the signs mean.
import { useEffect, useRef } from "preact/hooks";
import { COMMANDS } from "./commands";
import type { Controller } from "./controller";

const NAMES: Record<string, string> = {
  ArrowRight: "→",
  ArrowLeft: "←",
  "Shift+ArrowRight": "⇧ →",
  "Shift+ArrowLeft": "⇧ ←",
  " ": "space",
  Escape: "esc",
};

export function Help({ controller }: { controller: Controller }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-label="Help"
      onClose={() => controller.store.set({ help: false })}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <header>
        <h2>Keys</h2>
        <button aria-label="Close" onClick={() => dialog.current?.close()}>
          ×
        </button>
      </header>
      <div class="groups">
        {(["Time", "Graph", "Page"] as const).map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {COMMANDS.filter((command) => command.group === group).map((command) => (
                <div key={command.title}>
                  <dt>
                    {command.keys.map((key) => (
                      <kbd key={key}>{NAMES[key] ?? key}</kbd>
                    ))}
                  </dt>
                  <dd>{command.title}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="dim">
        Drag on the timeline to move, turn the wheel to zoom, hold shift to slide. A timestamp
        counts changes of the heap, not seconds. What is shown is laid out once for the time shown:
        nothing moves while you do.
      </p>
    </dialog>
  );
}
