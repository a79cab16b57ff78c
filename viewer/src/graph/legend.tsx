// What the lines and signs of the graph mean.
const ENTRIES = [
  ["live", "live"],
  ["dangling", "⊘ dangling: freed"],
  ["aliased", "⇄ aliased: given out again"],
] as const;

export function Legend() {
  return (
    <ul class="legend" aria-label="Legend">
      {ENTRIES.map(([state, words]) => (
        <li key={state}>
          <svg width="26" height="8" aria-hidden="true">
            <path class={`arrow ${state}`} d="M1,4H25" />
          </svg>
          {words}
        </li>
      ))}
      <li>
        <span class="wild-sign">?</span> wild
      </li>
    </ul>
  );
}
