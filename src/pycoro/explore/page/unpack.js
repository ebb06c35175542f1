/* Decodes the model. Lines of text are in one table without duplicates, and are looked up when shown. */
let model;

/* Reads the model embedded in the page; a large one is deflated. */
async function readModel() {
  const data = JSON.parse(byId("model").textContent);
  if (!data.deflated) return data;
  const bytes = Uint8Array.from(atob(data.deflated), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const hows = ["load", "store", "address", "define", "use"];
const textsOf = (places) => places.map((place) => model.texts[place]);
const diffOf = (change) => change.diff.map((line) => " +-@"[line % 4] + model.texts[Math.floor(line / 4)]);

function unpackCode(code) {
  if (code.ready) return;
  code.lines = textsOf(code.lines);
  const marks = [];
  for (let at = 0; at < code.marks.length; at += 3) marks.push([code.marks[at], hows[code.marks[at + 1]], code.marks[at + 2]]);
  code.marks = marks;
  code.ready = true;
}

/* Decodes a coroutine when it is first shown. */
function unpacked(coroutine) {
  if (coroutine.ready) return coroutine;
  for (const field of coroutine.fields) for (const key of ["before", "after", "changes"]) field[key] = textsOf(field[key]);
  for (const code of [coroutine.ir, ...coroutine.parts]) unpackCode(code);
  coroutine.ready = true;
  return coroutine;
}
