/* State of the page: the shown coroutine and tab, the highlight, and their encoding in the URL fragment. */
const shown = { coroutine: 0, tab: "" };
const current = () => model.coroutines[shown.coroutine] && unpacked(model.coroutines[shown.coroutine]);
const shownName = () => current()?.name ?? "";
const views = new Map(); // views of the shown coroutine, by tab

function completed(what) {
  if (!what || what.suspend !== undefined) return what;
  const { variables } = current();
  if (what.field === undefined) return { ...what, field: variables[what.variable].field };
  const variable = variables.findIndex((each) => each.field === what.field);
  return variable < 0 ? what : { ...what, variable };
}

function keysOf(what) {
  if (!what) return [];
  if (what.suspend !== undefined) return [`s${what.suspend}`, `k${what.suspend}`];
  const keys = what.variable === undefined ? [] : [`v${what.variable}`];
  if (what.field === null || what.field === undefined) return keys;
  const field = current().fields[what.field];
  current().variables.forEach((each, at) => { if (each.field === what.field && at !== what.variable) keys.push(`v${at}`); });
  for (const [from, to] of field.live) for (let at = from; at < to; at++) keys.push(`s${at}`);
  return [...keys, `f${what.field}`, ...[...field.before, ...field.after].map((block) => `b${block}`), `u${field.use_block}`];
}

function select(asked, scrolls) {
  const what = completed(asked);
  lights.show(keysOf(what));
  showWhy(current(), what);
  countTabs(what);
  if (scrolls) scrollToLit();
}

function scrollToLit() {
  const panel = byId("panel"), lit = [...panel.querySelectorAll(".lit, .use")], box = panel.getBoundingClientRect();
  if (!lit.length || lit.some((line) => { const at = line.getBoundingClientRect(); return at.top >= box.top && at.bottom <= box.bottom; })) return;
  panel.scrollTop += lit[0].getBoundingClientRect().top - box.top - box.height / 3;
}

/* ---- tabs ---- */

function tabsOf(coroutine) {
  const tabs = new Map();
  if (model.sources[coroutine.source]) tabs.set("before the split", () => codeLines(coroutine, coroutine.ir));
  tabs.set("control flow", () => graphPicture(coroutine));
  for (const part of coroutine.parts) tabs.set(part.role, () => codeLines(coroutine, part));
  return tabs;
}

function showTab(name) {
  const tabs = tabsOf(current());
  shown.tab = tabs.has(name) ? name : tabs.has("resume") ? "resume" : [...tabs.keys()].at(-1);
  if (!views.has(shown.tab)) views.set(shown.tab, tabs.get(shown.tab)());
  byId("panel").replaceChildren(views.get(shown.tab));
  for (const tab of byId("tabs").children) {
    tab.setAttribute("aria-selected", tab.dataset.name === shown.tab);
    tab.tabIndex = tab.dataset.name === shown.tab ? 0 : -1;
    if (tab.dataset.name === shown.tab) byId("panel").setAttribute("aria-labelledby", tab.id);
  }
  lights.show(keysOf(completed(lights.kept)));
}

function countTabs(what) {
  const parts = new Map(current().parts.map((part) => [part.role, part]).concat([["before the split", current().ir]]));
  for (const tab of byId("tabs").children) {
    const marks = parts.get(tab.dataset.name)?.marks ?? [];
    const lines = new Set(marks.filter((mark) => mark[2] === what?.field).map((mark) => mark[0])).size;
    tab.querySelector(".count")?.remove();
    if (lines) tab.append(make("span", { class: "count", title: plural(lines, "line") }, String(lines)));
  }
}

function showTabs(coroutine) {
  const tabs = [...tabsOf(coroutine).keys()].map((name, at) => {
    const tab = make("button", { type: "button", role: "tab", id: `tab-${at}`, "aria-controls": "panel", tabindex: -1 }, name);
    tab.dataset.name = name;
    tab.addEventListener("click", () => { showTab(name); remember(); });
    tab.addEventListener("focus", () => showTab(name));
    return tab;
  });
  byId("tabs").replaceChildren(...tabs);
  showTab(shown.tab);
}

/* ---- page ---- */

function firstOf(coroutine) {
  const known = (field) => !field.header && field.suspend !== null;
  const telling = (field) => known(field) && field.variable && field.use && field.kind !== "promise";
  const ways = [(field) => telling(field) && field.suspend > 0, telling, known];
  const found = ways.map((way) => coroutine.fields.findIndex(way)).find((at) => at >= 0);
  return found === undefined ? null : { field: found };
}

function showCoroutine(at) {
  shown.coroutine = at;
  const coroutine = current(), { frame } = coroutine, unused = frame.holes.reduce((sum, hole) => sum + hole[1], 0);
  lights.clear();
  views.clear();
  byId("pick").value = at;
  byId("facts").replaceChildren("a frame of ", make("b", {}, plural(frame.size, "byte")),
    ` (${unused ? `${unused} unused; ` : ""}no layout is below ${frame.bound}) · ${plural(coroutine.suspends.length, "suspend")} · ${coroutine.abi} ABI`);
  showSource(coroutine);
  showFrame(coroutine);
  showTabs(coroutine);
  lights.kept = firstOf(coroutine);
  select(lights.kept, true);
}

function remember() {
  const { kept } = lights, parts = [shownName(), shown.tab, byId("scrub").value];
  parts.push(kept?.suspend !== undefined ? `s${kept.suspend}` : kept?.variable !== undefined ? `v${kept.variable}` : kept ? `f${kept.field}` : "");
  try { history.replaceState(null, "", `#${parts.map(encodeURIComponent).join("/")}`); } catch { /* a page in a page has no address */ }
}

function recall() {
  let parts = [];
  try { parts = location.hash.slice(1).split("/").map(decodeURIComponent); } catch { /* written by hand */ }
  const [name, tab, step, kept = ""] = parts, at = model.coroutines.findIndex((each) => each.name === name);
  shown.tab = tab ?? "";
  showCoroutine(Math.max(at, 0));
  showStep(Math.min(/^\d+$/.test(step) ? Number(step) : defaultStep(), model.steps.length - 1));
  const number = Number(kept.slice(1)), coroutine = current();
  const known = { f: ["field", coroutine.fields], v: ["variable", coroutine.variables], s: ["suspend", coroutine.suspends] }[kept[0]];
  if (at >= 0 && known && known[1][number]) keep({ [known[0]]: number });
}

const defaultStep = () => Math.max(model.steps.findIndex((step) => step.name === "coro-split"), 0);

function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)"), button = byId("theme"), root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const name = () => { button.textContent = isDark() ? "light" : "dark"; button.setAttribute("aria-label", `${button.textContent} colours`); };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  button.removeAttribute("aria-pressed");
  dark.addEventListener("change", name);
  name();
}

function live() {
  const path = document.body.dataset.events;
  if (path) new EventSource(path).addEventListener("changed", () => location.reload());
}

function start() {
  theme();
  live();
  byId("trouble").hidden = !model.trouble;
  byId("trouble").textContent = model.trouble;
  const none = !model.coroutines.length;
  for (const part of document.querySelectorAll("main, #passes, #elisions, header label")) part.hidden = none;
  if (none) {
    byId("facts").textContent = model.trouble ? "" : "The module has no unsplit coroutines.";
    return;
  }
  byId("pick").append(...model.coroutines.map((each, at) => make("option", { value: at }, `${each.shown} — ${plural(each.frame.size, "byte")}`)));
  byId("pick").addEventListener("change", (event) => { showCoroutine(Number(event.target.value)); showStep(Number(byId("scrub").value)); remember(); });
  rove(byId("tabs"), "[role=tab]");
  showPasses();
  showElisions();
  recall();
}

readModel().then((read) => {
  model = read;
  start();
  performance.mark("drawn");
});
