/* Code listings: the source with its variables and suspends, and IR with the field accesses of each line. */
const sourceWords = /\/\/.*|\b(?:co_yield|co_await|co_return|return|for|while|if|else|switch|case|break|continue|struct|class|auto|void|int|bool|char|const|template|typename|yield|await|async)\b/g;

function words(text, into) {
  let done = 0;
  for (const found of text.matchAll(sourceWords)) {
    into.append(text.slice(done, found.index), make("span", { class: found[0].startsWith("//") ? "comment" : "word" }, found[0]));
    done = found.index + found[0].length;
  }
  into.append(text.slice(done));
}

function sourceLine(coroutine, number, text, names, pauses) {
  const line = make("span", { class: "text" });
  let done = 0;
  for (const [, column, length, variable] of names) {
    words(text.slice(done, column), line);
    const { field, name } = coroutine.variables[variable];
    const label = `${name}, line ${number}, ${field === null ? "not in the frame" : "in the frame"}`;
    const word = make("span", { class: field === null ? "name" : "name held", role: "button", tabindex: -1, "aria-label": label });
    word.append(text.slice(column, column + length));
    word.dataset.line = number;
    wire(word, { variable });
    lights.add(`v${variable}`, word);
    line.append(word);
    done = column + length;
  }
  words(text.slice(done), line);
  const inside = number >= coroutine.first && number <= coroutine.last;
  const row = make("div", { class: inside ? "in" : undefined }, make("span", { class: "number" }, String(number)), line);
  for (const place of pauses) {
    const suspend = coroutine.suspends[place];
    const mark = make("span", { class: "pause", role: "button", tabindex: -1, "aria-label": `${suspend.title}, line ${number}` });
    mark.append(suspend.label);
    mark.dataset.line = number;
    wire(mark, { suspend: place });
    lights.add(`s${place}`, row, "at");
    line.append(mark);
  }
  return row;
}

function group(pairs) {
  const found = new Map();
  for (const [key, value] of pairs) found.set(key, [...(found.get(key) ?? []), value]);
  return found;
}

function showSource(coroutine) {
  const card = byId("source"), box = card.querySelector(".scroll"), file = model.sources[coroutine.source];
  card.querySelector("h2").textContent = file ? file.path.split("/").pop() : "IR before the split";
  card.querySelector("h2").title = file ? file.path : "";
  if (!file) {
    box.replaceChildren(codeLines(coroutine, coroutine.ir));
    rove(box, ".name");
    return;
  }
  const names = group(coroutine.names.map((name) => [name[0], name]));
  const pauses = group(coroutine.suspends.map((suspend, place) => [suspend.line, place]));
  const lines = file.lines.map((text, at) => sourceLine(coroutine, at + 1, text, names.get(at + 1) ?? [], pauses.get(at + 1) ?? []));
  const whole = make("div", { class: "lines" }, ...lines);
  box.replaceChildren(whole);
  const nextLine = (items, at, way) => {
    let to = at + way;
    while (items[to] && items[to].dataset.line === items[at].dataset.line) to += way;
    return items[to] ? Math.abs(to - at) : 0;
  };
  rove(box, ".name, .pause", nextLine);
  const first = lines[Math.max(coroutine.first - 2, 0)];
  if (first) box.scrollTop = first.offsetTop;
}

const howSaid = { load: "load", store: "store", address: "addr", define: "def", use: "use" };

function codeLines(coroutine, code) {
  const marks = group(code.marks.map((mark) => [mark[0], mark]));
  const rows = code.lines.map((text, at) => {
    const line = make("span", { class: "text" }, text), hows = make("span", { class: "hows" });
    if (/^\S/.test(text) && text.endsWith(":")) line.classList.add("label");
    if (text.startsWith("  #dbg")) line.classList.add("record");
    const row = make("div", {}, make("span", { class: "number" }, code.at[at] || ""), hows, line);
    for (const [, how, field] of marks.get(at) ?? []) {
      const told = make("span", { class: "how", title: `${how} of ${fieldName(coroutine.fields[field])}` }, howSaid[how]);
      hows.append(told);
      lights.add(`f${field}`, row);
      lights.add(`f${field}`, told);
    }
    return row;
  });
  return make("div", { class: "lines" }, ...rows);
}
