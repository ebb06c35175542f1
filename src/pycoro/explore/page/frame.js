/* The frame: its bytes as a strip, a row for each field with the suspends that it is live across, and the reason why a field is in the frame. */
const fieldName = (field) => field.variable || field.name;
const kinds = { alloca: "variable", spill: "value live across a suspend", promise: "promise", resume: "header", destroy: "header", index: "header", header: "header" };

function strip(coroutine) {
  const size = coroutine.frame.size, bar = make("div", { class: "strip", "aria-hidden": "true" });
  const lanes = [];
  coroutine.fields.forEach((field, at) => {
    if (!field.size) return;
    let lane = lanes.findIndex((end) => end <= field.offset);
    if (lane < 0) lane = lanes.push(0) - 1;
    lanes[lane] = field.offset + field.size;
    const cell = make("span", { class: field.kind, title: `${fieldName(field)}: ${field.size} bytes at ${field.offset}` }, fieldName(field));
    Object.assign(cell.style, { left: `${(100 * field.offset) / size}%`, width: `${(100 * field.size) / size}%` });
    cell.dataset.lane = lane;
    wire(cell, { field: at });
    lights.add(`f${at}`, cell);
    bar.append(cell);
  });
  for (const cell of bar.children) Object.assign(cell.style, { top: `${(100 * cell.dataset.lane) / lanes.length}%`, height: `${100 / lanes.length}%` });
  return bar;
}

function track(coroutine, field) {
  const count = Math.max(coroutine.suspends.length, 1), gap = count > 40 ? 0 : 0.08;
  const svg = draw("svg", { class: "track", viewBox: `0 0 ${count} 1`, preserveAspectRatio: "none", role: "img" });
  svg.append(draw("rect", { class: "rail", x: 0, y: 0.1, width: count, height: 0.8 }));
  for (const [from, to] of field.live)
    if (gap) for (let at = from; at < to; at++) svg.append(draw("rect", { class: "run", x: at + gap, y: 0.1, width: 1 - 2 * gap, height: 0.8 }));
    else svg.append(draw("rect", { class: "run", x: from, y: 0.1, width: to - from, height: 0.8 }));
  svg.setAttribute("aria-label", field.header ? "always live" : `live across suspends: ${field.live_text || "none"}`);
  return svg;
}

function suspendHeads(coroutine) {
  const heads = make("div", { class: "heads" });
  if (coroutine.suspends.length > 24) {
    heads.append(`live across which of ${coroutine.suspends.length} suspends`);
    return heads;
  }
  coroutine.suspends.forEach((suspend, at) => {
    const label = `${suspend.title}${suspend.line ? `, line ${suspend.line}` : ""}: spills ${plural(suspend.count, "value")}, ${suspend.bytes} bytes`;
    const head = make("button", { type: "button", tabindex: -1, title: label, "aria-label": label }, suspend.label);
    wire(head, { suspend: at });
    lights.add(`s${at}`, head, "at");
    heads.append(head);
  });
  return heads;
}

function showFrame(coroutine) {
  const { frame, fields } = coroutine, body = byId("frame-body");
  if (!frame.size) {
    body.replaceChildren(make("p", {}, "No frame: nothing is live across a suspend."));
    return;
  }
  const rows = fields.map((field, at) => {
    const button = make("button", { type: "button", tabindex: -1 }, fieldName(field));
    wire(button, { field: at });
    const row = make("tr", { class: field.header ? "aside" : undefined },
      make("td", { class: "right muted" }, String(field.offset)),
      make("td", { class: "wide" }, make("span", { class: `chip ${field.kind}` }), button),
      make("td", { class: "wide muted", title: field.type }, field.type),
      make("td", { class: "right" }, String(field.size)),
      make("td", {}, track(coroutine, field)));
    row.addEventListener("mouseenter", () => select({ field: at }, false));
    row.addEventListener("mouseleave", () => select(lights.kept, false));
    lights.add(`f${at}`, row);
    for (const [from, to] of field.live) for (let place = from; place < to; place++) lights.add(`k${place}`, row);
    return row;
  });
  const heads = ["byte", "field", "type", "size"].map((head, at) => make("th", { scope: "col", class: at % 3 ? undefined : "right" }, head));
  const table = make("table", { class: "fields" },
    make("thead", {}, make("tr", {}, ...heads, make("th", { scope: "col", "aria-label": "live across" }, suspendHeads(coroutine)))),
    make("tbody", {}, ...rows));
  const scale = make("div", { class: "scale", "aria-hidden": "true" }, make("span", {}, "0"), make("span", {}, `${frame.size} bytes`));
  body.replaceChildren(strip(coroutine), scale, table);
  rove(table.tHead, "button");
  rove(table.tBodies[0], "button");
}

/* ---- reasons ---- */

const where = (line) => (line ? `line ${line}: ` : "");

function storyStep(sign, look, said, code, block) {
  const text = make("div", {}, said);
  if (code) text.append(make("br"), make("code", {}, code));
  if (block) text.append(" ", make("span", { class: "muted" }, `in ${block}`));
  return make("li", {}, make("span", { class: `bullet ${look}`, "aria-hidden": "true" }, sign), text);
}

function accessTally(coroutine, field) {
  const jumps = make("p", { class: "jumps" }, make("span", { class: "muted" }, "In the clones:"));
  for (const part of coroutine.parts) {
    const count = (how) => part.marks.filter((mark) => mark[1] === how && mark[2] === field).length;
    const told = ["load", "store"].filter(count).map((how) => plural(count(how), how));
    if (!told.length && count("address")) told.push("its address");
    if (!told.length) continue;
    const button = make("button", { type: "button" }, make("b", {}, part.role), ` ${told.join(", ")}`);
    button.addEventListener("click", () => { showTab(part.role); scrollToLit(); });
    jumps.append(button);
  }
  return jumps.children.length > 1 ? jumps : "";
}

function storyOf(coroutine, at) {
  const field = coroutine.fields[at], suspend = field.suspend === null ? null : coroutine.suspends[field.suspend];
  const size = `${plural(field.size, "byte")} at ${field.offset}`;
  const head = make("h3", {}, fieldName(field));
  const about = make("p", { class: "muted" }, [field.type, size, field.kind === "alloca" && !field.variable ? "temporary" : kinds[field.kind]].filter(Boolean).join(" · "));
  if (field.header || !suspend) return [head, about, accessTally(coroutine, at), make("p", { class: "moral" }, `${field.reason.charAt(0).toUpperCase()}${field.reason.slice(1)}.`)];
  const steps = [
    storyStep("1", "", `${where(field.line)}${field.variable ? "the variable" : "the value"} is defined`, field.definition, field.definition_block),
    storyStep("", "stop", `${where(suspend.line)}the coroutine may suspend here (${suspend.title})`, "", suspend.block),
  ];
  if (field.use) steps.push(storyStep("3", "", `${where(field.use_line)}after the resume, this instruction uses it`, field.use, field.use_block));
  const parts = [head, about, accessTally(coroutine, at), make("ol", {}, ...steps),
    make("p", { class: "moral" }, `While it is suspended it has no stack frame, so these bytes are in the coroutine frame: ${field.reason.replace(/\.$/, "")}.`)];
  if (field.before.length) {
    const path = make("details", {}, make("summary", {}, `A path through ${plural(field.before.length + field.after.length, "block")} that crosses the suspend`));
    path.append(make("code", {}, [...field.before, "(stopped)", ...field.after].join(" → ")));
    parts.push(path);
  }
  if (field.changes.length) {
    const list = make("ul", {}, ...field.changes.map((change) => make("li", { class: "plain" }, change)));
    parts.push(make("details", {}, make("summary", {}, "It would not be in the frame if (one, or several together) …"), list));
  }
  return parts;
}

function suspendStory(coroutine, at) {
  const suspend = coroutine.suspends[at];
  const kept = coroutine.fields.filter((field) => field.live.some(([from, to]) => from <= at && at < to));
  return [make("h3", {}, `${suspend.title}${suspend.line ? `, line ${suspend.line}` : ""}`),
    make("p", {}, kept.length ? `The frame stores ${plural(kept.length, "value")}, ${suspend.bytes} bytes: ${kept.map(fieldName).join(", ")}.` : "The frame stores only the header.")];
}

function showWhy(coroutine, what) {
  const body = byId("why-body");
  if (!what) {
    body.replaceChildren(make("p", { class: "muted" }, "Point at a variable of the source, at a row of the frame, or at a suspend."));
  } else if (what.suspend !== undefined) {
    body.replaceChildren(...suspendStory(coroutine, what.suspend));
  } else if (what.field === null) {
    const { name, line } = coroutine.variables[what.variable];
    body.replaceChildren(make("h3", {}, name), make("p", { class: "moral" },
      `It is declared in line ${line} and has no field in the frame: it is not used after a suspend, or it is recomputed there.`));
  } else body.replaceChildren(...storyOf(coroutine, what.field).filter(Boolean));
}
