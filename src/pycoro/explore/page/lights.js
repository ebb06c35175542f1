/* Highlighting. Every element that belongs to a field, suspend, variable or block is registered under a key. */
const lights = {
  known: new Map(), // key -> [[element, class]]
  on: [],
  kept: null,
  changed: () => {},

  clear() {
    this.known.clear();
    this.on = [];
    this.kept = null;
  },
  add(key, element, look = "lit") {
    if (!this.known.has(key)) this.known.set(key, []);
    this.known.get(key).push([element, look]);
  },
  of(key) {
    return this.known.get(key) ?? [];
  },
  show(keys) {
    for (const [element, look] of this.on) element.classList.remove(look);
    this.on = keys.flatMap((key) => this.of(key));
    for (const [element, look] of this.on) element.classList.add(look);
  },
};

/* Hover or focus highlights related elements; a click or Enter pins the highlight; Escape clears it. */
function wire(element, what) {
  element.addEventListener("mouseenter", () => select(what, false));
  element.addEventListener("mouseleave", () => select(lights.kept, false));
  element.addEventListener("focus", () => select(what, true));
  element.addEventListener("click", () => keep(what));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    keep(what);
  });
}

function keep(what) {
  lights.kept = what;
  select(what, true);
  remember();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") keep(null);
});
