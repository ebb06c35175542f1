/* Draws the control-flow graph from boxes and paths with computed positions. */
function blockText(coroutine, names) {
  const { lines } = coroutine.ir, wanted = new Set(names.map((name) => `${name.slice(1)}:`));
  let inside = false;
  return lines.filter((line) => {
    if (/^\S.*:$/.test(line)) inside = wanted.has(line) || wanted.has(line.replace(/^"(.*)":$/, "$1:"));
    return inside;
  }).join("\n");
}

function graphBox(coroutine, box, text) {
  const node = draw("g", { class: `box ${box.style}`, tabindex: -1, role: "button", "aria-label": box.lines.join(", ") });
  node.append(draw("rect", { x: box.x, y: box.y, width: box.w, height: box.h, rx: box.style === "block" ? 12 : 5 }));
  box.lines.forEach((line, at) => {
    const y = box.y + (at ? 32 + 14 * (at - 1) : 17);
    node.append(draw("text", { x: box.x + box.w / 2, y, class: at ? "second" : "first" }, line));
  });
  for (const block of box.blocks) lights.add(`b${block}`, node, "path"), lights.add(`u${block}`, node, "use");
  const show = () => { text.textContent = blockText(coroutine, box.blocks); };
  node.addEventListener("mouseenter", show);
  node.addEventListener("focus", show);
  for (const place of box.suspends) lights.add(`s${place}`, node, "path");
  node.addEventListener("click", () => keep(box.suspends.length ? { suspend: box.suspends[0] } : lights.kept));
  return node;
}

function edgeKey() {
  const said = { resume: "when it is resumed", destroy: "when it is destroyed", suspend: "back to the caller" };
  return make("p", { class: "key" }, ...Object.entries(said).map(([kind, name]) =>
    make("span", {}, draw("svg", { width: 28, height: 8, "aria-hidden": "true" }, draw("path", { class: `edge ${kind}`, d: "M0 4h28" })), name)));
}

function graphPicture(coroutine) {
  const { graph } = coroutine, text = make("pre", { id: "block" }, "Point at a block, or move with the arrow keys.");
  const svg = draw("svg", { width: graph.width, height: graph.height, viewBox: `0 0 ${graph.width} ${graph.height}`, role: "group", "aria-label": "control flow" });
  for (const route of graph.routes) {
    svg.append(draw("path", { class: `edge ${route.kind}`, d: route.d }));
    if (!route.arrow) continue;
    const [x, y, way] = route.arrow;
    svg.append(draw("path", { class: `arrow ${route.kind}`, d: way === "left" ? `M${x} ${y}l8 -4v8z` : `M${x} ${y}l-4 -8h8z` }));
  }
  for (const box of graph.boxes) svg.append(graphBox(coroutine, box, text));
  rove(svg, ".box");
  return make("div", {}, edgeKey(), svg, text);
}
