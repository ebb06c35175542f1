/* Creates DOM elements from plain data. Text is never interpreted as markup. */
const svgSpace = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== false) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(svgSpace, tag), attributes, children);
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/* Makes a group of elements one tab stop; the arrow keys move between them. */
function rove(container, selector, stride = () => 1) {
  const all = () => [...container.querySelectorAll(selector)];
  const first = container.querySelector(selector);
  if (first) first.tabIndex = 0;
  container.addEventListener("focusin", (event) => {
    if (!event.target.matches(selector)) return;
    for (const other of container.querySelectorAll(`${selector}[tabindex="0"]`)) other.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  container.addEventListener("keydown", (event) => {
    if (!event.target.matches(selector)) return;
    const items = all(), at = items.indexOf(event.target);
    const far = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: stride(items, at, 1), ArrowUp: -stride(items, at, -1) }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? items.length - 1 : far === undefined ? -1 : at + far;
    if (to < 0 || to >= items.length) return;
    event.preventDefault();
    items[to].focus();
  });
}
