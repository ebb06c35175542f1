/* A slider over the passes with the changes of each; the elisions with their reasons. */
function tally(diff) {
  const count = (sign) => diff.filter((line) => line[0] === sign).length;
  return `+${count("+")} −${count("-")}`;
}

function diffLines(diff) {
  const looks = { "+": "plus", "-": "minus", "@": "gap" };
  return diff.map((line) => make("span", { class: looks[line[0]] }, line === "@" ? "⋯" : line));
}

function changeOf(change, open) {
  const diff = diffOf(change);
  const lines = make("pre"), head = make("summary", {}, make("code", {}, change.shown), make("span", { class: "tally" }, `${change.what} ${tally(diff)}`));
  const whole = make("details", {}, head, lines);
  const show = () => { if (whole.open && !lines.firstChild) lines.append(...diffLines(diff)); };
  whole.addEventListener("toggle", show);
  if (open) { whole.open = true; show(); }
  return whole;
}

function showStep(at) {
  const step = model.steps[at];
  if (!step) return;
  const own = step.changed.filter((change) => change.of === shownName());
  const rest = step.changed.filter((change) => change.of !== shownName());
  const frames = Object.entries(step.frames).map(([name, [before, after]]) => `frame of ${name}: ${before} → ${after} bytes`);
  const idle = step.idle ? `, and ${plural(step.idle, "pass")}`.replace(/passs$/, "passes") + " more" : "";
  const facts = [`${step.ms} ms`, step.changed.length ? plural(step.changed.length, "function") + " changed" : "nothing changed", ...frames];
  if (step.left_out) facts.push(`${plural(step.left_out, "diff")} left out of this page`);
  const scrub = byId("scrub");
  byId("step").replaceChildren(make("b", {}, `${at + 1} of ${model.steps.length}: ${step.name}`), ` on ${step.on}${idle} · ${facts.join(" · ")}`);
  scrub.value = at;
  scrub.setAttribute("aria-valuetext", `${step.name} on ${step.on}`);
  byId("diff").replaceChildren(...[...own, ...rest].map((change, place) => changeOf(change, place < 2)));
  if (!step.changed.length) byId("diff").append(make("p", { class: "muted" }, "The module is as it was."));
}

function showPasses() {
  const scrub = byId("scrub");
  byId("passes-head").textContent = `Passes: ${model.passes}`;
  scrub.max = Math.max(model.steps.length - 1, 0);
  scrub.addEventListener("input", () => { showStep(Number(scrub.value)); remember(); });
}

function showElisions() {
  const body = byId("elided");
  byId("elisions-head").textContent = model.elided_by ? `Elisions, as ${model.elided_by} decides` : "Elisions";
  if (!model.elisions.length) {
    body.replaceChildren(make("p", { class: "muted" }, "No creation site of a coroutine was considered for elision."));
    return;
  }
  const rows = model.elisions.map((each) => make("tr", {},
    make("td", { class: each.elided ? "yes" : "no" }, each.elided ? "✓ elided" : "✗ not elided"),
    make("td", {}, make("code", {}, each.callee)), make("td", {}, make("code", {}, each.caller)),
    make("td", {}, each.bytes ? String(each.bytes) : ""), make("td", {}, each.reason), make("td", { class: "muted" }, each.location)));
  const heads = ["", "coroutine", "started in", "bytes", "why", "where"].map((head) => make("th", { scope: "col" }, head));
  body.replaceChildren(make("table", { class: "elided" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}
