/* What is lit: every element that has to do with a field, a suspend, a variable or a block is known by a key. */
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

/* Pointing at an element, or focusing it, lights what belongs to it; a click or Enter keeps that; Escape lets go. */
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
